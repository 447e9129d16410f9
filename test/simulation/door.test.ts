import { beforeAll, describe, expect, it } from 'vitest'
import { createCallLimiter } from '../../src/core/call/call-limiter.ts'
import type { DoorTools } from './door-calls.ts'
import { doorScenario } from './door-scenario.ts'
import { oneTool } from './publications.ts'
import { damage, type Sabotage } from './sabotage.ts'
import { eventsOf, failureOf, simulateAll, standStill } from './simulate.ts'

standStill()
let tools: DoorTools
beforeAll(async () => {
  const [limited, approved] = await Promise.all([
    oneTool('Mail.Send@1.0.0', 'Sends'),
    oneTool('Mail.Pay@1.0.0', 'Pays'),
  ])
  tools = { limited, approved: { ...approved, securityLevel: 8 } }
})

describe('calls that are limited or need approval under any fault', () => {
  simulateAll((world) => doorScenario(tools)(world))

  it('calls that are limited or need approval under any fault are simulated with the same events each time', async () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      expect(await eventsOf(seed, doorScenario(tools))).toEqual(await eventsOf(seed, doorScenario(tools)))
    }
  })
})

const approval = "provider = 'approval'"

it.each<[string, Sabotage, RegExp]>([
  [
    'an approval that counts twice',
    damage(
      'Vault',
      'authorization',
      `UPDATE authorization SET ended = NULL WHERE status = 'completed' AND ${approval}`,
    ),
    /runs \d+ times, and was approved \d+ times|runs twice|runs on and on/,
  ],
  [
    'a refusal that becomes an approval',
    damage(
      'Vault',
      'authorization',
      `UPDATE authorization SET status = 'completed', ended = NULL, expires = expires + 60000 WHERE status = 'failed' AND ${approval}`,
    ),
    /runs \d+ times, and was approved \d+ times/,
  ],
  [
    'an approval that is lost',
    damage('Vault', 'authorization', `DELETE FROM authorization WHERE status = 'completed' AND ${approval}`),
    /was approved, and (?:is asked for again|does not run)/,
  ],
  [
    'an idempotency store that forgets',
    damage('IdempotencyStore', 'call', 'DELETE FROM call'),
    /is made (?:\d+ times|again)/,
  ],
])('the simulation notices %s', async (_, sabotage, why) => {
  expect(await failureOf(doorScenario(tools, sabotage), why)).toBeDefined()
})

it.each<[string, typeof createCallLimiter, RegExp]>([
  [
    'turns that are not counted',
    (now) => ({ take: (...given) => createCallLimiter(now).take(...given) }),
    /run at once in one isolate|run within 20 s in one isolate|not refused after 3 others/,
  ],
  [
    'a limit of time that is forgotten',
    (now) => {
      const turns = createCallLimiter(now)
      const timeless = { concurrency: 2 }
      return {
        take: (all, ms) =>
          turns.take(
            all.map((each) => ({ ...each, limits: { ...timeless, ...strip(each.limits) } })),
            ms,
          ),
      }
    },
    /not refused after 3 others/,
  ],
  [
    'turns that never end',
    (now) => {
      const turns = createCallLimiter(now)
      return {
        take(all) {
          const turn = turns.take(all, Infinity)
          return 'ok' in turn ? turn : { end: () => [] }
        },
      }
    },
    /is refused after 0 others|never gets its turn/,
  ],
])('the simulation notices %s', async (_, makeTurns, why) => {
  expect(await failureOf(doorScenario(tools, undefined, makeTurns), why)).toBeDefined()
})

const strip = ({ concurrency }: { readonly concurrency?: number }) => (concurrency === undefined ? {} : { concurrency })
