import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSearch } from '../../../src/core/call/jmespath/search.ts'
import { createRedactor } from '../../../src/core/call/redact.ts'
import { createBudget, DEFAULT_UNITS } from '../../../src/core/tool/budget.ts'
import type { Json } from '../../../src/core/tool/json.ts'
import { climb, type Cross } from '../../climb.ts'
import { effortOf, MOST_EFFORT } from '../../effort.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
/** As it comes out of a parser, in one piece. */
const flat = <T>(value: T): T => JSON.parse(JSON.stringify(value))

describe('the worst expression', () => {
  const value: Json = {
    l: Array.from({ length: 40 }, (_, id) => ({ id, t: 'a'.repeat(id), l: [id, [id]] })),
    p: ['b', 'c'].map((end) => 'a'.repeat(50_000) + end),
    n: '1'.repeat(50_000),
    o: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, index])),
  }
  const subject = fc.constantFrom('@', 'l', 'p', 'n', 'o', 'l[*]', 'l[].l[]', 'o.*', '[p, p]', '[@, @, @, @]', 'l[*].t')
  const step = fc.constantFrom(
    '[@, @, @, @]',
    '[]',
    '[*]',
    '[?@ == @]',
    'max(@)',
    'min(@)',
    'sort(@)',
    'to_number(@)',
    'to_string(@)',
    'length(@)',
    'reverse(@)',
    'keys(@)',
    'values(@)',
    'map(&max(@), @)',
    'map(&to_number(@), @)',
    'map(&[@, @, @], @)',
    'sum(@)',
    'max_by(@, &t)',
    'sort_by(@, &id)',
    "contains(@, 'aab')",
    "join('a', @)",
    '[*].[@, @, @][]',
    '{a: @, b: @}',
    '!@',
    "starts_with(@, 'a')",
    'merge(@, @)',
    'not_null(@)',
    'to_array(@)',
    '[::-1]',
    '[*] | [*]',
    'type(@)',
  )
  const expression = fc
    .tuple(subject, fc.array(step, { minLength: 1, maxLength: 6 }))
    .map((each) => each.flat().join(' | '))
  const join: Cross<string> = (best, fresh, number) => {
    const steps = best.split(' | ')
    const more = fresh.split(' | ').slice(1)
    const at = 1 + Math.floor(number() * steps.length)
    const joined = [...steps.slice(0, at), ...more, ...steps.slice(at)].join(' | ')
    return joined.length > 300 ? best : joined
  }
  const unitsOf = (text: string) => {
    const budget = createBudget()
    const read = createSearch(text)
    if (read.ok) read.search(value, budget)
    return read.ok ? budget.spent : 0
  }

  it('the worst expression that a climb finds stays within its budget', () => {
    const { best, most } = climb(expression, join, unitsOf, 8)
    expect(most).toBeGreaterThan(10_000)
    // A step takes the units of a whole list or text at once
    expect(most).toBeLessThan(4 * DEFAULT_UNITS)
    expect(effortOf(() => unitsOf(best))).toBeLessThan(MOST_EFFORT)
  })

  it.each([
    ['of what is great in two texts that begin alike', '[@,@,@,@,@,@,@,@]|[@,@,@,@,@,@,@,@][] | [*].max(@)'],
    ['of what is little in them', '[@,@,@,@,@,@,@,@]|[@,@,@,@,@,@,@,@][] | [*].min(@)'],
    ['of numbers in long texts', '[@[0],@[0],@[0],@[0]]|[@,@,@,@,@,@,@,@][] | [*].to_number(@)'],
  ])('the worst expression %s is stopped by its budget', (_, text) => {
    const pair = flat(['1', '2'].map((end) => '1'.repeat(2_000_000) + end))
    const read = createSearch(text)
    if (!read.ok) throw new Error(read.message)
    expect(effortOf(() => expect(read.search(pair)).toMatchObject({ ok: false }))).toBeLessThan(MOST_EFFORT)
  })
})

describe('the worst text to redact', () => {
  const piece = fc.tuple(
    fc.constantFrom(
      'a',
      'b',
      'ab',
      'aab',
      'ä',
      ':',
      'x y',
      '\\',
      '\\u0061',
      '%',
      '%25',
      '%2561',
      '&amp;',
      '&#',
      '&aa',
      '<',
      '<a>',
      ';',
    ),
    fc.integer({ min: 1, max: 200 }),
  )
  const text = fc
    .array(piece, { minLength: 1, maxLength: 4 })
    .map((all) => all.map(([part, times]) => part.repeat(times)).join(''))
  const sought = fc.record({ secrets: fc.array(text, { minLength: 1, maxLength: 6 }), text })
  type Sought = { readonly secrets: readonly string[]; readonly text: string }
  const mix: Cross<Sought> = (best, fresh, number) => {
    if (number() < 0.3) return { ...best, text: (best.text + fresh.text).slice(0, 1_500) }
    if (number() < 0.5) return { ...best, text: best.text.repeat(2).slice(0, 1_500) }
    return { ...best, secrets: [...best.secrets, ...fresh.secrets].slice(-8) }
  }
  const redact = ({ secrets, text: given }: Sought, times = 1) => {
    const budget = createBudget()
    const redactor = createRedactor(secrets, base64, budget)
    const value = redactor?.value(Array.from({ length: times }, () => given))
    return { budget, value }
  }

  it('the worst text to redact that a climb finds stays within the budget, however much there is of it', () => {
    const { best, most } = climb(sought, mix, (each) => redact(each).budget.spent, 9)
    expect(most).toBeGreaterThan(1_000)
    expect(most).toBeLessThan(DEFAULT_UNITS)
    expect(effortOf(() => redact(best, 4_000))).toBeLessThan(MOST_EFFORT)
  })

  const LENGTH = 1_000_000
  it.each<[string, readonly string[], string]>([
    ['that nearly repeats a secret everywhere', [`${'a'.repeat(2_500)}b${'a'.repeat(2_500)}`], 'a'.repeat(LENGTH)],
    ['that is a secret over and over', ['a'.repeat(5_000)], 'a'.repeat(LENGTH)],
    ['that begins as a secret everywhere', ['aaaab'], 'a'.repeat(LENGTH)],
    [
      'with fifty secrets that begin alike',
      Array.from({ length: 50 }, (_, i) => `aaaa${i}`),
      'aaaa9'.repeat(LENGTH / 5),
    ],
    ['with sixty long secrets', Array.from({ length: 60 }, (_, i) => i + 'ä'.repeat(60_000)), 'a'.repeat(LENGTH)],
    ['with a secret of many parts', ['abcdefghijklmnop:'.repeat(3_000)], 'a'.repeat(LENGTH)],
  ])('the worst text to redact, %s, is replaced completely or searched within the budget', (_, secrets, text) => {
    const given = flat(text)
    const { value } = redact({ secrets, text: given })
    for (const secret of secrets) expect(value?.[0]?.includes(secret)).toBe(false)
    expect(effortOf(() => redact({ secrets, text: given }))).toBeLessThan(MOST_EFFORT)
  })

  it('the worst text to redact, of eight megabytes without a secret, is unchanged', () => {
    const text = flat('{"a":[1,2,3,"hello world"]},\n    '.repeat(250_000))
    expect(
      redact({ secrets: ['sk-0123456789abcdefghijklmnop', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln'], text }).value,
    ).toEqual([text])
  })

  it('the worst text to redact is replaced completely once the budget is used up, as is everything after it', () => {
    const redactor = createRedactor(['secret'], base64, createBudget(20))
    expect(redactor?.value({ a: 'short', b: ['secre'.repeat(10_000), 'short', 'of'] })).toEqual({
      a: 'short',
      b: ['[redacted]', '[redacted]', 'of'],
    })
  })
})
