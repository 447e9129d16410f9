import { covers, hasScope, NEEDS_CREDENTIAL, type Principal } from '../access/principal.ts'
import type { Caller, CallRequest } from '../call/call-request.ts'
import type { CalledToolDeps } from '../call/authorize-call.ts'
import { checkCall } from '../call/check-call.ts'
import { failReusedId } from '../call/idempotency.ts'
import { isDeclined } from '../call/url-elicitations.ts'
import { catchUnreachable, fail, ok, type Result } from '../failure/failure.ts'
import type { InputResponses } from '../tool/content.ts'
import { DAY_MS } from '../tool/time.ts'
import { parseToolId } from '../tool/tool-id.ts'
import { type Clock, waitForChange } from '../tool/wait-for-change.ts'
import { endTask, isOver, limitInput, type Task, type TaskChange, type TaskStore } from './task.ts'

const RETRY_AFTER_MS = 60_000
const REFUSED = { type: 'forbidden', reason: 'The person declined' } as const
const NO_KEYS = 'Credentials in a call can be stored only with VAULT_KEYS: leave them out, or wait for the call'

interface TasksDeps extends CalledToolDeps {
  readonly store: TaskStore
  /** Whether tasks are encrypted with keys of the operator. */
  readonly storesCredentials: boolean
  readonly clock: Clock
}

export type TaskManager = ReturnType<typeof createTasks>

/** All methods return `unavailable` if storage cannot be reached. Tasks of other principals look like unknown ones. */
export function createTasks({ store, storesCredentials, clock, ...deps }: TasksDeps) {
  /** Finds a task. Credentials of the principal that do not cover its tool find it only if its call was denied. */
  async function find(id: string, principal: Principal): Promise<Task | undefined> {
    const task = await store.find(id, principal.id)
    const name = task && parseToolId(task.tool)
    const isDenied = task?.outcome && !task.outcome.tool
    if (!name || !hasScope(principal, 'tools:call')) return undefined
    return isDenied || covers(principal, name, 'tools:call') ? task : undefined
  }

  /** Changes a task. Retries if another change came first. */
  async function change(id: string, principal: Principal, toChange: (task: Task) => TaskChange): Promise<boolean> {
    for (;;) {
      const task = await find(id, principal)
      if (!task) return false
      if (isOver(task) || (await store.change(id, toChange(task), task.revision)) !== undefined) return true
    }
  }

  return {
    /**
     * Checks the rights and input of a call, then stores and starts it. A repetition of a request with a call id gets its task.
     * Returns `rate-limited` if the principal has too many open tasks, or its tasks take too much storage.
     */
    async start(
      request: CallRequest,
      { principal, dialect, audience, requestUrl, traceparent, ...caller }: Omit<Caller, 'signal'>,
    ): Promise<Result<Task>> {
      if (principal.kind === 'anonymous') return fail(NEEDS_CREDENTIAL)
      const checked = await checkCall(request, { ...caller, principal, signal: () => undefined }, deps)
      if (!checked.ok) return checked
      const { context, ...call } = request
      const { tokens, secrets } = context
      if (!storesCredentials && tokens.size + secrets.size > 0)
        return fail({ type: 'request-malformed', message: NO_KEYS })
      // The view is computed again when the call runs
      const { view: _, ...owner } = principal
      const stored = {
        call,
        context: { ...context, tokens: [...tokens], secrets: [...secrets] },
        caller: { principal: owner, dialect, audience, requestUrl: requestUrl(), traceparent },
      }
      const created = await catchUnreachable(store.create(stored, checked.value.id, DAY_MS))
      if (!created.ok) return created
      const { callId = '' } = call
      if (created.value === 'reused') return failReusedId(callId)
      if (created.value === 'unknown') return fail({ type: 'outcome-unknown', call_id: callId })
      return created.value ? ok(created.value) : fail({ type: 'rate-limited', retry_after_ms: RETRY_AFTER_MS })
    },

    /** Waits up to `waitMs`, by default 0, for a change since `lastUpdatedAt`, by default since now. */
    get(id: string, principal: Principal, waitMs = 0, lastUpdatedAt?: string): Promise<Result<Task | undefined>> {
      // Each read also causes the task's links to be checked
      const read = () => find(id, principal)
      const getState = (task?: Task) => (task && !isOver(task) ? task.lastUpdatedAt : undefined)
      return catchUnreachable(waitForChange(read, getState, waitMs, clock, lastUpdatedAt))
    },

    /** Ignores unknown keys. The tool continues once each request has a response. Returns whether the task exists. */
    update(id: string, principal: Principal, responses: InputResponses['responses']): Promise<Result<boolean>> {
      const take = (task: Task) => limitInput(task, takeResponses(task, responses, clock.now()), clock.now())
      return catchUnreachable(change(id, principal, take))
    },

    /** Aborts the run; an ended task does not change. Returns whether the task exists. */
    cancel(id: string, principal: Principal): Promise<Result<boolean>> {
      return catchUnreachable(change(id, principal, () => ({ status: 'cancelled' })))
    },
  }
}

/** Takes responses to open requests and ignores all others. A link can only be declined. */
export function takeResponses(task: Task, responses: InputResponses['responses'], now: number): TaskChange {
  const { status, pendingInput } = task
  if (!pendingInput || status !== 'input_required') return {}
  const { requests, suffix, answers, links, message } = pendingInput
  const openResponses = Object.entries(responses).filter(([key]) => Object.hasOwn(requests, key))
  if (links.length > 0) {
    const isRefused = openResponses.some(([, response]) => isDeclined(response))
    return isRefused ? endTask(task, REFUSED, now) : { waitMs: 0 }
  }
  const named = openResponses.map(([key, response]) => [key.slice(0, key.length - suffix.length), response] as const)
  const open = Object.entries(requests).filter(([key]) => !Object.hasOwn(responses, key))
  const nextInput = {
    ...pendingInput,
    requests: Object.fromEntries(open),
    answers: { ...answers, responses: { ...answers.responses, ...Object.fromEntries(named) } },
  }
  if (open.length > 0) return { status: 'input_required', message, pendingInput: nextInput }
  return { status: 'working', waitMs: 0, pendingInput: nextInput }
}
