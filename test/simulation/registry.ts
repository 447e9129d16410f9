import { act, client, startIsolates } from './client.ts'
import { repeat, type Sabotage } from './sabotage.ts'
import { createKeyClients } from './keys.ts'
import type { OneTool } from './publications.ts'
import type { Scenario } from './simulate.ts'
import { createToolClients } from './tools.ts'
import { calm } from './weather.ts'

/** Longer than KV may go on giving what was before, and than anything waits to be tried again. */
const QUIET_MS = 200_000

/**
 * Clients publish tools, change them, list and look them up, make keys, delete and use them, while things go wrong. Then all
 * is quiet, and everything must be everywhere. `sabotage` is done every second, to see that it is noticed.
 */
export function registryScenario(tools: readonly [OneTool, ...OneTool[]], sabotage?: Sabotage): Scenario {
  return async (world) => {
    const { clock, chance, weather, startIsolate, run } = world
    const places = startIsolates(world)
    const { publish, change, list, resolve, ...toolClients } = createToolClients(world, tools)
    const { create, remove, use, watch, hunt, ...keyClients } = createKeyClients(world)
    const draws = [publish, publish, change, list, resolve, create, remove, use, use, watch, hunt] as const
    const clients = Array.from({ length: 2 + chance.below(3) }, () => client(world, places, [...draws]))
    if (sabotage) repeat(world, sabotage)
    await act(world, places, clients)
    calm(weather)
    await run([clock.sleep(QUIET_MS)])
    const everywhere = [...places, startIsolate()]
    await run([toolClients.settled(everywhere), keyClients.settled(everywhere)])
  }
}
