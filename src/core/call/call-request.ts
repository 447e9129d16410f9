/* A call as every dialect reads it, who makes it, and its outcome. */
import type { Principal } from '../access/principal.ts'
import type { Budget } from '../tool/budget.ts'
import type { Json, JsonObject } from '../tool/json.ts'
import type { Signal, WaitUntil } from '../tool/platform.ts'
import type { NameRef, ToolRef } from '../tool/tool-ref.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { ToolStatus } from '../tool/version.ts'
import type { FailureResult } from '../failure/failure.ts'
import type { LimitStatus } from './call-limiter.ts'
import type { Invocation } from './invocation.ts'
import type { FindArtifact } from './large-output.ts'
import type { Progress } from './progress.ts'
import type { CallContext } from './requirements.ts'
import type { ToolSuccess } from './runner.ts'

export interface CallRequest extends Partial<Pick<Invocation, 'answers' | 'method'>> {
  readonly input: JsonObject
  /** Allows parameters that no model may infer, since the author of the input knew which those are. */
  readonly includesContextParameters?: boolean
  readonly context: CallContext
  /** Refuses context fields that nearly match one of these, unless the tool has a parameter with that name. */
  readonly contextFieldHints?: { readonly path: string; readonly fields: readonly string[] }
  readonly toolRef: ToolRef
  /** A name without its toolkit. A visible tool with that name takes precedence over `toolRef`; several are a failure. */
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
  /** Aborts when the caller disconnects. */
  readonly signal: () => Signal | undefined
  /** Whether a disconnect cancels even a call that the caller could repeat under its id to get the outcome. */
  readonly cancelOnDisconnect?: boolean
  /** Its protocol has tasks but the caller does not support them, so a tool that runs only as a task is refused. */
  readonly lacksTasks?: boolean | undefined
  readonly requestUrl: () => string
  readonly traceparent?: string | undefined
  readonly progress?: ((progress: Progress) => void) | undefined
  readonly log?: ((message: string) => void) | undefined
  readonly findArtifact?: FindArtifact
}

/** The reader of a dialect's answers. */
export type Audience = 'model' | 'program'

export interface CallOutcome {
  readonly callId: string
  /** Repetitions under the same id report the duration and end of the first call. */
  readonly durationMs: number
  /** Milliseconds since 1970. */
  readonly finishedAt?: number
  readonly result: ToolSuccess | FailureResult
  readonly tool?: ToolRecord | undefined
  /** The tool's status, if it is not active. */
  readonly status?: ToolStatus
  readonly limitStatuses?: readonly LimitStatus[]
}

export type CallTool = (call: CallRequest, caller: Caller) => Promise<CallOutcome>
