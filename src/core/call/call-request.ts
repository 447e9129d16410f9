/* A call as every dialect reads it, who makes it, and its outcome. */
import type { Principal } from '../access/principal.ts'
import type { Budget } from '../tool/budget.ts'
import type { Json } from '../tool/json.ts'
import type { Signal, WaitUntil } from '../tool/platform.ts'
import type { NameRef, ToolRef } from '../tool/tool-ref.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { FailureResult } from '../failure/failure.ts'
import type { LimitStatus } from './call-limiter.ts'
import type { CallInput } from './input.ts'
import type { Invocation } from './invocation.ts'
import type { FindArtifact } from './large-output.ts'
import type { Progress } from './progress.ts'
import type { ToolSuccess } from './runner.ts'

export interface CallRequest extends CallInput, Partial<Pick<Invocation, 'answers' | 'method'>> {
  readonly toolRef: ToolRef
  /** A name without its toolkit. If the caller can see exactly one tool of that name, it is called, and else `toolRef`. */
  readonly bareName?: NameRef
  /** Replaces `toolRef` or `bareName` for a second try if the first finds no tool. */
  readonly fallback?: Partial<Pick<CallRequest, 'toolRef' | 'bareName'>>
  /** Tried before `toolRef`: a document's id may look like a tool's. */
  readonly documentRef?: ToolRef
  readonly callId?: string | undefined
  readonly traceId?: string | undefined
  readonly select?: Json | undefined
}

export interface Caller {
  readonly principal: Principal
  readonly dialect: string
  readonly audience: Audience
  /** The work that the request may still cause. The calls of a batch share it. */
  readonly budget: Budget
  readonly background: WaitUntil
  /** Aborts when the caller goes away. */
  readonly signal: () => Signal | undefined
  /** Whether a caller who goes away cancels even a call that it could repeat under its id to get the outcome. */
  readonly cancelOnDisconnect?: boolean
  readonly requestUrl: () => string
  readonly traceparent?: string | undefined
  readonly progress?: ((progress: Progress) => void) | undefined
  readonly log?: ((message: string) => void) | undefined
  readonly findArtifact?: FindArtifact
}

/** Who reads the answers of a dialect. */
export type Audience = 'model' | 'program'

export interface CallOutcome {
  readonly callId: string
  /** Repetitions of a call under an id have the duration and the end of the first. */
  readonly durationMs: number
  /** Milliseconds since 1970. */
  readonly finishedAt?: number
  readonly result: ToolSuccess | FailureResult
  readonly tool?: ToolRecord | undefined
  readonly limitStatuses?: readonly LimitStatus[]
}

export type CallTool = (call: CallRequest, caller: Caller) => Promise<CallOutcome>
