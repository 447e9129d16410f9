import type { ToolRecord } from '../../src/core/tool/tool.ts'
import { createCallClients } from './calls.ts'
import { act, client, startIsolates } from './client.ts'
import { repeat, type Sabotage } from './sabotage.ts'
import { createGrantClients } from './grants.ts'
import type { Scenario } from './simulate.ts'
import { calm } from './weather.ts'

/** Longer than any wait for a call. */
const QUIET_MS = 60_000

/**
 * Callers make and repeat calls with call ids; users consent and revoke, and calls ask for their tokens, while things go
 * wrong. Then all is quiet, and each call must get the same response as before. `sabotage` runs every second, to check that
 * it is detected.
 */
export function callScenario(tool: ToolRecord, sabotage?: Sabotage): Scenario {
  return async (world) => {
    const { clock, chance, weather, startIsolate, run } = world
    const places = startIsolates(world)
    const { make, reuse, ...callClients } = createCallClients(world)
    const { consent, token, renew, revoke, ...grantClients } = createGrantClients(world, tool)
    const draws = [make, make, make, reuse, consent, token, renew, renew, revoke] as const
    const clients = Array.from({ length: 3 + chance.below(4) }, () => client(world, places, [...draws]))
    if (sabotage) repeat(world, sabotage)
    await act(world, places, clients)
    calm(weather)
    await run([clock.sleep(QUIET_MS)])
    const everywhere = [...places, startIsolate()]
    await run([callClients.settled(everywhere), grantClients.settled(everywhere)])
  }
}
