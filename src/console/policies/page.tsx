import type { Policy } from '../../core/access/policy.ts'
import { type Filled, FilledFields, filledWith, staleness } from '../filled.tsx'
import {
  guardOf,
  GuardFields,
  LimitFields,
  LIMITS,
  limitsOf,
  numbersOf,
  wordsOf,
  writtenGuard,
  writtenLimits,
} from '../form-fields.tsx'
import type { Leads, View, Visit } from '../page.ts'
import { exact, Notice, Refused } from '../parts.tsx'
import { failureOf, type SaidFailure } from '../reply.ts'

/** The fields of the form, each as somebody wrote it. */
const FIELDS = ['security_level', 'timeout_ms', ...LIMITS, 'secrets', 'approval', 'review'] as const
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
  const stale = !isRemoval && form.has('filled_of') ? await staleSetting(visit, pattern) : undefined
  if (stale) return policiesView(visit, { failure: stale, stale: pattern })
  const reply = isRemoval ? await visit.ask('DELETE', path) : await visit.ask('PUT', path, policyOf(form))
  if (reply.ok) return { leadsTo: `/console/policies?done=${isRemoval ? 'removed' : 'set'}` }
  return policiesView(visit, { failure: failureOf(reply), ...(isRemoval ? {} : { form }) })
}

async function staleSetting(visit: Visit, pattern: string): Promise<SaidFailure | undefined> {
  const list = await visit.ask<{ items: readonly Policy[] }>('GET', '/policies')
  if (!list.ok) return failureOf(list)
  return staleness(visit.form, pattern, writtenOf(list.value.items.find((each) => each.pattern === pattern)))
}

/** The body of `PUT /policies/{pattern}` that a form says. */
function policyOf(form: URLSearchParams): object {
  const secrets = wordsOf(form.get('secrets'))
  return {
    ...guardOf(form),
    ...numbersOf(form, 'timeout_ms'),
    ...(form.get('review') === '1' ? { review: true } : {}),
    ...(secrets.length === 0 ? {} : { secrets }),
    ...limitsOf(form),
  }
}

/** What a form came to, as the page says it. */
interface Said {
  readonly failure?: SaidFailure
  readonly form?: URLSearchParams
  /** The pattern of a form that was filled before somebody else changed its policy. */
  readonly stale?: string
}

async function policiesView(visit: Visit, { failure, form, stale }: Said = {}): Promise<View> {
  const list = await visit.ask<{ items: readonly Policy[] }>('GET', '/policies')
  const { searchParams } = visit.url
  const chosen = stale ?? form?.get('filled_of') ?? searchParams.get('pattern')
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
          <PolicyForm
            {...(form ? writtenIn(form) : writtenOf(existing))}
            filled={existing && filledWith(existing.pattern, writtenOf(existing), form)}
          />
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
  const { pattern = '', secrets = [], timeout_ms, limits, review, ...guard } = policy ?? {}
  return {
    pattern,
    secrets: secrets.join(' '),
    ...writtenGuard(guard),
    review: review ? '1' : '',
    timeout_ms: timeout_ms === undefined ? '' : String(timeout_ms),
    ...writtenLimits(limits),
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
  if (items.length === 0) return <Notice>There is none yet: each tool is called as it says itself.</Notice>
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

function PolicyForm({ filled, ...written }: Written & { readonly filled: Filled | undefined }) {
  const { pattern, timeout_ms, secrets, review } = written
  return (
    <form method="post" action="/console/policies">
      {filled && <FilledFields {...filled} />}
      <label>
        Tools <span class="note">a pattern such as Gmail.*, *.Delete* or *</span>
        <input name="pattern" required maxlength={129} value={exact(pattern)} autocomplete="off" />
      </label>
      <GuardFields {...written} />
      <label>
        A call ends after, in milliseconds
        <input name="timeout_ms" inputmode="numeric" value={exact(timeout_ms)} autocomplete="off" />
      </label>
      <LimitFields title="Each tool may be called" {...written} />
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
