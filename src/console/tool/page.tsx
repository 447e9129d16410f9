import { hasScope } from '../../core/access/principal.ts'
import type { Json } from '../../core/tool/json.ts'
import { listFields } from '../form/fields.ts'
import { createExample } from '../../http/page/schema-example.ts'
import { truncate } from '../../http/page/text.ts'
import { MAX_COPIED_CHARACTERS } from '../../docs/curl.ts'
import type { PageResult, PageContext, RouteFailure, View } from '../visit.ts'
import { Markdown, withoutTitle } from '../markdown.tsx'
import { Changes, type ChangesProps } from '../changes.tsx'
import { TO_CATALOG, Chips, failedView, FailureNotice, Fold, SnippetList } from '../parts.tsx'
import { call, CallForm, type FormCall } from './call.tsx'
import { DefinitionLinks, definitionView, FORMATS, buildTrail } from './definition.tsx'
import { OutcomePanel, renderProgress } from './outcome.tsx'
import { toSchemaRows, formatType } from '../../http/page/schema-table.tsx'
import { Parameters } from './parameters.tsx'
import { Badges, RequirementsTable, StatusNotice } from './ready.tsx'
import { callSnippets } from './snippets.tsx'

export async function show(visit: PageContext): Promise<PageResult> {
  const format = visit.url.searchParams.get('format') ?? ''
  if (FORMATS.has(format)) return definitionView(visit, format)
  const tool = await readTool(visit)
  return 'failure' in tool ? missing(tool.failure) : toolView(visit, tool)
}

export async function act(visit: PageContext): Promise<PageResult> {
  const tool = await readTool(visit)
  if ('failure' in tool) return missing(tool.failure)
  return toolView(visit, tool, await call(visit, tool.readiness.tool, listFields(tool.input_schema)))
}

/** Everything that the page of a tool shows. Its id is that of its readiness, since OXP cannot write every one. */
type ToolData = Extract<Awaited<ReturnType<typeof readTool>>, { readonly readiness: unknown }>

async function readTool({ params, form, fetchRoute: ask }: PageContext) {
  const id = params['id'] ?? ''
  const [described, readiness, versions] = await Promise.all([
    ask('GET /tools/:id?format=oxp-flat', { id }),
    readReadiness(id, form.get('user_id')?.trim() ?? '', ask),
    ask('GET /tools/:id/versions', { id }),
  ])
  if (!described.ok) return described
  if (!readiness.ok) return readiness
  return { ...described.value, readiness: readiness.value, versions }
}

const MAX_USER = 256

/** For the user of the form; one for whom the visitor may not act is the call's to refuse. */
async function readReadiness(id: string, user: string, ask: PageContext['fetchRoute']) {
  if (user === '' || user.length > MAX_USER) return ask('GET /tools/:id/readiness', { id })
  const forUser = await ask('GET /tools/:id/readiness', { id, query: new URLSearchParams({ user_id: user }) })
  return forUser.ok ? forUser : ask('GET /tools/:id/readiness', { id })
}

function isCopied(input: Json): boolean {
  return JSON.stringify(input).length <= MAX_COPIED_CHARACTERS
}

function toolView({ url, isOpen, principal, form }: PageContext, tool: ToolData, calling?: FormCall): View {
  const { name, description, input_schema, output_schema, requirements = {}, readiness, versions } = tool
  const id = readiness.tool
  const fields = listFields(input_schema)
  const [qualified = id, version = ''] = id.split('@')
  const sent = calling?.problems.length === 0 ? calling.input : undefined
  const example = [sent, createExample(input_schema, 'input')].find((each) => each && isCopied(each)) ?? {}
  const running = calling?.running
  const about = versions.ok ? versions.value.items.find((each) => each.id === id) : undefined
  const { title = qualified, icon } = readiness
  const mayCall = hasScope(principal, 'tools:call')
  const asksUser = dependsOnUser(tool) && (principal.users === 'any' || principal.users.length > 1)
  const renderContent = (called: FormCall | undefined) => (
    <>
      {title === qualified ? undefined : (
        <p>
          <code>{qualified}</code>
        </p>
      )}
      <StatusNotice readiness={readiness} />
      <Badges readiness={readiness} version={version} dialect={about?.dialect && FORMATS.get(about.dialect)} />
      <Description text={withoutTitle(description, title)} />
      <Tags tags={about?.tags ?? []} />
      <RequirementsTable
        readiness={readiness}
        requirements={requirements}
        asksUser={asksUser}
        isAdmin={hasScope(principal, 'admin')}
      />
      {mayCall ? (
        <CallForm
          fields={fields}
          context={(readiness.context ?? []).filter((each) => each !== 'user_id')}
          asksUser={asksUser}
          called={called}
          form={form}
          isRunning={running !== undefined}
        >
          {called?.reply ? (
            <OutcomePanel
              reply={called.reply}
              origin={url.origin}
              asksUser={asksUser}
              missing={readiness.missing_requirements}
            />
          ) : undefined}
        </CallForm>
      ) : (
        <p>You can view this tool, but not call it.</p>
      )}
      {mayCall && toSchemaRows(input_schema).length === fields.length ? undefined : (
        <Fold id="schema" title={mayCall ? 'Nested parameters' : 'Parameters'} isOpen={!mayCall}>
          <Parameters schema={input_schema} caption="Parameters" />
        </Fold>
      )}
      <Fold id="output" title="Output" note={output_schema === null ? 'none' : formatType(output_schema)}>
        {output_schema === null ? <p>No output.</p> : <Parameters schema={output_schema} caption="Output" />}
      </Fold>
      <Fold id="versions" title="Versions" note={versions.ok ? String(versions.value.items.length) : undefined}>
        <VersionList versions={versions} current={id} />
      </Fold>
      <Fold id="snippets" title="Call from code">
        <SnippetList snippets={callSnippets({ origin: url.origin, isOpen, id, name, input: example })} isOpen />
      </Fold>
      <Fold id="definition" title="Definition">
        <DefinitionLinks path={url.pathname} />
      </Fold>
    </>
  )
  const view = {
    title: truncate(title),
    icon,
    trail: buildTrail(id),
    content: renderContent(calling),
    showsPictures: calling !== undefined,
  }
  if (!calling || !running) return view
  const end = async () => renderContent({ ...calling, reply: await running.end() })
  return { ...view, live: { parts: renderProgress(running.progress), end } }
}

/** A call that waits for approval is also its user's. */
function dependsOnUser({ requirements = {}, readiness: { approval, context = [] } }: ToolData): boolean {
  const { authorization = [], user_id: needsUser = false } = requirements
  return needsUser || authorization.length > 0 || approval === true || context.includes('user_id')
}

/** In characters. */
const SHORT = 300

/** The form stands below it, so what goes on after a few paragraphs is folded. */
function Description({ text }: { text: string }) {
  const end = text.indexOf('\n\n', SHORT)
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

/** A hidden tool is as good as unknown: the route says the same of both. */
function missing(failure: RouteFailure): View {
  return failedView('No such tool', failure, TO_CATALOG)
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
  const count = changes.length === 1 ? '1 change' : `${changes.length} changes`
  return breaking === 0 ? count : `${count}, ${breaking} of which ${breaking === 1 ? 'breaks' : 'break'} callers`
}
