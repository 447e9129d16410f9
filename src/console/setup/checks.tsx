import { Copyable } from '../../http/page/rows.tsx'
import type { ApiAnswers } from '../../api/answers.ts'
import { Inline } from '../markdown.tsx'

type Checks = ApiAnswers['GET /setup']['items']
type Check = Checks[number]

const LINKS: Readonly<Record<Check['about'], readonly [href: string, label: string]>> = {
  'API keys': ['/console/keys#make', 'Create key'],
  'VAULT_KEYS': ['/docs/people', 'About consent'],
  'sign-in': ['/docs/sign-in', 'About sign-in'],
  'providers': ['/console/providers#give', 'Add provider'],
}
export function SetupChecks({ items }: { items: Checks }) {
  return (
    <ul class="checks">
      {items.map(({ about, state, message, fix }) => {
        const [href, label] = LINKS[about]
        return (
          <li class={state}>
            <strong>{about.charAt(0).toUpperCase() + about.slice(1)}</strong> {message}
            {fix === undefined ? undefined : (
              <p class="note">
                <Inline text={fix} />. <a href={href}>{label}</a>
              </p>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Shown on an administrator's first page until everything is set up; folded once there is an API key. */
export function SetupPanel({ items, origin }: { items: Checks; origin: string }) {
  const missing = items.filter(({ state }) => state === 'off')
  if (missing.length === 0) return undefined
  return (
    <details class="panel" open={missing.some(({ about }) => about === 'API keys')}>
      <summary>
        <h2>Set up this deployment</h2>{' '}
        <span class="note">
          {String(items.length - missing.length)} of {String(items.length)} done
        </span>
      </summary>
      <SetupChecks items={items} />
      <ConnectStep origin={origin} />
    </details>
  )
}

export function ConnectStep({ origin }: { origin: string }) {
  return (
    <>
      <p>
        Agents connect to this MCP URL. <a href="/console/connect">Set up an agent</a>
      </p>
      <Copyable text={`${origin}/mcp`} />
    </>
  )
}
