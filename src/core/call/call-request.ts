import type { Json } from '../tool/json.ts'
import type { WaitUntil } from '../tool/platform.ts'
import type { NameRef, ToolRef } from '../tool/tool-ref.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { FailureResult } from '../failure/failure.ts'
import type { RequestContext } from './authorize-call.ts'
import type { LimitStatus } from './call-limiter.ts'
import type { CallInput } from './input.ts'
import type { Invocation } from './invocation.ts'
import type { FindArtifact } from './large-output.ts'
import type { RunCaller } from './run.ts'
import type { ToolSuccess } from './runner.ts'

/** A call as every dialect reads it, who makes it, and its outcome. */
export interface CallRequest extends CallInput, Partial<Pick<Invocation, 'answers' | 'method'>> {
  readonly toolRef: ToolRef
  readonly bareName?: NameRef
  /** In place of these where there is no such tool. */
  readonly fallback?: Partial<Pick<CallRequest, 'toolRef' | 'bareName'>>
  /** Tried first: a document's id may look like a tool's. */
  readonly documentRef?: ToolRef
  readonly callId?: string | undefined
  readonly traceId?: string | undefined
  readonly select?: Json | undefined
}

export interface Caller extends RequestContext, RunCaller {
  readonly background: WaitUntil
  readonly dialect: string
  /** Whether a caller who goes away cancels the call even if it could come back for it by its id. */
  readonly cancelOnDisconnect?: boolean
  readonly audience: Audience
  readonly findArtifact?: FindArtifact
}

/** Who reads the answers of a dialect. */
export type Audience = 'model' | 'program'

export interface CallOutcome {
  readonly callId: string
  readonly durationMs: number
  readonly result: ToolSuccess | FailureResult
  /** Milliseconds since 1970. Repetitions of a call under an id are told the same. */
  readonly finishedAt?: number
  readonly tool?: ToolRecord | undefined
  readonly limitStatuses?: readonly LimitStatus[]
}

export type CallTool = (call: CallRequest, caller: Caller) => Promise<CallOutcome>
