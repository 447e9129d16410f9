import { type Policy, policyReader } from '../../core/access/policy.ts'
import { toJsonSchema } from '../../core/tool/json-reader.ts'
import { listEditFields, renderEditPage, readEtag, toRefusedForm, type SubmittedForm, trimForm } from '../form/edit.tsx'
import { readFormInput } from '../form/values.ts'
import type { PageResult, PageContext, View } from '../page-context.ts'
import { ConfirmForm, exact, NextLink, Notice } from '../parts.tsx'
import { paginate } from '../pagination.ts'

/** Cards per page. */
const PAGE_SIZE = 30
const PATH = '/console/policies'
const FIELDS = listEditFields(toJsonSchema(policyReader()), {
  key: 'pattern',
  description: 'The tools it applies to: a pattern such as `Gmail.*`, `*.Delete*` or `*`',
})

const DONE_MESSAGES = new Map([
  ['set', 'Policy saved. It applies everywhere within a minute.'],
  ['set-for-later', 'Policy saved. No tool matches its pattern yet: it will apply to tools that do.'],
  ['removed', 'Policy removed. Other policies still apply to these tools.'],
])

export async function submit(context: PageContext): Promise<PageResult> {
  const form = trimForm(context.form)
  const pattern = form.get('input/pattern') ?? ''
  if (form.get('do') === 'remove') {
    const removal = await context.fetchRoute('DELETE /policies/:pattern', { pattern })
    return removal.ok ? { redirectTo: `${PATH}?done=removed` } : show(context, removal)
  }
  if (pattern === '') {
    const problems = [{ path: '/pattern', message: 'Is required' }]
    return show(context, { failure: { status: 400, message: 'The form has errors', problems }, form })
  }
  const { pattern: _, ...body } = readFormInput(FIELDS, form).input
  const etag = readEtag(form, pattern, context.url.searchParams.get('pattern'))
  const response = await context.fetchRoute('PUT /policies/:pattern', { pattern, body, etag })
  if (!response.ok) return show(context, toRefusedForm(response, form))
  return { redirectTo: `${PATH}?done=${response.value.warnings ? 'set-for-later' : 'set'}` }
}

export async function show(context: PageContext, submitted?: SubmittedForm): Promise<View> {
  const pattern = context.url.searchParams.get('pattern')
  return renderEditPage(context, {
    title: 'Policies',
    doneMessages: DONE_MESSAGES,
    submitted,
    items: context.fetchRoute('GET /policies'),
    item: pattern ? context.fetchRoute('GET /policies/:pattern', { pattern }) : undefined,
    introduction: (
      <p>
        Policies apply to tools whoever publishes or calls them. Where several patterns match a tool, the highest level,
        the shortest timeout and every limit apply.
      </p>
    ),
    renderList: (policies) => <PolicyList {...paginate(context, policies, PAGE_SIZE)} />,
    buildForm: (policy) => ({
      id: 'set',
      heading: policy ? `Edit policy for ${policy.pattern}` : 'New policy',
      fields: FIELDS,
      action: policy ? buildHref(policy) : PATH,
      verb: 'set',
      button: 'Save policy',
    }),
  })
}

function buildHref({ pattern }: Policy): string {
  return `${PATH}?${new URLSearchParams({ pattern })}`
}

export function describePolicy(policy: Policy): string[] {
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

function PolicyList({ items, nextPage }: ReturnType<typeof paginate<Policy>>) {
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
              {describePolicy(policy).map((rule) => (
                <li>{rule}</li>
              ))}
            </ul>
            <p>
              <a href={`${buildHref(policy)}#set`} aria-label={`Edit policy for ${policy.pattern}`}>
                Edit
              </a>
            </p>
            <ConfirmForm
              id={`remove-${encodeURIComponent(policy.pattern)}`}
              label="Remove"
              name={`Remove policy for ${policy.pattern}`}
              question="Other policies still apply to these tools."
              action={PATH}
            >
              <input type="hidden" name="do" value="remove" />
              <input type="hidden" name="input/pattern" value={exact(policy.pattern)} />
            </ConfirmForm>
          </li>
        ))}
      </ul>
      {nextPage && <NextLink {...nextPage} />}
    </>
  )
}
