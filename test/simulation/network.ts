import type { Scheduler } from 'fast-check'
import type { Clock } from './clock.ts'
import type { Chance, Weather } from './weather.ts'

/** A fault that the simulation injects, as opposed to a defect of the code. */
export class Fault extends Error {
  /** Set by the platform if a Durable Object was moved, so that the result of the request is unknown. */
  readonly retryable: boolean

  constructor(message: string, retryable = false) {
    super(message)
    this.retryable = retryable
  }
}

/** Whether an error is an injected fault, however the code wrapped it. */
export function isFault(error: unknown): boolean {
  return error instanceof Fault || (error instanceof Error && isFault(error.cause))
}

export interface NetworkOptions {
  readonly scheduler: Scheduler
  readonly clock: Clock
  readonly chance: Chance
  readonly weather: Weather
  /** Logs an event. */
  readonly note: (event: string) => void
}

/** Creates the network. fast-check's scheduler chooses the next message. */
export function createNetwork({ scheduler, clock, chance, weather, note }: NetworkOptions) {
  const sent = new Set<{ readonly until: number }>()

  return {
    /** Sends a message: it arrives when it is its turn, or is lost. */
    async travel(what: string): Promise<void> {
      const message = { until: clock.now() + weather.slow }
      sent.add(message)
      await scheduler.schedule(Promise.resolve(), what)
      sent.delete(message)
      const isLost = chance.happens(weather.lost)
      note(isLost ? `LOST ${what}` : what)
      if (isLost) throw new Fault('Network connection lost', chance.happens(500))
    },

    /** Returns the time by which the next message must arrive. */
    due(): number | undefined {
      let first: number | undefined
      for (const { until } of sent) if (first === undefined || until < first) first = until
      return first
    },

    /** Delivers one message. */
    deliver: (): Promise<void> => scheduler.waitNext(1),
  }
}

export type Network = ReturnType<typeof createNetwork>
