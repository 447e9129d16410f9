import { isFault } from './network.ts'
import type { Place, World } from './world.ts'

const TRIES = 4

/** Draws a client's next action once. The action is then tried in one isolate or another until it succeeds. */
export type Draw = () => (place: Place) => Promise<unknown>

/** Runs a client: it acts step by step, retries failures, and gives up after a while. */
export async function client(
  { clock, chance }: World,
  places: Places,
  draws: readonly [Draw, ...Draw[]],
): Promise<void> {
  for (let left = 3 + chance.below(6); left > 0; left -= 1) {
    await clock.sleep(chance.oneOf([0, 10, 700, 5_000, 33_000]))
    const act = chance.oneOf(draws)()
    for (let tries = TRIES; tries > 0; tries -= 1) {
      try {
        await act(chance.oneOf(places))
        break
      } catch (error) {
        if (!isFault(error)) throw error
        await clock.sleep(chance.oneOf([0, 200, 3_000]))
      }
    }
  }
}

/** The isolates of a deployment. */
export type Places = [Place, ...Place[]]

/** Starts two or three isolates, two of them in one place. */
export function startIsolates({ chance, startIsolate }: World): Places {
  const first = startIsolate()
  return [first, startIsolate(first.place), ...(chance.happens(500) ? [startIsolate()] : [])]
}

/** Lets clients act until all are done. Now and then, a new isolate with empty caches replaces one. */
export async function act(world: World, places: Places, clients: readonly Promise<void>[]): Promise<void> {
  const { clock, chance, startIsolate, run } = world
  let isOver = false
  async function replace(): Promise<void> {
    while (!isOver) {
      await clock.sleep(20_000)
      const at = chance.below(places.length)
      if (chance.happens(300)) places[at] = startIsolate(places[at]?.place)
    }
  }
  await run([Promise.all(clients).finally(() => (isOver = true)), replace()])
}
