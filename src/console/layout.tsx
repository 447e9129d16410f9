import { Copyable } from '../http/page/rows.tsx'
import { raw } from 'hono/html'
import type { JSX } from 'hono/jsx/jsx-runtime'
import { hasScope } from '../core/access/principal.ts'
import { respondWithDocument } from '../http/page/document.tsx'
import { ToolIcon } from '../http/page/icon.tsx'
import { signInPath } from '../http/page/sign-in-path.ts'
import { type CurlRequest, formatCurl } from '../docs/curl.ts'
import { assets } from '../generated/console.ts'
import type { LiveParts, PageEntry, PageContext, View } from './visit.ts'
import { PAGE_GROUPS } from './pages.ts'
import { LIVE_PLACE } from './parts.tsx'

interface Surroundings {
  readonly visit: PageContext
  readonly entry: PageEntry
  readonly made: readonly CurlRequest[]
}

/** Answers with a view, below the navigation and above the requests that it made; its live parts are sent as they come. */
export async function layout(view: View, around: Surroundings): Promise<Response> {
  const { title, status = 200, live, showsPictures = false } = view
  const body = live ? liveBody(view, live, around) : renderBody(view, around)
  return respondWithDocument({ status, title, ...assets, body, keepsForms: true, showsPictures })
}

function renderBody({ title, icon, trail = [], content }: View, { visit, entry, made }: Surroundings): JSX.Element {
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="bar">
        <button type="button" class="quiet" popovertarget="sidebar">
          Menu
        </button>
        <a class="brand" href="/">
          Switchboard
        </a>
        <Sidebar visit={visit} entry={entry} />
      </header>
      <main id="content" tabindex={-1}>
        <Breadcrumbs trail={trail} title={title} />
        <h1>
          <ToolIcon path={icon} />
          {title}
        </h1>
        {content}
      </main>
      <MadeRequests visit={visit} made={made} />
    </>
  )
}

function Breadcrumbs({ trail, title }: Required<Pick<View, 'trail' | 'title'>>) {
  if (trail.length === 0) return undefined
  return (
    <nav aria-label="Breadcrumbs">
      <ol class="crumbs">
        {trail.map(({ text, href }) => (
          <li>
            <a href={href}>{text}</a>
          </li>
        ))}
        <li aria-current="page">{title}</li>
      </ol>
    </nav>
  )
}

async function* liveBody(view: View, { parts, end }: LiveParts, around: Surroundings): AsyncGenerator<JSX.Element> {
  const [before = ''] = String(await renderBody(view, around)).split(LIVE_PLACE)
  yield raw(before)
  yield* parts
  const [, after = ''] = String(await renderBody({ ...view, content: await end() }, around)).split(LIVE_PLACE)
  yield raw(after)
}

/** A column beside the page; where that is narrow, a drawer that its button opens: a popover needs no script. */
function Sidebar({ visit, entry }: Pick<Surroundings, 'visit' | 'entry'>) {
  const { principal } = visit
  const mayOpen = ({ scope, isPrivate }: PageEntry) =>
    (scope === undefined || hasScope(principal, scope)) && !(isPrivate && principal.kind === 'anonymous')
  return (
    <div id="sidebar" class="sidebar" popover="auto">
      <form role="search" method="get" action="/">
        <input type="search" name="q" aria-label="Search tools" placeholder="Search tools" />
      </form>
      <nav aria-label="Console">
        {Object.entries(PAGE_GROUPS).map(([group, pages]) => {
          const open = pages.filter(mayOpen)
          if (open.length === 0) return undefined
          return (
            <>
              <p>{group}</p>
              <ul>
                {open.map(({ path, label }) => (
                  <li>
                    <a
                      href={path}
                      aria-current={label === entry.label ? (path === entry.path ? 'page' : 'true') : undefined}
                    >
                      {label}
                    </a>
                  </li>
                ))}
              </ul>
            </>
          )
        })}
        <ul>
          <li>
            <a href="/docs">Docs</a>
          </li>
          <li>
            <a href="/docs/reference">API reference</a>
          </li>
        </ul>
      </nav>
      <Who visit={visit} />
    </div>
  )
}

function Who({ visit: { principal, isOpen, url } }: Pick<Surroundings, 'visit'>) {
  if (isOpen) return <p class="who">No sign-in on this machine</p>
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
  if (made.length === 0) return undefined
  return (
    <footer>
      <details>
        <summary>API requests of this page</summary>
        {visit.isOpen ? undefined : (
          <p class="note">
            They take an API key from <code>SWITCHBOARD_KEY</code>.
          </p>
        )}
        {made.map((request) => (
          <Copyable text={formatCurl(request, visit.url.origin, visit.isOpen)} />
        ))}
      </details>
    </footer>
  )
}
