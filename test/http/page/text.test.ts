import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/core/tool/json.ts'
import { truncate, indentedJson, escapeInvisible } from '../../../src/http/page/text.ts'

describe('a foreign text', () => {
  it.each([
    ['\u202eabc', '\\u202eabc'],
    ['a\u200bb\u0000', 'a\\u200bb\\u0000'],
    // Fillers, joiners and variation selectors that are letters or marks to Unicode, and the empty Braille pattern
    ['a\u3164b\u2800c', 'a\\u3164b\\u2800c'],
    ['\u034f\u115f\u1160\uffa0\ufe0f\u180b', '\\u034f\\u115f\\u1160\\uffa0\\ufe0f\\u180b'],
    ['\u{e0100}\u{e0041}', '\\ue0100\\ue0041'],
    ['é 日本語 אב ⠁ \u00a0', 'é 日本語 אב ⠁ \u00a0'],
    ['\ud800', '\\ud800'],
    ['\u{e0041}', '\\ue0041'],
    // What is seen as a part of a picture is no escape, and nowhere else
    ['👩‍👩‍👧 ❤️ 👍🏽‍❤️', '👩‍👩‍👧 ❤️ 👍🏽‍❤️'],
    ['a\u200d👩 👩\u200db 👩\u200d', 'a\\u200d👩 👩\\u200db 👩\\u200d'],
    ['❤️\ufe0f a\ufe0f 👩\u200d\u200d👩 👩\u200b👩', '❤️\\ufe0f a\\ufe0f 👩\\u200d\\u200d👩 👩\\u200b👩'],
    ['two\nlines, é, 日本, 👍', 'two\nlines, é, 日本, 👍'],
  ])('shows invisible characters as escapes: %j', (text, written) => {
    expect(escapeInvisible(text)).toBe(written)
  })

  it('is truncated without splitting a character', () => {
    expect(truncate('abc', 3)).toBe('abc')
    expect(truncate('abcd', 3)).toBe('abc…')
    expect(truncate('ab👍', 3)).toBe('ab…')
  })
})

describe('JSON on a page', () => {
  it('has a line for each value', () => {
    expect(indentedJson({ a: [1, 'x'] })).toBe('{\n  "a": [\n    1,\n    "x"\n  ]\n}')
  })

  const nested = (levels: number): Json => (levels === 0 ? Array<Json>(10_000).fill(0) : [nested(levels - 1)])
  it.each([
    ['long', Array<Json>(100_000).fill(0)],
    ['deep', nested(130)],
  ])('stays on one line if it is %s', (_, value) => expect(indentedJson(value)).toBe(JSON.stringify(value)))
})
