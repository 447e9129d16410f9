import type { ApiAnswers } from '../../api/answers.ts'
import type { PageResult, PageContext, RouteFailure, View } from '../page-context.ts'
import { toFormValues } from '../form/values.ts'
import { exact, toFailureView, FoldedList, Notice, SendingNote } from '../parts.tsx'
import { listNeeds } from '../catalog/tool-cards.tsx'
import { type Column, Table } from '../table.tsx'
import { ImportForm, HiddenSource, readImportRequest, restoreSource } from './form.tsx'

type ImportReport = Exclude<ApiAnswers['POST /toolkits/import'], { readonly tools: unknown }>
type PlannedTool = Extract<ApiAnswers['POST /toolkits/import'], { readonly tools: unknown }>['tools'][number]

const MAX_SHOWN = 500

const COLUMNS: readonly Column<PlannedTool>[] = [
  { title: 'Tool', isName: true, isLong: true, cell: ({ id }) => <code>{id}</code> },
  { title: 'Status', cell: ({ state }) => state },
  { title: 'Request', isLong: true, cell: ({ method, path, tool }) => tool ?? `${method} ${path}` },
  { title: 'Requirements', cell: ({ requirements = {} }) => listNeeds(requirements).join(', ') },
  { title: 'Level', cell: ({ security_level: level }) => (level === undefined ? undefined : String(level)) },
  { title: 'Approval', cell: ({ approval }) => (approval ? 'each call' : undefined) },
]

export async function show(context: PageContext): Promise<PageResult> {
  return { title: 'Import', content: <ImportForm form={context.form} /> }
}

export async function submit(context: PageContext): Promise<PageResult> {
  const form = restoreSource(context.form)
  const isConfirmed = form.get('do') === 'import'
  const request = readImportRequest(form, isConfirmed)
  if (!request.ok) return failureView(form, { status: 400, message: 'The form has errors', problems: request.problems })
  const { query, body } = request.value
  const reply = await context.fetchRoute('POST /toolkits/import', { query, body })
  if (!reply.ok) return failureView(form, reply.failure)
  if (!('tools' in reply.value)) return { title: 'Imported', content: <ImportResult {...reply.value} /> }
  const { tools, skipped, warnings = [] } = reply.value
  return {
    title: 'Import preview',
    content: (
      <>
        <Notice>
          <p>
            <strong>Nothing is imported yet.</strong> {String(tools.length)} tools can be imported
            {skipped.length === 0 ? '' : `, ${skipped.length} cannot`}.
          </p>
          {tools.length === 0 ? undefined : <Confirm form={form} tools={tools.length} />}
        </Notice>
        <Warnings warnings={warnings} />
        <Table label="Tools" columns={COLUMNS} items={tools.slice(0, MAX_SHOWN)} />
        <Skipped skipped={skipped} />
        <h2>Change the import</h2>
        <ImportForm form={form} />
      </>
    ),
  }
}

function failureView(form: URLSearchParams, failure: RouteFailure): View {
  return toFailureView('Import', failure, <ImportForm form={form} failure={failure} />)
}

function Confirm({ form, tools }: { form: URLSearchParams; tools: number }) {
  return (
    <form method="post">
      {[...toFormValues(form)].map(([name, text]) =>
        name === 'do' ? undefined : <input type="hidden" name={name} value={exact(text)} />,
      )}
      <HiddenSource form={form} />
      <button class="go" name="do" value="import">
        Import {String(tools)} {tools === 1 ? 'tool' : 'tools'}
      </button>
      <SendingNote>Importing…</SendingNote>
    </form>
  )
}

function Warnings({ warnings }: { warnings: NonNullable<ImportReport['warnings']> }) {
  const items = warnings.map(({ message, tools, ids }) => {
    return `${message} (${tools === 1 ? ids.join('') : `${tools} tools, such as ${ids.join(', ')}`})`
  })
  return <FoldedList title="Warnings" items={items} isOpen />
}

function Skipped({ skipped }: Pick<ImportReport, 'skipped'>) {
  const items = skipped.map(({ name, reason }) => (
    <>
      <code>{name}</code> {reason}
    </>
  ))
  return <FoldedList title="Cannot be imported" items={items} />
}

function ImportResult({ ids, pending = [], skipped, warnings = [] }: ImportReport) {
  return (
    <>
      <Notice>
        <p>
          <strong>{ids.length === 1 ? '1 tool' : `${ids.length} tools`} imported.</strong>
        </p>
        {pending.length === 0 ? undefined : (
          <p>
            {`${pending.length} of them ${pending.length === 1 ? 'waits' : 'wait'}`} for{' '}
            <a href="/console/versions">review</a>, and cannot be called before.
          </p>
        )}
      </Notice>
      <Warnings warnings={warnings} />
      <ul aria-label="Tools">
        {ids.slice(0, MAX_SHOWN).map((id) => (
          <li>
            <a href={`/console/tools/${encodeURIComponent(id)}`}>{id}</a>
          </li>
        ))}
      </ul>
      <Skipped skipped={skipped} />
    </>
  )
}
