import type { CallLimits } from '../../src/core/access/call-limits.ts'
import { holds } from './violation.ts'
import type { Place, World } from './world.ts'

/** The current runs of a limited tool, and the start time of each run. */
interface Counted {
  readonly begun: number[]
  running: number
}

/** Checks in each isolate that limited tools do not exceed their limits. */
export function createLimitWatch({ clock }: World) {
  const counts = new WeakMap<Place, Map<string, Counted>>()

  function countOf(place: Place, what: string): Counted {
    const of = counts.get(place) ?? new Map<string, Counted>()
    counts.set(place, of)
    const count = of.get(what) ?? { begun: [], running: 0 }
    of.set(what, count)
    return count
  }

  /** Starts a run in an isolate. Returns a function that ends it. */
  return function begin(place: Place, what: string, { rate, concurrency = Infinity }: CallLimits): () => void {
    const count = countOf(place, what)
    const at = clock.now()
    count.running += 1
    count.begun.push(at)
    holds(count.running <= concurrency, `${count.running} calls of ${what} run at once in one isolate`)
    if (rate) {
      // Windows adjoin, so any period of a window's length overlaps two of them
      const lately = count.begun.filter((each) => each > at - rate.seconds * 1_000).length
      holds(lately <= 2 * rate.calls, `${lately} calls of ${what} run within ${rate.seconds} s in one isolate`)
    }
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      count.running -= 1
    }
  }
}
