import type { Caller, CallRequest } from '../call/call-request.ts'
import type { CallContext } from '../call/requirements.ts'
import type { Task, TaskOutcome, TaskStatus } from './task.ts'
import type { PendingInput } from './pending-input.ts'

type Entries = readonly (readonly [string, string])[]

/** Plain JSON, which is stored encrypted, as are all texts of callers and tools. */
export interface StoredCall {
  readonly call: Omit<CallRequest, 'context'>
  readonly context: Omit<CallContext, 'tokens' | 'secrets'> & { readonly tokens: Entries; readonly secrets: Entries }
  readonly caller: Pick<Caller, 'principal' | 'dialect' | 'audience'> & {
    readonly requestUrl: string
    readonly traceparent?: string | undefined
  }
}

export interface StoredTask extends Task {
  /** Incremented by each run and each change, except of the message alone. */
  readonly revision: number
  readonly pendingInput?: PendingInput | undefined
  /** The id of the tool, until the task has ended. */
  readonly tool?: string | undefined
  /** Only for a run. */
  readonly storedCall?: StoredCall | undefined
}

export interface TaskChange {
  readonly status?: TaskStatus | undefined
  /** If absent, a change of the status deletes the message. */
  readonly message?: string | undefined
  /** Time until the task runs, or its links are checked, again. With a status but no time, it waits for its caller. */
  readonly waitMs?: number | undefined
  readonly pendingInput?: PendingInput
  readonly outcome?: TaskOutcome
}

/** A run that the Durable Object starts. A run that started before a change writes nothing. */
export interface DueTask {
  readonly id: string
  readonly revision: number
  /** Number of characters stored for the task. */
  readonly size: number
}

export interface TaskStore {
  /** Undefined if the principal has too many open tasks, or too much stored. */
  create(call: StoredCall, tool: string, ttlMs: number): Promise<Task | undefined>
  /** With a principal, finds only its own tasks, and leaves out the call. */
  find(id: string, principal?: string): Promise<StoredTask | undefined>
  /**
   * Returns the new revision, or undefined if the task has ended or was changed since `revision`. An empty change only checks
   * this.
   */
  change(id: string, change: TaskChange, revision?: number): Promise<number | undefined>
  /** Ends and deletes all tasks of a principal. */
  removeAll(principal: string): Promise<void>
}
