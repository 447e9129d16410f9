import { type Policy, policyReader } from '../../core/access/policy.ts'
import { schemaOf } from '../../core/tool/json-reader.ts'
import { EditForm, editFields, editView, filledWith, staleness, trimmed } from '../form/edit.tsx'
import { formOf, readInput } from '../form/values.ts'
import type { Leads, View, Visit } from '../page.ts'
import { exact, Notice, Refused } from '../parts.tsx'
import { failureOf, type SaidFailure } from '../reply.ts'

const FIELDS = editFields(schemaOf(policyReader()), {
  key: 'pattern',
  description: 'The tools that it holds for: a pattern such as Gmail.*, *.Delete* or *',
})

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
  const form = trimmed(visit.form)
  const pattern = form.get('input/pattern') ?? ''
  const path = `/policies/${encodeURIComponent(pattern)}`
  if (form.get('do') === 'remove') {
    const removed = await visit.ask('DELETE', path)
    return removed.ok
      ? { leadsTo: '/console/policies?done=removed' }
      : policiesView(visit, { failure: failureOf(removed) })
  }
  const stale = form.has('filled_of') ? await staleSetting(visit, form, pattern) : undefined
  if (stale) return policiesView(visit, { failure: stale, chosen: pattern })
  const { pattern: _, ...policy } = readInput(FIELDS, form).input
  const set = await visit.ask('PUT', path, policy)
  if (set.ok) return { leadsTo: '/console/policies?done=set' }
  return policiesView(visit, { failure: failureOf(set), form, chosen: form.get('filled_of') })
}

async function staleSetting(visit: Visit, form: URLSearchParams, pattern: string): Promise<SaidFailure | undefined> {
  const list = await visit.ask<{ items: readonly Policy[] }>('GET', '/policies')
  if (!list.ok) return failureOf(list)
  const policy = list.value.items.find((each) => each.pattern === pattern)
  return staleness(form, FIELDS, pattern, policy)
}

/** How a form ended that is not done. */
interface Ended {
  readonly failure?: SaidFailure
  /** As it was written. */
  readonly form?: URLSearchParams
  /** The policy that the form is filled with. */
  readonly chosen?: string | null
}

async function policiesView(visit: Visit, { failure, form, chosen }: Ended = {}): Promise<View> {
  const list = await visit.ask<{ items: readonly Policy[] }>('GET', '/policies')
  const { searchParams } = visit.url
  const wanted = chosen ?? searchParams.get('pattern')
  const policy = list.value.items?.find(({ pattern }) => pattern === wanted)
  return editView({
    title: 'Policies',
    done: DONE.get(searchParams.get('done') ?? ''),
    failure,
    list: (
      <>
        <p>
          What holds for tools whoever publishes and calls them. All policies whose pattern covers a tool hold for it:
          of levels the highest, of times the shortest, and every limit.
        </p>
        {list.ok ? <PolicyList items={list.value.items} /> : <Refused failure={failureOf(list)} />}
      </>
    ),
    id: 'set',
    heading: policy === undefined ? 'Set a policy' : `Change the policy for ${policy.pattern}`,
    form: (
      <EditForm
        fields={FIELDS}
        form={form ?? formOf(FIELDS, policy)}
        problems={form && failure?.problems}
        filled={policy && filledWith(FIELDS, policy.pattern, policy, form)}
        action="/console/policies"
        act="set"
        button="Set it"
      />
    ),
  })
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
              <input type="hidden" name="input/pattern" value={exact(policy.pattern)} />
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
