import type { Principal } from '../access/principal.ts'
import type { Caller, CallOutcome, CallRequest } from '../call/call-request.ts'
import type { Result } from '../failure/failure.ts'
import type { InputRequests, InputResponses } from '../tool/content.ts'
import type { ToolRecord } from '../tool/tool.ts'

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** A call whose caller does not wait for it. It is stored, so it goes on after a restart. */
export interface Task {
  /** Cannot be guessed, and leads to nothing for other principals. */
  readonly id: string
  /** `failed` for every failure. A dialect that writes a tool's failure as a result tells it as `completed`. */
  readonly status: TaskStatus
  readonly statusMessage?: string
  /** ISO 8601 in UTC. */
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** From `createdAt`. Then an open task fails, and an hour later all are deleted. */
  readonly ttlMs: number
  readonly pollIntervalMs: number
  /** While `input_required`: what the tool asks for, and the links for a person to open. No key is used twice. */
  readonly inputRequests?: InputRequests['requests']
  /** Once `completed` or `failed`. */
  readonly outcome?: TaskOutcome
}

export function isOver({ status }: Pick<Task, 'status'>): boolean {
  return status !== 'working' && status !== 'input_required'
}

export interface TaskOutcome extends Pick<CallOutcome, 'callId' | 'durationMs' | 'finishedAt' | 'result'> {
  /** What is needed to write the result. Absent if the call was not authorized. */
  readonly tool?: Pick<ToolRecord, 'id' | 'output'> | undefined
}

export type TaskCaller = Omit<Caller, 'signal'>

/** Each answers `unavailable` if storage is out of reach, and as for an unknown id if the task is another principal's. */
export interface Tasks {
  /**
   * Checks that the call is allowed and its input valid, and stores it. It runs at once. The answer is `rate-limited` for too
   * many open tasks, or too much stored by the principal's tasks.
   */
  start(call: CallRequest, caller: TaskCaller): Promise<Result<Task>>
  /**
   * Waits for `waitMs`, by default not at all, until the task ends or changes. `lastUpdatedAt` is of the state that the caller
   * knows, by default that of now.
   */
  get(id: string, principal: Principal, waitMs?: number, lastUpdatedAt?: string): Promise<Result<Task | undefined>>
  /** Unknown keys are passed over. The tool goes on when it has a response to each of its requests. Gives whether there is such a task. */
  update(id: string, principal: Principal, responses: InputResponses['responses']): Promise<Result<boolean>>
  /** Aborts the run; a task that has ended stays as it is. Gives whether there is such a task. */
  cancel(id: string, principal: Principal): Promise<Result<boolean>>
}
