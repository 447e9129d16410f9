import { raw } from 'hono/html'
import { EXAMPLE_ORIGIN } from './agent-hosts.ts'
import type { Page } from '../http/page/page.ts'
import { TEXT_STYLE } from '../http/page/style.ts'

export interface Guide {
  readonly name: string
  /** In Markdown, and below its title in HTML. */
  readonly text: string
  readonly html: string
  readonly title: string
  /** Says what one can do after reading it. */
  readonly summary: string
  readonly summaryHtml: string
  readonly contents: readonly { readonly anchor: string; readonly title: string }[]
}

const EXAMPLE_ORIGIN_HTML = EXAMPLE_ORIGIN.replace('<', '&lt;').replace('>', '&gt;')

export function guideText({ text }: Guide, origin: string): string {
  return text.replaceAll(EXAMPLE_ORIGIN, origin)
}

/** `origin`, as `URL` writes it, needs no escape. */
export function guidePage({ name, title, html, contents }: Guide, origin: string): Page {
  return {
    status: 200,
    title,
    style: TEXT_STYLE,
    body: [
      <p class="note">
        <a href="/docs">All guides</a> · <a href={`/docs/${name}.md`}>Markdown</a> · <a href="/">Console</a>
      </p>,
      contents.length < 4 ? undefined : (
        <nav class="contents" aria-labelledby="contents">
          <h2 id="contents">On this page</h2>
          <ul>
            {contents.map((heading) => (
              <li>
                <a href={`#${heading.anchor}`}>{heading.title}</a>
              </li>
            ))}
          </ul>
        </nav>
      ),
      <>{raw(html.replaceAll(EXAMPLE_ORIGIN_HTML, origin))}</>,
    ],
  }
}

export function guidesPage(guides: readonly Guide[]): Page {
  return {
    status: 200,
    title: 'Guides',
    style: TEXT_STYLE,
    body: [
      <p class="note">
        <a href="/">Console</a> · <a href="/llms.txt">llms.txt</a>
      </p>,
      <ul class="list">
        {guides.map(({ name, title, summaryHtml }) => (
          <li>
            <a href={`/docs/${name}`}>{title}</a>
            <p>{raw(summaryHtml)}</p>
          </li>
        ))}
      </ul>,
      <p>
        <a href="/docs/reference">Every address, with what it takes</a>
      </p>,
    ],
  }
}

/** For a model that reads the deployment's address (https://llmstxt.org). */
export function llmsText(guides: readonly Guide[], origin: string): string {
  const links = guides.map(({ name, title, summary }) => `- [${title}](${origin}/docs/${name}.md): ${summary}`)
  return `# Switchboard

> One URL for every tool an agent calls, over the Model Context Protocol: ${origin}/mcp with the header
> \`Authorization: Bearer <key>\`, or ${origin}/connect/mcp, where a person signs in. The tools are listed there.
> With more than a hundred of them, connect to ${origin}/mcp?mode=search: it lists three tools, to search, describe and call
> all others. \`?toolkits=Gmail,SMS\` lists those of some toolkits, and \`GET ${origin}/tools?q=send+a+mail\` searches over HTTP.

## Guides

${links.join('\n')}

## Addresses

- [OpenAPI](${origin}/openapi.json): every address, with what it takes and answers ([as a page](${origin}/docs/reference))
- [MCP server card](${origin}/mcp/server-card): where to connect, in which revisions of the protocol, with which header
- [MCP registry](${origin}/v0.1/servers): the same as the MCP registry's API has it
- [Configuration of agent hosts](${origin}/docs/agents.json): what each host takes, as JSON
- [Health](${origin}/health): whether it is well, and its version
`
}
