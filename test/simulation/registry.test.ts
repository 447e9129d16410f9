import { beforeAll, describe, expect, it } from 'vitest'
import { allPublications, type Publications } from './publications.ts'
import { registryScenario } from './registry.ts'
import { eventsOf, failureOf, simulateAll, standStill } from './simulate.ts'
import { damage, type Sabotage } from './sabotage.ts'

standStill()
let all: Publications
beforeAll(async () => {
  all = await allPublications()
})

describe('the registry and the keys under any fault', () => {
  simulateAll((world) => registryScenario(all)(world))

  it('the registry and the keys under any fault are simulated with the same events each time', async () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      expect(await eventsOf(seed, registryScenario(all))).toEqual(await eventsOf(seed, registryScenario(all)))
    }
  })
})

it.each<[string, Sabotage, RegExp]>([
  ['a lost row of the outbox', damage('Registry', 'outbox', 'DELETE FROM outbox'), /KV never got it/],
  ['a lost publication', damage('Registry', 'version', 'DELETE FROM version'), /was published|was '.*' and is '/],
  ['a version that changes', damage('Registry', 'version', "UPDATE version SET digest = 'other'"), /and is '/],
  [
    'a status that comes back',
    damage('Registry', 'version', 'UPDATE version SET status = \'{"state":"active"}\''),
    /ends 'active'|long after/,
  ],
  ['a page that is gone', ({ kv }) => kv.forget('catalogue/page/'), /names '.*', which is not there/],
  [
    'a key that is not deleted',
    damage('Access', 'outbox', 'DELETE FROM outbox'),
    /which was deleted|never gets the key/,
  ],
])('the simulation notices %s', async (_, sabotage, why) => {
  expect(await failureOf(registryScenario(all, sabotage), why)).toMatch(/SIMULATION_SEED=\d+ npx vitest/)
})
