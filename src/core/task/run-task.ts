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
import { type Failure, fail, type Result, UnreachableError } from '../failure/failure.ts'
import type { Principal } from '../access/principal.ts'
import type { Signal } from '../tool/platform.ts'
import type { DueTask, StoredCall, TaskChange, TaskRun, TaskStore } from './task-store.ts'
import type { TaskOutcome } from './task.ts'
import { toWaiting, type Waiting } from './waiting.ts'

interface RunTaskDeps {
  readonly store: TaskStore
  readonly authorizations: Pick<Authorizations, 'find'>
  readonly callTool: CallTool
  /** As it is now; a failure if the credential has been removed or has expired. */
  readonly findPrincipal: (caller: StoredCall['caller']) => Promise<Result<Principal>>
  readonly createAbort: () => { readonly signal: Signal; abort(): void }
  readonly openCaller: () => Pick<Caller, 'budget' | 'background'>
  /** Gives what releases it; undefined if there is none in time. */
  readonly holdMemory: (account: string, bytes: number) => Promise<(() => void) | undefined>
  readonly now: () => number
}

/** Bytes of memory for a character that is stored: sealed, as text, and as the value that the tool is given. */
const COPIES = 3
const OBJECT_CHARACTERS = 42
const MIN_LINK_WAIT_MS = 2_000
const MAX_LINK_WAIT_MS = 60_000

export function createRunTask(deps: RunTaskDeps): (run: DueTask) => Promise<void> {
  const { store, authorizations, callTool, findPrincipal, now } = deps

  return async ({ size, ...run }) => {
    // An id begins with that of its principal's object
    const release = await deps.holdMemory(run.id.slice(0, OBJECT_CHARACTERS), COPIES * size)
    if (!release) throw new UnreachableError('There is no memory for the call')
    try {
      await runInMemory(run)
    } finally {
      release()
    }
  }

  async function runInMemory({ id, revision }: TaskRun): Promise<void> {
    const loaded = await store.load(id)
    if (!loaded || loaded.revision !== revision) return
    const { stored, waiting, task, expiresAt } = loaded
    const end = (message: string, outcome?: TaskOutcome) =>
      store.change(id, { status: 'failed', message, ...(outcome ? { outcome } : {}) }, revision)
    const failWith = (failure: Failure, message: string) =>
      end(message, { callId: id, durationMs: now() - Date.parse(task.createdAt), result: fail(failure) })

    if (!stored) return void (await end('What was stored can no longer be read'))
    const links = await readLinks(waiting)
    const expired = now() >= expiresAt ? 'It did not end in the time that a task may take' : undefined
    if (expired !== undefined && !waiting) return void (await failWith({ type: 'gone', message: expired }, expired))
    if (waiting && (expired ?? links.refusal) !== undefined)
      return void (await end(expired ?? links.refusal ?? '', waiting.outcome))
    if (links.isOpen) return void (await store.change(id, { waitMs: linkWaitMs(task.lastUpdatedAt) }, revision))

    const principal = await findPrincipal(stored.caller)
    if (!principal.ok) {
      const { failure } = principal
      if (failure.type === 'unavailable') throw new UnreachableError(failure.message)
      return void (await failWith(failure, 'reason' in failure ? failure.reason : 'The credential is no longer valid'))
    }
    const running = await store.change(id, { status: 'working', waitMs: 0 }, revision)
    if (running === undefined) return
    const outcome = await call({ id, revision: running }, stored, principal.value, waiting)
    await store.change(id, toChange(outcome, stored, waiting, running), running)
  }

  async function call(run: TaskRun, stored: StoredCall, principal: Principal, waiting: Waiting | undefined) {
    const { context, tokens, secrets, caller } = stored
    const { requestUrl, ...origin } = caller
    const abort = deps.createAbort()
    store.waitUntilEnded(run).then(
      () => abort.abort(),
      () => undefined,
    )
    const request = {
      ...stored.call,
      callId: stored.call.callId ?? run.id,
      context: { ...context, tokens: new Map(tokens), secrets: new Map(secrets) },
      ...(waiting ? { answers: waiting.answers } : {}),
    }
    const { callId, durationMs, finishedAt, result, tool } = await callTool(request, {
      ...origin,
      ...deps.openCaller(),
      principal,
      requestUrl: () => requestUrl,
      signal: () => abort.signal,
      cancelOnDisconnect: true,
      progress: createReporter((message) => store.report(run, message)),
    })
    const shownTool = tool && { tool: { id: tool.id, output: tool.output } }
    return { callId, durationMs, ...(finishedAt === undefined ? {} : { finishedAt }), result, ...shownTool }
  }

  function toChange(
    outcome: TaskOutcome,
    { call: { answers } }: StoredCall,
    waiting: Waiting | undefined,
    round: number,
  ): TaskChange {
    const { result } = outcome
    if (!result.ok && result.failure.type === 'rate-limited') return { waitMs: result.failure.retry_after_ms }
    const next = toWaiting(outcome, waiting, round, answers)
    if (!next) return { status: result.ok ? 'completed' : 'failed', outcome }
    const wait = next.links.length > 0 ? { waitMs: MIN_LINK_WAIT_MS } : {}
    return { status: 'input_required', message: next.message, waiting: next, ...wait }
  }

  /** Longer and longer, since a caller who asks for the task has its links looked at too. */
  function linkWaitMs(since: string): number {
    return Math.min(MAX_LINK_WAIT_MS, MIN_LINK_WAIT_MS + (now() - Date.parse(since)) / 10)
  }

  /** A link that has expired is neither open nor refused: the call gives another. */
  async function readLinks(waiting: Waiting | undefined) {
    const found = await Promise.all((waiting?.links ?? []).map((link) => authorizations.find(link)))
    const isRefused = (link: (typeof found)[number]) => link?.status === 'failed' && now() < link.expiresAt
    const refused = found.find(isRefused)
    const isStale = found.some((link) => !link || link.status === 'failed' || now() >= link.expiresAt)
    return {
      isOpen: !isStale && found.some((link) => link && isOpen(link)),
      refusal: refused && (refused.reason ?? 'A person refused it'),
    }
  }
}

/** One report at a time: those that come meanwhile are left out, except the last. */
function createReporter(report: (message: string) => Promise<void>): (progress: Progress) => void {
  let isBusy = false
  let next: string | undefined
  async function send(): Promise<void> {
    isBusy = true
    for (let message = next; message !== undefined; message = next) {
      next = undefined
      await report(message).catch(() => undefined)
    }
    isBusy = false
  }
  return ({ progress, total, message }) => {
    next = message ?? (total === undefined ? `${progress}` : `${progress} of ${total}`)
    if (!isBusy) void send()
  }
}
