/**
 * Runs a task once, for its Durable Object, which repeats it after a restart. The call's id makes it run at most once: after
 * a run that was killed, its outcome is `outcome-unknown`. A run ends with one change of the task, which has no effect if
 * the task was cancelled or changed meanwhile:
 *
 * 1. While its links are open, the task waits on. A link that was refused ends it, as does the time that it may take.
 * 2. The principal is loaded again: a credential that was removed meanwhile ends the task.
 * 3. The call runs. If it still lacks something that a person or the caller can give, the task waits for that.
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
import { toWaiting } from './waiting.ts'

interface RunTaskDeps extends Clock {
  readonly store: TaskStore
  readonly authorizations: Pick<Authorizations, 'find'>
  readonly callTool: CallTool
  /** As it is now; a failure if the credential has been removed or has expired. */
  readonly findPrincipal: (caller: StoredCall['caller']) => Promise<Result<Principal>>
  readonly createAbort: () => Abort
  readonly openCaller: () => Pick<Caller, 'budget' | 'background'>
  readonly holdText: HoldFiles
}

interface Abort {
  readonly signal: Signal
  abort(): void
}

/** Bytes of memory for a character that is stored: sealed, as text, and as the value that the tool is given. */
const COPIES = 3
const OBJECT_CHARACTERS = 42
const MIN_LINK_WAIT_MS = 2_000
const MAX_LINK_WAIT_MS = 60_000
/** A run learns this soon that its task is over. */
const LOOK_MS = 1_000

export function createRunTask(deps: RunTaskDeps): (run: DueTask) => Promise<void> {
  const { store, authorizations, callTool, findPrincipal, now, sleep } = deps

  return async ({ id, revision, size }) => {
    const abort = deps.createAbort()
    // An id begins with that of its principal's object
    const release = await deps.holdText(id.slice(0, OBJECT_CHARACTERS), COPIES * size, abort.signal)
    if (!release) throw new UnreachableError('There is no memory for the call')
    try {
      const task = await store.find(id)
      if (task?.revision === revision) await runInMemory(task, abort)
    } finally {
      release()
    }
  }

  async function runInMemory(task: StoredTask, abort: Abort): Promise<void> {
    const { id, revision, stored } = task
    if (!stored) return void (await store.change(id, toEnd(task, 'What was stored can no longer be read'), revision))
    const early = await waitOrEnd(task)
    if (early) return void (await store.change(id, early, revision))
    const principal = await findPrincipal(stored.caller)
    if (!principal.ok) {
      const { failure } = principal
      if (failure.type === 'unavailable') throw new UnreachableError(failure.message)
      const message = 'reason' in failure ? failure.reason : 'The credential is no longer valid'
      return void (await store.change(id, toEnd(task, message, failure), revision))
    }
    const round = await store.change(id, { status: 'working', waitMs: 0 }, revision)
    if (round === undefined) return
    const outcome = await call({ ...task, revision: round }, stored, principal.value, abort)
    await store.change(id, toChange(outcome, task, round), round)
  }

  /** Undefined if the call is to run now. A link that has expired is neither open nor refused: the call gives another. */
  async function waitOrEnd(task: StoredTask): Promise<TaskChange | undefined> {
    const { createdAt, lastUpdatedAt, ttlMs, waiting } = task
    if (now() >= Date.parse(createdAt) + ttlMs) return toEnd(task, 'It did not end in the time that a task may take')
    const links = await Promise.all((waiting?.links ?? []).map((link) => authorizations.find(link)))
    const current = links.flatMap((link) => (link && now() < link.expiresAt ? [link] : []))
    const refused = current.find(({ status }) => status === 'failed')
    if (refused) {
      const { reason = 'A person refused it' } = refused
      return toEnd(task, reason, { type: 'forbidden', reason })
    }
    if (current.length < links.length || !current.some(isOpen)) return undefined
    // Longer and longer, since a caller who asks for the task has its links looked at too
    return { waitMs: Math.min(MAX_LINK_WAIT_MS, MIN_LINK_WAIT_MS + (now() - Date.parse(lastUpdatedAt)) / 10) }
  }

  function toEnd(task: StoredTask, message: string, failure: Failure = { type: 'gone', message }): TaskChange {
    const begun = { callId: task.id, durationMs: now() - Date.parse(task.createdAt), ...task.waiting?.outcome }
    return { status: 'failed', message, outcome: { ...begun, result: fail(failure) } }
  }

  async function call(task: StoredTask, { call, context, caller }: StoredCall, principal: Principal, abort: Abort) {
    const { requestUrl, ...origin } = caller
    const follower = follow(task, abort)
    try {
      const request = {
        ...call,
        callId: call.callId ?? task.id,
        context: { ...context, tokens: new Map(context.tokens), secrets: new Map(context.secrets) },
        ...(task.waiting ? { answers: task.waiting.answers } : {}),
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

  /** Stores how far the call is, one message at a time, and aborts the call once its task is over or was changed. */
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

function toChange(outcome: TaskOutcome, { stored, waiting }: StoredTask, round: number): TaskChange {
  const { result } = outcome
  if (!result.ok && result.failure.type === 'rate-limited') return { waitMs: result.failure.retry_after_ms }
  const next = toWaiting(outcome, waiting, round, stored?.call.answers)
  if (!next) return { status: result.ok ? 'completed' : 'failed', outcome }
  const wait = next.links.length > 0 ? { waitMs: MIN_LINK_WAIT_MS } : {}
  return { status: 'input_required', message: next.message, waiting: next, ...wait }
}
