/**
 * Runs a task once for its Durable Object, which repeats the run after a restart. The call id ensures that the tool runs at
 * most once: after a killed run, the outcome is `outcome-unknown`. A run ends with one change of the task, which has no effect
 * if the task was canceled or changed meanwhile:
 *
 * 1. While its links are open, the task keeps waiting. It ends if a link is refused or its lifetime is over.
 * 2. The principal is loaded again. If its credential was removed, the task ends.
 * 3. The call runs. If it needs input from a person or the caller, the task waits for it.
 */
import { type Authorizations, isOpen } from '../consent/authorization.ts'
import type { Caller, CallTool } from '../call/call-request.ts'
import type { HoldFiles } from '../call/stage.ts'
import { type Result, UnreachableError } from '../failure/failure.ts'
import type { Principal } from '../access/principal.ts'
import type { Signal } from '../tool/platform.ts'
import type { Clock } from '../tool/wait-for-change.ts'
import { toPendingInput } from './pending-input.ts'
import {
  type DueTask,
  endTask,
  limitInput,
  type StoredCall,
  type Task,
  type TaskChange,
  type TaskOutcome,
  type TaskStore,
} from './task.ts'

interface RunTaskDeps extends Clock {
  readonly store: TaskStore
  readonly authorizations: Pick<Authorizations, 'find'>
  readonly callTool: CallTool
  /** Returns the current principal, or a failure if the credential was removed or has expired. */
  readonly findPrincipal: (caller: StoredCall['caller']) => Promise<Result<Principal>>
  readonly createAbort: () => Abort
  readonly openCaller: () => Pick<Caller, 'budget' | 'background'>
  readonly holdText: HoldFiles
}

interface Abort {
  readonly signal: Signal
  abort(): void
}

/** Bytes of memory per stored character: encrypted, as text, and as the value passed to the tool. */
const COPIES = 3
const OBJECT_CHARACTERS = 42
const MIN_PAUSE_MS = 2_000
const MAX_PAUSE_MS = 60_000
/** How soon a run notices that its task has ended, and how often its progress is stored. */
const FOLLOW_MS = 1_000
const TIME_IS_UP = { type: 'gone', message: 'The call did not end within a day' } as const

export function createRunTask(deps: RunTaskDeps): (run: DueTask) => Promise<void> {
  const { store, authorizations, callTool, findPrincipal, now, sleep } = deps

  return async ({ id, revision, size }) => {
    const abort = deps.createAbort()
    // A task id begins with the id of its Durable Object
    const release = await deps.holdText(id.slice(0, OBJECT_CHARACTERS), COPIES * size, abort.signal)
    if (!release) throw new UnreachableError('Not enough memory for the call')
    try {
      const task = await store.find(id)
      // Its text can no longer be decrypted
      if (!task?.call) await store.change(id, { status: 'failed' }, revision)
      else if (task.revision === revision) await runInMemory(task, task.call, abort)
    } finally {
      release()
    }
  }

  async function runInMemory(task: Task, stored: StoredCall, abort: Abort): Promise<void> {
    const { id, revision } = task
    const early = await waitOrEnd(task)
    if (early) return void (await store.change(id, early, revision))
    const principal = await findPrincipal(stored.caller)
    if (!principal.ok) {
      const { failure } = principal
      if (failure.type === 'unavailable') throw new UnreachableError(failure.message)
      return void (await store.change(id, endTask(task, failure, now()), revision))
    }
    // Makes no visible change if the task is already working
    const begin = task.status === 'working' ? { waitMs: 0 } : ({ status: 'working', waitMs: 0 } as const)
    const round = await store.change(id, begin, revision)
    if (round === undefined) return
    const outcome = await call({ ...task, revision: round }, stored, principal.value, abort)
    await store.change(id, limitInput(task, toChange(outcome, task, round), now()), round)
  }

  /** Returns undefined if the call can run now. An expired link does not end the task: the call returns a new one. */
  async function waitOrEnd(task: Task): Promise<TaskChange | undefined> {
    const { createdAt, lastUpdatedAt, ttlMs, pendingInput } = task
    if (now() >= Date.parse(createdAt) + ttlMs) return endTask(task, TIME_IS_UP, now())
    const links = await Promise.all((pendingInput?.links ?? []).map((link) => authorizations.find(link)))
    const current = links.flatMap((link) => (link && now() < link.expiresAt ? [link] : []))
    const refusedLink = current.find(({ status }) => status === 'failed')
    if (refusedLink) {
      const { reason = 'A person refused it' } = refusedLink
      return endTask(task, { type: 'forbidden', reason }, now())
    }
    if (current.length < links.length || !current.some(isOpen)) return undefined
    // A read by the caller checks the links sooner
    return { waitMs: growPause(lastUpdatedAt) }
  }

  function toChange(outcome: TaskOutcome, { createdAt, call, pendingInput }: Task, round: number): TaskChange {
    const { result } = outcome
    if (result.ok) return { status: 'completed', outcome }
    const { failure } = result
    const pauseMs = growPause(createdAt)
    if (failure.type === 'unavailable') return { waitMs: pauseMs }
    if (failure.type === 'rate-limited') return { waitMs: Math.max(failure.retry_after_ms, pauseMs) }
    const next = toPendingInput(failure, pendingInput, round, call?.call.answers)
    if (!next) return { status: 'failed', outcome }
    const { message, requests, links } = next
    if (links.length > 0) return { status: 'input_required', message, pendingInput: next, waitMs: MIN_PAUSE_MS }
    // An empty list of requests asks for a retry
    if (Object.keys(requests).length === 0) return { status: 'working', waitMs: pauseMs, pendingInput: next }
    return { status: 'input_required', message, pendingInput: next }
  }

  /** Returns two seconds plus a tenth of the elapsed time, up to a minute. */
  function growPause(since: string): number {
    return Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS + (now() - Date.parse(since)) / 10)
  }

  async function call(task: Task, { call, context, caller }: StoredCall, principal: Principal, abort: Abort) {
    const { requestUrl, ...origin } = caller
    let isDone = false
    let message: string | undefined
    void follow()
    try {
      const request = {
        ...call,
        callId: call.callId ?? task.id,
        context: { ...context, tokens: new Map(context.tokens), secrets: new Map(context.secrets) },
        ...(task.pendingInput ? { answers: task.pendingInput.answers } : {}),
      }
      const { tool, ...outcome } = await callTool(request, {
        ...origin,
        ...deps.openCaller(),
        principal,
        requestUrl: () => requestUrl,
        signal: () => abort.signal,
        cancelOnDisconnect: true,
        progress({ progress, total, message: text }) {
          message = text ?? (total === undefined ? `${progress}` : `${progress} of ${total}`)
        },
      })
      return { ...outcome, tool: tool && { id: tool.id, output: tool.output } }
    } finally {
      isDone = true
    }

    /** Stores progress, and aborts the call when its task has ended or was changed. */
    async function follow(): Promise<void> {
      while (!isDone) {
        await sleep(FOLLOW_MS)
        if (isDone) return
        const report = { message }
        message = undefined
        const current = await store.change(task.id, report, task.revision).catch(() => task.revision)
        if (current === undefined) return abort.abort()
      }
    }
  }
}
