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
import { ROOT_FIELD } from '../form/fields.ts'
import { buildQuery, readFilters } from '../query.ts'
import { listChosenGone, listChosenTools, withoutChoices } from './picker.tsx'
import { ImportPreview } from './preview.tsx'
import { type ImportReport, ImportedTools } from './result.tsx'

/** Tools per request, which reads the source again. Progress is shown after each. */
const BATCH_TOOLS = 400
const GONE_MESSAGE = 'It is no longer in the source that it was imported from'

export async function show(context: PageContext): Promise<PageResult> {
  const { toolkit } = readFilters(context, ['toolkit'])
  const form = buildQuery({ [`${ROOT_FIELD}/toolkit`]: toolkit })
  return { title: 'Import', content: <ImportForm form={form} /> }
}

export async function submit(context: PageContext): Promise<PageResult> {
  const source = await pickSource(withoutChoices(context.form))
  const action = context.form.get('do')
  if (action === 'edit') return { title: 'Import', content: <ImportForm {...source} /> }
  const isConfirmed = action === 'import'
  const request = readImportRequest(source.form, isConfirmed)
  if (!request.ok)
    return failureView(source, { status: 400, message: 'The form has errors', problems: request.problems })
  if (isConfirmed) return importTools(context, source, request.value)
  const reply = await context.fetchRoute('POST /toolkits/import', request.value)
  if (!reply.ok) return failureView(source, reply.failure)
  const { value } = reply
  return {
    title: 'Import preview',
    picksTools: true,
    content: <>{'tools' in value && <ImportPreview source={source} plan={value} />}</>,
  }
}

function failureView(source: SourceForm, failure: RouteFailure): View {
  return toFailureView('Import', { failure, renderPath }, <ImportForm {...source} failure={failure} />)
}

/** Imports the chosen tools in batches. It waits for the first, and shows the progress of the others. */
async function importTools(context: PageContext, source: SourceForm, request: ImportFormRequest): Promise<View> {
  const { fetchRoute, form } = context
  const [chosen, chosenGone] = [listChosenTools(form), listChosenGone(form)]
  if (chosen.length + chosenGone.length === 0)
    return failureView(source, { status: 400, message: 'Choose at least one tool', problems: [] })
  const reports: ImportReport[] = []
  let failure: RouteFailure | undefined
  const importBatch = async (start: number) => {
    const body = { ...request.body, tools: chosen.slice(start, start + BATCH_TOOLS) }
    const reply = await fetchRoute('POST /toolkits/import', { query: request.query, body })
    if (!reply.ok) failure = reply.failure
    else if (!('tools' in reply.value)) reports.push(reply.value)
  }
  const finish = async () => {
    const remaining = [...chosenGone]
    for (const id of chosenGone) {
      failure ??= await deprecateTool(context, id)
      if (!failure) remaining.shift()
    }
    const deprecated = chosenGone.length - remaining.length
    return <ImportedTools {...{ source, chosen, chosenGone: remaining, deprecated, reports, failure }} />
  }
  if (chosen.length > 0) await importBatch(0)
  if (failure || chosen.length <= BATCH_TOOLS)
    return { title: 'Imported', content: await finish(), status: failure?.status ?? 200 }
  const progress = (
    <div class="live" role="status">
      <LivePlace />
    </div>
  )
  async function* importOthers() {
    for (let start = BATCH_TOOLS; !failure && start < chosen.length; start += BATCH_TOOLS) {
      yield (
        <div>
          <p>
            Imported {start.toLocaleString('en')} of {formatCount(chosen.length, 'tool')}…
          </p>
          <progress aria-label="Import" value={String(start)} max={String(chosen.length)} />
        </div>
      )
      await importBatch(start)
    }
  }
  const end = async () => (
    <>
      {progress}
      {await finish()}
    </>
  )
  return { title: 'Import', content: progress, live: { parts: importOthers(), end } }
}

/** Deprecates each active version of a tool, because otherwise the next lower one would be listed. */
async function deprecateTool({ fetchRoute }: PageContext, toolId: string): Promise<RouteFailure | undefined> {
  const versions = await fetchRoute('GET /tools/:id/versions', { id: toolId.split('@')[0] ?? '' })
  if (!versions.ok) return versions.failure
  for (const { id } of versions.value.items.filter(({ status }) => status === 'active')) {
    const change = await fetchRoute('PATCH /tools/:id', { id, body: { status: 'deprecated', message: GONE_MESSAGE } })
    if (!change.ok) return change.failure
  }
  return undefined
}
