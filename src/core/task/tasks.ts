import { covers, hasScope, NEEDS_CREDENTIAL, type Principal } from '../access/principal.ts'
import type { CheckCall } from '../call/check-call.ts'
import { catchUnreachable, fail, ok } from '../failure/failure.ts'
import type { InputResponses } from '../tool/content.ts'
import { isJsonObject } from '../tool/json.ts'
import { DAY_MS } from '../tool/time.ts'
import { parseToolId } from '../tool/tool-id.ts'
import { type Clock, waitForChange } from '../tool/wait-for-change.ts'
import type { StoredTask, TaskChange, TaskStore } from './task-store.ts'
import { isOver, type Tasks } from './task.ts'
import type { PendingInput } from './pending-input.ts'

const RETRY_AFTER_MS = 60_000
const REFUSED = 'The person declined'
const NO_KEYS = 'Credentials in a call can be stored only with VAULT_KEYS: leave them out, or wait for the call'

const DECLINED: ReadonlySet<unknown> = new Set(['decline', 'cancel'])

interface TasksDeps {
  readonly store: TaskStore
  readonly checkCall: CheckCall
  /** Whether tasks are encrypted with keys of the operator. */
  readonly storesCredentials: boolean
  readonly clock: Clock
}

export function createTasks({ store, checkCall, storesCredentials, clock }: TasksDeps): Tasks {
  /** Hides the task from a credential of the same principal that does not cover its tool. */
  async function find(id: string, principal: Principal) {
    const found = await store.find(id, principal.id)
    const tool = found?.tool ?? found?.outcome?.tool?.id
    const name = tool === undefined ? undefined : parseToolId(tool)
    return hasScope(principal, 'tools:call') && (!name || covers(principal, name, 'tools:call')) ? found : undefined
  }

  /** Retries if another change came first. */
  async function change(id: string, principal: Principal, work: (task: StoredTask) => Promise<number | undefined>) {
    for (let attempt = 0; attempt < 3; attempt++) {
      const task = await find(id, principal)
      if (!task) return false
      if (isOver(task) || (await work(task)) !== undefined) return true
    }
    return true
  }

  return {
    async start(request, { principal, dialect, audience, requestUrl, traceparent, ...caller }) {
      if (principal.kind === 'anonymous') return fail(NEEDS_CREDENTIAL)
      const checked = await checkCall(request, { ...caller, principal, signal: () => undefined })
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
      return created.value ? ok(created.value) : fail({ type: 'rate-limited', retry_after_ms: RETRY_AFTER_MS })
    },

    get(id, principal, waitMs = 0, lastUpdatedAt = undefined) {
      // Each read also causes the task's links to be checked
      const read = () => find(id, principal)
      const getState = (task?: StoredTask) => (task && !isOver(task) ? task.lastUpdatedAt : undefined)
      return catchUnreachable(waitForChange(read, getState, waitMs, clock, lastUpdatedAt))
    },

    update: (id, principal, responses) =>
      catchUnreachable(
        change(id, principal, async ({ pendingInput, status, revision }) => {
          if (!pendingInput || status !== 'input_required') return revision
          return store.change(id, takeResponses(pendingInput, responses), revision)
        }),
      ),

    cancel: (id, principal) => catchUnreachable(change(id, principal, () => store.change(id, { status: 'cancelled' }))),
  }
}

/** Takes responses to open requests and ignores all others. A link can only be declined. */
export function takeResponses(pendingInput: PendingInput, responses: InputResponses['responses']): TaskChange {
  const { requests, suffix, answers, links, message, outcome } = pendingInput
  const openResponses = Object.entries(responses).filter(([key]) => Object.hasOwn(requests, key))
  if (links.length > 0) {
    const isDeclined = openResponses.some(([, response]) => isJsonObject(response) && DECLINED.has(response['action']))
    const result = fail({ type: 'forbidden', reason: REFUSED })
    return isDeclined ? { status: 'failed', message: REFUSED, outcome: { ...outcome, result } } : { waitMs: 0 }
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
