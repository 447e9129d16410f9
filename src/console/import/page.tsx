import type { PageResult, PageContext, RouteFailure, View } from '../page-context.ts'
import { formatCount } from '../calls/chart.tsx'
import { LivePlace, toFailureView } from '../parts.tsx'
import {
  ImportForm,
  type ImportFormRequest,
  pickSource,
  readImportRequest,
  renderPath,
  type SourceForm,
} from './form.tsx'
import { ImportPreview, listChosenTools } from './preview.tsx'
import { type ImportReport, ImportedTools } from './result.tsx'

/** Per request, which reads the source again. Progress is shown after each. */
const BATCH_TOOLS = 400

export async function show(context: PageContext): Promise<PageResult> {
  return { title: 'Import', content: <ImportForm form={context.form} /> }
}

export async function submit(context: PageContext): Promise<PageResult> {
  const source = await pickSource(context.form)
  const { form } = source
  const isConfirmed = form.get('do') === 'import'
  const request = readImportRequest(form, isConfirmed)
  if (!request.ok)
    return failureView(source, { status: 400, message: 'The form has errors', problems: request.problems })
  if (isConfirmed) return importTools(context, source, request.value)
  const reply = await context.fetchRoute('POST /toolkits/import', request.value)
  if (!reply.ok) return failureView(source, reply.failure)
  const { value } = reply
  return {
    title: 'Import preview',
    picksTools: true,
    content: (
      <>
        {'tools' in value && <ImportPreview source={source} plan={value} />}
        <h2 id="change">Change the import</h2>
        <ImportForm {...source} />
      </>
    ),
  }
}

function failureView(source: SourceForm, failure: RouteFailure): View {
  return toFailureView('Import', { failure, renderPath }, <ImportForm {...source} failure={failure} />)
}

/** Imports the chosen tools in batches: the first is awaited, and the others show their progress. */
async function importTools(
  { fetchRoute }: PageContext,
  source: SourceForm,
  { query, body }: ImportFormRequest,
): Promise<View> {
  const names = listChosenTools(source.form)
  if (names.length === 0) return failureView(source, { status: 400, message: 'Choose at least one tool', problems: [] })
  const reports: ImportReport[] = []
  const importBatch = async (start: number) => {
    const tools = names.slice(start, start + BATCH_TOOLS)
    const reply = await fetchRoute('POST /toolkits/import', { query, body: { ...body, tools } })
    if (!reply.ok) return reply.failure
    if (!('tools' in reply.value)) reports.push(reply.value)
    return undefined
  }
  let failure = await importBatch(0)
  if (failure) return failureView(source, failure)
  const toolkit = source.form.get('input/toolkit')?.trim() ?? ''
  if (names.length <= BATCH_TOOLS)
    return { title: 'Imported', content: <ImportedTools toolkit={toolkit} reports={reports} /> }
  const progress = (
    <div class="live" role="status">
      <LivePlace />
    </div>
  )
  async function* importOthers() {
    for (let start = BATCH_TOOLS; !failure && start < names.length; start += BATCH_TOOLS) {
      yield <ImportProgress done={start} total={names.length} />
      failure = await importBatch(start)
    }
  }
  const end = async () => (
    <>
      {progress}
      <ImportedTools toolkit={toolkit} reports={reports} failure={failure} />
    </>
  )
  return { title: 'Import', content: progress, live: { parts: importOthers(), end } }
}

function ImportProgress({ done, total }: { done: number; total: number }) {
  return (
    <div>
      <p>
        Imported {done.toLocaleString('en')} of {formatCount(total, 'tool')}…
      </p>
      <progress aria-label="Import" value={String(done)} max={String(total)} />
    </div>
  )
}
