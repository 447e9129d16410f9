import { LRUCache } from 'lru-cache'
import type { CallLimits, LimitPolicy, ToolLimits } from '../access/limits.ts'
import type { Principal } from '../access/principal.ts'
import type { ToolName } from '../tool/tool-id.ts'
import { type Failing, fail } from '../failure/failure.ts'

/** Something whose calls are limited. */
export interface Limited {
  /** Tells it from everything else that is limited. */
  readonly id: string
  /** The word that callers read: the credential's calls are limited, or the tool's. */
  readonly name: LimitPolicy['name']
  readonly limits: CallLimits
}

/** The calls that a limit still allows: until the window ends in `resetMs`, or at the moment. */
export interface Allowance extends LimitPolicy {
  readonly left: number
  readonly resetMs?: number
}

/** A call's turn: it runs until this is ended, which gives what is left of all that it counted towards. */
export interface Turn {
  end(): readonly Allowance[]
}

/** Gives calls their turns, as far as the limits of all that they count towards let them. */
export interface Turns {
  take(limited: readonly Limited[], timeoutMs: number): Turn | Failing
}

interface Counted {
  windowEnds: number
  calls: number
  /** When each running call is over at the latest: the platform may end a request before it says so. */
  readonly running: Map<object, number>
}

/** So many limits are counted; the least recently used is forgotten. */
const MAX_COUNTED = 10_000
/** A call that is never ended counts for so much longer than it may run, in milliseconds. */
const GRACE_MS = 5_000
/** When it makes sense to try again where a running call has to end first, in milliseconds. */
const BUSY_MS = 1_000

/**
 * Counts calls in windows of time, and those that run, in the memory of this isolate: a warm call does no I/O for it. So a limit
 * holds for each isolate, of which a deployment has several, and not for all of them together. A refused call counts
 * towards nothing.
 */
export function createTurns(now: () => number): Turns {
  const counted = new LRUCache<string, Counted>({ max: MAX_COUNTED })

  function countedOf({ id, limits: { rate } }: Limited, at: number): Counted {
    const known = counted.get(id) ?? { windowEnds: 0, calls: 0, running: new Map() }
    if (rate && at >= known.windowEnds) {
      known.windowEnds = at + rate.seconds * 1_000
      known.calls = 0
    }
    for (const [call, until] of known.running) if (until <= at) known.running.delete(call)
    counted.set(id, known)
    return known
  }

  function allowances(limited: readonly Limited[], at: number): Allowance[] {
    return limited.flatMap((each): Allowance[] => {
      const { name, limits } = each
      const { rate, concurrency } = limits
      const { calls, windowEnds, running } = countedOf(each, at)
      const left = (quota: number, taken: number) => Math.max(0, quota - taken)
      return [
        ...(rate
          ? [
              {
                name,
                quota: rate.calls,
                seconds: rate.seconds,
                left: left(rate.calls, calls),
                resetMs: windowEnds - at,
              },
            ]
          : []),
        ...(concurrency === undefined ? [] : [{ name, quota: concurrency, left: left(concurrency, running.size) }]),
      ]
    })
  }

  return {
    take(limited, timeoutMs) {
      const at = now()
      const all = limited.map((each) => ({ each, count: countedOf(each, at) }))
      for (const { each, count } of all) {
        const { name, limits } = each
        const { rate, concurrency = Infinity } = limits
        if (rate && count.calls >= rate.calls) {
          const policy = { name, quota: rate.calls, seconds: rate.seconds }
          return fail({ type: 'rate-limited', retry_after_ms: count.windowEnds - at, policy })
        }
        if (count.running.size >= concurrency) {
          return fail({ type: 'rate-limited', retry_after_ms: BUSY_MS, policy: { name, quota: concurrency } })
        }
      }
      const call = {}
      for (const { count } of all) {
        count.calls++
        count.running.set(call, at + timeoutMs + GRACE_MS)
      }
      return {
        end() {
          for (const { count } of all) count.running.delete(call)
          return allowances(limited, now())
        },
      }
    },
  }
}

/** All whose limits a call counts towards: the credential's own, and the tool's. */
export function limitedBy(
  { id, limits: own, limitsOf = id }: Principal,
  { toolkit, tool }: ToolName,
  limits: readonly ToolLimits[],
): readonly Limited[] {
  const called = `tool:${toolkit}.${tool}`.toLowerCase()
  return [
    ...(own ? [{ id: limitsOf, name: 'credential', limits: own } as const] : []),
    ...limits.map(({ of, limits: each }) => ({ id: `${called} ${of}`, name: 'tool', limits: each }) as const),
  ]
}
