import type { Failure, FailureType } from '../../../core/failure/failure.ts'
import type { InputResponses } from '../../../core/tool/content.ts'
import type { JsonObject } from '../../../core/tool/json.ts'
import type { JsonSchema, ToolRecord } from '../../../core/tool/tool.ts'
import type { McpRequestContext } from '../toolset.ts'
import type { McpResult, McpToolCall } from '../wire.ts'

export interface ServerInfo {
  readonly name: string
  readonly title: string
  readonly version: string
}

export interface Revision {
  readonly kind: 'revision'
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
  startRoundTrip(call: McpToolCall, client: McpRequestContext): RoundTrip | Promise<RoundTrip | McpResult>
}

export interface RoundTrip {
  readonly kind: 'round-trip'
  readonly inputResponses?: InputResponses
  /** Undefined if the client cannot be asked for what the failure needs. */
  requestInput(failure: Failure): McpResult | undefined | Promise<McpResult | undefined>
}
