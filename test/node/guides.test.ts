import { expect, it } from 'vitest'
import { toAnchor, parseGuide } from '../../src/node/guides.ts'

/** Without the lines between tags, and those that a paragraph is written on. */
const rendered = (text: string) =>
  parseGuide('guide', text)
    .html.replaceAll(/>\s*\n\s*</g, '><')
    .trim()

it.each([
  ['one\ntwo\n\nthree', '<p>one\ntwo</p><p>three</p>'],
  ['## A `key`\ntext', '<h2 id="a-key"><a class="anchor" href="#a-key">A <code>key</code></a></h2><p>text</p>'],
  ['## [a](#b)', '<h2 id="ab"><a href="#b">a</a></h2>'],
  ['### Why?', '<h3 id="why"><a class="anchor" href="#why">Why?</a></h3>'],
  [
    '```sh\na <b>\n\n# c\n```\nafter',
    '<div class="copyable"><pre><code class="language-sh">a &lt;b&gt;\n\n# c\n</code></pre></div><p>after</p>',
  ],
  ['- one\n  more\n- **two**', '<ul><li>one\nmore</li><li><strong>two</strong></li></ul>'],
  [
    '| a | b |\n| - | - |\n| `x\\|y` | [l](/m) |',
    '<div class="scroll" role="region" aria-label="Table 1" tabindex="0"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><code>x|y</code></td><td><a href="/m">l</a></td></tr></tbody></table></div>',
  ],
  [
    '|  | b |\n| - | - |\n| 1 |\n| 1 | 2 | 3 |',
    '<div class="scroll" role="region" aria-label="Table 1" tabindex="0"><table><thead><tr><td></td><th>b</th></tr></thead><tbody><tr><td>1</td><td></td></tr><tr><td>1</td><td>2</td></tr></tbody></table></div>',
  ],
  ['``a`b`` and <https://x.dev>', '<p><code>a`b</code> and <a href="https://x.dev">https://x.dev</a></p>'],
  ['**a `b` [c](#d)**', '<p><strong>a <code>b</code> <a href="#d">c</a></strong></p>'],
  ['text\n- item', '<p>text</p><ul><li>item</li></ul>'],
])('a guide with %j is rendered as %s', (text, html) => {
  expect(rendered(text)).toBe(html)
})

it.each(['<script>alert(1)</script>', '[<b>](https://x.dev)', '# <i>', '| <b> |\n| - |\n| <b> |', '- <b>', '`<b>`'])(
  'a guide cannot contain HTML: %s',
  (text) => {
    expect(rendered(text)).not.toMatch(/<(?:script|b|i)>/)
  },
)

it('a guide can only have allowed links', () => {
  expect(rendered('[a](javascript:x) [b](people.md#c) [d](../SECURITY.md)')).toBe(
    '<p>a <a href="/docs/people#c">b</a> d</p>',
  )
})

it.each(['# ', '####', '|', '```', '-', '> q', '# \n# \n', '|\n|', '- '])(
  'a guide is rendered without hanging: %j',
  (text) => {
    expect(rendered(text)).toEqual(expect.any(String))
  },
)

it.each([
  ['Claude.ai', 'claudeai'],
  ['VS Code', 'vs-code'],
  ['The Responses API', 'the-responses-api'],
])('the anchor of %j is %s', (heading, anchor) => {
  expect(toAnchor(heading)).toBe(anchor)
})

it('the headings of a text link to their positions, and code blocks have no headings', () => {
  const text = '# Top\n\n## A `key`, [made](x.md)\n\n```sh\n## no\n```\n\n### Below\n\n## B\n'
  const guide = parseGuide('guide', text)
  const { contents } = guide
  expect(contents.map(({ title }) => title)).toEqual(['A key, made', 'Below', 'B'])
  for (const { anchor, depth, at } of contents) {
    expect(guide.html).toContain(`<h${depth} id="${anchor}">`)
    expect(text.slice(at)).toMatch(/^#{2,3} (?:A|B)/)
  }
})

it('a guide has a title and a summary', () => {
  const guide = parseGuide('guide', '# Keys\n\nAfter reading this you can `make` keys. More.\n\nx')
  const { title, summary, summaryHtml } = guide
  expect([title, summary]).toEqual(['Keys', 'After reading this you can `make` keys. More.'])
  expect(summaryHtml).toBe('To <code>make</code> keys. More.')
  expect(guide.html).toMatch(/^\s*<p>After/)
})
