import type { Result } from '../failure/failure.ts'
import type { JsonObject } from '../tool/json.ts'

/** Something that happened at a source. Its id stays the same however often it is delivered. */
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
  /** Once it has answered, the event is not lost. Its id follows from its cause: of two with one cause, the first counts. */
  publish(source: string, cause: string, data: JsonObject): Promise<Result<{ id: string; isNew: boolean }>>
  /** The next user of a source must not read what came before. */
  clear(source: string): Promise<void>
}

/** In bytes, of an event as it is delivered. */
export const MAX_EVENT_BYTES = 256 * 1_024

/** An event as it is delivered. */
export function encodeEvent({ id, name, timestamp, data }: Event, cursor: number): string {
  return JSON.stringify({ eventId: id, name, timestamp, data, cursor: String(cursor) })
}
