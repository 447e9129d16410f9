import { raw } from 'hono/html'
import type { JSX } from 'hono/jsx/jsx-runtime'
import { hasScope } from '../core/access/principal.ts'
import { answerDocument } from '../http/page/document.tsx'
import { signInPath } from '../http/page/sign-in-path.ts'
import { curlOf } from './curl.ts'
import type { LiveParts, MadeRequest, PageEntry, PageVisit, View } from './visit.ts'
import { PAGES } from './pages.ts'
import { Copyable, LIVE_PLACE } from './parts.tsx'

interface Surroundings {
  readonly visit: PageVisit
  readonly entry: PageEntry
  readonly made: readonly MadeRequest[]
  readonly style: string
  readonly script: string
}

/** Answers with a view, below the navigation and above the requests that it made; its live parts are sent as they come. */
export async function layout(view: View, around: Surroundings): Promise<Response> {
  const { title, status = 200, live } = view
  const { style, script } = around
  const body = live ? liveBody(view, live, around) : bodyOf(view, around)
  return answerDocument({ status, title, style, script, body, keepsForms: true })
}

function bodyOf({ title, content }: View, { visit, entry, made }: Surroundings): JSX.Element {
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href="/">
          Switchboard
        </a>
        <Navigation visit={visit} entry={entry} />
        <Who visit={visit} />
      </header>
      <main id="content" tabindex={-1}>
        <h1>{title}</h1>
        {content}
      </main>
      <MadeRequests visit={visit} made={made} />
    </>
  )
}

async function* liveBody(view: View, { parts, end }: LiveParts, around: Surroundings): AsyncGenerator<JSX.Element> {
  const [before = ''] = String(await bodyOf(view, around)).split(LIVE_PLACE)
  yield raw(before)
  yield* parts
  const [, after = ''] = String(await bodyOf({ ...view, content: await end() }, around)).split(LIVE_PLACE)
  yield raw(after)
}

function Navigation({ visit, entry }: Pick<Surroundings, 'visit' | 'entry'>) {
  const { principal } = visit
  const shown = PAGES.filter(
    ({ label, scope, isPrivate }) =>
      label !== undefined &&
      (scope === undefined || hasScope(principal, scope)) &&
      !(isPrivate && principal.kind === 'anonymous'),
  )
  return (
    <nav aria-label="Pages">
      {shown.map(({ path, label }) => (
        <a href={path} {...(path === entry.path ? { 'aria-current': 'page' } : {})}>
          {label}
        </a>
      ))}
      <a href="/docs">Guides</a>
    </nav>
  )
}

function Who({ visit: { principal, isOpen, url } }: Pick<Surroundings, 'visit'>) {
  if (isOpen) return <p class="who">Open to this machine</p>
  if (principal.kind === 'anonymous') {
    return (
      <p class="who">
        <a href={signInPath(url.pathname + url.search)}>Sign in</a>
      </p>
    )
  }
  return (
    <form class="who" method="post" action="/sign-out">
      <span>{principal.name ?? principal.id.replace(/^person:/, '')}</span>
      <button class="quiet">Sign out</button>
    </form>
  )
}

/** The requests of a page as commands: a key gets all that it shows. */
function MadeRequests({ visit, made }: Pick<Surroundings, 'visit' | 'made'>) {
  return (
    <footer>
      <details>
        <summary>This page, in a shell</summary>
        {made.length === 0 ? <p>It asked for nothing.</p> : undefined}
        {visit.isOpen || made.length === 0 ? undefined : (
          <p class="note">
            With a key of yours in <code>SWITCHBOARD_KEY</code>:
          </p>
        )}
        {made.map((request) => (
          <Copyable text={curlOf(request, visit.url.origin, visit.isOpen)} />
        ))}
      </details>
    </footer>
  )
}
