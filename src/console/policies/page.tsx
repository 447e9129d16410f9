import { type Policy, policyReader } from '../../core/access/policy.ts'
import { toJsonSchema } from '../../core/tool/json-reader.ts'
import { editFields, editView, readEtag, refusedForm, type SentForm, trimmed } from '../form/edit.tsx'
import { readFormInput } from '../form/values.ts'
import type { PageResult, PageContext, View } from '../visit.ts'
import { exact, FoldedForm, NextLink, Notice } from '../parts.tsx'
import { paginate } from '../portion.ts'

/** In cards, of a page. */
const MOST = 30
const PATH = '/console/policies'
const FIELDS = editFields(toJsonSchema(policyReader()), {
  key: 'pattern',
  description: 'The tools it applies to: a pattern such as `Gmail.*`, `*.Delete*` or `*`',
})

const DONE = new Map([
  ['set', 'Policy saved. It applies everywhere within a minute.'],
  ['removed', 'Policy removed. Other policies still apply to these tools.'],
])

export async function act(visit: PageContext): Promise<PageResult> {
  const form = trimmed(visit.form)
  const pattern = form.get('input/pattern') ?? ''
  if (form.get('do') === 'remove') {
    const removed = await visit.fetchRoute('DELETE /policies/:pattern', { pattern })
    return removed.ok ? { redirectTo: `${PATH}?done=removed` } : show(visit, removed)
  }
  const { pattern: _, ...body } = readFormInput(FIELDS, form, visit.meter).input
  const etag = readEtag(form, pattern, visit.url.searchParams.get('pattern'))
  const set = await visit.fetchRoute('PUT /policies/:pattern', { pattern, body, etag })
  return set.ok ? { redirectTo: `${PATH}?done=set` } : show(visit, refusedForm(set, form))
}

export async function show(visit: PageContext, sent?: SentForm): Promise<View> {
  const pattern = visit.url.searchParams.get('pattern')
  return editView(visit, {
    title: 'Policies',
    done: DONE,
    sent,
    all: visit.fetchRoute('GET /policies'),
    one: pattern ? visit.fetchRoute('GET /policies/:pattern', { pattern }) : undefined,
    above: (
      <p>
        Policies apply to tools whoever publishes or calls them. Where several patterns match a tool, the highest level,
        the shortest timeout and every limit apply.
      </p>
    ),
    list: (policies) => <PolicyList {...paginate(visit, policies, MOST)} />,
    form: (policy) => ({
      id: 'set',
      heading: policy ? `Edit policy for ${policy.pattern}` : 'New policy',
      fields: FIELDS,
      action: policy ? buildHref(policy) : PATH,
      act: 'set',
      button: 'Save policy',
    }),
  })
}

function buildHref({ pattern }: Policy): string {
  return `${PATH}?${new URLSearchParams({ pattern })}`
}

export function wordsOfPolicy(policy: Policy): string[] {
  const { secrets, security_level, approval, timeout_ms, limits = {}, review } = policy
  const { rate, concurrency } = limits
  return [
    ...(security_level === undefined ? [] : [`minimum security level ${security_level}`]),
    ...(approval ? ['every call needs approval'] : []),
    ...(timeout_ms === undefined ? [] : [`timeout ${timeout_ms / 1_000} s`]),
    ...(rate ? [`rate limit ${rate.calls} calls per ${rate.seconds} s of each tool, by all callers together`] : []),
    ...(concurrency === undefined ? [] : [`concurrency ${concurrency} calls of each tool, by all callers together`]),
    ...(review ? ['new versions wait for review'] : []),
    ...(secrets ? [`may use secrets ${secrets.join(', ')}`] : []),
  ]
}

function PolicyList({ items, more }: ReturnType<typeof paginate<Policy>>) {
  if (items.length === 0) return <Notice>No policies yet. Each tool runs with its own settings.</Notice>
  return (
    <>
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
              <a href={`${buildHref(policy)}#set`} aria-label={`Edit policy for ${policy.pattern}`}>
                Edit
              </a>
            </p>
            <FoldedForm label="Remove…" name={`Remove the policy for ${policy.pattern}`} action={PATH}>
              <input type="hidden" name="input/pattern" value={exact(policy.pattern)} />
              <button class="danger" name="do" value="remove">
                Remove policy
              </button>
            </FoldedForm>
          </li>
        ))}
      </ul>
      {more && <NextLink {...more} />}
    </>
  )
}
