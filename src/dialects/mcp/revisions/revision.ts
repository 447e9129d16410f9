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
  /** Undefined where the revision has no structured content for a value of this output schema. */
  toStructuredContent(value: unknown, output: JsonSchema | null): unknown
  createResult(fields: object, meta?: JsonObject): McpResult
  /** Takes the members of the list as JSON, without braces. */
  formatToolList(members: string): string
  /** The result of a method that needs only the server itself. Undefined if the revision has no such method. */
  handleMethod(method: string, params: JsonObject, instructions?: string): McpResult | undefined
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
