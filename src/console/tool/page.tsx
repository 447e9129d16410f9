import { hasScope } from '../../core/access/principal.ts'
import { REDACTED } from '../../core/call/redact.ts'
import type { Json } from '../../core/tool/json.ts'
import { listFields } from '../form/fields.ts'
import { createExample } from '../../http/page/schema-example.ts'
import { truncate } from '../../http/page/text.ts'
import { MAX_COPIED_CHARACTERS } from '../../docs/curl.ts'
import { formatCount } from '../calls/chart.tsx'
import type { PageResult, PageContext, RouteFailure, View } from '../page-context.ts'
import { Markdown, removeTitle } from '../markdown.tsx'
import { buildQuery, readFilters } from '../query.ts'
import { Changes, type ChangesProps } from '../changes.tsx'
import { CATALOG_LINK, Chips, toFailureView, FailureNotice, Fold, SnippetList } from '../parts.tsx'
import { callFromForm, CallForm, fillForm, type FormCall } from './call.tsx'
import { DefinitionLinks, renderDefinition, FORMATS, buildTrail } from './definition.tsx'
import { OutcomePanel, renderProgress } from './outcome.tsx'
import { toSchemaRows, formatType } from '../../http/page/schema-table.tsx'
import { AppFrame } from './app.tsx'
import { listFieldNames, SchemaTable } from './parameters.tsx'
import { Badges, RequirementsTable, StatusNotice } from './ready.tsx'
import { buildCallSnippets } from './snippets.tsx'

export async function show(context: PageContext): Promise<PageResult> {
  const format = context.url.searchParams.get('format') ?? ''
  if (FORMATS.has(format)) return renderDefinition(context, format)
  const tool = await loadTool(context)
  return 'failure' in tool
    ? renderMissing(tool.failure)
    : renderTool(context, tool, await loadEarlierCall(context, tool))
}

export async function submit(context: PageContext): Promise<PageResult> {
  const tool = await loadTool(context)
  if ('failure' in tool) return renderMissing(tool.failure)
  return renderTool(context, tool, await callFromForm(context, tool.readiness.tool, listFields(tool.input_schema)))
}

/** The data of a tool's page. The tool's id is `readiness.tool`, because OXP cannot express every id. */
type ToolData = Extract<Awaited<ReturnType<typeof loadTool>>, { readonly readiness: unknown }>

async function loadTool({ params, form, fetchRoute }: PageContext) {
  const id = params['id'] ?? ''
  const [definition, readiness, versions] = await Promise.all([
    fetchRoute('GET /tools/:id?format=oxp-flat', { id }),
    loadReadiness(id, form.get('user_id')?.trim() ?? '', fetchRoute),
    fetchRoute('GET /tools/:id/versions', { id }),
  ])
  if (!definition.ok) return definition
  if (!readiness.ok) return readiness
  return { ...definition.value, readiness: readiness.value, versions }
}

/** Fills the form from an earlier call of the tool, if its input was recorded. Redacted values are left out. */
async function loadEarlierCall(context: PageContext, tool: ToolData): Promise<FormCall | undefined> {
  const { call: id, ...query } = readFilters(context, ['call', 'at'])
  const call = id ? await context.fetchRoute('GET /calls/:id', { id, query: buildQuery(query) }) : undefined
  if (!call?.ok || call.value.tool !== tool.readiness.tool) return undefined
  const { content, user_id } = call.value
  if (!content?.input) return undefined
  const knownInputs = Object.entries(content.input).filter(([, value]) => value !== REDACTED)
  return fillForm(listFields(tool.input_schema), Object.fromEntries(knownInputs), buildQuery({ user_id }))
}

const MAX_USER = 256

/** Loads readiness for the form's user, or without a user if the visitor may not act for them; then the call fails. */
async function loadReadiness(id: string, user: string, fetchRoute: PageContext['fetchRoute']) {
  if (user === '' || user.length > MAX_USER) return fetchRoute('GET /tools/:id/readiness', { id })
  const reply = await fetchRoute('GET /tools/:id/readiness', { id, query: new URLSearchParams({ user_id: user }) })
  return reply.ok ? reply : fetchRoute('GET /tools/:id/readiness', { id })
}

function fitsSnippet(input: Json): boolean {
  return JSON.stringify(input).length <= MAX_COPIED_CHARACTERS
}

function renderTool({ url, isOpen, principal, form }: PageContext, tool: ToolData, formCall?: FormCall): View {
  const { name, description, input_schema, output_schema, requirements = {}, readiness, versions } = tool
  const id = readiness.tool
  const fields = listFields(input_schema)
  const [qualifiedName = id, version = ''] = id.split('@')
  const calledInput = formCall?.problems.length === 0 ? formCall.input : undefined
  const example = [calledInput, createExample(input_schema, 'input')].find((input) => input && fitsSnippet(input)) ?? {}
  const running = formCall?.running
  const entry = versions.ok ? versions.value.items.find((item) => item.id === id) : undefined
  const { title = qualifiedName, icon } = readiness
  const mayCall = hasScope(principal, 'tools:call')
  const hasUserField = dependsOnUser(tool) && (principal.users === 'any' || principal.users.length > 1)
  const fieldNames = new Set(mayCall ? listFieldNames(fields) : [])
  const parameterRows = toSchemaRows(input_schema).filter((row) => !fieldNames.has(row.name))
  const outputRows = toSchemaRows(output_schema)
  const renderContent = (shownCall: FormCall | undefined) => (
    <>
      {title === qualifiedName ? undefined : (
        <p>
          <code>{qualifiedName}</code>
        </p>
      )}
      <StatusNotice readiness={readiness} mayPublish={hasScope(principal, 'tools:publish')} />
      <Badges readiness={readiness} version={version} />
      <Description text={removeTitle(description, title)} />
      <Tags tags={entry?.tags ?? []} />
      <RequirementsTable
        readiness={readiness}
        requirements={requirements}
        hasUserField={hasUserField}
        isAdmin={hasScope(principal, 'admin')}
      />
      {mayCall ? (
        <CallForm
          fields={fields}
          context={(readiness.context ?? []).filter((name) => name !== 'user_id')}
          hasUserField={hasUserField}
          call={shownCall}
          form={form}
          isRunning={running !== undefined}
        >
          {shownCall?.reply ? (
            <OutcomePanel
              reply={shownCall.reply}
              origin={url.origin}
              hasUserField={hasUserField}
              renderMissing={readiness.missing_requirements}
            />
          ) : undefined}
        </CallForm>
      ) : (
        <p>You can view this tool, but not call it.</p>
      )}
      {mayCall && readiness.page !== undefined ? (
        <AppFrame path={readiness.page} title={title} toolkit={qualifiedName.split('.')[0] ?? ''} call={shownCall} />
      ) : undefined}
      {parameterRows.length === 0 ? undefined : (
        <Fold id="schema" title={mayCall ? 'Parameters in JSON' : 'Parameters'} isOpen={!mayCall}>
          <SchemaTable label="Parameters" rows={parameterRows} />
        </Fold>
      )}
      <Fold id="output" title="Output" note={output_schema === null ? 'none' : formatType(output_schema)}>
        {outputRows.length > 0 ? <SchemaTable label="Output" rows={outputRows} /> : <p class="note">No fields.</p>}
      </Fold>
      <Fold id="versions" title="Versions" note={versions.ok ? String(versions.value.items.length) : undefined}>
        <VersionList versions={versions} current={id} />
      </Fold>
      <Fold id="snippets" title="Call from code">
        <SnippetList snippets={buildCallSnippets({ origin: url.origin, isOpen, id, name, input: example })} isOpen />
      </Fold>
      <Fold id="definition" title="Definition">
        {entry?.dialect === undefined ? undefined : <p>Published as {FORMATS.get(entry.dialect) ?? entry.dialect}.</p>}
        <DefinitionLinks path={url.pathname} />
      </Fold>
    </>
  )
  const view = {
    title: truncate(title),
    icon,
    trail: buildTrail(id),
    content: renderContent(formCall),
    callsTool: mayCall,
  }
  if (!formCall || !running) return view
  const end = async () => renderContent({ ...formCall, reply: await running.end() })
  return { ...view, live: { parts: renderProgress(running.progress), end } }
}

/** Checks whether calls depend on their user. Calls that wait for approval do too. */
function dependsOnUser({ requirements = {}, readiness: { approval, context = [] } }: ToolData): boolean {
  const { authorization = [], user_id: needsUser = false } = requirements
  return needsUser || authorization.length > 0 || approval === true || context.includes('user_id')
}

/** The minimum of a description that is shown before the fold. */
const MIN_LEAD_CHARACTERS = 300

/** The call form is below it, so a long description is folded after a few paragraphs. */
function Description({ text }: { text: string }) {
  const end = text.indexOf('\n\n', MIN_LEAD_CHARACTERS)
  if (end < 0 || text.slice(0, end).includes('```')) return <Markdown text={text} />
  return (
    <>
      <Markdown text={text.slice(0, end)} />
      <details>
        <summary>More about this tool</summary>
        <Markdown text={text.slice(end)} />
      </details>
    </>
  )
}

function Tags({ tags }: { tags: readonly string[] }) {
  const chips = tags.map((tag) => ({ text: tag, href: `/?${new URLSearchParams({ tag })}` }))
  return chips.length === 0 ? undefined : <Chips label="Tags" chips={chips} />
}

/** For hidden tools too: the route's response is the same for both. */
function renderMissing(failure: RouteFailure): View {
  return toFailureView('No such tool', { failure }, CATALOG_LINK)
}

function VersionList({ versions, current }: Pick<ToolData, 'versions'> & { current: string }) {
  if (!versions.ok) return <FailureNotice failure={versions.failure} />
  return (
    <ul>
      {versions.value.items.map(({ id, version, status, changes }) => (
        <li>
          {id === current ? (
            <strong>{version} (this version)</strong>
          ) : (
            <a href={`/console/tools/${encodeURIComponent(id)}`}>{version}</a>
          )}
          {status === 'active' ? undefined : <span class="note"> {status}</span>}
          {changes === undefined ? undefined : (
            <details open={id === current}>
              <summary>{formatSummary(changes)}</summary>
              <Changes changes={changes} />
            </details>
          )}
        </li>
      ))}
    </ul>
  )
}

function formatSummary(changes: ChangesProps['changes']): string {
  const breaking = changes.filter(({ level }) => level === 'major').length
  const count = formatCount(changes.length, 'change')
  return breaking === 0 ? count : `${count}, ${breaking} of which ${breaking === 1 ? 'breaks' : 'break'} callers`
}
