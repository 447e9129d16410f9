import { raw } from 'hono/html'
import { EXAMPLE_ORIGIN } from './agent-hosts.ts'
import type { EncodedSkill } from '../core/skill/skill.ts'
import type { Docs, Guide } from './docs.ts'
import { respondWithDocs, listGroups } from './frame.tsx'
import { type DocsSection, searchDocs, splitSections } from './search.ts'

const EXAMPLE_ORIGIN_HTML = EXAMPLE_ORIGIN.replace('<', '&lt;').replace('>', '&gt;')

export function guideText({ text }: Pick<Guide, 'text'>, origin: string): string {
  return text.replaceAll(EXAMPLE_ORIGIN, origin)
}

/** `origin` needs no escaping, because it comes from `URL`. */
export function guidePage(docs: Docs, { name, title, html, contents }: Guide, origin: string) {
  const headings = contents.filter(({ depth }) => depth === 2)
  const content = (
    <>
      <p class="note">
        <a href={`/docs/${name}.md`}>Markdown</a>
      </p>
      {headings.length < 4 ? undefined : (
        <nav class="contents" aria-labelledby="contents">
          <h2 id="contents">On this page</h2>
          <ul>
            {headings.map((heading) => (
              <li>
                <a href={`#${heading.anchor}`}>{heading.title}</a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {raw(html.replaceAll(EXAMPLE_ORIGIN_HTML, origin))}
    </>
  )
  return respondWithDocs(docs, { title, path: `/docs/${name}`, content })
}

export function guidesPage(docs: Docs) {
  const content = (
    <>
      <p>
        Get started: <a href="/console/connect">connect an agent</a>, or <a href="/console">find a tool</a> and call it.
      </p>
      {listGroups(docs.guides).map((group) => (
        <>
          <h2>{group.name}</h2>
          <ul class="list">
            {group.guides.map(({ name, title, summaryHtml }) => (
              <li>
                <a href={`/docs/${name}`}>{title}</a>
                <p>{raw(summaryHtml)}</p>
              </li>
            ))}
          </ul>
        </>
      ))}
      <p>
        For programs: <a href="/openapi.json">OpenAPI</a>, <a href="/llms.txt">llms.txt</a>
      </p>
    </>
  )
  return respondWithDocs(docs, { title: 'Guides', path: '/docs', content })
}

export function resultsPage(docs: Docs, reference: readonly DocsSection[], q: string, origin: string) {
  const { results, hasAll } = searchDocs([...docs.guides.flatMap(splitSections), ...reference], q)
  const content =
    results.length === 0 ? (
      <p>No section has any of these words. Try another name.</p>
    ) : (
      <>
        {hasAll ? undefined : <p>No section has all of these words. These have most of them:</p>}
        <ul class="list">
          {results.map(({ href, guide, title, excerpt }) => (
            <li>
              <a href={href}>{title === guide ? guide : `${guide}: ${title}`}</a>
              <p>{excerpt.replaceAll(EXAMPLE_ORIGIN, origin)}</p>
            </li>
          ))}
        </ul>
      </>
    )
  return respondWithDocs(docs, { title: 'Search results', path: '/docs', q, content })
}

/** Formats `llms.txt`, for a model that reads the deployment's address (https://llmstxt.org). */
export function llmsText(guides: readonly Guide[], skills: readonly EncodedSkill[], origin: string): string {
  const orderedGuides = listGroups(guides).flatMap((group) => group.guides)
  const links = orderedGuides.map(({ name, title, summary }) => `- [${title}](${origin}/docs/${name}.md): ${summary}`)
  const skillLinks = skills.map(({ toolkit, name, frontmatter: { description } }) => {
    const line = String(description).replaceAll(/\s+/g, ' ')
    return `- [${name}](${origin}/toolkits/${toolkit}/skills/${name}): ${line}`
  })
  return `# Switchboard

> One URL for every tool an agent calls, over the Model Context Protocol: ${origin}/mcp with the header
> \`Authorization: Bearer <key>\`, or ${origin}/connect/mcp, where a person signs in. The tools are listed there. Skills are
> listed by \`skills/list\` and \`GET ${origin}/skills\`.
> With more than a hundred of them, connect to ${origin}/mcp?mode=search: it lists three tools, to search, describe and call
> all others. \`?toolkits=Gmail,SMS\` lists those of some toolkits, and \`GET ${origin}/tools?q=send+a+mail\` searches over HTTP.

## Guides

${links.join('\n')}
${skillLinks.length > 0 ? `\n## Skills\n\n${skillLinks.join('\n')}\n` : ''}
## Addresses

- [OpenAPI](${origin}/openapi.json): every address, with what it takes and answers ([as a page](${origin}/docs/reference))
- [MCP server card](${origin}/mcp/server-card): where to connect, in which revisions of the protocol, with which header
- [MCP registry](${origin}/v0.1/servers): the same as the MCP registry's API has it
- [Configuration of agent hosts](${origin}/docs/agents.json): what each host takes, as JSON
- [Health](${origin}/health): whether it is well
`
}
