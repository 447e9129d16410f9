import { beforeAll, describe, expect, it } from 'vitest'
import type { Bundle } from '../../src/storage/registry/write/bundle.ts'
import { deploymentScenario } from './deployment-scenario.ts'
import { oneTool } from './publications.ts'
import { damage, type Sabotage } from './sabotage.ts'
import { eventsOf, failureOf, simulateAll, standStill } from './simulate.ts'

standStill()
let bundles: readonly [Bundle, Bundle]
beforeAll(async () => {
  const bundle = async (hash: string, ...tools: readonly (readonly [id: string, description: string])[]) => ({
    hash,
    records: await Promise.all(tools.map(([id, description]) => oneTool(id, description))),
    documents: [],
  })
  bundles = [
    await bundle('one', ['Kit.Changes@1.0.0', 'This'], ['Kit.Goes@1.0.0', 'Goes'], ['Kit.Stays@1.0.0', 'Stays']),
    await bundle('two', ['Kit.Changes@1.0.0', 'That'], ['Kit.Comes@1.0.0', 'Comes'], ['Kit.Stays@1.0.0', 'Stays']),
  ]
})

describe('several deployments on the same storage under any fault', () => {
  simulateAll((world) => deploymentScenario(bundles)(world))

  it('several deployments on the same storage under any fault are simulated with the same events each time', async () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      expect(await eventsOf(seed, deploymentScenario(bundles))).toEqual(
        await eventsOf(seed, deploymentScenario(bundles)),
      )
    }
  })
})

it.each<[string, Sabotage, RegExp]>([
  [
    'an old deployment that comes back',
    damage('Registry', 'meta', "UPDATE meta SET value = '1' WHERE name = 'bundle_at'"),
    /goes back to a deployment|and '.*' is newest/,
  ],
  [
    'a tool that should be gone',
    damage('Registry', 'version', 'UPDATE version SET left_bundle = 0'),
    /are listed of|is there, and left/,
  ],
  ['a lost row of the outbox', damage('Registry', 'outbox', 'DELETE FROM outbox'), /are listed of|is '.*' in/],
])('the simulation notices %s', async (_, sabotage, why) => {
  expect(await failureOf(deploymentScenario(bundles, sabotage), why)).toBeDefined()
})
