import type { JSX } from 'hono/jsx/jsx-runtime'
import { assets } from '../generated/console.ts'
import { answerDocument } from '../http/page/document.tsx'
import type { Docs, Guide } from './docs.ts'

/** The guides in the order in which they are read. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Use tools': ['agents', 'calls', 'client', 'command-line', 'dialects'],
  'Make tools': ['tools', 'publish', 'import'],
  'People': ['sign-in', 'people', 'connect'],
  'Run a deployment': ['operate', 'settings', 'security', 'performance'],
}

interface Link {
  readonly href: string
  readonly title: string
}

const REFERENCE: Link = { href: '/docs/reference', title: 'API reference' }

interface DocsPage {
  readonly title: string
  readonly path: string
  readonly q?: string
  readonly content: JSX.Element
}

/** Answers with a page of the docs. Its script only copies and focuses: without it, everything can be read and searched. */
export function answerDocs({ guides, style }: Docs, { title, path, q = '', content }: DocsPage): Promise<Response> {
  const groups = Object.entries(GROUPS).map(([name, names]) => ({
    name,
    links: names.flatMap((each) => guides.find((guide) => guide.name === each) ?? []).map(linkTo),
  }))
  const order = [...groups.flatMap(({ links }) => links), REFERENCE]
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
      <nav class="guides" id="guides" aria-label="Guides">
        {groups.map(({ name, links }) => (
          <>
            <h2>{name}</h2>
            <Links links={links} path={path} />
          </>
        ))}
        <h2>Reference</h2>
        <Links links={[REFERENCE]} path={path} />
      </nav>
      <main id="content" tabindex={-1}>
        <h1>{title}</h1>
        {content}
        <Neighbours order={order} path={path} />
      </main>
    </>
  )
  return answerDocument({ status: 200, title, style, script: assets.script, keepsForms: true, body })
}

function linkTo({ name, title }: Guide): Link {
  return { href: `/docs/${name}`, title }
}

function Links({ links, path }: { readonly links: readonly Link[]; readonly path: string }) {
  return (
    <ul>
      {links.map(({ href, title }) => (
        <li>
          <a href={href} aria-current={href === path ? 'page' : undefined}>
            {title}
          </a>
        </li>
      ))}
    </ul>
  )
}

function Neighbours({ order, path }: { readonly order: readonly Link[]; readonly path: string }) {
  const at = order.findIndex(({ href }) => href === path)
  if (at === -1) return <></>
  const [previous, next] = [order[at - 1], order[at + 1]]
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
