import type { Principal } from '../access/principal.ts'
import type { Artifact, Content, InputResponses } from '../tool/content.ts'
import type { Failing } from './failure.ts'
import type { JsonObject } from '../tool/json.ts'
import type { Signal } from '../tool/platform.ts'
import type { CallerContext } from './requirements.ts'
import type { Background } from '../tool/platform.ts'
import type { Usage } from './runner.ts'

/** A call in no dialect's words. */
export interface Call {
  /** The tool's id as the caller wrote it. */
  readonly asked: string
  readonly callId?: string
  readonly traceId?: string
  readonly input: JsonObject
  readonly context: CallerContext
}

/** Who makes a call, and what the way it came in allows. */
export interface Caller {
  readonly principal: Principal
  readonly background: Background
  /** Aborts when the caller goes away. */
  readonly signal: () => Signal | undefined
  /** A URL of this deployment as the caller reached it: links to it start with its origin. */
  readonly reachedAt: () => string
  /** W3C trace context. */
  readonly traceparent?: string
  /** Takes the tool's progress while it runs, when the caller wants to know. */
  readonly progress?: (progress: number, total?: number, message?: string) => void
  /** Takes the lines the tool logs while it runs, when the caller wants to know. */
  readonly log?: (message: string) => void
  /** Answers to what the tool asked for when it was called before; absent where the way in cannot ask back. */
  readonly answers?: InputResponses
}

/** What a call came to. */
export interface Outcome {
  readonly callId: string
  readonly durationMs: number
  readonly result: Success | Failing
}

/** A value; with what there is to look at, when the tool gave content, and with where it lies, when it is large. */
export interface Success {
  readonly ok: true
  readonly value: unknown
  readonly content?: readonly Content[]
  readonly artifact?: Artifact
  readonly usage?: Usage
}
