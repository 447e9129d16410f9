import type { FailureResult, Failure, FailureType } from '../../../core/failure/failure.ts'
import type { InputResponses } from '../../../core/tool/content.ts'
import type { JsonObject } from '../../../core/tool/json.ts'
import type { JsonSchema, ToolRecord } from '../../../core/tool/tool.ts'
import type { McpRequestContext } from '../toolset.ts'
import type { McpError, McpToolCall } from '../wire.ts'

export interface ServerInfo {
  readonly name: string
  readonly title: string
  readonly version: string
}

export interface Revision {
  readonly format: string
  readonly statuses: Readonly<Partial<Record<FailureType, number>>>
  readonly cancelOnDisconnect: boolean
  encodeTool(record: ToolRecord, name: string): JsonObject
  toStructuredContent(value: unknown, text: string, output: JsonSchema | null): string | undefined
  formatResult(members: string, meta?: JsonObject): string
  formatListResult(members: string): string
  /** Answers a method that needs nothing but the server itself; undefined when the revision has no such method. */
  handleMethod(method: string, params: JsonObject, instructions?: string): string | undefined
  /** The method that is answered with the instructions. */
  readonly discoveryMethod: string
  createSessionId?(method: string, params: JsonObject, createId: () => string): string | undefined
  startRoundTrip(
    call: McpToolCall,
    client: McpRequestContext,
  ): RoundTrip | Promise<RoundTrip | McpError | FailureResult>
}

type InputReply = string | McpError | FailureResult | undefined

export interface RoundTrip {
  readonly inputResponses?: InputResponses
  requestInput(failure: Failure): InputReply | Promise<InputReply>
}
