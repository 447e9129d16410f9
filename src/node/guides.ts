import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import type { Guide, GuideSection } from '../docs/docs.ts'

export async function readGuides(folder: string): Promise<Guide[]> {
  const names = (await readdir(folder)).flatMap((file) => /^([\w-]+)\.md$/.exec(file)?.[1] ?? []).sort()
  return Promise.all(names.map(async (name) => parseGuide(name, await readFile(join(folder, `${name}.md`), 'utf8'))))
}

export function parseGuide(name: string, markdown: string): Guide {
  // Columns are padded for editing, but the spaces would cost models tokens
  const text = markdown.replaceAll(/^\|.*\|$/gm, (row) => row.replaceAll(/ {2,}/g, ' ').replaceAll(/-{4,}/g, '---'))
  const [, title = '', first = ''] = /^# (.+)\n\n([^]+?)(?:\n\n|$)/.exec(text) ?? []
  const paragraph = first.replaceAll(/\s+/g, ' ').trim()
  const [summary = paragraph] = /^.*[.!?](?= |$)/.exec(paragraph) ?? []
  const marked = createRenderer()
  const tokens = marked.lexer(text)
  const isTitle = (token: Token) => token === tokens[0] && /^# .+\n/.test(text)
  return {
    name,
    title,
    summary,
    text,
    // The page shows the title itself
    html: marked.parser(tokens.filter((token) => !isTitle(token))),
    summaryHtml: marked.parseInline(summary.replace(/^After reading this you can /, 'To '), { async: false }),
    contents: listHeadings(tokens),
  }
}

function listHeadings(tokens: readonly Token[]): readonly GuideSection[] {
  let end = 0
  return tokens.flatMap((token) => {
    const at = end
    end += token.raw.length
    if (!isHeading(token) || token.depth === 1) return []
    return [{ anchor: toAnchor(token.text), title: plainText(token.tokens), depth: token.depth, at }]
  })
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading'
}

/** Links to other guides lead to their pages, tables can be scrolled with the keyboard, and HTML is shown as text. */
function createRenderer(): Marked {
  let tables = 0
  return new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const [anchor, title] = [toAnchor(text), this.parser.parseInline(tokens)]
        // A nested link would end the outer one
        const linked = title.includes('<a ') ? title : `<a class="anchor" href="#${anchor}">${title}</a>`
        return `<h${depth} id="${anchor}">${linked}</h${depth}>\n`
      },
      code: ({ text, lang = '' }) =>
        `<div class="copyable"><pre><code class="language-${escaped(lang)}">${escaped(text)}\n</code></pre></div>\n`,
      link({ href, tokens }) {
        const to = resolveLink(href)
        const content = this.parser.parseInline(tokens)
        return to === undefined ? content : `<a href="${escaped(to)}">${content}</a>`
      },
      table({ header, rows }) {
        tables += 1
        const cell = (tag: string, { tokens }: Tokens.TableCell) =>
          `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`
        const head = header.map((tableCell) => cell(tableCell.text === '' ? 'td' : 'th', tableCell)).join('')
        const body = rows.map((row) => `<tr>${row.map((tableCell) => cell('td', tableCell)).join('')}</tr>\n`).join('')
        return `<div class="scroll" role="region" aria-label="Table ${tables}" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>\n${body}</tbody></table></div>\n`
      },
      html: ({ text }) => escaped(text),
      image: ({ text }) => escaped(text),
    },
  })
}

export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function resolveLink(href: string): string | undefined {
  const guide = /^([\w-]+)\.md(#[\w-]+)?$/.exec(href)
  if (guide) return `/docs/${guide[1]}${guide[2] ?? ''}`
  return /^(?:https?:\/\/|#|\/)/.test(href) ? href : undefined
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => ('tokens' in token && token.tokens ? plainText(token.tokens) : 'text' in token ? token.text : ''))
    .join('')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
