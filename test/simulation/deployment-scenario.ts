import type { Bundle } from '../../src/storage/registry/write/bundle.ts'
import { client } from './client.ts'
import { createDeployments } from './deployments.ts'
import { repeat, type Sabotage } from './sabotage.ts'
import type { Scenario } from './simulate.ts'
import { calm } from './weather.ts'

const QUIET_MS = 200_000

/**
 * Successive deployments share storage: isolates of several run at once, and bundle different tools. Then all is quiet, and
 * the newest tools must be there, whichever isolate asks last. `sabotage` runs every second, to check that it is detected.
 */
export function deploymentScenario(bundles: readonly [Bundle, ...Bundle[]], sabotage?: Sabotage): Scenario {
  return async (world) => {
    const { clock, chance, weather, startIsolate, run } = world
    const { make, newest, list, resolve, disable, settled } = createDeployments(world, bundles)
    const oldest = newest()
    const first = startIsolate(undefined, oldest)
    const places: [typeof first, ...(typeof first)[]] = [first, startIsolate(first.place, oldest)]
    let isOver = false

    /** Deploys now and then, replacing one isolate after another; some old ones keep running. */
    async function deploy(): Promise<void> {
      while (!isOver) {
        await clock.sleep(chance.oneOf([5_000, 20_000, 40_000]))
        const deployment = chance.happens(500) ? make() : newest()
        const at = chance.below(places.length)
        const next = startIsolate(places[at]?.place, deployment)
        if (places.length < 5 && chance.happens(300)) places.push(next)
        else places[at] = next
      }
    }

    const clients = Array.from({ length: 3 + chance.below(3) }, () =>
      client(world, places, [list, resolve, resolve, disable]),
    )
    if (sabotage) repeat(world, sabotage)
    await run([Promise.all(clients).finally(() => (isOver = true)), deploy()])
    calm(weather)
    const last = make()
    const latest = [startIsolate(first.place, last), startIsolate(undefined, last)]
    await run([Promise.all(latest.map((place) => place.installBundle()))])
    await run([clock.sleep(QUIET_MS)])
    await run([settled(latest, startIsolate(undefined, oldest))])
  }
}
