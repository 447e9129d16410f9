import { html, Markup } from '../http/page/markup.ts'

/**
 * The Markdown that our guides are written in, as HTML: headings, paragraphs, lists of one level, tables and fenced code;
 * within a line code, bold and links. All else is text, and so is HTML. `linkTo` gives where a link leads, or undefined for
 * one that leads nowhere here.
 */
export function renderMarkdown(text: string, linkTo: (href: string) => string | undefined): Markup {
  const lines = text.split('\n')
  const blocks: Markup[] = []
  let at = 0
  let tables = 0
  const take = (isPart: (line: string) => boolean): string[] => {
    const from = at
    while (at < lines.length && isPart(lines[at] ?? '')) at += 1
    return lines.slice(from, at)
  }
  const inline = (part: string) => renderInline(part, linkTo)
  while (at < lines.length) {
    const line = lines[at] ?? ''
    const heading = /^(#{1,3}) (.+)$/.exec(line)
    if (line.startsWith('```')) {
      at += 1
      const code = take((each) => !each.startsWith('```'))
      at += 1
      blocks.push(html`<pre><code>${code.join('\n')}</code></pre>`)
    } else if (heading) {
      at += 1
      blocks.push(renderHeading(heading[1]?.length ?? 1, heading[2] ?? '', inline))
    } else if (line.startsWith('- ')) {
      const items = take((each) => /^(?:- | {2}\S)/.test(each))
        .join('\n')
        .split(/^- /m)
        .slice(1)
      blocks.push(
        html`<ul>
          ${items.map((item) => html`<li>${inline(item.replaceAll(/\s+/g, ' ').trim())}</li>`)}
        </ul>`,
      )
    } else if (line.startsWith('|')) {
      const [head = '', , ...rows] = take((each) => each.startsWith('|'))
      tables += 1
      blocks.push(renderTable(`Table ${tables}`, head, rows, inline))
    } else if (line.trim() === '') {
      at += 1
    } else {
      at += 1
      const rest = take((each) => !/^(?:\s*$|```|#{1,3} |- |\|)/.test(each))
      blocks.push(html`<p>${inline([line, ...rest].join(' '))}</p>`)
    }
  }
  return html`${blocks}`
}

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** The headings below a text's own, each with its anchor. What stands in a fence is none. */
export function headingsOf(text: string): readonly { readonly anchor: string; readonly title: string }[] {
  let isCode = false
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('```')) isCode = !isCode
    const [, heading] = (isCode ? null : /^## (.+)$/.exec(line)) ?? []
    if (heading === undefined) return []
    const title = heading.replaceAll(/\[([^\]]+)\]\([^)\s]+\)/g, '$1').replaceAll(/`|\*\*/g, '')
    return [{ anchor: anchorOf(heading), title }]
  })
}

function renderHeading(level: number, text: string, inline: (text: string) => Markup): Markup {
  const id = anchorOf(text)
  const content = inline(text)
  if (level === 1) return html`<h1 id="${id}">${content}</h1>`
  return level === 2 ? html`<h2 id="${id}">${content}</h2>` : html`<h3 id="${id}">${content}</h3>`
}

function renderTable(label: string, head: string, rows: readonly string[], inline: (text: string) => Markup): Markup {
  const cells = (row: string) =>
    row
      .replace(/^\|/, '')
      .replace(/\|\s*$/, '')
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.trim().replaceAll('\\|', '|')))
  const titles = cells(head)
  // A row may say less than the head does (GitHub Flavored Markdown, 4.10)
  const wholeRow = (row: string) => [...cells(row), ...titles.map(() => html``)].slice(0, titles.length)
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">
    <table>
      <thead>
        <tr>
          ${titles.map((cell) => (cell.text === '' ? html`<td></td>` : html`<th>${cell}</th>`))}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${wholeRow(row).map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

const INLINE =
  /(?<fence>`+)(?<code>.+?)\k<fence>(?!`)|\*\*(?<bold>.+?)\*\*|\[(?<label>[^\]]+)\]\((?<href>[^)\s]+)\)|<(?<bare>https?:\/\/[^>\s]+)>/g

function renderInline(text: string, linkTo: (href: string) => string | undefined): Markup {
  const parts: (string | Markup)[] = []
  let end = 0
  for (const match of text.matchAll(INLINE)) {
    const { code, bold, label, href, bare } = match.groups ?? {}
    parts.push(text.slice(end, match.index))
    end = match.index + match[0].length
    if (code !== undefined) parts.push(html`<code>${code}</code>`)
    else if (bold !== undefined) parts.push(html`<strong>${renderInline(bold, linkTo)}</strong>`)
    else
      parts.push(
        link(
          linkTo(href ?? bare ?? ''),
          renderInline(label ?? bare ?? '', () => undefined),
        ),
      )
  }
  parts.push(text.slice(end))
  return html`${parts}`
}

function link(href: string | undefined, content: Markup): Markup {
  return href === undefined ? content : html`<a href="${href}">${content}</a>`
}
