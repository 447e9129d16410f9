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
  /** The input may hold parameters that no model may infer, since whoever wrote it knew which those are. */
  readonly includesContextParameters?: boolean
  readonly context: CallContext
  /** For a context whose unknown fields are refused if they are nearly one of these, or of what its tool takes. */
  readonly contextFieldHints?: { readonly path: string; readonly fields: readonly string[] }
  readonly toolRef: ToolRef
  /** A name without its toolkit. A tool of that name that the caller may see goes before `toolRef`; several are a failure. */
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
  /** Its protocol has tasks but the caller does not support them, so a tool that runs only as a task is refused. */
  readonly lacksTasks?: boolean | undefined
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
  /** Of the tool, if it is not active. */
  readonly status?: ToolStatus
  readonly limitStatuses?: readonly LimitStatus[]
}

export type CallTool = (call: CallRequest, caller: Caller) => Promise<CallOutcome>
