/**
 * How extensions of MCP join the server. All of an extension is in its folder, `extensions/<name>/`, whose `register…` function
 * adds an `McpExtension` to those of the server. What it does with a message loads with the first message that needs it.
 */
import type { JsonObject } from '../../../core/tool/json.ts'
import type { AroundTool, McpExchange } from '../tools-call.ts'
import type { McpError, McpResult } from '../wire.ts'

export type McpMethod = (params: JsonObject, exchange: McpExchange) => Promise<McpResult>

export interface ServerNotification {
  readonly method: string
  readonly params: object
}

export interface McpExtension {
  /** Its key in `capabilities.extensions`. Undefined for an optional part of MCP itself, which clients need not declare. */
  readonly id?: string
  /** What the server says of it beside `extensions`. */
  readonly capabilities?: JsonObject
  /** A client that did not declare the extension gets the error -32021. */
  readonly methods?: Readonly<Record<string, McpMethod>>
  /** For the calls of clients that declare the extension. One extension at most has it. */
  readonly aroundTool?: AroundTool
  /** Resources whose URIs begin with `scheme`, such as 'skill:'. */
  readonly resources?: ResourceSource
  /** Takes part in `subscriptions/listen`. Undefined if `notifications` names nothing of the extension. */
  readonly watch?: (notifications: JsonObject, getExchange: () => McpExchange) => Promise<Watch | undefined>
}

export type ResourceList = 'resources' | 'resourceTemplates'

export interface ResourceSource {
  readonly scheme: string
  /** The members of `contents`. Undefined if there is none that the caller may see: a hidden resource gets the same answer. */
  readonly read: (uri: string, exchange: McpExchange) => Promise<readonly JsonObject[] | McpError | undefined>
  /** Those of the caller, as `resources/list` and `resources/templates/list` have them. */
  readonly list?: (list: ResourceList, exchange: McpExchange) => Promise<readonly JsonObject[]>
}

/** What a stream of `subscriptions/listen` watches. */
export interface Watch {
  /** The part of the client's `notifications` that is watched. */
  readonly accepted: JsonObject
  /** What has changed since it was last called. */
  readonly poll: () => Promise<readonly ServerNotification[]>
}

/** The server's capabilities, but for those of tools. */
export function listCapabilities(extensions: readonly McpExtension[]): JsonObject {
  const ids = extensions.flatMap(({ id }) => id ?? [])
  const own = Object.assign({}, ...extensions.map(({ capabilities }) => capabilities))
  return { ...own, ...(ids.length > 0 ? { extensions: Object.fromEntries(ids.map((id) => [id, {}])) } : {}) }
}
