import { vi } from 'vitest'

interface Timer {
  readonly at: number
  readonly ring: () => void
}

/** Start of every simulation, in milliseconds since 1970. */
const START = 1_800_000_000_000

/**
 * Creates the only clock of a simulation, which controls `Date` and the timers of the code under test. It moves only when
 * told to, one timer at a time.
 */
export function createClock() {
  const timers = new Map<number, Timer>()
  let count = 0
  let now = START

  const clock = {
    now: () => now,
    /** Milliseconds since the simulation began. */
    elapsed: () => now - START,
    set(ring: () => void, ms = 0): number {
      count += 1
      timers.set(count, { at: now + Math.max(0, ms), ring })
      return count
    },
    clear: (id: number | undefined): unknown => timers.delete(id ?? 0),
    sleep: (ms: number): Promise<void> => new Promise((wake) => clock.set(wake, ms)),
    /** Creates a signal that aborts after `ms` milliseconds. */
    timeout(ms: number): AbortSignal {
      const controller = new AbortController()
      clock.set(() => controller.abort(new DOMException('The time is over', 'TimeoutError')), ms)
      return controller.signal
    },
    /** Returns the time of the next timer. */
    next(): number | undefined {
      return first()?.[1].at
    },
    /** Moves to the next timer, and runs it. */
    ring(): void {
      const due = first()
      if (!due) return
      const [id, { at, ring }] = due
      timers.delete(id)
      clock.pass(at - now)
      ring()
    },
    /** Lets time pass, but not beyond the next timer. */
    pass(ms: number): void {
      now = Math.min(now + ms, clock.next() ?? Infinity)
      vi.setSystemTime(now)
    },
  }

  /** Of the timers that are due together, returns the one that was set first. */
  function first(): [number, Timer] | undefined {
    let least: [number, Timer] | undefined
    for (const each of timers) if (!least || each[1].at < least[1].at) least = each
    return least
  }

  vi.setSystemTime(now)
  vi.stubGlobal('setTimeout', clock.set)
  vi.stubGlobal('clearTimeout', clock.clear)
  return clock
}

export type Clock = ReturnType<typeof createClock>
