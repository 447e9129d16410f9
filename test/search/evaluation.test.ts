import { describe, expect, it } from 'vitest'
import { build } from '../fixtures/generated/build.ts'
import { hasShared, readShared, sharedPath, unlessShared } from '../shared.ts'
import { ASIDE } from './questions/aside.ts'
import { FIXTURE_QUESTIONS } from './questions/fixtures.ts'
import { TRIED } from './questions/tried.ts'
import { recordsOf } from './registry.ts'
import { asker, describeScore, plainIn, type Score, score, setsIn } from './sets.ts'

const CATALOGUE = 'catalogues/oxp-definitions.json'
const SETS = 'search'

/** `SEARCH_MISSED=1` prints what the questions that were not kept aside missed. */
function report(name: string, own: Score, plain?: Score): void {
  console.log(`${name}: ${describeScore(own)}${plain ? `; plain BM25F ${describeScore(plain)}` : ''}`)
  if (process.env['SEARCH_MISSED'] && !name.includes('aside')) console.log(own.missed.join('\n'))
}

describe.skipIf(!hasShared(CATALOGUE))(`questions over a catalog in use${unlessShared(CATALOGUE)}`, async () => {
  const items = hasShared(CATALOGUE) ? JSON.parse(readShared(CATALOGUE)).items : []
  const records = await recordsOf(items)
  const ask = asker(records)

  it('questions over a catalog in use are at least a hundred, each about existing tools', () => {
    const ids = new Set(records.map(({ toolkit, tool }) => `${toolkit}.${tool}`))
    const questions = [...TRIED, ...ASIDE]
    expect(questions.length).toBeGreaterThanOrEqual(100)
    expect(new Set(questions.map(({ q }) => q.toLowerCase())).size).toBe(questions.length)
    expect(questions.flatMap(({ tools }) => tools).filter((id) => !ids.has(id))).toEqual([])
  })

  it.each([
    ['those that the ranking was tried with', TRIED, 0.8, 0.94],
    ['those kept aside', ASIDE, 0.82, 0.95],
  ])('questions over a catalog in use %s are answered', (name, questions, first, five) => {
    const found = score(questions, ask)
    report(name, found)
    expect(found.first).toBeGreaterThanOrEqual(first)
    expect(found.five).toBeGreaterThanOrEqual(five)
    expect(found.empty).toBeLessThanOrEqual(0.02)
  })
})

describe.skipIf(!hasShared(SETS))(`third-party questions${unlessShared(SETS)}`, async () => {
  const folder = sharedPath(SETS)
  const sets = hasShared(SETS) ? setsIn(folder) : []

  it.each(sets)(
    'third-party questions of $name are answered at least as well as by plain BM25F',
    async ({ name, definitions, questions }) => {
      const own = score(questions, asker(await recordsOf(definitions)))
      const plain = score(questions, (await plainIn(folder))(definitions))
      report(name, own, plain)
      expect(own.first).toBeGreaterThanOrEqual(plain.first)
      expect(own.five).toBeGreaterThanOrEqual(plain.five)
      expect(own.empty).toBeLessThanOrEqual(0.02)
    },
  )
})

it('questions over the fixture tools are answered', () => {
  const found = score(FIXTURE_QUESTIONS, asker(build.tools.map(({ record }) => record)))
  report('fixture tools', found)
  expect(found.first).toBeGreaterThanOrEqual(0.8)
  expect(found.five).toBeGreaterThanOrEqual(0.95)
})
