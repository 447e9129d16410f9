/**
 * Runs a task once for its Durable Object, which repeats the run after a restart. The call id ensures that the tool runs at
 * most once: after a killed run, the outcome is `outcome-unknown`. A run ends with one change of the task, which has no effect
 * if the task was canceled or changed meanwhile:
 *
 * 1. While its links are open, the task keeps waiting. A refused link or the end of its lifetime ends it.
 * 2. The principal is loaded again. If its credential was removed, the task ends.
 * 3. The call runs. If it needs input from a person or the caller, the task waits for it.
 */
import { type Authorizations, isOpen } from '../consent/authorization.ts'
import type { Caller, CallTool } from '../call/call-request.ts'
import type { Progress } from '../call/progress.ts'
import type { HoldFiles } from '../call/stage.ts'
import { type Failure, fail, type Result, UnreachableError } from '../failure/failure.ts'
import type { Principal } from '../access/principal.ts'
import type { Signal } from '../tool/platform.ts'
import type { Clock } from '../tool/wait-for-change.ts'
import type { DueTask, StoredCall, StoredTask, TaskChange, TaskStore } from './task-store.ts'
import type { TaskOutcome } from './task.ts'
import { toPendingInput } from './pending-input.ts'

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
/** How soon a run notices that its task has ended. */
const LOOK_MS = 1_000

export function createRunTask(deps: RunTaskDeps): (run: DueTask) => Promise<void> {
  const { store, authorizations, callTool, findPrincipal, now, sleep } = deps

  return async ({ id, revision, size }) => {
    const abort = deps.createAbort()
    // A task id begins with the id of its Durable Object
    const release = await deps.holdText(id.slice(0, OBJECT_CHARACTERS), COPIES * size, abort.signal)
    if (!release) throw new UnreachableError('Not enough memory for the call')
    try {
      const task = await store.find(id)
      if (task?.revision === revision) await runInMemory(task, abort)
    } finally {
      release()
    }
  }

  async function runInMemory(task: StoredTask, abort: Abort): Promise<void> {
    const { id, revision, storedCall } = task
    if (!storedCall)
      return void (await store.change(id, toEnd(task, 'The stored call can no longer be read'), revision))
    const early = await waitOrEnd(task)
    if (early) return void (await store.change(id, early, revision))
    const principal = await findPrincipal(storedCall.caller)
    if (!principal.ok) {
      const { failure } = principal
      if (failure.type === 'unavailable') throw new UnreachableError(failure.message)
      const text = 'reason' in failure ? failure.reason : 'message' in failure ? failure.message : undefined
      return void (await store.change(id, toEnd(task, text ?? 'The credential is no longer valid', failure), revision))
    }
    // No visible change if the task is already working
    const begin = task.status === 'working' ? { waitMs: 0 } : ({ status: 'working', waitMs: 0 } as const)
    const round = await store.change(id, begin, revision)
    if (round === undefined) return
    const outcome = await call({ ...task, revision: round }, storedCall, principal.value, abort)
    await store.change(id, toChange(outcome, task, round), round)
  }

  /** Undefined if the call can run now. An expired link does not end the task: the call returns a new one. */
  async function waitOrEnd(task: StoredTask): Promise<TaskChange | undefined> {
    const { createdAt, lastUpdatedAt, ttlMs, pendingInput } = task
    if (now() >= Date.parse(createdAt) + ttlMs) return toEnd(task, 'The call did not end within a day')
    const links = await Promise.all((pendingInput?.links ?? []).map((link) => authorizations.find(link)))
    const current = links.flatMap((link) => (link && now() < link.expiresAt ? [link] : []))
    const refusedLink = current.find(({ status }) => status === 'failed')
    if (refusedLink) {
      const { reason = 'A person refused it' } = refusedLink
      return toEnd(task, reason, { type: 'forbidden', reason })
    }
    if (current.length < links.length || !current.some(isOpen)) return undefined
    // A read by the caller checks the links sooner
    return { waitMs: growPause(lastUpdatedAt) }
  }

  function toEnd(task: StoredTask, message: string, failure: Failure = { type: 'gone', message }): TaskChange {
    const base = { callId: task.id, durationMs: now() - Date.parse(task.createdAt), ...task.pendingInput?.outcome }
    return { status: 'failed', message, outcome: { ...base, result: fail(failure) } }
  }

  function toChange(
    outcome: TaskOutcome,
    { createdAt, storedCall, pendingInput }: StoredTask,
    round: number,
  ): TaskChange {
    const { result } = outcome
    const pauseMs = growPause(createdAt)
    if (!result.ok && result.failure.type === 'unavailable') return { waitMs: pauseMs }
    if (!result.ok && result.failure.type === 'rate-limited')
      return { waitMs: Math.max(result.failure.retry_after_ms, pauseMs) }
    const next = toPendingInput(outcome, pendingInput, round, storedCall?.call.answers)
    if (!next) return { status: result.ok ? 'completed' : 'failed', outcome }
    const isLinks = next.links.length > 0
    // An empty list of requests asks for a retry
    if (!isLinks && Object.keys(next.requests).length === 0)
      return { status: 'working', waitMs: pauseMs, pendingInput: next }
    return {
      status: 'input_required',
      message: next.message,
      pendingInput: next,
      ...(isLinks ? { waitMs: MIN_PAUSE_MS } : {}),
    }
  }

  /** Two seconds plus a tenth of the time that has passed, up to a minute. */
  function growPause(since: string): number {
    return Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS + (now() - Date.parse(since)) / 10)
  }

  async function call(task: StoredTask, { call, context, caller }: StoredCall, principal: Principal, abort: Abort) {
    const { requestUrl, ...origin } = caller
    const follower = follow(task, abort)
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
        progress: follower.progress,
      })
      return { ...outcome, tool: tool && { id: tool.id, output: tool.output } }
    } finally {
      follower.end()
    }
  }

  /** Stores progress, one message at a time, and aborts the call when its task has ended or was changed. */
  function follow({ id, revision }: StoredTask, abort: Abort) {
    let isDone = false
    let next: string | undefined
    let wake = () => {}
    async function look(): Promise<void> {
      for (;;) {
        const woken = new Promise<void>((done) => (wake = done))
        if (next === undefined) await Promise.race([sleep(LOOK_MS), woken])
        if (isDone) return
        const message = next
        next = undefined
        const current = await store.change(id, { message }, revision).catch(() => revision)
        if (current === undefined) return abort.abort()
      }
    }
    void look()
    return {
      progress({ progress, total, message }: Progress): void {
        next = message ?? (total === undefined ? `${progress}` : `${progress} of ${total}`)
        wake()
      },
      end(): void {
        isDone = true
        wake()
      },
    }
  }
}
