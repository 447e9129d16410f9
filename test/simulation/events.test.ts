import { describe, expect, it } from 'vitest'
import { eventScenario } from './event-scenario.ts'
import { damage, type Sabotage } from './sabotage.ts'
import { eventsOf, failureOf, simulateAll, standStill } from './simulate.ts'

standStill()

describe('a week of events under any fault', () => {
  simulateAll(eventScenario(), 0.2)

  it('a week of events under any fault is simulated with the same events each time', async () => {
    for (let seed = 1; seed <= 3; seed += 1)
      expect(await eventsOf(seed, eventScenario())).toEqual(await eventsOf(seed, eventScenario()))
  })
})

it.each<[string, Sabotage, RegExp]>([
  ['an event that is lost', damage('Events', 'event', 'DELETE FROM event WHERE seq = 3'), /is lost/],
  [
    'a receiver that is passed over',
    damage('Events', 'subscription', 'UPDATE subscription SET cursor = cursor + 1 WHERE attempts = 2'),
    /is lost/,
  ],
  [
    'an event that changes',
    damage('Events', 'event', `UPDATE event SET body = replace(body, '"e_', '"x_')`),
    /gets 'x_/,
  ],
])('the simulation notices %s', async (_, sabotage, why) => {
  expect(await failureOf(eventScenario(sabotage), why)).toBeDefined()
})
