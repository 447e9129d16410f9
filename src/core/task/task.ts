import type { Caller, CallOutcome, CallRequest } from '../call/call-request.ts'
import type { CallContext } from '../call/requirements.ts'
import { type Failure, fail } from '../failure/failure.ts'
import type { InputRequests } from '../tool/content.ts'
import { jsonSize } from '../tool/json.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { PendingInput } from './pending-input.ts'

const MAX_INPUT_BYTES = 1024 * 1024
const TOO_LARGE = { type: 'gone', message: "The tool's requests and their answers take more than 1 MiB" } as const

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** An asynchronous call. It is stored, so it continues after a restart. */
export interface Task {
  /** Useless to other principals. It is the same for calls of a principal with the same call id, otherwise random. */
  readonly id: string
  /** `failed` for every failure. A dialect that encodes tool failures as results reports them as `completed`. */
  readonly status: TaskStatus
  readonly statusMessage?: string
  /** ISO 8601 in UTC. */
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** Counted from `createdAt`. After that, an open task fails. An hour later, the task is deleted. */
  readonly ttlMs: number
  readonly pollIntervalMs: number
  /** Incremented by each run and each change, except a change of only the message. */
  readonly revision: number
  /** The id of its tool. */
  readonly tool: string
  /** While `input_required`: the tool's requests or the links for a person. No key is used twice. */
  readonly inputRequests?: InputRequests['requests']
  readonly pendingInput?: PendingInput
  /** Once `completed` or `failed`. */
  readonly outcome?: TaskOutcome
  /** Present only in a run. */
  readonly call?: StoredCall
}

export function isOver({ status }: Pick<Task, 'status'>): boolean {
  return status !== 'working' && status !== 'input_required'
}

export interface TaskOutcome extends Pick<CallOutcome, 'callId' | 'durationMs' | 'finishedAt' | 'result'> {
  /** The part of the tool that is needed to encode the result. Absent if the call was not authorized. */
  readonly tool?: Pick<ToolRecord, 'id' | 'output'> | undefined
}

type Entries = readonly (readonly [string, string])[]

/** Plain JSON. It is stored encrypted, like all text from callers and tools. */
export interface StoredCall {
  readonly call: Omit<CallRequest, 'context'>
  readonly context: Omit<CallContext, 'tokens' | 'secrets'> & { readonly tokens: Entries; readonly secrets: Entries }
  readonly caller: Pick<Caller, 'principal' | 'dialect' | 'audience' | 'traceparent'> & { readonly requestUrl: string }
}

export interface TaskChange extends Partial<Pick<Task, 'pendingInput' | 'outcome'>> {
  readonly status?: TaskStatus | undefined
  /** If absent, a change of the status deletes the message. */
  readonly message?: string | undefined
  /** Time until the task runs or its links are checked again. With a status but no time, the task waits for its caller. */
  readonly waitMs?: number | undefined
}

/** Ends a task whose call will not run again. */
export function endTask({ id, createdAt, tool }: Task, failure: Failure, now: number): TaskChange {
  const message = 'reason' in failure ? failure.reason : 'message' in failure ? failure.message : undefined
  const durationMs = now - Date.parse(createdAt)
  const outcome = { callId: id, durationMs, result: fail(failure), tool: { id: tool, output: null } }
  return { status: 'failed', message, outcome }
}

/** Ends the task if too much would be stored while it waits. */
export function limitInput(task: Task, change: TaskChange, now: number): TaskChange {
  const isTooLarge = jsonSize(change.pendingInput ?? null, MAX_INPUT_BYTES) > MAX_INPUT_BYTES
  return isTooLarge ? endTask(task, TOO_LARGE, now) : change
}

/** A run that the Durable Object starts. A run that started before a change writes nothing. */
export interface DueTask extends Pick<Task, 'id' | 'revision'> {
  /** Number of characters stored for the task. */
  readonly size: number
}

export interface TaskStore {
  /**
   * Returns the task that has the call id unless it failed or was canceled; `reused` if its request was different; `unknown` if
   * it can no longer be decrypted. Undefined if the principal has too many open tasks, or too much stored.
   */
  create(call: StoredCall, tool: string, ttlMs: number): Promise<Task | 'reused' | 'unknown' | undefined>
  /** With a principal, finds only its own tasks and omits the call. Undefined if the task can no longer be decrypted. */
  find(id: string, principal?: string): Promise<Task | undefined>
  /**
   * Returns the new revision, or undefined if the task has ended or was changed since `revision`. An empty change only checks
   * this.
   */
  change(id: string, change: TaskChange, revision?: number): Promise<number | undefined>
  /** Ends and deletes all tasks of a principal. */
  removeAll(principal: string): Promise<void>
}
