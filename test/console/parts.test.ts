import { expect, it } from 'vitest'
import { exact } from '../../src/console/parts.tsx'
import { escapeInvisible } from '../../src/http/page/text.ts'

/** What a browser reads of a value in quotation marks. */
function read(written: string): string {
  return written.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
}

it.each(['a & b < c > "d" \'e\'', 'tab\there\r\nand there', '\u200b\u202e\ufe0f👍', 'é日本', '&amp; &#39; &lt;'])(
  'an exact value is unchanged when it is read back: %j',
  (text) => {
    const written = escapeInvisible(String(exact(text)))
    expect(written).toMatch(/^[\x20-\x7e]*$/)
    expect(written).not.toMatch(/[<>"']/)
    expect(read(written)).toBe(text)
  },
)

it('an exact value contains no half of a character', () => {
  expect(read(String(exact('a\ud800b')))).not.toContain('\ud800')
})
