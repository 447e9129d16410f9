import type { createCallLimiter } from '../../src/core/call/call-limiter.ts'
import { act, client, startIsolates } from './client.ts'
import { createDoorClients, type DoorTools, TURN_MS } from './door-calls.ts'
import { repeat, type Sabotage } from './sabotage.ts'
import type { Scenario } from './simulate.ts'
import { calm } from './weather.ts'

/** Longer than any call is waited for, and any turn is taken. */
const QUIET_MS = 100_000 + TURN_MS

/**
 * Callers call a tool that is limited and one that a person has to approve, under ids of their own and without; people
 * approve and refuse; requests end anywhere. Then all is quiet, and what may run runs. `sabotage` is done every second, and
 * `makeTurns` gives the turns, to see that what is wrong with them is noticed.
 */
export function doorScenario(tools: DoorTools, sabotage?: Sabotage, makeTurns?: typeof createCallLimiter): Scenario {
  return async (world) => {
    const { clock, chance, weather, startIsolate, run } = world
    const places = startIsolates(world)
    const { make, decide, settled } = createDoorClients(world, tools, makeTurns)
    const clients = Array.from({ length: 4 + chance.below(5) }, () =>
      client(world, places, [make, make, make, decide, decide]),
    )
    if (sabotage) repeat(world, sabotage)
    await act(world, places, clients)
    calm(weather)
    await run([clock.sleep(QUIET_MS)])
    // Two are enough: each takes about as long as all that was before
    await run([settled([places[0], startIsolate()])])
  }
}
