import type { Failure } from '../failure/failure.ts'
import type { Artifact, Content, InputRequests, ToolFailure } from '../tool/content.ts'
import type { Budget } from '../tool/budget.ts'
import type { WaitUntil } from '../tool/platform.ts'
import type { Implementation, ImplementationKind, ToolRecord } from '../tool/tool.ts'
import type { Deadline } from './deadline.ts'
import type { Invocation } from './invocation.ts'

/** Data that a runner needs besides the tool's invocation: ids of this attempt, and callbacks to report on it. */
export interface RunContext {
  readonly callId: string
  readonly traceId?: string | undefined
  /** An id to send to another server, which no other caller can create; absent if the call may be repeated. */
  readonly idempotencyKey?: (() => Promise<string>) | undefined
  readonly principal: string
  /** Replaces a token that the provider's API answered with 401; absent if all tokens are the caller's own. */
  readonly renew?: ((provider: string, refused: string) => Promise<string | undefined>) | undefined
  readonly deadline: Pick<Deadline, 'signal'>
  readonly budget: Budget
  readonly traceparent?: string | undefined
  readonly progress?: ((progress: number, total?: number, message?: string) => void) | undefined
  readonly log?: ((message: string) => void) | undefined
  readonly background?: WaitUntil | undefined
  readonly answered?: ((status: number) => void) | undefined
  /**
   * Registers the function that releases the memory of a large response. It is called when the next response arrives, or when
   * the output is processed, since the rest of the response then fits into an answer.
   */
  readonly deferRelease?: ((release: () => void) => void) | undefined
}

export interface ToolSuccess {
  readonly ok: true
  readonly value: unknown
  readonly content?: readonly Content[]
  readonly artifact?: Artifact
  readonly elsewhere?: Artifact
  readonly selected?: true
  readonly usage?: ResourceUsage
}

export type ToolResult =
  | ToolSuccess
  | { readonly ok: false; readonly failure: ToolFailure }
  | { readonly ok: false; readonly failure?: never; readonly asks: InputRequests }
  /** Another server requires it of the person before the tool can run there. */
  | { readonly ok: false; readonly failure?: never; readonly missing: RequirementsMissing }

export type RequirementsMissing = Extract<Failure, { readonly type: 'requirements-missing' }>

export type RunResult = ToolResult | { readonly ok: false; readonly failure?: never; readonly timedOutMs: number }

export interface ResourceUsage {
  /** Counted in metered modules, with each instruction weighted by its cost. */
  readonly instructions?: number
  readonly memory_bytes?: number
}

export type Run = (invocation: Invocation, context: RunContext) => RunResult | Promise<RunResult>

/** A request to read a resource of a tool's server, or one of the server's lists. */
export type Reading = { readonly uri: string } | { readonly list: ResourceList }
export type ResourceList = 'resources' | 'resourceTemplates'

export interface Runner extends ImplementationKind {
  prepare(record: ToolRecord & { readonly implementation: Implementation }): Runnable
}

export type Runnable =
  | {
      readonly ok: true
      readonly run: Run
      /** Reads a resource of the tool's server, such as the tool's page, or lists resources. Returns the MCP result. */
      readonly read?: (reading: Reading, ...request: Parameters<Run>) => ReturnType<Run>
      readonly timeoutMs: number
      /** Whether it may run twice regardless of its record, because it changes nothing or is idempotent. */
      readonly isRetrySafe?: boolean
      /** Where its credentials may be sent, as `host` or `host:port`; absent for the deployment's own code. */
      readonly hosts?: readonly string[]
      readonly acceptsFiles?: boolean
    }
  | { readonly ok: false; readonly reason: string; readonly forOperator?: string }

export const DEFAULT_TIMEOUT_MS = 30_000
export const MAX_TIMEOUT_MS = 300_000
