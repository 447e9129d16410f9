import type { Child } from 'hono/jsx'
import type { JSX } from 'hono/jsx/jsx-runtime'
import { trimEnd } from '../core/tool/trim.ts'

/** In characters: a page shows no more of one text. */
const MAX_SHOWN = 20_000

type BlockKind = 'text' | 'bullets' | 'numbers' | 'code'

interface Block {
  readonly kind: BlockKind
  readonly lines: string[]
}

/** The Markdown that descriptions use: paragraphs, lists, code, links and emphasis. All else stays text, and is escaped as such. */
export function Markdown({ text }: { text: string }) {
  return (
    <div class="said" dir="auto">
      {parseBlocks(text.slice(0, MAX_SHOWN)).map(renderElement)}
    </div>
  )
}

/** Code, links and emphasis within a sentence. */
export function Inline({ text }: { text: string }) {
  return <>{inline(text)}</>
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
    else add('text', headingText(line))
  }
  return blocks
}

function headingText(line: string): string {
  const [mark] = /^ {0,3}#{1,6} +/.exec(line) ?? []
  return mark === undefined ? line : `**${trimEnd(line.slice(mark.length), '#')}**`
}

function renderElement({ kind, lines }: Block): JSX.Element {
  if (kind === 'text') return <p>{inline(lines.join('\n'))}</p>
  if (kind === 'code') return <pre>{lines.join('\n')}</pre>
  const items = lines.map((line) => <li>{inline(line)}</li>)
  return kind === 'bullets' ? <ul>{items}</ul> : <ol>{items}</ol>
}

const SPAN =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^[\]\n]{1,300})\]\(([^\s()]{1,2000})\)|(?<![\w*])(?:_(?![\s_])([^_\n]*[^\s_])_|\*(?![\s_*])([^_*\n]*[^\s_*])\*)(?![\w*])/g

function inline(text: string): Child[] {
  const parts: Child[] = []
  let end = 0
  for (const {
    0: whole,
    1: code,
    2: bold,
    3: label = '',
    4: url = '',
    5: low,
    6: italic = low,
    index,
  } of text.matchAll(SPAN)) {
    parts.push(text.slice(end, index))
    end = index + whole.length
    if (code !== undefined) parts.push(<code>{code}</code>)
    else if (bold !== undefined) parts.push(<strong>{inline(bold)}</strong>)
    else if (italic !== undefined) parts.push(<em>{inline(italic)}</em>)
    else if (/^https?:\/\//i.test(url)) {
      parts.push(
        <a href={url} rel="noopener noreferrer nofollow">
          {inline(label)}
        </a>,
      )
    } else parts.push(...inline(label))
  }
  return [...parts, text.slice(end)]
}

/** On one line without the marks of Markdown, for a card. */
export function toPlainText(text: string): string {
  return unmarked(text)
    .replaceAll(/^ {0,3}(?:#{1,6}|[-*+]|```\w*) */gm, '')
    .replaceAll(/\s+/g, ' ')
}

function unmarked(text: string): string {
  return text.replaceAll(
    SPAN,
    (_, code?: string, bold?: string, label?: string, _url?: string, low?: string, italic?: string) =>
      code ?? unmarked(bold ?? label ?? low ?? italic ?? ''),
  )
}

/** Imported descriptions begin with the title, which stands above them already. */
export function withoutTitle(text: string, title = ''): string {
  const rest = title !== '' && text.startsWith(title) ? text.slice(title.length) : text
  return /^(?:\n|$)/.test(rest) ? rest.trim() : text
}
