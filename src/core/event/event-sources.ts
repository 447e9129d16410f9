import { type EventSourceStore, toEventSource } from './event-source.ts'
import type { EventLog, EventSources } from './event.ts'
import { findSubscriptionDenial } from './subscription.ts'

/** Event sources as subscribers see them. */
export function createEventSources(store: Pick<EventSourceStore, 'list' | 'find'>, log: EventLog): EventSources {
  return {
    async list(principal) {
      const sources = (await store.list()).map(toEventSource)
      return sources.filter((source) => !findSubscriptionDenial(principal, source))
    },
    async find(name) {
      const stored = await store.find(name)
      return stored && toEventSource(stored)
    },
    publish: (source, events) => log.accept(source, events),
  }
}
