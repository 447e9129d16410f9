import type { Child } from 'hono/jsx'
import type { JSX } from 'hono/jsx/jsx-runtime'
import { trimEnd } from '../core/tool/trim.ts'

/** Maximum characters of one text in a page. */
const MAX_SHOWN = 20_000

type BlockKind = 'text' | 'bullets' | 'numbers' | 'code'

interface Block {
  readonly kind: BlockKind
  readonly lines: string[]
}

/** The Markdown of descriptions: paragraphs, lists, code, links and emphasis. Everything else is escaped text. */
export function Markdown({ text }: { text: string }) {
  return (
    <div class="said" dir="auto">
      {parseBlocks(text.slice(0, MAX_SHOWN)).map(renderElement)}
    </div>
  )
}

/** Code, links and emphasis within a sentence. */
export function Inline({ text }: { text: string }) {
  return <>{renderSpans(text)}</>
}

function parseBlocks(text: string): readonly Block[] {
  const blocks: Block[] = []
  let isCode = false
  let isNew = true
  const add = (kind: BlockKind, line: string) => {
    const last = blocks.at(-1)
    if (last?.kind === kind && !isNew) last.lines.push(line)
    else blocks.push({ kind, lines: [line] })
    isNew = false
  }
  for (const line of text.split('\n')) {
    const [, bullet, number, item = ''] = /^ {0,3}(?:([-*+])|(\d{1,9}[.)])) +(.*)/.exec(line) ?? []
    if (/^ {0,3}```/.test(line)) {
      isCode = !isCode
      isNew = true
    } else if (isCode) add('code', line)
    else if (line.trim() === '') isNew = true
    else if (bullet) add('bullets', item)
    else if (number) add('numbers', item)
    else add('text', formatHeading(line))
  }
  return blocks
}

function formatHeading(line: string): string {
  const [mark] = /^ {0,3}#{1,6} +/.exec(line) ?? []
  return mark === undefined ? line : `**${trimEnd(line.slice(mark.length), '#')}**`
}

function renderElement({ kind, lines }: Block): JSX.Element {
  if (kind === 'text') return <p>{renderSpans(lines.join('\n'))}</p>
  if (kind === 'code') return <pre>{lines.join('\n')}</pre>
  const items = lines.map((line) => <li>{renderSpans(line)}</li>)
  return kind === 'bullets' ? <ul>{items}</ul> : <ol>{items}</ol>
}

const SPAN =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^[\]\n]{1,300})\]\(([^\s()]{1,2000})\)|(?<![\w*])(?:_(?![\s_])([^_\n]*[^\s_])_|\*(?![\s_*])([^_*\n]*[^\s_*])\*)(?![\w*])/g

function renderSpans(text: string): Child[] {
  const parts: Child[] = []
  let end = 0
  for (const {
    0: whole,
    1: code,
    2: bold,
    3: label = '',
    4: url = '',
    5: underscored,
    6: italic = underscored,
    index,
  } of text.matchAll(SPAN)) {
    parts.push(text.slice(end, index))
    end = index + whole.length
    if (code !== undefined) parts.push(<code>{code}</code>)
    else if (bold !== undefined) parts.push(<strong>{renderSpans(bold)}</strong>)
    else if (italic !== undefined) parts.push(<em>{renderSpans(italic)}</em>)
    else if (/^https?:\/\//i.test(url)) {
      parts.push(
        <a href={url} rel="noopener noreferrer nofollow">
          {renderSpans(label)}
        </a>,
      )
    } else parts.push(...renderSpans(label))
  }
  return [...parts, text.slice(end)]
}

/** Returns one line without Markdown, for a card. */
export function toPlainText(text: string): string {
  return stripSpans(text)
    .replaceAll(/^ {0,3}(?:#{1,6}|[-*+]|```\w*) */gm, '')
    .replaceAll(/\s+/g, ' ')
}

function stripSpans(text: string): string {
  return text.replaceAll(
    SPAN,
    (_, code?: string, bold?: string, label?: string, _url?: string, underscored?: string, italic?: string) =>
      code ?? stripSpans(bold ?? label ?? underscored ?? italic ?? ''),
  )
}

/** Imported descriptions start with the title, which is already shown above them. */
export function removeTitle(text: string, title = ''): string {
  const remainder = title !== '' && text.startsWith(title) ? text.slice(title.length) : text
  return /^(?:\n|$)/.test(remainder) ? remainder.trim() : text
}
