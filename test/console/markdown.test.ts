import { expect, it } from 'vitest'
import { Markdown } from '../../src/console/markdown.tsx'

const shown = (text: string) => String(Markdown({ text })).replace(/^<div class="said" dir="auto">|<\/div>$/g, '')

it.each([
  ['One\nline after another.\n\nThe next.', '<p>One\nline after another.</p><p>The next.</p>'],
  [
    'Roles:\n- `admin`\n- **owner**\n\n1. first',
    '<p>Roles:</p><ul><li><code>admin</code></li><li><strong>owner</strong></li></ul><ol><li>first</li></ol>',
  ],
  [
    '## Notes\n```json\n{"a": "**b**"}\n\n- c\n```',
    '<p><strong>Notes</strong></p><pre>{&quot;a&quot;: &quot;**b**&quot;}\n\n- c</pre>',
  ],
  [
    'See **[the `docs`](https://docs.test/a?b=1&c)** and [this](/here).',
    '<p>See <strong><a href="https://docs.test/a?b=1&amp;c" rel="noopener noreferrer nofollow">the <code>docs</code></a></strong> and this.</p>',
  ],
  [
    'An _ISO 4217_ code, *not* `_a_`, snake_case_name or __dunder__.',
    '<p>An <em>ISO 4217</em> code, <em>not</em> <code>_a_</code>, snake_case_name or __dunder__.</p>',
  ],
  ['# One ##\n### Two #3\n#none', '<p><strong>One </strong>\n<strong>Two #3</strong>\n#none</p>'],
  ['2 * 3 ** 4 `open', '<p>2 * 3 ** 4 `open</p>'],
])('the Markdown of a description is rendered: %j', (text, html) => expect(shown(text)).toBe(html))

it.each([
  '<img src=x onerror=alert(1)>',
  '[x](javascript:alert(1))',
  '[x](data:text/html,1)',
  '[x](//other.test)',
  '`<b>`',
])('the Markdown of a description adds no HTML, and no links to anything but web pages: %j', (text) =>
  expect(shown(text)).not.toMatch(/<img|<b>|href/),
)

it('the Markdown of a description is rendered quickly, however deeply it nests and wherever it ends', () => {
  for (const part of ['[', '**', '`', '[a](', '- ', '**[**`', '1) ', '```\n', '_a ', ' *a', '# #', '#'])
    expect(shown(part.repeat(100_000)).length).toBeLessThan(250_000)
})
