import type { Failure, FailureType } from '../../../core/call/failure.ts'
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

/** All in which one revision of the protocol, or a few that agree, differ from the others. Texts are serialised JSON. */
export interface Revision {
  /** Names the lines this revision's lists are made of. */
  readonly format: string
  /** Statuses of errors that are not those of the table. */
  readonly statuses: Readonly<Partial<Record<FailureType, number>>>
  /** Whether a client that goes away gives its call up. */
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
  /** The id of the session that a method begins, where one is of use, given a text that is nobody else's. */
  sessionId?(method: string, params: JsonObject, unique: () => string): string | undefined
  /** Begins a round of a call; an error when what the client gives back of an earlier one cannot be taken. */
  round(call: ToolCall, client: Client): Round | Promise<Round | McpError>
}

/** One time that a call is made: a client that is asked for something makes it again with the answer. */
export interface Round {
  /** Answers to what the tool asked for in earlier rounds; absent where a tool cannot ask. */
  readonly answers?: InputResponses
  /** Asks the client for what a failure says is missing; undefined where it cannot be asked, and is told the failure. */
  ask(failure: Failure): string | McpError | undefined | Promise<string | McpError | undefined>
}
