import type { Caller, CallRequest } from '../call/call-request.ts'
import type { CallContext } from '../call/requirements.ts'
import type { Task, TaskOutcome, TaskStatus } from './task.ts'
import type { PendingInput } from './pending-input.ts'

type Entries = readonly (readonly [string, string])[]

/** As plain JSON. Only sealed text of it is stored, as of all that a caller or a tool wrote. */
export interface StoredCall {
  readonly call: Omit<CallRequest, 'context'>
  readonly context: Omit<CallContext, 'tokens' | 'secrets'> & { readonly tokens: Entries; readonly secrets: Entries }
  readonly caller: Pick<Caller, 'principal' | 'dialect' | 'audience'> & {
    readonly requestUrl: string
    readonly traceparent?: string | undefined
  }
}

export interface StoredTask extends Task {
  /** Counts up with each run, and with each change of more than the message. */
  readonly revision: number
  readonly pendingInput?: PendingInput | undefined
  /** The id of its tool, until it has ended. */
  readonly tool?: string | undefined
  /** For its run alone. */
  readonly storedCall?: StoredCall | undefined
}

export interface TaskChange {
  readonly status?: TaskStatus | undefined
  /** Without one, a change of the status deletes it. */
  readonly message?: string | undefined
  /** When the task is run, or its links are looked at, again. With a status alone it waits for its caller. */
  readonly waitMs?: number | undefined
  readonly pendingInput?: PendingInput
  readonly outcome?: TaskOutcome
}

/** A run that its Durable Object begins: those that began before a change write nothing. */
export interface DueTask {
  readonly id: string
  readonly revision: number
  /** Characters of all that is stored of the task. */
  readonly size: number
}

export interface TaskStore {
  /** Undefined if the principal has too many open tasks, or too much stored. */
  create(call: StoredCall, tool: string, ttlMs: number): Promise<Task | undefined>
  /** For a principal, only a task of its own, without the call. */
  find(id: string, principal?: string): Promise<StoredTask | undefined>
  /**
   * Gives the revision; undefined if the task has ended, or was changed since that revision. An empty change only asks whether one could be made.
   */
  change(id: string, change: TaskChange, revision?: number): Promise<number | undefined>
  /** Ends and forgets all tasks of a principal. */
  removeAll(principal: string): Promise<void>
}
