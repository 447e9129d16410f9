import type { Artifact, Content, InputRequests, InputResponses } from '../tool/content.ts'
import type { JsonObject } from '../tool/json.ts'
import type { Background, Signal } from '../tool/platform.ts'
import type { Implementation, ImplementationKind, ToolRecord } from '../tool/tool.ts'
import type { ToolFailure } from '../tool/tool-failure.ts'
import type { FileBytes } from './files.ts'

/** A secret's or a token's value, and who supplied it: the caller for this call, or the deployment. */
export interface Credential {
  readonly value: string
  readonly from: 'caller' | 'deployment'
}

/** The things that a running tool may use: nothing that it did not declare. */
export interface RunContext {
  readonly callId: string
  /** Secrets by id. */
  readonly secrets: ReadonlyMap<string, Credential>
  /** OAuth access tokens by provider id. */
  readonly tokens: ReadonlyMap<string, Credential>
  /**
   * A token in place of one of the deployment's that the provider's API answered 401 to; undefined when there is none, and
   * the call then ends as what the user has to do. Absent where no token is the deployment's: a caller's are its own.
   */
  readonly renew?: ((provider: string, refused: string) => Promise<string | undefined>) | undefined
  readonly userId?: string | undefined
  readonly userInfo?: JsonObject | undefined
  /** Aborts at the deadline, and when the caller goes away. */
  readonly signal: Signal
  /** W3C trace context to pass on, when the caller sent one. */
  readonly traceparent?: string | undefined
  /** The method that the caller names in its request, where its dialect lets it (plugin schema, "CallToolRequest"). */
  readonly method?: string | undefined
  /**
   * Tells the caller how far the tool is, without the credentials of the call; absent when the caller does not want to know.
   * Progress must grow.
   */
  readonly progress?: ((progress: number, total?: number, message?: string) => void) | undefined
  /** Tells the caller what the tool logs; absent when the caller does not want to know. */
  readonly log?: ((message: string) => void) | undefined
  /** Answers to what the tool asked for before; absent where the caller cannot be asked. */
  readonly answers?: InputResponses | undefined
  /** The files that the input names, by their handles, for a runner that sends bytes. */
  readonly files?: ReadonlyMap<string, FileBytes> | undefined
  /** Keeps work alive that goes on behind the answer: telling another server that the call is over. */
  readonly background?: Background | undefined
  /** Told with which status a server answered. */
  readonly answered?: ((status: number) => void) | undefined
}

/** A value; with what there is to look at, when the tool gave content, and with where it lies, when it is large. */
export interface Success {
  readonly ok: true
  readonly value: unknown
  readonly content?: readonly Content[]
  readonly artifact?: Artifact
  /** Where the value lies that is in no answer; `value` says so, or is undefined where the output schema lets none say it. */
  readonly elsewhere?: Artifact
  /** Whether the value is the part of the tool's that the caller wanted, of which its output schema says nothing. */
  readonly selected?: true
  readonly usage?: Usage
}

/** A value, a failure, or requests to the caller. A thrown error is a defect of the tool. */
export type ToolResult =
  | Success
  | { readonly ok: false; readonly failure: ToolFailure }
  | { readonly ok: false; readonly failure?: never; readonly asks: InputRequests }

/** The same, or that it used up what it may, after so many milliseconds. */
export type RunResult = ToolResult | { readonly ok: false; readonly failure?: never; readonly expired_ms: number }

export interface Usage {
  /** Counted in metered modules, each instruction weighed by its cost. */
  readonly instructions?: number
  readonly memory_bytes?: number
}

/** Runs one tool. Gives its result at once when it has no need to wait, which spares the call a timer. */
export type Run = (input: JsonObject, context: RunContext) => RunResult | Promise<RunResult>

/** Executes one kind of implementation. */
export interface Runner extends ImplementationKind {
  /** Makes a record callable, once; or says why this deployment cannot run it. */
  prepare(record: ToolRecord & { readonly implementation: Implementation }): Runnable
}

export type Runnable =
  | {
      readonly ok: true
      readonly run: Run
      readonly timeoutMs: number
      /** Whether it may run twice, whatever its record says: it changes nothing, or the same each time. */
      readonly isRepeatable?: boolean
      /** Where what it is given may be sent, as `host` or `host:port`; none but what the deployment's own code chooses when absent. */
      readonly hosts?: readonly string[]
      /** Whether it reads files out of its context; else its input holds them in Base64. */
      readonly takesFiles?: boolean
    }
  /** `forOperator`: why, with what only whoever runs the deployment can put right. */
  | { readonly ok: false; readonly reason: string; readonly forOperator?: string }

/** A call's deadline in milliseconds when its tool names none, and the longest a tool may name. */
export const DEFAULT_TIMEOUT_MS = 30_000
export const MAX_TIMEOUT_MS = 300_000
