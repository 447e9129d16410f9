import type { Principal } from '../access/principal.ts'
import type { Result } from '../failure/failure.ts'
import type { JsonObject } from '../tool/json.ts'

/** Something that happened at a source. Its id stays the same however often it is delivered. */
export interface Event {
  readonly id: string
  /** The name of its source. */
  readonly name: string
  /** RFC 3339. */
  readonly timestamp: string
  readonly data: JsonObject
}

export type EventSourceKind = 'webhook' | 'schedule' | 'poll'

export interface EventSource {
  /** Has the form of a tool's name, such as `GitHub.Push`: patterns of credentials cover it as they cover tools. */
  readonly name: string
  readonly description?: string
  readonly kind: EventSourceKind
  /** Of a subscription's arguments. */
  readonly inputSchema: JsonObject
  readonly payloadSchema: JsonObject
  /** As of a tool. */
  readonly securityLevel: number
  /** Only who may act for this user may subscribe. */
  readonly user?: string
}

export interface EventSources {
  /** Those that the principal may subscribe to. */
  list(principal: Principal): Promise<readonly EventSource[]>
  find(name: string): Promise<EventSource | undefined>
  /** Gives how many events were new. Once it has answered, none of them is lost. */
  publish(source: string, events: readonly Event[]): Promise<Result<number>>
}

/** Stores events until they are delivered. Of two with one id, the first counts. */
export interface EventLog {
  accept(source: string, events: readonly Event[]): Promise<Result<number>>
  clear(source: string): Promise<void>
}

/** The arguments of a subscription, for sources that have none of their own. */
export const FILTER_SCHEMA = {
  type: 'object',
  properties: {
    filter: {
      type: 'string',
      maxLength: 1_000,
      description: "A JMESPath expression over an event's data: events for which it is false or empty are left out",
    },
  },
  additionalProperties: false,
} as const

/** In bytes, of an event as it is delivered. */
export const MAX_EVENT_BYTES = 256 * 1_024

/** An event as it is delivered. */
export function encodeEvent({ id, name, timestamp, data }: Event, cursor: number): string {
  return JSON.stringify({ eventId: id, name, timestamp, data, cursor: String(cursor) })
}
