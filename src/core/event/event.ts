import type { Result } from '../failure/failure.ts'
import type { JsonObject } from '../tool/json.ts'

/** Something that happened at a source. Repeated deliveries have the same id. */
export interface Event {
  readonly id: string
  /** The id of its source. */
  readonly name: string
  /** RFC 3339. */
  readonly timestamp: string
  readonly data: JsonObject
}

/** Stores events until they are delivered. */
export interface EventLog {
  /** Resolves when the event is durable. The id is derived from `cause`, so an event with the same cause is stored once. */
  publish(source: string, cause: string, data: JsonObject): Promise<Result<{ id: string; isNew: boolean }>>
  /** Deletes the events, so that the next user of a source cannot read them. */
  clear(source: string): Promise<void>
}

/** The size of an event as delivered. */
export const MAX_EVENT_BYTES = 256 * 1_024

/** Encodes an event for delivery. */
export function encodeEvent({ id, name, timestamp, data }: Event, cursor: number): string {
  return JSON.stringify({ eventId: id, name, timestamp, data, cursor: String(cursor) })
}
