import { fail } from '../../src/core/failure/failure.ts'
import { type CompletedCall, type IdempotentCall, runIdempotently } from '../../src/core/call/idempotency.ts'
import type { ToolSuccess } from '../../src/core/call/runner.ts'
import { holds } from './violation.ts'
import type { Place, World } from './world.ts'

/** A call with a call id, and its result. */
interface Known {
  readonly call: IdempotentCall
  /** How often its tool took effect. */
  executions: number
  /** The result, as it was returned to callers. */
  answer: unknown
  /** Whether the isolate that ran it ended, so that its result is unknown. */
  isCutOff: boolean
}

const TIMEOUT_MS = 10_000
const IDS = ['one', 'two', 'three']
const PRINCIPALS = ['key:a', 'key:b']

/** Simulates callers that use call ids, and checks that each call runs once and always gets the same response. */
export function createCallClients(world: World) {
  const { clock, chance } = world
  const calls: readonly Known[] = PRINCIPALS.flatMap((principal) =>
    IDS.map((callId) => ({
      call: { principal, callId, fingerprint: callId, timeoutMs: TIMEOUT_MS },
      executions: 0,
      answer: undefined,
      isCutOff: false,
    })),
  )

  /** Runs the tool: it takes effect, or does not, or its result is lost. */
  async function execute(known: Known): Promise<ToolSuccess | ReturnType<typeof fail>> {
    const { principal, callId } = known.call
    if (chance.happens(100)) return fail({ type: 'tool-failed', message: 'Not now', can_retry: true })
    known.executions += 1
    const times = known.executions
    holds(times === 1, `The call '${callId}' of '${principal}' is made ${times} times`)
    await clock.sleep(chance.oneOf([0, 50, 2_000, TIMEOUT_MS]))
    if (chance.happens(100)) {
      known.isCutOff = true
      return new Promise(() => undefined)
    }
    return { ok: true, value: times }
  }

  async function make({ idempotencyRecords, now }: Place, known: Known): Promise<void> {
    const { callId } = known.call
    const finished = await within(
      2 * TIMEOUT_MS + 60_000,
      runIdempotently(known.call, () => execute(known), { idempotencyRecords, now }),
    )
    if (finished === undefined) return holds(known.isCutOff, `The call '${callId}' is never answered`)
    check(known, finished)
  }

  function check(known: Known, { result, finishedAt }: CompletedCall): void {
    const { callId } = known.call
    if (result.ok) {
      const answer = JSON.stringify([result.value, finishedAt])
      known.answer ??= answer
      return holds(known.answer === answer, `The call '${callId}' came to ${String(known.answer)}, and to ${answer}`)
    }
    const { type } = result.failure
    const isSaid = type === 'tool-failed' || type === 'unavailable' || type === 'outcome-unknown'
    holds(isSaid, `The call '${callId}' ends as '${type}'`)
    const isKnown = world.isFair && !known.isCutOff
    holds(!isKnown || type === 'tool-failed', `The call '${callId}' is '${type}', and nothing went wrong`)
  }

  /** Makes a different call with the id of an earlier one. */
  async function reuse({ idempotencyRecords, now }: Place, { call, executions }: Known): Promise<void> {
    if (executions === 0) return
    const { callId } = call
    const other = { ...call, fingerprint: 'of another' }
    const { result } = await runIdempotently(
      other,
      async () => fail({ type: 'tool-failed', message: '', can_retry: true }),
      {
        idempotencyRecords,
        now,
      },
    )
    const type = result.ok ? 'ok' : result.failure.type
    holds(type === 'conflict' || type === 'unavailable', `Another call under the id '${callId}' is '${type}'`)
  }

  /** Waits for a limited time, because a call whose isolate ended never gets a response. */
  async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
    return Promise.race([work, clock.sleep(ms).then(() => undefined)])
  }

  const anyCall = () => calls[chance.below(calls.length)]

  /** Once all is quiet, checks that each call gets the same response as before and none runs again. */
  async function settled(places: readonly Place[]): Promise<void> {
    for (const known of calls) {
      if (known.executions === 0) continue
      for (const { idempotencyRecords, now } of places) {
        const again = () => {
          throw new Error(`The call '${known.call.callId}' is made again`)
        }
        check(known, await runIdempotently(known.call, again, { idempotencyRecords, now }))
      }
    }
  }

  return {
    make() {
      const known = anyCall()
      return async (place: Place) => known && make(place, known)
    },
    reuse() {
      const known = anyCall()
      return async (place: Place) => known && reuse(place, known)
    },
    settled,
  }
}
