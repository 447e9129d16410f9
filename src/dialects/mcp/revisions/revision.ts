import type { Failing, Failure, FailureType } from '../../../core/failure/failure.ts'
import type { InputResponses } from '../../../core/tool/content.ts'
import type { JsonObject } from '../../../core/tool/json.ts'
import type { JsonSchema, ToolRecord } from '../../../core/tool/tool.ts'
import type { McpError } from '../json-rpc.ts'
import type { Client } from '../toolset.ts'
import type { ToolCall } from '../wire.ts'

/** Who serves, as `serverInfo` says it. */
export interface ServerInfo {
  readonly name: string
  readonly title: string
  readonly version: string
}

/** Everything in which revisions of the protocol differ. Texts are serialised JSON. */
export interface Revision {
  /** The name under which the catalogue keeps the lines of this revision's lists. */
  readonly format: string
  /** HTTP statuses of errors, where they differ from the table's. */
  readonly statuses: Readonly<Partial<Record<FailureType, number>>>
  /** Whether a client that disconnects cancels its call. */
  readonly disconnectCancels: boolean
  /** A listed tool. */
  tool(record: ToolRecord, name: string): JsonObject
  /** The value as `structuredContent` (a text of JSON), given its text and its schema; undefined when it is none. */
  structured(value: unknown, text: string, output: JsonSchema | null): string | undefined
  /** A whole result, given its members and what of `_meta` is its own. */
  result(members: string, meta?: JsonObject): string
  /** A result of a list. */
  listResult(members: string): string
  /** Answers a method that needs nothing but the server itself; undefined when the revision has no such method. */
  answer(method: string, params: JsonObject): string | undefined
  /** The session id to answer a method with, if any. `unique` makes a text that no other session has. */
  sessionId?(method: string, params: JsonObject, unique: () => string): string | undefined
  /** Begins a round of a call; an error when what the client gives back of an earlier one cannot be taken. */
  round(call: ToolCall, client: Client): Round | Promise<Round | McpError | Failing>
}

/** A result that asks, or why it cannot; undefined where there is nobody to ask. */
type Asked = string | McpError | Failing | undefined

/** One request of a call: a client that is asked for something makes the call again, with the answer. */
export interface Round {
  /** Answers to what the tool asked for in earlier rounds; absent where a tool cannot ask. */
  readonly answers?: InputResponses
  /** Asks the client for what a failure says is missing; undefined where it cannot be asked, and is told the failure. */
  ask(failure: Failure): Asked | Promise<Asked>
}
