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
  tool(record: ToolRecord, name: string): JsonObject
  structured(value: unknown, text: string, output: JsonSchema | null): string | undefined
  formatResult(members: string, meta?: JsonObject): string
  listResult(members: string): string
  /** Answers a method that needs nothing but the server itself; undefined when the revision has no such method. */
  handleMethod(method: string, params: JsonObject, instructions?: string): string | undefined
  /** The method that is answered with the instructions. */
  readonly discoveryMethod: string
  sessionId?(method: string, params: JsonObject, unique: () => string): string | undefined
  startRoundTrip(
    call: McpToolCall,
    client: McpRequestContext,
  ): RoundTrip | Promise<RoundTrip | McpError | FailureResult>
}

type RoundTripReply = string | McpError | FailureResult | undefined

export interface RoundTrip {
  readonly answers?: InputResponses
  requestInput(failure: Failure): RoundTripReply | Promise<RoundTripReply>
}
