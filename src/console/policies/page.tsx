import { type Policy, policyReader } from '../../core/access/policy.ts'
import { schemaOf } from '../../core/tool/json-reader.ts'
import { editFields, editView, etagOf, refusedForm, type SentForm, trimmed } from '../form/edit.tsx'
import { readInput } from '../form/values.ts'
import type { PageResult, PageVisit, View } from '../visit.ts'
import { Ending, exact, FailureNotice, Notice } from '../parts.tsx'

const PATH = '/console/policies'
const FIELDS = editFields(schemaOf(policyReader()), {
  key: 'pattern',
  description: 'The tools that it holds for: a pattern such as Gmail.*, *.Delete* or *',
})

const DONE = new Map([
  ['set', 'It holds: here at once, and everywhere within a minute.'],
  ['removed', 'It is gone. What others say of these tools still holds.'],
])

export async function act(visit: PageVisit): Promise<PageResult> {
  const form = trimmed(visit.form)
  const pattern = form.get('input/pattern') ?? ''
  if (form.get('do') === 'remove') {
    const removed = await visit.ask('DELETE /policies/:pattern', { pattern })
    return removed.ok ? { redirectTo: `${PATH}?done=removed` } : show(visit, removed)
  }
  const { pattern: _, ...body } = readInput(FIELDS, form, visit.meter).input
  const etag = etagOf(form, pattern, visit.url.searchParams.get('pattern'))
  const set = await visit.ask('PUT /policies/:pattern', { pattern, body, etag })
  return set.ok ? { redirectTo: `${PATH}?done=set` } : show(visit, refusedForm(set, form))
}

export async function show(visit: PageVisit, sent?: SentForm): Promise<View> {
  const { searchParams } = visit.url
  const pattern = searchParams.get('pattern')
  const [list, chosen] = await Promise.all([
    visit.ask('GET /policies'),
    pattern ? visit.ask('GET /policies/:pattern', { pattern }) : undefined,
  ])
  const { value: policy, etag } = chosen?.ok ? chosen : {}
  return editView({
    title: 'Policies',
    done: DONE.get(searchParams.get('done') ?? ''),
    sent,
    list: (
      <>
        <p>
          What holds for tools whoever publishes and calls them. All policies whose pattern covers a tool hold for it:
          of levels the highest, of times the shortest, and every limit.
        </p>
        {list.ok ? <PolicyList items={list.value.items} /> : <FailureNotice failure={list.failure} />}
      </>
    ),
    id: 'set',
    heading: policy === undefined ? 'Set a policy' : `Change the policy for ${policy.pattern}`,
    form: {
      fields: FIELDS,
      value: policy,
      etag,
      action: policy === undefined ? PATH : hrefOf(policy),
      act: 'set',
      button: 'Set it',
    },
  })
}

function hrefOf({ pattern }: Policy): string {
  return `${PATH}?${new URLSearchParams({ pattern })}`
}

export function wordsOfPolicy(policy: Policy): string[] {
  const { secrets, security_level, approval, timeout_ms, limits = {}, review } = policy
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
            <a href={`${hrefOf(policy)}#set`} aria-label={`Change the policy for ${policy.pattern}`}>
              Change
            </a>
          </p>
          <Ending label="Remove" of={`the policy for ${policy.pattern}`} action={PATH}>
            <input type="hidden" name="input/pattern" value={exact(policy.pattern)} />
            <button class="danger" name="do" value="remove">
              Remove it
            </button>
          </Ending>
        </li>
      ))}
    </ul>
  )
}
