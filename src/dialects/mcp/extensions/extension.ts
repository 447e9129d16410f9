/**
 * How extensions of MCP join the server. All of an extension is in its folder, `extensions/<name>/`, whose `register…` function
 * adds one `McpExtension`. What it does with a message loads with the first message that needs it.
 */
import type { JsonObject } from '../../../core/tool/json.ts'
import type { McpExchange } from '../tools-call.ts'
import { declares, type McpError, type McpResult, type McpToolCall } from '../wire.ts'

export { declares }

export type McpMethod = (params: JsonObject, exchange: McpExchange) => Promise<McpResult>

export type RunCall = (call: McpToolCall, exchange: McpExchange) => Promise<McpResult>

export interface ServerNotification {
  readonly method: string
  readonly params: object
}

export interface McpExtension {
  /** Its key in `capabilities.extensions`. Undefined for an optional part of MCP itself, which clients need not declare. */
  readonly id?: string
  /** What the server says of it under that key. */
  readonly settings?: JsonObject
  /** What the server says of it beside `extensions`. */
  readonly capabilities?: JsonObject
  /** A client that did not declare the extension gets the error -32021. */
  readonly methods?: Readonly<Record<string, McpMethod>>
  /** Takes the place of `run` in each `tools/call` of clients that declare the extension. One extension at most has it. */
  readonly aroundCall?: (call: McpToolCall, exchange: McpExchange, run: RunCall) => Promise<McpResult>
  /** Resources whose URIs begin with `scheme`, such as 'skill:'. */
  readonly resources?: ResourceSource
  /** Takes part in `subscriptions/listen`. Undefined if `notifications` names nothing of the extension. */
  readonly watch?: (
    notifications: JsonObject,
    getExchange: () => McpExchange,
    capabilities: JsonObject,
  ) => Promise<Watch | undefined>
}

export interface ResourceSource {
  readonly scheme: string
  /** The members of `contents`. Undefined if there is none that the caller may see: a hidden resource gets the same answer. */
  readonly read: (uri: string, exchange: McpExchange) => Promise<readonly JsonObject[] | McpError | undefined>
  /** Resources of the caller, as `resources/list` has them. */
  readonly list: (exchange: McpExchange) => Promise<readonly JsonObject[]>
}

/** What a stream of `subscriptions/listen` watches. */
export interface Watch {
  /** The part of the client's `notifications` that is watched. */
  readonly accepted: JsonObject
  /** What has changed since it was last called. */
  readonly poll: () => Promise<readonly ServerNotification[]>
}

export type McpExtensions = ReturnType<typeof createMcpExtensions>

export function createMcpExtensions() {
  const extensions: McpExtension[] = []
  const methods = new Map<string, { readonly extension: McpExtension; readonly run: McpMethod }>()
  return {
    extensions: extensions as readonly McpExtension[],
    register(extension: McpExtension): void {
      extensions.push(extension)
      for (const [name, run] of Object.entries(extension.methods ?? {})) methods.set(name, { extension, run })
    },
    findMethod: (method: string) => methods.get(method),
    /** `run` calls the tool, with what the extensions do that the client declared around it. */
    runCall(call: McpToolCall, exchange: McpExchange, run: RunCall): Promise<McpResult> {
      for (const { id, aroundCall } of extensions)
        if (aroundCall && id !== undefined && declares(call.capabilities, id)) return aroundCall(call, exchange, run)
      return run(call, exchange)
    },
    /** The server's capabilities, but for those of tools. */
    getCapabilities(): JsonObject {
      const declared = extensions.flatMap(({ id, settings = {} }) =>
        id === undefined ? [] : [[id, settings] as const],
      )
      const own = Object.assign({}, ...extensions.map(({ capabilities }) => capabilities))
      return { ...own, ...(declared.length > 0 ? { extensions: Object.fromEntries(declared) } : {}) }
    },
  }
}
