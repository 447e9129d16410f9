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
  /** Names the form of a listed tool in the catalog's cache. */
  readonly format: string
  /** HTTP statuses that differ from those of `MCP_FAILURES`. */
  readonly statuses: Readonly<Partial<Record<FailureType, number>>>
  /**
   * Whether this is 2026-07-28 or later: clients may declare extensions and listen for changes, cancel a call by closing the
   * connection, and send no `ping`.
   */
  readonly isModern: boolean
  encodeTool(record: ToolRecord, name: string): JsonObject
  /** Undefined if the revision has no structured content for a value of this output schema. */
  toStructuredContent(value: unknown, output: JsonSchema | null): unknown
  createResult(fields: object, meta?: JsonObject): McpResult
  /** Takes the members of the list as JSON, without braces. */
  formatToolList(members: string): string
  /** The method that returns the server's capabilities and instructions. */
  readonly discoveryMethod: string
  discover(params: JsonObject, server: { readonly capabilities: JsonObject; readonly instructions: string }): McpResult
  /** The JSON-RPC code for a missing resource. */
  readonly resourceNotFound: number
  /** The capabilities that the client declared in this request or at initialization. */
  getClientCapabilities(params: JsonObject, request: Request): JsonObject
  startRoundTrip(call: McpToolCall, context: McpRequestContext): RoundTrip | Promise<RoundTrip | McpResult>
}

/** Lets a call ask for input: the client gets requests instead of a result, and calls again with the responses. */
export interface RoundTrip {
  readonly kind: 'round-trip'
  /** The responses that came with this call. Older revisions have none. */
  readonly inputResponses?: InputResponses
  /** Undefined if the failure needs something that the client cannot be asked for. */
  requestInput(failure: Failure): McpResult | undefined | Promise<McpResult | undefined>
}
