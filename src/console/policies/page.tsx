import type { Policy } from '../../core/access/policy.ts'
import type { Leads, View, Visit } from '../page.ts'
import { exact, Notice, Refused } from '../parts.tsx'
import { failureOf, type SaidFailure } from '../reply.ts'

/** The fields of the form, each as somebody wrote it. */
const FIELDS = [
  'security_level',
  'timeout_ms',
  'calls',
  'seconds',
  'concurrency',
  'secrets',
  'approval',
  'review',
] as const
type Written = Readonly<Record<(typeof FIELDS)[number] | 'pattern', string>>

const DONE = new Map([
  ['set', 'It holds: here at once, and everywhere within a minute.'],
  ['removed', 'It is gone. What others say of these tools still holds.'],
])

/** What administrators say of tools, by pattern. */
export async function show(visit: Visit): Promise<View | Leads> {
  return policiesView(visit)
}

/** Sets a policy in place of the one that its pattern had, or removes one. */
export async function act(visit: Visit): Promise<View | Leads> {
  const { form } = visit
  const pattern = form.get('pattern')?.trim() ?? ''
  const path = `/policies/${encodeURIComponent(pattern)}`
  const isRemoval = form.get('do') === 'remove'
  const reply = isRemoval ? await visit.ask('DELETE', path) : await visit.ask('PUT', path, policyOf(form))
  if (reply.ok) return { leadsTo: `/console/policies?done=${isRemoval ? 'removed' : 'set'}` }
  return policiesView(visit, failureOf(reply), isRemoval ? undefined : form)
}

/** The body of `PUT /policies/{pattern}` that a form says. */
function policyOf(form: URLSearchParams): object {
  const said = (name: string) => form.get(name)?.trim() ?? ''
  const numbers = (...names: readonly string[]) =>
    names.flatMap((name): [string, number | string][] => (said(name) === '' ? [] : [[name, numberOf(said(name))]]))
  const secrets = said('secrets')
    .split(/[\s,]+/)
    .filter((each) => each !== '')
  const rate = numbers('calls', 'seconds')
  const concurrency = numbers('concurrency')
  const limits = [...(rate.length === 0 ? [] : [['rate', Object.fromEntries(rate)]]), ...concurrency]
  return {
    ...Object.fromEntries(numbers('security_level', 'timeout_ms')),
    ...(said('approval') === '' ? {} : { approval: true }),
    ...(said('review') === '' ? {} : { review: true }),
    ...(secrets.length === 0 ? {} : { secrets }),
    ...(limits.length === 0 ? {} : { limits: Object.fromEntries(limits) }),
  }
}

/** What is no number the route says is none. */
function numberOf(text: string): number | string {
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}

async function policiesView(visit: Visit, failure?: SaidFailure, form?: URLSearchParams): Promise<View> {
  const list = await visit.ask<{ items: readonly Policy[] }>('GET', '/policies')
  const { searchParams } = visit.url
  const chosen = searchParams.get('pattern')
  const existing = list.value.items?.find(({ pattern }) => pattern === chosen)
  const done = DONE.get(searchParams.get('done') ?? '')
  return {
    title: 'Policies',
    status: failure?.status ?? 200,
    content: (
      <>
        {done === undefined || failure ? undefined : (
          <Notice>
            <p>{done}</p>
          </Notice>
        )}
        {failure === undefined ? undefined : <Refused failure={failure} />}
        <p>
          What holds for tools whoever publishes and calls them. All policies whose pattern covers a tool hold for it:
          of levels the highest, of times the shortest, and every limit.
        </p>
        {list.ok ? <PolicyList items={list.value.items} /> : <Refused failure={failureOf(list)} />}
        <section aria-labelledby="set">
          <h2 id="set">{existing === undefined ? 'Set a policy' : `Change the policy for ${existing.pattern}`}</h2>
          <PolicyForm {...(form ? writtenIn(form) : writtenOf(existing))} />
        </section>
      </>
    ),
  }
}

function writtenIn(form: URLSearchParams): Written {
  const given = ['pattern', ...FIELDS].map((name) => [name, form.get(name) ?? ''])
  return { ...writtenOf(undefined), ...Object.fromEntries(given) }
}

function writtenOf(policy: Policy | undefined): Written {
  const { pattern = '', secrets = [], security_level, approval, timeout_ms, limits = {}, review } = policy ?? {}
  const text = (number: number | undefined) => (number === undefined ? '' : String(number))
  return {
    pattern,
    secrets: secrets.join(' '),
    security_level: text(security_level),
    approval: approval ? '1' : '',
    review: review ? '1' : '',
    timeout_ms: text(timeout_ms),
    calls: text(limits.rate?.calls),
    seconds: text(limits.rate?.seconds),
    concurrency: text(limits.concurrency),
  }
}

/** What a policy says, in words. */
export function wordsOfPolicy({
  secrets,
  security_level,
  approval,
  timeout_ms,
  limits = {},
  review,
}: Policy): string[] {
  const { rate, concurrency } = limits
  return [
    ...(security_level === undefined ? [] : [`security level ${security_level} at least`]),
    ...(approval ? ['a person approves each call'] : []),
    ...(timeout_ms === undefined ? [] : [`a call ends after ${timeout_ms / 1_000} s`]),
    ...(rate ? [`each at most ${rate.calls} calls in ${rate.seconds} s`] : []),
    ...(concurrency === undefined ? [] : [`each at most ${concurrency} calls at a time`]),
    ...(review ? ['what is published is pending until it was reviewed'] : []),
    ...(secrets ? [`may have ${secrets.join(', ')}`] : []),
  ]
}

function PolicyList({ items }: { items: readonly Policy[] }) {
  if (items.length === 0) return <p>There is none yet.</p>
  return (
    <ul class="cards" aria-label="Policies">
      {items.map((policy) => (
        <li>
          <h2>
            <code>{policy.pattern}</code>
          </h2>
          <ul class="plain">
            {wordsOfPolicy(policy).map((words) => (
              <li>{words}</li>
            ))}
          </ul>
          <p>
            <a
              href={`/console/policies?${new URLSearchParams({ pattern: policy.pattern })}#set`}
              aria-label={`Change the policy for ${policy.pattern}`}
            >
              Change
            </a>
          </p>
          <details>
            <summary aria-label={`Remove the policy for ${policy.pattern}`}>Remove…</summary>
            <form method="post" action="/console/policies">
              <input type="hidden" name="pattern" value={exact(policy.pattern)} />
              <button class="danger" name="do" value="remove">
                Remove it
              </button>
            </form>
          </details>
        </li>
      ))}
    </ul>
  )
}

function PolicyForm(written: Written) {
  const { pattern, security_level, approval, timeout_ms, calls, seconds, concurrency, secrets, review } = written
  return (
    <form method="post" action="/console/policies">
      <label>
        Tools <span class="note">a pattern such as Gmail.*, *.Delete* or *</span>
        <input name="pattern" required maxlength={129} value={exact(pattern)} autocomplete="off" />
      </label>
      <label>
        Security level, at least{' '}
        <span class="note">from 4 a key must name the tool; from 8 a person approves each call</span>
        <select name="security_level">
          <option value="">as they say</option>
          {Array.from({ length: 10 }, (_, index) => String(index + 1)).map((level) => (
            <option value={level} selected={level === security_level}>
              {level}
            </option>
          ))}
        </select>
      </label>
      <label class="choice">
        <input type="checkbox" name="approval" value="1" checked={approval !== ''} />
        <span>A person approves each call, whatever the level</span>
      </label>
      <label>
        A call ends after, in milliseconds
        <input name="timeout_ms" inputmode="numeric" value={exact(timeout_ms)} autocomplete="off" />
      </label>
      <fieldset class="pair">
        <legend>Each tool may be called</legend>
        <label>
          So many times
          <input name="calls" inputmode="numeric" value={exact(calls)} autocomplete="off" />
        </label>
        <label>
          in so many seconds
          <input name="seconds" inputmode="numeric" value={exact(seconds)} autocomplete="off" />
        </label>
        <label>
          So many at a time
          <input name="concurrency" inputmode="numeric" value={exact(concurrency)} autocomplete="off" />
        </label>
      </fieldset>
      <label>
        Secrets that they may have <span class="note">names of secrets of the Worker</span>
        <input name="secrets" value={exact(secrets)} autocomplete="off" />
      </label>
      <label class="choice">
        <input type="checkbox" name="review" value="1" checked={review !== ''} />
        <span>What others than administrators publish is pending until it was reviewed</span>
      </label>
      <button class="go" name="do" value="set">
        Set it
      </button>
    </form>
  )
}
