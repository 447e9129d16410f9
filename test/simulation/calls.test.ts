import { beforeAll, describe, expect, it } from 'vitest'
import { callScenario } from './call-scenario.ts'
import type { ToolRecord } from '../../src/core/tool/tool.ts'
import { oneTool } from './publications.ts'
import { damage, restoreTokens, type Sabotage } from './sabotage.ts'
import { eventsOf, failureOf, simulateAll, standStill } from './simulate.ts'

standStill()
let tool: ToolRecord
beforeAll(async () => {
  tool = await oneTool('Mail.Send@1.0.0', 'Sends')
})

describe('calls with ids and grants under any fault', () => {
  simulateAll((world) => callScenario(tool)(world))

  it('calls with ids and grants under any fault are simulated with the same events each time', async () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      expect(await eventsOf(seed, callScenario(tool))).toEqual(await eventsOf(seed, callScenario(tool)))
    }
  })
})

it.each<[string, Sabotage, RegExp]>([
  [
    'an idempotency store that forgets',
    damage('IdempotencyStore', 'call', 'DELETE FROM call'),
    /is made 2 times|is made again/,
  ],
  [
    'another outcome',
    damage('IdempotencyStore', 'call', "UPDATE call SET outcome = replace(outcome, '1', '2')"),
    /came to|is 'outcome-unknown'/,
  ],
  [
    'a grant that is lost',
    damage('Vault', 'account_grant', 'DELETE FROM account_grant'),
    /consented, and is asked again/,
  ],
  ['a refresh token that comes back', restoreTokens(), /is used (?:twice|again)/],
])('the simulation notices %s', async (_, sabotage, why) => {
  expect(await failureOf(callScenario(tool, sabotage), why)).toBeDefined()
})
