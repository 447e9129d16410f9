import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { laidOut } from '../../../src/http/page/laid-out-json.ts'

const nested = (levels: number, held = '') => '['.repeat(levels) + held + ']'.repeat(levels)

describe('a JSON text that is set out', () => {
  it('is as JSON.stringify sets its value out', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\t'), (value, space) => {
        expect(laidOut(JSON.stringify(value, undefined, space))).toBe(JSON.stringify(value, undefined, 2))
      }),
    )
  })

  it('keeps each number as it was written, and each string', () => {
    expect(laidOut('{"a":1e400,"b":12345678901234567890,"c":1.0,"d":"\\u0041\\"{,"}')).toBe(
      '{\n  "a": 1e400,\n  "b": 12345678901234567890,\n  "c": 1.0,\n  "d": "\\u0041\\"{,"\n}',
    )
  })

  it.each([
    ['deep', nested(100_000)],
    ['wide', `[${'0,'.repeat(100_000)}0]`],
    ['deep and wide', nested(1_000, `${'0,'.repeat(100_000)}0`)],
    ['deep in parts', `[${Array(200).fill(nested(500, '0')).join()}]`],
    ['of keys', `{${'"":{'.repeat(50_000)}${'}'.repeat(50_000)}}`],
  ])('is never much longer than it was, and holds the same, where it is %s', (_, json) => {
    const text = laidOut(json)
    expect(text.length).toBeLessThan(6 * json.length + 20_001)
    expect(text.replaceAll(/\s/g, '')).toBe(json)
  })

  it.each([
    ['{"a":[1,', '{\n  "a": [\n    1,\n    '],
    [']]}', '\n]\n]\n}'],
    ['"a\\', '"a\\'],
    ['[ ', '[\n  '],
    ['', ''],
    ['no JSON', 'noJSON'],
  ])('may be cut off, or none: %s', (json, text) => expect(laidOut(json)).toBe(text))
})
