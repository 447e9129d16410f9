/**
 * MCP extensions of the server. Each one is in its own folder, `extensions/<name>/`, whose `register…` function adds an
 * `McpExtension`. The code that handles a message loads with the first message that needs it.
 */
import type { ResourceList } from '../../../core/call/runner.ts'
import type { JsonObject } from '../../../core/tool/json.ts'
import type { WrapToolCall, McpExchange } from '../tools-call.ts'
import type { McpError, McpResult } from '../wire.ts'

export type McpMethod = (params: JsonObject, exchange: McpExchange) => Promise<McpResult>

export interface ServerNotification {
  readonly method: string
  readonly params: object
}

export interface McpExtension {
  /** The key in `capabilities.extensions`. Undefined for an optional part of MCP itself, which clients need not declare. */
  readonly id?: string
  /** Server capabilities to announce in addition to `extensions`. */
  readonly capabilities?: JsonObject
  /** A client that did not declare the extension gets the error -32021. */
  readonly methods?: Readonly<Record<string, McpMethod>>
  /** Wraps the calls of clients that declare the extension. At most one extension has this. */
  readonly wrapToolCall?: WrapToolCall
  /** Resources whose URIs begin with `scheme`, such as 'skill:'. */
  readonly resources?: ResourceSource
  /** Takes part in `subscriptions/listen`. Undefined if `notifications` names nothing of the extension. */
  readonly watch?: (notifications: JsonObject, exchange: McpExchange) => Promise<Watch | undefined>
}

export interface ResourceSource {
  readonly scheme: string
  /** Returns the `contents`. Undefined if the resource does not exist or is hidden from the caller. */
  readonly read: (uri: string, exchange: McpExchange) => Promise<readonly JsonObject[] | McpError | undefined>
  /** Lists the caller's items for `resources/list` or `resources/templates/list`. */
  readonly list?: (list: ResourceList, exchange: McpExchange) => Promise<readonly JsonObject[]>
}

/** One subject that a `subscriptions/listen` stream watches. */
export interface Watch {
  /** The part of the client's `notifications` that is watched. */
  readonly accepted: JsonObject
  /** Returns the changes since the last poll, for the caller as it is now. */
  readonly poll: (exchange: McpExchange) => Promise<readonly ServerNotification[]>
}

/** The server's capabilities, except those for tools. */
export function listCapabilities(extensions: readonly McpExtension[]): JsonObject {
  const ids = extensions.flatMap(({ id }) => id ?? [])
  const own = Object.assign({}, ...extensions.map(({ capabilities }) => capabilities))
  return { ...own, ...(ids.length > 0 ? { extensions: Object.fromEntries(ids.map((id) => [id, {}])) } : {}) }
}
