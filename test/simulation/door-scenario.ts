import type { createCallLimiter } from '../../src/core/call/call-limiter.ts'
import { act, client, startIsolates } from './client.ts'
import { createDoorClients, type DoorTools, TURN_MS } from './door-calls.ts'
import { repeat, type Sabotage } from './sabotage.ts'
import type { Scenario } from './simulate.ts'
import { calm } from './weather.ts'

/** Longer than any wait for a call, and than any turn. */
const QUIET_MS = 100_000 + TURN_MS

/**
 * Callers call a limited tool and one that a person must approve, with and without call ids; people approve and refuse;
 * requests end anywhere. Then all is quiet, and calls that may run must run. `sabotage` runs every second, and `makeTurns`
 * creates the turns, to check that faults in them are detected.
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
    // Two are enough: each takes about as long as everything before
    await run([settled([places[0], startIsolate()])])
  }
}
