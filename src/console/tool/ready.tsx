import type { ApiAnswers } from '../../api/answers.ts'
import { NO_USER } from '../../core/failure/failure-text.ts'
import { exact, Notice } from '../parts.tsx'
import { VERSIONS_PATH } from '../versions/page.tsx'
import { StatusButtons } from '../versions/toolkit.tsx'

interface ReadinessProps {
  readonly readiness: ApiAnswers['GET /tools/:id/readiness']
}

export function StatusNotice({ readiness: { tool, status }, mayPublish }: ReadinessProps & { mayPublish: boolean }) {
  const { state, message, successor }: { state: string; message?: string; successor?: string } = status
  if (state === 'active') return undefined
  return (
    <Notice>
      <p>
        This version is {state}
        {message ? `: ${message}` : ''}.
        {successor ? (
          <>
            {' '}
            Its successor is <a href={`/console/tools/${encodeURIComponent(successor)}`}>{successor}</a>.
          </>
        ) : undefined}
        {state === 'pending' ? (
          <>
            {' '}
            It can be called once it is <a href={VERSIONS_PATH}>approved</a>.
          </>
        ) : undefined}
      </p>
      {state === 'pending' && mayPublish ? (
        <form class="row" method="post" action={VERSIONS_PATH}>
          <input type="hidden" name="id" value={exact(tool)} />
          <StatusButtons current={state} />
        </form>
      ) : undefined}
    </Notice>
  )
}

/** The callers allowed at each security level, highest first (`findCallDenial`). */
const AUDIENCES: readonly (readonly [minLevel: number, text: string])[] = [
  [4, 'Callers must be allowed this tool by name'],
  [1, 'Callers must sign in or have a key'],
  [0, 'Anybody with access can call this'],
]

export function Badges({ readiness, version }: ReadinessProps & { version: string }) {
  const { ready, user_id, security_level: level, approval, shared } = readiness
  const audience = AUDIENCES.find(([minLevel]) => level !== undefined && level >= minLevel)?.[1]
  const facts = [
    `Version ${version}`,
    approval ? 'A person approves each call' : undefined,
    shared ? 'State shared by all callers' : undefined,
  ]
  return (
    <ul class="chips" aria-label="Status">
      <li class={ready ? 'chip ok' : 'chip warn'}>
        {ready ? 'Ready' : 'Not ready'}
        {user_id === undefined ? '' : ` for ${user_id}`}
      </li>
      {audience && (
        <li class="chip" title={`Security level ${level}`}>
          {audience}
        </li>
      )}
      {facts.map((fact) => fact && <li class="chip">{fact}</li>)}
    </ul>
  )
}

interface RequirementsProps extends ReadinessProps {
  readonly requirements: NonNullable<ApiAnswers['GET /tools/:id?format=oxp-flat']['requirements']>
  /** Whether the form has a field for the user. */
  readonly hasUserField: boolean
  readonly isAdmin: boolean
}

/** Shows each requirement and its state. The state is known if all are met, or if it is reported as missing. */
export function RequirementsTable({ readiness, requirements, hasUserField, isAdmin }: RequirementsProps) {
  const { ready, problems, missing_requirements: missing = {}, user_id } = readiness
  const { authorization = [], secrets = [], user_id: needsUser = false } = requirements
  const accounts = new Map((missing.authorization ?? []).map((account) => [account.id, account]))
  const unsetSecrets = new Set((missing.secrets ?? []).map(({ id }) => id))
  // For a pending version, the notice above explains it
  const shownProblems = readiness.status.state === 'pending' ? [] : problems
  if (shownProblems.length === 0 && authorization.length + secrets.length === 0 && !needsUser) return undefined
  return (
    <section class={ready ? 'notice' : 'notice problem'} aria-labelledby="requirements">
      <h2 id="requirements">Requirements</h2>
      <ul>
        {needsUser ? (
          <li>
            User{' '}
            {formatState(ready || user_id !== undefined, missing.user_id === true, user_id ?? 'given', 'not given')}
          </li>
        ) : undefined}
        {authorization.map(({ id }) => {
          const account = accounts.get(id)
          const missingText = account?.needs_setup ? 'not set up' : 'not connected'
          return (
            <li>
              Account at {id} {formatState(ready, account !== undefined, 'connected', missingText)}{' '}
              {account?.url ? <a href={account.url}>Connect {id}</a> : undefined}
              {account?.needs_setup && isAdmin ? <a href="/console/providers#give">Add provider</a> : undefined}
            </li>
          )
        })}
        {secrets.map(({ id }) => (
          <li>
            Secret {id} {formatState(ready, unsetSecrets.has(id), 'set', 'not set')}
          </li>
        ))}
        {shownProblems.map(({ type, message, developer_message: detail }) => (
          // Each missing requirement is listed above
          <li>
            {type === 'requirements-missing' && detail !== undefined ? undefined : message}
            {detail === undefined ? undefined : (
              <p class="note">{hasUserField ? detail.replace(NO_USER, 'Fill in User below') : detail}</p>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function formatState(isMet: boolean, isMissing: boolean, metText: string, missingText: string) {
  if (isMissing) return <strong class="warn">{missingText}</strong>
  return isMet ? <strong class="ok">{metText}</strong> : undefined
}
