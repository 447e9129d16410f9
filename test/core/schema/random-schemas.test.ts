import fc from 'fast-check'
import { expect, it } from 'vitest'
import { codecs, formats } from '../../../src/compose/dialects.ts'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { createPublish } from '../../../src/core/publish/publish.ts'
import { checkSuccessor, compareExpanded, requiredBump } from '../../../src/core/schema/compatibility.ts'
import { loadPatternEngine } from '../../../src/core/schema/pattern-matcher.ts'
import { interpretSchema } from '../../../src/core/schema/validator.ts'
import { createBudget, DEFAULT_UNITS } from '../../../src/core/tool/budget.ts'
import type { Json, JsonObject } from '../../../src/core/tool/json.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { effortOfAsync, MOST_EFFORT } from '../../effort.ts'
import { RANDOM_SCHEMAS } from '../../extent.ts'
import { worldOf } from '../publish/fakes.ts'
import { input, value } from './made-up.ts'

await loadPatternEngine({ pattern: '' })

/** `RANDOM_SCHEMAS` sets the count and `RANDOM_SEED` selects others, so that processes can share a million. */
const RUNS = Number(process.env['RANDOM_SCHEMAS'] ?? RANDOM_SCHEMAS)
const SEED = Number(process.env['RANDOM_SEED'] ?? 11)
/** Schemas that share a seed, with which they can be repeated. */
const BLOCK = 1_000

/** CPU time. Slower cases are repeated alone. */
const SUSPECT_MS = 100

const most = { units: 0 }
const { deps, stored } = worldOf()
const publish = createPublish({ ...deps, codecs, formats })
let published = 0
let previous: ToolRecord | undefined

/** The document that contains the schema, in each dialect with references. */
const WRITTEN: Readonly<Record<string, (inputSchema: JsonObject) => Json>> = {
  mcp: (inputSchema) => ({ name: 'x', description: 'd', inputSchema, outputSchema: inputSchema }),
  plugin: (inputSchema) => ({ tools: [{ name: 'x', description: 'd', inputSchema }] }),
}
const dialect = fc.constantFrom(...Object.keys(WRITTEN))

/** Publishes a tool and uses it in every way, and checks that nothing throws or exceeds its budget. */
async function tryAll(inputSchema: JsonObject, given: Json, into: string): Promise<void> {
  const definition = WRITTEN[into]?.(inputSchema) ?? null
  const body = { definition, toolkit: 'Kit', version: '1.0.0', implementation: { kind: 'echo' } }
  stored.length = 0
  const [report] = await publish([{ kind: 'document', body, dialect: into }], {
    principal: ADMIN,
    allowBreaking: false,
  })
  if (!report?.ok) {
    expect(report?.failure.type).toBe('definition-invalid')
    if (report?.failure.type === 'definition-invalid') expect(report.failure.problems.length).toBeGreaterThan(0)
    return
  }
  published += 1
  const record = stored[0]?.[0]?.records[0]
  if (!record) throw new Error('Nothing was stored')
  for (const [name, format] of formats) {
    const budget = createBudget()
    if (format(record, record.name, budget).ok) most.units = Math.max(most.units, budget.spent)
    else expect(report.warnings.map(({ message }) => message).join(), name).toContain(`as '${name}'`)
  }
  expect(Array.isArray(interpretSchema(record.input)(given))).toBe(true)
  if (previous) {
    for (const { message } of checkSuccessor(previous, { ...record, version: '1.0.1' })) {
      expect(message).toMatch(/needs version/)
    }
    expect(['major', 'minor', 'patch']).toContain(requiredBump(compareExpanded(previous, record)))
  }
  previous = record
}

it(
  `${RUNS} schemas and values are published, read, compared and checked within their budgets`,
  { timeout: 86_400_000 },
  async () => {
    const blocks = Array.from({ length: Math.ceil(RUNS / BLOCK) }, (_, index) => index)
    for (const block of blocks) {
      const long: (() => Promise<void>)[] = []
      previous = undefined
      await fc.assert(
        fc.asyncProperty(input, value, dialect, async (...made) => {
          const work = () => tryAll(...made)
          const from = process.threadCpuUsage()
          await work()
          const { user, system } = process.threadCpuUsage(from)
          if ((user + system) / 1_000 > SUSPECT_MS) long.push(work)
        }),
        { numRuns: Math.min(BLOCK, RUNS - block * BLOCK), seed: SEED + block },
      )
      for (const work of long) {
        expect(await effortOfAsync(work), `of the seed ${SEED + block}`).toBeLessThan(MOST_EFFORT)
      }
    }
    expect(most.units).toBeLessThanOrEqual(DEFAULT_UNITS)
    // Otherwise only refusals would be tested
    expect(published).toBeGreaterThan(RUNS / 4)
  },
)
