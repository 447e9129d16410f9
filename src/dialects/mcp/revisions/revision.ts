import type { JsonObject } from '../../../core/tool/json.ts'
import type { JsonSchema, ToolRecord } from '../../../core/tool/tool.ts'
import type { Era } from '../failure.ts'

/** Who serves, as `serverInfo` says it. */
export interface ServerInfo {
  readonly name: string
  readonly title: string
  readonly version: string
}

/** What one era of the protocol says otherwise than the other. All texts are serialised JSON. */
export interface Revision {
  readonly era: Era
  /** Names the lines this revision's lists are made of. */
  readonly format: string
  /** Whether a client that goes away gives its call up. */
  readonly disconnectCancels: boolean
  /** A listed tool. */
  tool(record: ToolRecord, name: string): JsonObject
  /** The value as `structuredContent` (a text of JSON), given its text and its schema; undefined when it is none. */
  structured(value: unknown, text: string, output: JsonSchema | null): string | undefined
  /** A whole result, given its members and what of `_meta` is its own. */
  result(members: string, meta?: JsonObject): string
  /** A result by which a tool asks back; absent where none can. */
  readonly inputRequired?: (members: string) => string
  /** A result of a list. */
  listResult(members: string): string
  /** Answers a method that needs nothing but the server itself; undefined when the revision has no such method. */
  answer(method: string, params: JsonObject): string | undefined
  /** What a client that calls can be asked for: what it declares with the call, or what its session id says it declared. */
  capabilities(declared: JsonObject, sessionId: string | null): JsonObject
  /** The id of the session that a method begins, where one is of use, given a text that is nobody else's. */
  sessionId?(method: string, params: JsonObject, unique: () => string): string | undefined
}
