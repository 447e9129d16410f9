import { expect, it } from 'vitest'
import { createBudget, DEFAULT_UNITS } from '../../../src/core/tool/budget.ts'
import { FOREIGN_JSON, parseJson, parseInSlices } from '../../../src/core/tool/json-text.ts'

const read = parseJson
const list = (commas: number) => `[${'0,'.repeat(commas)}0]`

it.each([
  'true',
  ' false ',
  '[false,true,null]',
  '"\\u005f"',
  '-0.5e-7',
  '[1e308, 123456789012]',
  `"${'a'.repeat(999)}"`,
])('the JSON text %j is read like JSON.parse reads it, however long it is', (text) => {
  const padded = text + ' '.repeat(1_000)
  for (const each of [text, padded]) expect(read(each)).toEqual({ ok: true, value: JSON.parse(text) })
})

it('JSON text may have a limited number of parts', () => {
  expect(read(list(DEFAULT_UNITS)).ok).toBe(true)
  const refused = { ok: false, isJson: true, message: expect.stringContaining('more than 100000 parts') }
  expect(read(list(DEFAULT_UNITS + 1))).toEqual(refused)
  expect(read(`{${'"a":0,'.repeat(DEFAULT_UNITS / 2)}"a":0}`)).toEqual(refused)
  expect(read(`[${'[[]],'.repeat(DEFAULT_UNITS / 2 - 1)}0]`).ok).toBe(true)
  expect(read(`[${'[[]],'.repeat(DEFAULT_UNITS / 2 + 1)}0]`)).toEqual(refused)
  expect(read(JSON.stringify(',:['.repeat(DEFAULT_UNITS))).ok).toBe(true)
  expect(read(list(4_000), { maxParts: 3_999 }).ok).toBe(false)
})

it("JSON text is charged to a request's budget by its parts and length", () => {
  const budget = createBudget(Infinity)
  read(list(5_000), { budget })
  expect(budget.spent).toBeGreaterThan(5_000)
  expect(budget.spent).toBeLessThan(5_050)
  expect(read(list(5_000), { budget: createBudget(500) })).toMatchObject({ ok: false, message: /too much work/ })
})

it('JSON text is refused at its first error, without reading the rest', () => {
  expect(read(`{"a":01,${'"b":0,'.repeat(1_000)}`)).toMatchObject({ isJson: false, message: /offset 6\)$/ })
})

it('JSON text has the same depth limit whether it is short or long', () => {
  for (const pad of ['', ' '.repeat(3_000), ' '.repeat(5_000)]) {
    expect(read('['.repeat(136) + pad + ']'.repeat(136)).ok).toBe(true)
    expect(read('['.repeat(137) + pad + ']'.repeat(137))).toMatchObject({ message: /deeper than 136 levels/ })
  }
})

it('JSON text yields between slices', () => {
  const slices = (text: string) => [...parseInSlices(text)].length
  expect([slices('1'), slices(`[${'"aaaaaaaa",'.repeat(90_000)}1]`)]).toEqual([0, 0])
  expect(slices(`[${`"${'a'.repeat(100)}",`.repeat(40_000)}1]`)).toBe(4)
})

it('JSON text from a tool may contain many rows, and fewer names in one object', () => {
  const row = { id: 0, name: 'n', price: 0, text: 'x' }
  expect(read(JSON.stringify(Array(30_000).fill(row)), FOREIGN_JSON).ok).toBe(true)
  const named = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [at, 0])))
  expect([read(named(70_000), FOREIGN_JSON).ok, read(named(80_000), FOREIGN_JSON).ok]).toEqual([true, false])
})

it('JSON text from a tool may contain values that are only passed on', () => {
  const text = `{"__proto__":1e999,"a":${'['.repeat(400)}${']'.repeat(400)}}`
  expect(read(text)).toMatchObject({ message: "Cannot accept the key '__proto__' at '/__proto__'" })
  expect(read(text, FOREIGN_JSON).ok).toBe(true)
  expect(read('['.repeat(1_001) + ']'.repeat(1_001), FOREIGN_JSON)).toMatchObject({
    message: /deeper than 1000 levels/,
  })
})

it('JSON text has no number beyond doubles, wherever it is', () => {
  expect(read(`${' '.repeat(300)}{"a":[0,{"b/c":-1e400}]}`)).toMatchObject({
    message: "Cannot accept a number at '/a/1/b~1c': it is too large",
  })
  expect(read('9'.repeat(400))).toMatchObject({ message: /too large/ })
})
