import type { Scheduler } from 'fast-check'
import type { Clock } from './clock.ts'
import type { Chance, Weather } from './weather.ts'

/** What the simulation does to the code under test, as opposed to what the code does wrong. */
export class Fault extends Error {
  /** As the platform says of a Durable Object that was moved: nothing is known of what it did. */
  readonly retryable: boolean

  constructor(message: string, retryable = false) {
    super(message)
    this.retryable = retryable
  }
}

/** Whether an error is what the simulation did, however the code wrapped it. */
export function isFault(error: unknown): boolean {
  return error instanceof Fault || (error instanceof Error && isFault(error.cause))
}

export interface NetworkOptions {
  readonly scheduler: Scheduler
  readonly clock: Clock
  readonly chance: Chance
  readonly weather: Weather
  /** Writes down what happens. */
  readonly note: (event: string) => void
}

/** What is on its way. fast-check's scheduler says which message comes next. */
export function createNetwork({ scheduler, clock, chance, weather, note }: NetworkOptions) {
  const sent = new Set<{ readonly until: number }>()

  return {
    /** A message on its way: comes when it is its turn, or is lost. */
    async travel(what: string): Promise<void> {
      const message = { until: clock.now() + weather.slow }
      sent.add(message)
      await scheduler.schedule(Promise.resolve(), what)
      sent.delete(message)
      const isLost = chance.happens(weather.lost)
      note(isLost ? `LOST ${what}` : what)
      if (isLost) throw new Fault('Network connection lost', chance.happens(500))
    },

    /** By when a message must have come. */
    due(): number | undefined {
      let first: number | undefined
      for (const { until } of sent) if (first === undefined || until < first) first = until
      return first
    },

    /** Has one message come. */
    deliver: (): Promise<void> => scheduler.waitNext(1),
  }
}

export type Network = ReturnType<typeof createNetwork>
