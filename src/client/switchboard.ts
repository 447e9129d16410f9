import { type CallOptions, type CallResult, callTool } from './call.ts'
import {
  type AsyncCallOptions,
  type AsyncCallState,
  cancelCall,
  startCall,
  waitForCall,
  type WaitOptions,
} from './async-call.ts'
import { connect, type Connection, type ConnectionOptions } from './connection.ts'
import { isObject, type JsonRecord } from './json.ts'
import { SwitchboardError } from './switchboard-error.ts'

export interface SwitchboardOptions extends ConnectionOptions {
  readonly user?: string | undefined
}

/** A tool as defined by OXP 1.0, with any additional fields. */
export interface ToolDefinition {
  readonly id: string
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly version: string
  readonly input_schema: { readonly parameters: Readonly<Record<string, unknown>> }
  readonly output_schema: Readonly<Record<string, unknown>> | null
  readonly [field: string]: unknown
}

export interface Filter {
  readonly toolkit?: string | undefined
  readonly tag?: string | undefined
  readonly versions?: 'newest' | 'all' | undefined
  /** Tools per page: 100 by default, at most 1,000. */
  readonly limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  readonly cursor?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export interface SearchOptions extends Filter {
  /** `relevant` returns only relevant tools, and an operation that several toolkits have only once. Defaults to `all`. */
  readonly results?: 'all' | 'relevant' | undefined
}

export interface ToolPage {
  readonly items: readonly ToolDefinition[]
  readonly total?: number
  /** In a search: how many of the total are relevant. They come first. */
  readonly relevant?: number
  /** In a search: maps a tool's id to the better result for the same operation in another toolkit. */
  readonly same_as?: Readonly<Record<string, string>>
  /** In a search: the words that no tool contains. */
  readonly unmatched?: readonly string[]
  readonly next_cursor?: string
}

/**
 * Finds and calls the tools of one deployment. It throws only `SwitchboardError`. A failed request is retried if that is
 * safe: after a lost connection, after too many requests (429), and when it may work later.
 */
export class Switchboard {
  readonly #connection: Connection
  readonly #user: string | undefined

  /** Throws `refused` if the address or the key is malformed. Sends nothing. */
  constructor(options: SwitchboardOptions) {
    this.#connection = connect(options)
    this.#user = options.user
  }

  /** Iterates over all tools that the key may see, fetching pages as needed. */
  async *tools(filter: Filter = {}): AsyncGenerator<ToolDefinition, void, undefined> {
    let { cursor } = filter
    do {
      const page = await this.#page({ ...filter, cursor })
      yield* page.items
      cursor = page.next_cursor
    } while (cursor !== undefined)
  }

  list(filter: Filter = {}): Promise<ToolPage> {
    return this.#page(filter)
  }

  async #page({ signal, ...query }: Filter & { readonly q?: string }): Promise<ToolPage> {
    const page: ToolPage = await this.#connection.sendJson({ path: '/tools', query, signal })
    if (!Array.isArray(page.items)) throw new SwitchboardError('answer_invalid', 'The server is not a Switchboard')
    return { ...page, items: page.items.map(normalizeDefinition) }
  }

  /** Returns a page of the tools that match a natural-language question, best first; ten by default. */
  search(question: string, options: SearchOptions = {}): Promise<ToolPage> {
    return this.#page({ limit: 10, ...options, q: question })
  }

  /** Returns a tool's definition by id (`Gmail.Send`, `Gmail.Send@1.2.0`, `Gmail.Send@^1`) or name. Throws `not_found`. */
  async show(tool: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<ToolDefinition> {
    return normalizeDefinition(await this.#connection.sendJson({ path: `/tools/${encodeURIComponent(tool)}`, signal }))
  }

  /**
   * Calls a tool by id or name. All attempts share one `callId`, so the tool runs only once. The value is not checked against
   * `T`: the deployment checks it against the tool's output schema.
   */
  call<T = unknown>(tool: string, input?: JsonRecord, options?: CallOptions): Promise<CallResult<T>>
  call(tool: string, input: JsonRecord = {}, options: CallOptions = {}): Promise<CallResult> {
    return callTool(this.#connection, tool, input, { ...options, user: options.user ?? this.#user })
  }

  /** Starts an asynchronous call, which runs for up to a day. Pass the returned `callId` to `wait`. */
  callAsync(tool: string, input: JsonRecord = {}, options: AsyncCallOptions = {}): Promise<AsyncCallState> {
    return startCall(this.#connection, tool, input, { ...options, user: options.user ?? this.#user })
  }

  /** Waits for the result of an asynchronous call. `onState` reports why it waits, such as for a person. */
  wait(callId: string, options: WaitOptions = {}): Promise<CallResult> {
    return waitForCall(this.#connection, callId, options)
  }

  /** Cancels an asynchronous call: its tool is told to stop, and any later output is discarded. */
  cancel(callId: string): Promise<void> {
    return cancelCall(this.#connection, callId)
  }
}

/** The input and output of each tool by id: an interface that `switchboard types` generates. */
type ToolTypes<Tools> = Readonly<Record<keyof Tools, { readonly input: JsonRecord; readonly output: unknown }>>

export interface TypedSwitchboard<Tools extends ToolTypes<Tools>> extends Omit<Switchboard, 'call'> {
  call<Id extends keyof Tools & string>(
    tool: Id,
    input: Tools[Id]['input'],
    options?: CallOptions,
  ): Promise<CallResult<Tools[Id]['output']>>
}

/** Creates a `Switchboard`. With `Tools`, `call` accepts only these tools, with their input and output types. */
export function createClient(options: SwitchboardOptions): Switchboard
export function createClient<Tools extends ToolTypes<Tools>>(options: SwitchboardOptions): TypedSwitchboard<Tools>
export function createClient(options: SwitchboardOptions): Switchboard {
  return new Switchboard(options)
}

/** Wraps a bare JSON Schema in `parameters`, since a deployment serves the input schema as its author wrote it. */
function normalizeDefinition(definition: ToolDefinition): ToolDefinition {
  const { input_schema: schema } = definition
  const isWrapped = !isObject(schema) || isObject(schema.parameters)
  return isWrapped ? definition : { ...definition, input_schema: { parameters: schema } }
}
