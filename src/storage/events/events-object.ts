import { DurableObject } from 'cloudflare:workers'
import type { EventDelivery } from './delivery.ts'
import type { createSourceEvents } from './source-events.ts'

type SourceEvents = ReturnType<typeof createSourceEvents>
type Input<Method extends keyof SourceEvents> = Parameters<SourceEvents[Method]>

/** The events of one source, with its subscriptions and deliveries. The code loads on the first request. */
export function defineEvents<E>(load: (env: E) => Promise<EventDelivery>, now: () => number) {
  return class Events extends DurableObject<E> {
    #events: SourceEvents | undefined

    async #open(): Promise<SourceEvents> {
      const { createSourceEvents } = await import('./source-events.ts')
      return (this.#events ??= createSourceEvents(this.ctx.storage, () => load(this.env), now))
    }

    async accept(...input: Input<'accept'>) {
      return (await this.#open()).accept(...input)
    }

    async clear(): Promise<void> {
      return (await this.#open()).clear()
    }

    async subscribe(...input: Input<'subscribe'>) {
      return (await this.#open()).subscribe(...input)
    }

    async remove(...input: Input<'remove'>) {
      return (await this.#open()).remove(...input)
    }

    async list(...input: Input<'list'>) {
      return (await this.#open()).list(...input)
    }

    async read(...input: Input<'read'>) {
      return (await this.#open()).read(...input)
    }

    async listDeadLetters(...input: Input<'listDeadLetters'>) {
      return (await this.#open()).listDeadLetters(...input)
    }

    async resend(...input: Input<'resend'>) {
      return (await this.#open()).resend(...input)
    }

    override async alarm(): Promise<void> {
      await (await this.#open()).runDeliveries()
    }
  }
}

export type EventsObject = InstanceType<ReturnType<typeof defineEvents>>
