import { hasScope } from '../../core/access/principal.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import { exampleOf, fieldsOf } from '../form/fields.ts'
import { MAX_COPIED } from '../curl.ts'
import type { PageResult, PageVisit, Reply, RouteFailure, View } from '../visit.ts'
import { Changes, type ChangesProps } from '../changes.tsx'
import { ALL_TOOLS, Chips, LivePlace, FailureNotice, SnippetList } from '../parts.tsx'
import { call, CallForm, type FormCall, problemsOf } from './call.tsx'
import { Definition, FORMATS } from './definition.tsx'
import { CallOutcome, linesOf } from './outcome.tsx'
import { Parameters } from './parameters.tsx'
import { Ready, StatusNotice } from './ready.tsx'
import { callSnippets } from './snippets.tsx'

export async function show(visit: PageVisit): Promise<PageResult> {
  const tool = await readTool(visit)
  return 'failure' in tool ? missing(tool.failure) : toolView(visit, tool)
}

export async function act(visit: PageVisit): Promise<PageResult> {
  const tool = await readTool(visit)
  if ('failure' in tool) return missing(tool.failure)
  return toolView(visit, tool, await call(visit, tool.readiness.tool, fieldsOf(tool.input_schema)))
}

/** Everything that the page of a tool shows. Its id is that of its readiness, since OXP cannot write every one. */
type ToolData = Extract<Awaited<ReturnType<typeof readTool>>, { readonly readiness: unknown }>

async function readTool({ url, params, ask }: PageVisit) {
  const id = params['id'] ?? ''
  const wanted = url.searchParams.get('format') ?? 'oxp'
  const format = FORMATS.has(wanted) ? wanted : 'oxp'
  const [described, readiness, versions, encoded] = await Promise.all([
    ask('GET /tools/:id?format=oxp-flat', { id }),
    ask('GET /tools/:id/readiness', { id }),
    ask('GET /tools/:id/versions', { id }),
    ask('GET /tools/:id?losses=1', { id, query: `format=${format}` }),
  ])
  if (!described.ok) return described
  if (!readiness.ok) return readiness
  return { ...described.value, readiness: readiness.value, versions, format, encoded }
}

function toolView({ url, isOpen, principal, form }: PageVisit, tool: ToolData, calling?: FormCall): View {
  const { name, description, input_schema, output_schema, readiness, versions, format, encoded } = tool
  const id = readiness.tool
  const fields = fieldsOf(input_schema)
  const [title = id, version = ''] = id.split('@')
  const input = calling?.problems.length === 0 ? calling.input : undefined
  const example = input && JSON.stringify(input).length <= MAX_COPIED ? input : exampleOf(fields)
  const newId = () => crypto.randomUUID()
  const running = calling?.running
  const about = versions.ok ? versions.value.items.find((each) => each.id === id) : undefined
  const contentOf = (called: FormCall | undefined) => (
    <>
      <p class="note">
        Version {version}
        {readiness.security_level === undefined ? '' : `, security level ${readiness.security_level}`}
        {readiness.approval ? ', each call approved by a person' : ''}
        {readiness.shared ? ', what it keeps between calls is shared by all callers' : ''}
        {about?.dialect === undefined ? '' : `, published in ${FORMATS.get(about.dialect) ?? about.dialect}`}
      </p>
      <StatusNotice readiness={readiness} />
      <p class="said" dir="auto">
        {description}
      </p>
      <Tags tags={about?.tags ?? []} />
      <section aria-labelledby="answer">
        <h2 id="answer">{running ? 'The call' : called ? 'What came of it' : 'Call it'}</h2>
        {running ? (
          <div class="live" role="status">
            <LivePlace />
          </div>
        ) : undefined}
        {called?.reply ? <CallOutcome reply={called.reply} /> : undefined}
        {hasScope(principal, 'tools:call') ? (
          <CallForm
            fields={fields}
            context={(readiness.context ?? []).filter((each) => each !== 'user_id')}
            asksUser={principal.users === 'any' || principal.users.length > 1}
            callId={newId()}
            hasFailed={called !== undefined && called.reply?.value.result?.success !== true}
            form={form}
            problems={called ? problemsOf(called) : []}
          />
        ) : (
          <p>You may read it, and not call it.</p>
        )}
      </section>
      <section aria-labelledby="ready">
        <h2 id="ready">Could it be called now?</h2>
        <Ready readiness={readiness} />
      </section>
      <section aria-labelledby="input">
        <h2 id="input">What it takes</h2>
        <Parameters schema={input_schema} caption="Input" />
      </section>
      <section aria-labelledby="output">
        <h2 id="output">What it gives</h2>
        {output_schema === null ? <p>Nothing.</p> : <Parameters schema={output_schema} caption="Output" />}
      </section>
      <section aria-labelledby="versions">
        <h2 id="versions">Versions</h2>
        <VersionList versions={versions} current={id} />
      </section>
      <section aria-labelledby="snippets">
        <h2 id="snippets">The same call, to copy</h2>
        <SnippetList snippets={callSnippets({ origin: url.origin, isOpen, id, name, input: example, newId })} isOpen />
      </section>
      <Definition path={url.pathname} format={format} encoded={encoded} />
    </>
  )
  const [toolkit = ''] = title.split('.')
  const trail = [
    { text: 'Catalog', href: '/' },
    { text: toolkit, href: `/?${new URLSearchParams({ toolkit })}` },
  ]
  const view = { title, trail, content: contentOf(calling) }
  if (!calling || !running) return view
  const end = async () => contentOf({ ...calling, reply: await running.end() })
  return { ...view, live: { parts: linesOf(running.progress), end } }
}

function Tags({ tags }: { tags: readonly string[] }) {
  const chips = tags.map((tag) => ({ text: tag, href: `/?${new URLSearchParams({ tag })}` }))
  return chips.length === 0 ? undefined : <Chips label="Tags" chips={chips} />
}

/** A hidden tool is as good as unknown: the route says the same of both. */
function missing(failure: RouteFailure): View {
  return {
    title: 'No such tool',
    status: failure.status,
    content: (
      <>
        <FailureNotice failure={failure} />
        {ALL_TOOLS}
      </>
    ),
  }
}

interface VersionListProps {
  readonly versions: Reply<ApiAnswers['GET /tools/:id/versions']>
  readonly current: string
}

function VersionList({ versions, current }: VersionListProps) {
  if (!versions.ok) return <FailureNotice failure={versions.failure} />
  return (
    <ul>
      {versions.value.items.map(({ id, version, status, changes }) => (
        <li>
          {id === current ? (
            <strong>{version}, this one</strong>
          ) : (
            <a href={`/console/tools/${encodeURIComponent(id)}`}>{version}</a>
          )}
          {status === 'active' ? undefined : <span class="note"> {status}</span>}
          {changes === undefined ? undefined : (
            <details open={id === current}>
              <summary>{summaryOf(changes)}</summary>
              <Changes changes={changes} />
            </details>
          )}
        </li>
      ))}
    </ul>
  )
}

function summaryOf(changes: ChangesProps['changes']): string {
  const breaking = changes.filter(({ level }) => level === 'major').length
  const count = changes.length === 1 ? '1 change' : `${changes.length} changes`
  return breaking === 0 ? count : `${count}, ${breaking} of which ${breaking === 1 ? 'breaks' : 'break'} callers`
}
