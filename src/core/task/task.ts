import type { Principal } from '../access/principal.ts'
import type { Caller, CallOutcome, CallRequest } from '../call/call-request.ts'
import type { Result } from '../failure/failure.ts'
import type { InputRequests, InputResponses } from '../tool/content.ts'
import type { ToolRecord } from '../tool/tool.ts'

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** An asynchronous call. It is stored, so it continues after a restart. */
export interface Task {
  /** Unguessable, and useless to other principals. */
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
  /** While `input_required`: the tool's requests or the links for a person. No key is used twice. */
  readonly inputRequests?: InputRequests['requests']
  /** Once `completed` or `failed`. */
  readonly outcome?: TaskOutcome
}

export function isOver({ status }: Pick<Task, 'status'>): boolean {
  return status !== 'working' && status !== 'input_required'
}

export interface TaskOutcome extends Pick<CallOutcome, 'callId' | 'durationMs' | 'finishedAt' | 'result'> {
  /** The part of the tool that encoding the result needs. Absent if the call was not authorized. */
  readonly tool?: Pick<ToolRecord, 'id' | 'output'> | undefined
}

export type TaskCaller = Omit<Caller, 'signal'>

/** All return `unavailable` if storage cannot be reached. A task of another principal looks like an unknown one. */
export interface Tasks {
  /**
   * Checks the rights and input of a call, then stores and starts it. Returns `rate-limited` if the principal has too many open
   * tasks, or its tasks take too much storage.
   */
  start(call: CallRequest, caller: TaskCaller): Promise<Result<Task>>
  /** Waits up to `waitMs`, by default 0, for a change since `lastUpdatedAt`, by default since now. */
  get(id: string, principal: Principal, waitMs?: number, lastUpdatedAt?: string): Promise<Result<Task | undefined>>
  /** Ignores unknown keys. The tool continues once each request has a response. Returns whether the task exists. */
  update(id: string, principal: Principal, responses: InputResponses['responses']): Promise<Result<boolean>>
  /** Aborts the run; an ended task does not change. Returns whether the task exists. */
  cancel(id: string, principal: Principal): Promise<Result<boolean>>
}
