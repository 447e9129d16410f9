import { isFault } from './network.ts'
import type { Place, World } from './world.ts'

const TRIES = 4

/** What a client does next: drawn once, and then tried in one isolate or another until it is done. */
export type Draw = () => (place: Place) => Promise<unknown>

/** A client: it does one thing after another, tries again what failed, and gives up after a while. */
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

/** Two or three isolates, of which two are in one place. */
export function startIsolates({ chance, startIsolate }: World): Places {
  const first = startIsolate()
  return [first, startIsolate(first.place), ...(chance.happens(500) ? [startIsolate()] : [])]
}

/** Lets clients act, and has an isolate replaced now and then by a new one, which knows nothing, until all are done. */
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
