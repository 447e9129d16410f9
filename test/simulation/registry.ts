import { act, client, startIsolates } from './client.ts'
import { repeat, type Sabotage } from './sabotage.ts'
import { createBlobClients } from './blobs.ts'
import { createKeyClients } from './keys.ts'
import type { Publications } from './publications.ts'
import type { Scenario } from './simulate.ts'
import { createToolClients } from './tools.ts'
import { calm } from './weather.ts'

/** Longer than KV may return old values, and than any wait before a retry. */
const QUIET_MS = 200_000

/**
 * Clients publish, change, list and look up tools and documents, store bytes, and create, use and delete keys, while things
 * go wrong. Then all is quiet, and everything must be everywhere. `sabotage` runs every second, to check that it is detected.
 */
export function registryScenario(all: Publications, sabotage?: Sabotage): Scenario {
  return async (world) => {
    const { clock, chance, weather, startIsolate, run } = world
    const places = startIsolates(world)
    const { publish, change, list, resolve, ...toolClients } = createToolClients(world, all)
    const { create, remove, use, watch, hunt, ...keyClients } = createKeyClients(world)
    const { store, read, ...blobClients } = createBlobClients(world)
    const ofTools = [publish, publish, change, list, resolve, resolve] as const
    const ofOthers = [create, remove, use, use, watch, hunt, store, read]
    const clients = Array.from({ length: 2 + chance.below(3) }, () => client(world, places, [...ofTools, ...ofOthers]))
    if (sabotage) repeat(world, sabotage)
    await act(world, places, clients)
    calm(weather)
    await run([clock.sleep(QUIET_MS)])
    const everywhere = [...places, startIsolate()]
    await run([toolClients, keyClients, blobClients].map(({ settled }) => settled(everywhere)))
  }
}
