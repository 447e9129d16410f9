import type { Json } from '../../core/tool/json.ts'
import { hasScope } from '../../core/access/principal.ts'
import { exampleOf, fieldsOf } from '../form/fields.ts'
import type { Leads, Reply, View, Visit } from '../page.ts'
import { LivePlace, Refused } from '../parts.tsx'
import { failureOf } from '../reply.ts'
import { type Called, type Calling, call, problemsOf } from './call.ts'
import { Definition, FORMATS, type Written } from './definition.tsx'
import { CallForm } from './call-form.tsx'
import { CallOutcome, linesOf } from './outcome.tsx'
import { Parameters } from './parameters.tsx'
import { Ready, Standing, type Told } from './ready.tsx'
import { callSnippets, hostSnippets, SnippetList } from './snippets.tsx'
import { VersionList, type Versions } from './versions.tsx'

/** As `GET /tools/{id}?format=oxp-flat` gives it. */
interface Described {
  readonly name: string
  readonly description: string
  readonly input_schema: Json
  readonly output_schema: Json
}

/** Characters of an input that is a part of the commands to copy: a longer one no shell takes. */
const MAX_COPIED = 100_000

/** One tool: what it is, a form to call it, whether it could be called, its versions, and its definition in every dialect. */
export async function show(visit: Visit): Promise<View | Leads> {
  const found = await findTool(visit)
  return 'failing' in found ? missing(found.failing) : toolView(visit, found)
}

/** Calls the tool as its form says. Where it tells how far it is, that is shown while it runs. */
export async function act(visit: Visit): Promise<View | Leads> {
  const found = await findTool(visit)
  if ('failing' in found) return missing(found.failing)
  return toolView(visit, found, await call(visit, found.ready.tool, fieldsOf(found.input_schema)))
}

/** A tool with all that its page shows. Its id is that of its readiness, since OXP cannot write every one. */
interface FoundTool extends Described {
  readonly ready: Told
  readonly versions: Reply<Versions>
  readonly format: string
  readonly written: Reply<Written>
}

async function findTool({ url, params, ask }: Visit): Promise<FoundTool | { readonly failing: Reply<unknown> }> {
  const route = `/tools/${encodeURIComponent(params['id'] ?? '')}`
  const wanted = url.searchParams.get('format') ?? 'oxp'
  const format = FORMATS.has(wanted) ? wanted : 'oxp'
  const [described, ready, versions, written] = await Promise.all([
    ask<Described>('GET', `${route}?format=oxp-flat`),
    ask<Told>('GET', `${route}/readiness`),
    ask<Versions>('GET', `${route}/versions`),
    ask<Written>('GET', `${route}?format=${format}&losses=1`),
  ])
  const failing = [described, ready].find(({ ok }) => !ok)
  return failing ? { failing } : { ...described.value, ready: ready.value, versions, format, written }
}

function toolView({ url, isOpen, principal, form }: Visit, found: FoundTool, calling?: Calling): View {
  const { name, description, input_schema, output_schema, ready, versions, format, written } = found
  const id = ready.tool
  const fields = fieldsOf(input_schema)
  const [title = id, version = ''] = id.split('@')
  const said = calling?.problems.length === 0 ? calling.input : undefined
  const example = said && JSON.stringify(said).length <= MAX_COPIED ? said : exampleOf(fields)
  const newId = () => crypto.randomUUID()
  const running = calling?.running
  const about = versions.ok ? versions.value.items.find((each) => each.id === id) : undefined
  const contentOf = (called: Called | undefined) => (
    <>
      <p class="note">
        Version {version}
        {ready.security_level === undefined ? '' : `, security level ${ready.security_level}`}
        {ready.approval ? ', each call approved by a person' : ''}
        {about?.dialect === undefined ? '' : `, published in ${FORMATS.get(about.dialect) ?? about.dialect}`}
      </p>
      <Standing told={ready} />
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
            context={(ready.context ?? []).filter((each) => each !== 'user_id')}
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
        <Ready told={ready} />
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
        <h3>An agent that is to have it</h3>
        <SnippetList snippets={hostSnippets(url.origin)} />
      </section>
      <Definition path={url.pathname} format={format} written={written} />
    </>
  )
  const view = { title, content: contentOf(calling) }
  if (!calling || !running) return view
  const end = async () => contentOf({ ...calling, reply: await running.end() })
  return { ...view, live: { parts: linesOf(running.progress), end } }
}

function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return undefined
  return (
    <ul class="chips" aria-label="Tags">
      {tags.map((tag) => (
        <li>
          <a class="chip" href={`/?${new URLSearchParams({ tag })}`}>
            {tag}
          </a>
        </li>
      ))}
    </ul>
  )
}

/** What is hidden is as good as unknown: the route says the same of both. */
function missing(reply: Reply<unknown>): View {
  return {
    title: 'No such tool',
    status: reply.status,
    content: (
      <>
        <Refused failure={failureOf(reply)} />
        <p>
          <a href="/">All tools</a>
        </p>
      </>
    ),
  }
}
