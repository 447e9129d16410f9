import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readYaml } from '../../src/importers/openapi/yaml-text.ts'
import { effortOfAsync, MOST_EFFORT } from '../effort.ts'
import type { RunningServer } from '../e2e/server.ts'
import { neverSilent, startWatched } from './watch.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startWatched()
})
afterAll(() => server?.stop())
afterAll(neverSilent)

const repeated = (alias: string, count: number) => `[${Array(count).fill(alias).join(', ')}]`
const chain = (count: number, item: (name: string) => string) =>
  Array.from({ length: count }, (_, n) => `a${n}: &a${n} ${n === 0 ? '[0]' : item(`*a${n - 1}`)}`).join('\n')

/** Less than 200 KB each. */
const TEXTS: readonly (readonly [string, string])[] = [
  [
    'a large document, of which every alias is looked for',
    `pad: ${repeated('0', 50_000)}\nb: &b 0\na: &a ${repeated('*b', 900)}\nx: *a`,
  ],
  [
    'several anchors that multiply each other',
    `b: &b ${repeated('0', 300)}\nc: &c ${repeated('*b', 300)}\nd: ${repeated('*c', 300)}`,
  ],
  ['a chain in which each doubles the one before', chain(60, (before) => `[${before}, ${before}]`)],
  ['a chain that nests without end', chain(3_000, (before) => `[${before}]`)],
  ['a chain that is merged', chain(40, (before) => `{k: ${before}, <<: [${repeated('{a: 0}', 99)}]}`)],
  ['anchors that hold themselves, through each other', 'a: &a {b: &b [*a], c: *b}'],
  ['an anchor that is named anew by what it holds', `a: &a [&a [&a [0, *a], *a], *a]\nb: ${repeated('*a', 20_000)}`],
  ['keys that are aliases of what is long', `a: &a ${'k'.repeat(50_000)}\nb:\n${'  ? *a\n  : 0\n'.repeat(9_000)}`],
  ['keys that are lists with anchors', `b:\n${'  ? [&a 0]\n  : 0\n'.repeat(9_000)}`],
  ['texts that are long, and repeated', `a: &a ${'x'.repeat(100_000)}\nb: ${repeated('*a', 20_000)}`],
]

describe.each(TEXTS)('YAML with %s', (name, text) => {
  const openapi = `openapi: 3.1.0\npaths: {}\n${text}\n`

  it(`YAML with ${name} is read with bounded work, or refused for its repetition`, async () => {
    expect(openapi.length).toBeLessThan(250_000)
    const read = await readYaml(openapi, async () => undefined)
    expect(await effortOfAsync(() => readYaml(openapi, async () => undefined))).toBeLessThan(5 * MOST_EFFORT)
    if (!read.ok)
      expect(read.problem).toMatch(/at most (?:30000 lines|100000 values)|nest deeper than 136|complex keys/)
  })

  it(`YAML with ${name} gets a short message from an import`, async () => {
    const { status, body } = await server.json('POST', '/toolkits/import?dry_run=1', {
      from: { openapi },
      toolkit: 'X',
    })
    expect([status, JSON.stringify(body).length < 2_000]).toEqual([422, true])
  })
})

it('YAML aliases resolve to the last anchor of their name, as real descriptions use them', async () => {
  const text = `
base: &base {type: object, required: [id]}
pet: {<<: *base, description: own}
both: {<<: [{a: 1}, {a: 2, b: 2}], b: 3}
one: &x 1
two: [*x, &x 2, *x]
200: *base
? &key k
: *key
`
  const base = { type: 'object', required: ['id'] }
  expect(await readYaml(text, async () => undefined)).toEqual({
    ok: true,
    value: {
      base,
      200: base,
      pet: { ...base, description: 'own' },
      both: { a: 1, b: 3 },
      one: 1,
      two: [1, 2, 2],
      k: 'k',
    },
  })
})
