import { type CallOptions, type CallResult, callTool } from './call.ts'
import { connect, type Connection, type ConnectionOptions } from './connection.ts'
import type { JsonObject } from './json.ts'
import {
  allTools,
  type Filter,
  type SearchOptions,
  type ToolDefinition,
  toolNamed,
  toolPage,
  type ToolPage,
} from './tools.ts'

export interface SwitchboardOptions extends ConnectionOptions {
  /** For whom tools are called, where the key may act for many. */
  readonly user?: string | undefined
}

/**
 * The tools of one deployment. Everything it throws is a `SwitchboardError`. What does not come through is tried again where that
 * does no harm: when the connection is lost, when there were too many requests (429), when the deployment or a tool says that it may
 * work later; after the time that it names, and with some chance in it.
 */
export class Switchboard {
  readonly #connection: Connection
  readonly #user: string | undefined

  /** Throws `refused` where the address or the key cannot be one. Sends nothing. */
  constructor(options: SwitchboardOptions) {
    this.#connection = connect(options)
    this.#user = options.user
  }

  /** All tools that the key may see, page by page as they are read. */
  tools(filter: Filter = {}): AsyncIterable<ToolDefinition> {
    return allTools(this.#connection, filter)
  }

  /** One page of them. */
  list(filter: Filter = {}): Promise<ToolPage> {
    return toolPage(this.#connection, filter)
  }

  /** A page of the tools that a question in anybody's words is for, the best first; ten unless `limit` says otherwise. */
  search(question: string, options: SearchOptions = {}): Promise<ToolPage> {
    return toolPage(this.#connection, { limit: 10, ...options, q: question })
  }

  /** A tool's definition, by its id (`Gmail.Send`, `Gmail.Send@1.2.0`, `Gmail.Send@^1`) or its name. Throws `not_found`. */
  show(tool: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<ToolDefinition> {
    return toolNamed(this.#connection, tool, signal)
  }

  /**
   * Calls a tool, by its id or its name. All attempts have one `callId`, so that a tool that changes something is run once, whatever
   * becomes of the connection.
   */
  call(tool: string, input: JsonObject = {}, options: CallOptions = {}): Promise<CallResult> {
    return callTool(this.#connection, tool, input, { ...options, user: options.user ?? this.#user })
  }
}
