import type { ApiAnswers } from '../../api/answers.ts'
import type { ToolsetSummary } from '../../core/access/toolset.ts'
import { indentedJson } from '../../http/page/text.ts'
import { listEditFields, readEtag, renderEditPage, toRefusedForm, type SubmittedForm, trimForm } from '../form/edit.tsx'
import { readFormInput } from '../form/values.ts'
import type { PageContext, PageResult, View } from '../page-context.ts'
import { paginate } from '../pagination.ts'
import { buildQuery } from '../query.ts'
import { type Column, Table } from '../table.tsx'
import { buildToolsetHref, formatState, show as showToolset, toDefinition, TOOLSETS_PATH } from './toolset.tsx'

/** Rows per page. */
const PAGE_SIZE = 50
const FIELDS = listEditFields(
  {
    properties: { definition: { type: 'object', description: 'Such as `{"tools": [{"tool": "Gmail.*"}]}`' } },
    required: ['definition'],
  },
  { key: 'name', description: 'Lower-case letters, digits, `-` and `_`. Another name makes another toolset' },
)

export async function submit(context: PageContext): Promise<PageResult> {
  const form = trimForm(context.form)
  const name = form.get('input/name') ?? ''
  const filledName = context.url.searchParams.get('name')
  const { input, problems } = readFormInput(FIELDS, form)
  if (name === '') problems.push({ path: '/name', message: 'Is required' })
  else if (name !== filledName && (await context.fetchRoute('GET /toolsets/:name', { name })).ok)
    problems.push({ path: '/name', message: 'Is the name of another toolset' })
  if (problems.length > 0)
    return show(context, { failure: { status: 400, message: 'The form has errors', problems }, form })
  const request = { name, body: input['definition'] ?? {}, etag: readEtag(form, name, filledName) }
  const response = await context.fetchRoute('PUT /toolsets/:name', request)
  if (!response.ok) return show(context, toRefusedForm(response, form))
  const { pending, warnings } = response.value
  const url = new URL(`${buildToolsetHref(name)}?done=${pending ? 'pending' : 'saved'}`, context.url)
  return warnings
    ? showToolset({ ...context, url, params: { name } }, { warnings })
    : { redirectTo: url.pathname + url.search }
}

export async function show(context: PageContext, submitted?: SubmittedForm): Promise<View> {
  const { searchParams } = context.url
  const name = searchParams.get('name')
  const tools = searchParams.getAll('tool').map((tool) => ({ tool }))
  return renderEditPage<ApiAnswers['GET /toolsets/:name'], ToolsetSummary>(context, {
    title: 'Toolsets',
    doneMessages: new Map([['removed', 'Toolset deleted.']]),
    submitted,
    items: context.fetchRoute('GET /toolsets'),
    item: name ? context.fetchRoute('GET /toolsets/:name', { name }) : undefined,
    introduction: (
      <p>A toolset is a named choice of tools, with the names, texts and arguments that models see of them.</p>
    ),
    newItem: { href: `${TOOLSETS_PATH}?new=1`, label: 'New toolset' },
    renderList: (items) => (
      <Table
        label="Toolsets"
        columns={COLUMNS}
        {...paginate(context, items, PAGE_SIZE)}
        emptyMessage="No toolsets yet."
      />
    ),
    buildForm: (toolset) => ({
      id: 'set',
      heading: toolset ? `Edit ${toolset.name}` : 'New toolset',
      intro: (
        <p>
          The fields of a definition are in the <a href="/docs/reference/toolsets-and-locks">API reference</a>.
        </p>
      ),
      fields: FIELDS,
      value: {
        name: toolset?.name,
        definition: indentedJson(
          toolset?.pending?.definition ?? (toolset ? toDefinition(toolset) : { instructions: '', tools }),
        ),
      },
      action: `${TOOLSETS_PATH}?${buildQuery({ name: name ?? '' })}`,
      verb: 'set',
      button: 'Save toolset',
    }),
  })
}

const COLUMNS: readonly Column<ToolsetSummary>[] = [
  { title: 'Name', isName: true, isLong: true, cell: ({ name }) => <a href={buildToolsetHref(name)}>{name}</a> },
  { title: 'Title', isLong: true, cell: ({ title }) => title },
  { title: 'Entries', isNumber: true, cell: ({ tool_count }) => String(tool_count) },
  { title: 'Revision', isNumber: true, cell: ({ revision }) => String(revision) },
  { title: 'State', cell: formatState },
]
