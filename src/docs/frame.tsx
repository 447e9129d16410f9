import type { JSX } from 'hono/jsx/jsx-runtime'
import { assets } from '../generated/console.ts'
import { respondWithDocument } from '../http/page/document.tsx'
import type { Docs, Guide } from './docs.ts'

/** The guides in reading order. */
export const GUIDE_GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Use tools': ['agents', 'calls', 'client', 'command-line', 'toolsets', 'events', 'dialects'],
  'Make tools': ['tools', 'publish', 'import'],
  'People': ['sign-in', 'people', 'connect'],
  'Run a deployment': ['operate', 'settings', 'security', 'performance'],
}

export interface DocsLink {
  readonly href: string
  readonly title: string
  /** The sections of the page, if it is the current one. */
  readonly sections?: readonly DocsLink[]
}

export const REFERENCE: DocsLink = { href: '/docs/reference', title: 'API reference' }

interface DocsPage {
  readonly title: string
  readonly path: string
  readonly q?: string
  /** The pages of the API reference, listed on each of them. */
  readonly reference?: readonly DocsLink[]
  readonly content: JSX.Element
}

/** Responds with a page of the docs. Its script only copies and focuses; reading and searching work without it. */
export function respondWithDocs({ guides, style }: Docs, page: DocsPage): Promise<Response> {
  const { title, path, q = '', reference = [], content } = page
  const groups = listGroups(guides).map((group) => ({
    name: group.name,
    links: group.guides.map(({ name, title }) => ({ href: `/docs/${name}`, title })),
  }))
  const referenceGroup = { name: 'Reference', links: [REFERENCE, ...reference] }
  const order = [...groups, referenceGroup].flatMap(({ links }) => links)
  const body = (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href="/docs">
          Switchboard docs
        </a>
        <form action="/docs" role="search">
          <input type="search" name="q" value={q} placeholder="Search the docs" aria-label="Search the docs" />
          <button>Search</button>
        </form>
        <a class="to-guides" href="#guides">
          All guides
        </a>
        <a href="/console">Console</a>
      </header>
      <nav class="guides menu" id="guides" aria-label="Guides">
        {(reference.length > 0 ? [referenceGroup, ...groups] : [...groups, referenceGroup]).map(({ name, links }) => (
          <>
            <h2>{name}</h2>
            <Links links={links} path={path} />
          </>
        ))}
      </nav>
      <main id="content" tabindex={-1}>
        <h1>{title}</h1>
        {content}
        <AdjacentPages order={order} path={path} />
      </main>
    </>
  )
  return respondWithDocument({ status: 200, title, style, script: assets.script, keepsForms: true, body })
}

export function listGroups(guides: readonly Guide[]) {
  return Object.entries(GUIDE_GROUPS).map(([name, names]) => ({
    name,
    guides: names.flatMap((guideName) => guides.find((guide) => guide.name === guideName) ?? []),
  }))
}

function Links({ links, path }: { readonly links: readonly DocsLink[]; readonly path: string }) {
  return (
    <ul>
      {links.map(({ href, title, sections }) => (
        <li>
          <a href={href} aria-current={href === path ? 'page' : undefined}>
            {title}
          </a>
          {href === path && sections ? <Links links={sections} path={path} /> : undefined}
        </li>
      ))}
    </ul>
  )
}

function AdjacentPages({ order, path }: { readonly order: readonly DocsLink[]; readonly path: string }) {
  const index = order.findIndex(({ href }) => href === path)
  if (index === -1) return <></>
  const [previous, next] = [order[index - 1], order[index + 1]]
  return (
    <nav class="around" aria-label="Previous and next">
      {previous ? (
        <a rel="prev" href={previous.href}>
          Previous: {previous.title}
        </a>
      ) : (
        <span />
      )}
      {next ? (
        <a rel="next" href={next.href}>
          Next: {next.title}
        </a>
      ) : undefined}
    </nav>
  )
}
