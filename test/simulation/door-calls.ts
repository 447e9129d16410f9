import type { CallLimits } from '../../src/core/access/call-limits.ts'
import type { Principal } from '../../src/core/access/principal.ts'
import type { CallOutcome } from '../../src/core/call/call-request.ts'
import type { RunResult } from '../../src/core/call/runner.ts'
import type { createCallLimiter } from '../../src/core/call/call-limiter.ts'
import type { ToolRecord } from '../../src/core/tool/tool.ts'
import { type Approvable, createApprovers } from './approvals.ts'
import { createDoors } from './call-door.ts'
import { createLimitWatch } from './limits.ts'
import { holds } from './violation.ts'
import type { Place, World } from './world.ts'

/** A call, with or without a call id, and its result. */
interface Known {
  readonly principal: Principal
  readonly callId: string | undefined
  readonly tool: ToolRecord
  readonly to: string
  /** The approval that it needs, if any. */
  readonly approvable: Approvable | undefined
  executions: number
  /** Its result under its call id, as it was returned to callers. */
  answer: string | undefined
  /** Whether the platform ended one of its requests, so that its result is unknown. */
  isCutOff: boolean
}

const TIMEOUT_MS = 10_000
/** A call waits for the idempotency store, and for an earlier run of itself. */
const ANSWERED_MS = 2 * TIMEOUT_MS + 60_000
/** A turn that was never released has expired by then. */
export const TURN_MS = TIMEOUT_MS + 5_000
const TOOL_LIMITS = { rate: { calls: 3, seconds: 20 }, concurrency: 2 } as const
const KEY_LIMITS = { concurrency: 1 } as const
const KEY = { kind: 'key', scopes: ['tools:call'], tools: ['Mail.*'], users: ['ann'] } as const
const PEOPLE = ['ann', 'bob']
const PRINCIPALS: readonly Principal[] = [
  { ...KEY, id: 'key:a' },
  { ...KEY, id: 'key:b', limits: KEY_LIMITS },
]

export interface DoorTools {
  /** Has call limits. */
  readonly limited: ToolRecord
  /** A person must approve each of its calls. */
  readonly approved: ToolRecord
}

/** Simulates callers of a limited tool and one that needs approval, and checks every response. */
export function createDoorClients(
  world: World,
  { limited, approved }: DoorTools,
  makeTurns?: typeof createCallLimiter,
) {
  const { clock, chance } = world
  const approvers = createApprovers(world)
  const watch = createLimitWatch(world)
  const limitsOf = (tool: ToolRecord): CallLimits | undefined => (tool === limited ? TOOL_LIMITS : undefined)
  const send = createDoors(world, { limitsOf, timeoutMs: TIMEOUT_MS, ...(makeTurns ? { makeTurns } : {}) })

  const known = PRINCIPALS.flatMap((principal) =>
    PEOPLE.flatMap((to) => {
      const approvable = approvers.create()
      return [limited, approved].flatMap((tool) =>
        [undefined, `${tool.tool} ${to} 1`, `${tool.tool} ${to} 2`].map((callId): Known => {
          const needed = tool === approved ? approvable : undefined
          return { principal, callId, tool, to, approvable: needed, executions: 0, answer: undefined, isCutOff: false }
        }),
      )
    }),
  )
  const named = ({ principal, callId, tool, to }: Known) =>
    `${tool.tool} to ${to} of '${principal.id}' (${callId ?? '-'})`

  /** Runs the tool: it takes effect, or does not, or exceeds the timeout. */
  async function execute(call: Known, place: Place, signal: AbortSignal, isQuick: boolean): Promise<RunResult> {
    const { principal, callId, tool, approvable } = call
    const limits = [
      ...(tool === limited ? [watch(place, tool.tool, TOOL_LIMITS)] : []),
      ...(principal.limits ? [watch(place, principal.id, principal.limits)] : []),
    ]
    const end = () => limits.forEach((over) => over())
    signal.addEventListener('abort', end)
    if (approvable) approvers.ran(approvable, named(call))
    try {
      if (chance.happens(100)) return { ok: false, failure: { message: 'Not now', can_retry: true } }
      call.executions += 1
      const times = call.executions
      holds(callId === undefined || times === 1, `${named(call)} is made ${times} times`)
      if (!isQuick) await clock.sleep(chance.oneOf([0, 50, 2_000, TIMEOUT_MS]))
      return { ok: true, value: times }
    } finally {
      end()
    }
  }

  async function make(
    place: Place,
    call: Known,
    how: 'slow' | 'goes away' | 'quick' = 'slow',
  ): Promise<CallOutcome['result']> {
    const { principal, callId, tool, to, approvable } = call
    const own = approvable && approvers.attempt(approvable)
    const client = new AbortController()
    if (how === 'goes away') clock.set(() => client.abort(), chance.below(4_000))
    const over = new AbortController()
    const made = send(place, {
      principal,
      ...(callId === undefined ? {} : { callId }),
      tool,
      input: { to },
      run: (where, signal) => execute(call, where, AbortSignal.any([signal, over.signal]), how === 'quick'),
      cutOff() {
        call.isCutOff = true
        over.abort()
      },
      gone: client.signal,
    })
    const late = clock.sleep(ANSWERED_MS).then(() => undefined)
    const result = await Promise.race([made, late])
    holds(result !== undefined, `${named(call)} is never answered`)
    check(call, result)
    if (!own) return result
    if (!result.ok && result.failure.type === 'approval-required') {
      approvers.asked(approvable, result.failure.challenge.authorization ?? '', own, named(call))
    }
    // A question that was sent may still arrive after nobody waits for it
    if (result.ok || result.failure.type === 'approval-required') own.until = clock.now()
    return result
  }

  function check(call: Known, result: CallOutcome['result']): void {
    const { answer } = call
    if (result.ok || result.failure.type === 'tool-timed-out' || isLeft(result.failure)) {
      if (call.callId === undefined) return
      const text = JSON.stringify(result)
      call.answer ??= text
      return holds(call.answer === text, `${named(call)} came to ${String(call.answer)}, and to ${text}`)
    }
    const { failure } = result
    switch (failure.type) {
      case 'approval-required':
        return holds(call.approvable !== undefined && answer === undefined, `${named(call)} is to be approved`)
      case 'rate-limited': {
        const most = TOOL_LIMITS.rate.seconds * 1_000
        const isTold = failure.retry_after_ms > 0 && failure.retry_after_ms <= most
        holds(isTold, `${named(call)} is to be tried again in ${failure.retry_after_ms} ms`)
        const isLimited = call.tool === limited || call.principal.limits !== undefined
        return holds(isLimited && answer === undefined, `${named(call)} is limited`)
      }
      case 'outcome-unknown':
        return holds(!world.isFair || call.isCutOff, `${named(call)} is '${failure.type}', and nothing went wrong`)
      case 'unavailable':
        return holds(!world.isFair, `${named(call)} is '${failure.type}', and nothing went wrong`)
      case 'tool-failed':
      case 'cancelled':
        return
      default:
        return holds(false, `${named(call)} ends as '${failure.type}'`)
    }
  }

  /** Repeats a call until the limits allow it, and waits each time for as long as it was told. */
  async function inTurn(place: Place, call: Known): Promise<CallOutcome['result']> {
    for (let tries = 0; ; tries += 1) {
      const result = await make(place, call)
      if (result.ok || result.failure.type !== 'rate-limited') return result
      holds(tries < 10, `${named(call)} never gets its turn`)
      await clock.sleep(result.failure.retry_after_ms)
    }
  }

  /** Once all is quiet, checks that calls run as often as allowed, and that those that ran return their results. */
  async function settled(places: readonly Place[]): Promise<void> {
    for (const place of places) {
      for (const call of known.filter(({ callId, answer }) => callId !== undefined && answer !== undefined)) {
        const times = call.executions
        await make(place, call)
        holds(call.executions === times, `${named(call)} is made again`)
      }
      for (const call of known.filter(({ callId, to }) => callId === undefined && to === PEOPLE[0])) {
        await (call.approvable ? settleApproved(place, call, call.approvable) : settleLimited(place, call))
      }
    }
  }

  /** Checks that all turns are free, can be taken, and become free again. */
  async function settleLimited(place: Place, call: Known): Promise<void> {
    await clock.sleep(TOOL_LIMITS.rate.seconds * 1_000)
    for (let count = 0; count <= TOOL_LIMITS.rate.calls; count += 1) {
      const isLast = count === TOOL_LIMITS.rate.calls
      const result = await make(place, call, 'quick')
      const isRefused = !result.ok && result.failure.type === 'rate-limited'
      holds(isRefused === isLast, `${named(call)} is ${isLast ? 'not ' : ''}refused after ${count} others`)
    }
    await inTurn(place, call)
  }

  /** Checks that it runs exactly once after it was approved. */
  async function settleApproved(place: Place, call: Known, of: Approvable): Promise<void> {
    for (let left = 6; left > 0; left -= 1) {
      const result = await inTurn(place, call)
      if (!result.ok && result.failure.type === 'approval-required') break
      holds(left > 1, `${named(call)} runs on and on`)
    }
    const question = [...of.questions.values()].at(-1)
    const runs = of.runs
    if (question) await approvers.decide(place, question, true)
    await inTurn(place, call)
    holds(of.runs === runs + 1, `${named(call)} was approved, and does not run`)
    const again = await inTurn(place, call)
    holds(!again.ok && again.failure.type === 'approval-required', `${named(call)} runs twice`)
  }

  return {
    make() {
      const [first, ...others] = known
      const call = first && chance.oneOf([first, ...others])
      const how = chance.happens(100) ? 'goes away' : 'slow'
      return async (place: Place) => call && make(place, call, how)
    },
    decide: approvers.draw,
    settled,
  }
}

/** Whether a caller that disconnected left a call that may have run. */
function isLeft(failure: { readonly type: string; readonly may_have_run?: boolean }): boolean {
  return failure.type === 'cancelled' && failure.may_have_run === true
}
