import fc from 'fast-check'
import ranks from 'gpt-tokenizer/bpeRanks/o200k_base'
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { describe, expect, it } from 'vitest'
import { countListTokens, createTokenCounter, MAX_TOKEN_TEXT_CHARACTERS } from '../../../src/core/tool/tokens.ts'
import { effortOf, MOST_EFFORT } from '../../effort.ts'

const countTokens = createTokenCounter(ranks)
const otherLibrary = new Tiktoken(o200k)
const countByOtherLibrary = (text: string) => otherLibrary.encode(text, [], []).length

describe('the token counter', () => {
  it.each([
    ['', 0],
    ['hello world', 2],
    ['tiktoken is great!', 6],
    ['2 + 2 = 4', 7],
    ['お誕生日おめでとう', 8],
  ])('counts %j as OpenAI publishes it: %i', (text, count) => {
    expect(countTokens(text)).toBe(count)
  })

  it('counts the name of a special token as text', () => {
    expect(countTokens('<|endoftext|>')).toBe(7)
  })

  it('counts the same as another library', () => {
    const part = fc.oneof(
      fc.constantFrom(
        ' the',
        '{"type":"',
        '"},{"',
        "don't",
        'listOpenIssues',
        '====',
        '\r\n',
        '   ',
        '漢字',
        '👩‍👩‍👧',
        '\ud800',
      ),
      fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\uFEFF', '')),
    )
    const text = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (each) => {
        expect(countTokens(each)).toBe(countByOtherLibrary(each))
      }),
      { numRuns: 300 },
    )
  })

  it.each([' ', 'a', 'A', '\n', '=', '漢', '\u0301', '😀', '𐐀'])(
    'counts a megabyte of %j within a second of processor time',
    (letter) => {
      const text = letter.repeat(MAX_TOKEN_TEXT_CHARACTERS / letter.length)
      expect(effortOf(() => countTokens(text))).toBeLessThan(5 * MOST_EFFORT)
      expect(countTokens(text)).toBeGreaterThan(8_000)
    },
  )

  it('counts a run of a thousand letters in two parts, and one of 512 exactly', () => {
    const letters = (length: number) =>
      Array.from({ length }, (_, index) => 'etaoinshrdlucmfw'.charAt((index * index + 3 * index) % 16)).join('')
    expect(countTokens(letters(512))).toBe(countByOtherLibrary(letters(512)))
    expect(Math.abs(countTokens(letters(1_000)) - countByOtherLibrary(letters(1_000)))).toBeLessThanOrEqual(2)
  })

  it('refuses a text that is too long', () => {
    expect(() => countTokens(' '.repeat(MAX_TOKEN_TEXT_CHARACTERS + 1))).toThrow(RangeError)
  })
})

it('the tokens of a list are the sum of its tools, and counting yields to other requests', async () => {
  let yields = 0
  const yieldControl = async () => void (yields += 1)
  const small = '{"name":"Calculator_Add","inputSchema":{"type":"object"}}'
  const large = JSON.stringify({ name: 'large', description: 'Adds two numbers. '.repeat(1_000) })
  const counted = await countListTokens([small, large, small], countTokens, yieldControl)
  const expected = [small, large, small].map(countByOtherLibrary)
  expect(counted).toEqual({ tools: expected, total: expected.reduce((sum, count) => sum + count, 0) })
  expect(yields).toBe(1)
  expect(await countListTokens([], countTokens, yieldControl)).toEqual({ tools: [], total: 0 })
})
