import type { Failing, Failure, FailureType } from '../../../core/failure/failure.ts'
import type { InputResponses } from '../../../core/tool/content.ts'
import type { JsonObject } from '../../../core/tool/json.ts'
import type { JsonSchema, ToolRecord } from '../../../core/tool/tool.ts'
import type { McpClient } from '../toolset.ts'
import type { McpError, ToolCall } from '../wire.ts'

export interface ServerInfo {
  readonly name: string
  readonly title: string
  readonly version: string
}

export interface Revision {
  readonly format: string
  readonly statuses: Readonly<Partial<Record<FailureType, number>>>
  readonly disconnectCancels: boolean
  tool(record: ToolRecord, name: string): JsonObject
  structured(value: unknown, text: string, output: JsonSchema | null): string | undefined
  result(members: string, meta?: JsonObject): string
  listResult(members: string): string
  /** Answers a method that needs nothing but the server itself; undefined when the revision has no such method. */
  answer(method: string, params: JsonObject, instructions?: string): string | undefined
  /** The method that is answered with the instructions. */
  readonly greeting: string
  sessionId?(method: string, params: JsonObject, unique: () => string): string | undefined
  round(call: ToolCall, client: McpClient): CallRound | Promise<CallRound | McpError | Failing>
}

type Asked = string | McpError | Failing | undefined

export interface CallRound {
  readonly answers?: InputResponses
  ask(failure: Failure): Asked | Promise<Asked>
}
