import { Copyable } from '../http/page/rows.tsx'
import { raw } from 'hono/html'
import type { JSX } from 'hono/jsx/jsx-runtime'
import { hasScope } from '../core/access/principal.ts'
import { respondWithDocument } from '../http/page/document.tsx'
import { ToolIcon } from '../http/page/icon.tsx'
import { signInPath } from '../http/page/sign-in-path.ts'
import { type CurlRequest, formatCurl } from '../docs/curl.ts'
import { assets } from '../generated/console.ts'
import type { LiveParts, PageEntry, PageContext, View } from './page-context.ts'
import { PAGE_GROUPS } from './pages.ts'
import { LIVE_PLACE } from './parts.tsx'

interface LayoutProps {
  readonly context: PageContext
  readonly entry: PageEntry
  readonly requests: readonly CurlRequest[]
  /** The number of versions that wait for review. */
  readonly pendingCount: string
  /** Called once the live parts of a view are sent, or the reader has left. */
  readonly onStreamEnd: () => void
}

/** Responds with a view between the navigation and the API requests that it made; live parts are streamed. */
export async function renderLayout(view: View, props: LayoutProps): Promise<Response> {
  const { title, status = 200, live, callsTool = false, picksTools = false } = view
  const body = live ? renderLiveBody(view, live, props) : renderBody(view, props)
  const script = assets.script + (callsTool ? assets.callScript : '') + (picksTools ? assets.pickScript : '')
  const { style } = assets
  return respondWithDocument({ status, title, style, script, body, keepsForms: true, showsPictures: callsTool })
}

function renderBody(
  { title, icon, trail = [], content }: View,
  { context, entry, requests, pendingCount }: LayoutProps,
) {
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
        <Sidebar context={context} entry={entry} pendingCount={pendingCount} />
      </header>
      <main id="content" tabindex={-1}>
        <Breadcrumbs trail={trail} title={title} />
        <h1>
          <ToolIcon path={icon} />
          {title}
        </h1>
        {content}
      </main>
      <RequestList context={context} requests={requests} />
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

async function* renderLiveBody(view: View, { parts, end }: LiveParts, props: LayoutProps): AsyncGenerator<JSX.Element> {
  try {
    const [before = ''] = String(await renderBody(view, props)).split(LIVE_PLACE)
    yield raw(before)
    yield* parts
    const [, after = ''] = String(await renderBody({ ...view, content: await end() }, props)).split(LIVE_PLACE)
    yield raw(after)
  } finally {
    props.onStreamEnd()
  }
}

/** A column beside the page. On narrow screens, it is a popover, which needs no script. */
function Sidebar({ context, entry, pendingCount }: Pick<LayoutProps, 'context' | 'entry' | 'pendingCount'>) {
  const { principal } = context
  const mayOpen = ({ scope, isPrivate }: PageEntry) =>
    (scope === undefined || hasScope(principal, scope)) && !(isPrivate && principal.kind === 'anonymous')
  return (
    <div id="sidebar" class="sidebar" popover="auto">
      {entry.path === '/' ? undefined : (
        <form role="search" method="get" action="/">
          <input type="search" name="q" aria-label="Search tools" placeholder="Search tools" />
        </form>
      )}
      <nav class="menu" aria-label="Console">
        {Object.entries(PAGE_GROUPS).map(([group, pages]) => {
          const visiblePages = pages.filter(mayOpen)
          if (visiblePages.length === 0) return undefined
          return (
            <>
              <p>{group}</p>
              <ul>
                {visiblePages.map(({ path, label, countsPending }) => (
                  <li>
                    <a
                      href={path}
                      aria-current={label === entry.label ? (path === entry.path ? 'page' : 'true') : undefined}
                    >
                      {label}
                      {countsPending && pendingCount !== '' && (
                        <span class="pending-count" title="Versions waiting for review">
                          {pendingCount}
                        </span>
                      )}
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
      <Account context={context} />
    </div>
  )
}

function Account({ context: { principal, isOpen, url } }: Pick<LayoutProps, 'context'>) {
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

/** Lists the API requests of a page as `curl` commands. */
function RequestList({ context, requests }: Pick<LayoutProps, 'context' | 'requests'>) {
  if (requests.length === 0) return undefined
  return (
    <footer>
      <details>
        <summary>API requests of this page</summary>
        {context.isOpen ? undefined : (
          <p class="note">
            They take an API key from <code>SWITCHBOARD_KEY</code>.
          </p>
        )}
        {requests.map((request) => (
          <Copyable text={formatCurl(request, context.url.origin, context.isOpen)} />
        ))}
      </details>
    </footer>
  )
}
