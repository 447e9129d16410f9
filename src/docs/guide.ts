import { html, type Markup } from '../http/page/markup.ts'
import type { Page } from '../http/page/page.ts'
import { TEXT_STYLE } from '../http/page/text-style.ts'
import { headingsOf, renderMarkdown } from './markdown.ts'

/** A guide, as it is written for no deployment in particular. */
export interface Guide {
  /** What it is called in addresses. */
  readonly name: string
  readonly text: string
}

/** The deployment that guides speak of in their examples. */
export const EXAMPLE_ORIGIN = 'https://switchboard.<you>.workers.dev'

/** The heading of a guide, and what one can do after reading it: its first paragraph, as far as its sentences end there. */
export function summaryOf({ text }: Guide): { readonly title: string; readonly summary: string } {
  const [, title = '', first = ''] = /^# (.+)\n\n([^]+?)(?:\n\n|$)/.exec(text) ?? []
  const paragraph = first.replaceAll(/\s+/g, ' ').trim()
  const [whole = paragraph] = /^.*[.!?](?= |$)/.exec(paragraph) ?? []
  return { title, summary: whole }
}

/** The text of a guide with the addresses of the deployment that serves it. */
export function guideText({ text }: Guide, origin: string): string {
  return text.replaceAll(EXAMPLE_ORIGIN, origin)
}

/** A guide as a page. Links to other guides lead to their pages, and to what is no guide nowhere. */
export function guidePage(guide: Guide, origin: string): Page {
  const body = guideText(guide, origin).replace(/^# .+\n/, '')
  const linkTo = (href: string) => {
    const sibling = /^([\w-]+)\.md(#[\w-]+)?$/.exec(href)
    if (sibling) return `/docs/${sibling[1]}${sibling[2] ?? ''}`
    return /^(?:https:\/\/|#|\/)/.test(href) ? href : undefined
  }
  return {
    status: 200,
    title: summaryOf(guide).title,
    style: TEXT_STYLE,
    body: html`<p class="note">
        <a href="/docs">All guides</a> · <a href="/docs/${guide.name}.md">Markdown</a> · <a href="/">Console</a>
      </p>
      ${contentsOf(body)} ${renderMarkdown(body, linkTo)}`,
  }
}

/** What is on a page, where that is more than is seen at once. */
function contentsOf(text: string): Markup | undefined {
  const headings = headingsOf(text)
  if (headings.length < 4) return undefined
  return html`<nav class="contents" aria-labelledby="contents">
    <h2 id="contents">On this page</h2>
    <ul>
      ${headings.map(({ anchor, title }) => html`<li><a href="#${anchor}">${title}</a></li>`)}
    </ul>
  </nav>`
}

/** How the summary of each guide begins. */
const AFTER = 'After reading this you can '

/** The page that lists the guides. */
export function guidesPage(guides: readonly Guide[]): Page {
  const items = guides.map((guide) => {
    const { title, summary } = summaryOf(guide)
    const text = summary.startsWith(AFTER) ? `To ${summary.slice(AFTER.length)}` : summary
    return html`<li><a href="/docs/${guide.name}">${title}</a>${renderMarkdown(text, () => undefined)}</li>`
  })
  return {
    status: 200,
    title: 'Guides',
    style: TEXT_STYLE,
    body: html`<p class="note"><a href="/">Console</a> · <a href="/llms.txt">llms.txt</a></p>
      <ul class="list">
        ${items}
      </ul>
      <p><a href="/docs/reference">Every address, with what it takes</a></p>`,
  }
}

/** What a deployment says of itself to a model that reads its address (https://llmstxt.org). */
export function llmsText(guides: readonly Guide[], origin: string): string {
  const links = guides.map((guide) => {
    const { title, summary } = summaryOf(guide)
    return `- [${title}](${origin}/docs/${guide.name}.md): ${summary}`
  })
  return `# Switchboard

> One URL for every tool an agent calls, over the Model Context Protocol: ${origin}/mcp with the header
> \`Authorization: Bearer <key>\`, or ${origin}/connect/mcp, where a person signs in. The tools are listed there.

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
