import type { Caller, CallRequest } from '../call/call-request.ts'
import type { CallContext } from '../call/requirements.ts'
import type { Task, TaskOutcome, TaskStatus } from './task.ts'
import type { Waiting } from './waiting.ts'

/** As plain JSON. Only sealed text of it is stored, as of all that a caller or a tool wrote. */
export interface StoredCall {
  readonly call: Omit<CallRequest, 'context'>
  readonly context: Omit<CallContext, 'tokens' | 'secrets'>
  readonly tokens: readonly (readonly [string, string])[]
  readonly secrets: readonly (readonly [string, string])[]
  readonly caller: Pick<Caller, 'principal' | 'dialect' | 'audience'> & {
    readonly requestUrl: string
    readonly traceparent?: string | undefined
  }
}

export interface StoredTask {
  readonly task: Task
  /** Counts up with each change and each run. */
  readonly revision: number
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  readonly waiting?: Waiting | undefined
  /** Until the task has ended. */
  readonly stored?: StoredCall | undefined
}

export interface TaskChange {
  readonly status?: TaskStatus
  readonly message?: string | undefined
  /** When the task is run, or its links are looked at, again: absent to wait for its caller. */
  readonly waitMs?: number
  readonly waiting?: Waiting
  readonly outcome?: TaskOutcome
}

/** Which run of which task: those that began before a change write nothing. */
export interface TaskRun {
  readonly id: string
  readonly revision: number
}

/** A run that its Durable Object begins. */
export interface DueTask extends TaskRun {
  /** Characters of all that is stored of the task. */
  readonly size: number
}

export interface TaskStore {
  /** Undefined if the principal has too many open tasks, or too much stored. */
  create(call: StoredCall, ttlMs: number): Promise<Task | undefined>
  /** Undefined too for a task of another principal. */
  find(id: string, principal: string): Promise<StoredTask | undefined>
  load(id: string): Promise<StoredTask | undefined>
  waitUntilEnded(run: TaskRun): Promise<void>
  /** Gives the new revision; undefined if the task has ended, or was changed since that revision. */
  change(id: string, change: TaskChange, revision?: number): Promise<number | undefined>
  /** Sets the message of a task that runs. */
  report(run: TaskRun, message: string): Promise<void>
  /** Ends and forgets all tasks of a principal. */
  removeAll(principal: string): Promise<void>
}
