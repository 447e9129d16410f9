import type { CallLimits, QuotaPolicy, ToolLimits } from '../access/call-limits.ts'
import { type Principal, shareOwner } from '../access/principal.ts'
import type { ToolName } from '../tool/tool-id.ts'
import { fail } from '../failure/failure.ts'
import { createLruCache } from '../tool/recently-used.ts'

export interface LimitBucket {
  readonly id: string
  readonly name: QuotaPolicy['name']
  readonly limits: CallLimits
}

export interface LimitStatus extends QuotaPolicy {
  readonly left: number
  readonly resetMs?: number
}

export type CallLimiter = ReturnType<typeof createCallLimiter>

interface LimitCounter {
  windowEnds: number
  calls: number
  /** When each running call ends at the latest: the platform may kill a request without a word. */
  readonly running: Map<object, number>
}

const MAX_COUNTED = 10_000
/** A call whose end is never told counts so much longer than its timeout, in milliseconds. */
const GRACE_MS = 5_000
const BUSY_MS = 1_000

/** Counts in this isolate's memory, so that warm calls do no I/O: each isolate has the limit to itself. */
export function createCallLimiter(now: () => number) {
  const counted = createLruCache<LimitCounter>(MAX_COUNTED)

  function getCounter({ id, limits: { rate } }: LimitBucket, at: number): LimitCounter {
    const known = counted.get(id) ?? { windowEnds: 0, calls: 0, running: new Map() }
    if (rate && at >= known.windowEnds) {
      known.windowEnds = at + rate.seconds * 1_000
      known.calls = 0
    }
    for (const [call, until] of known.running) if (until <= at) known.running.delete(call)
    counted.set(id, known)
    return known
  }

  function allowances(limited: readonly LimitBucket[], at: number): LimitStatus[] {
    return limited.flatMap((each): LimitStatus[] => {
      const { name, limits } = each
      const { rate, concurrency } = limits
      const { calls, windowEnds, running } = getCounter(each, at)
      const left = (quota: number, taken: number) => Math.max(0, quota - taken)
      const resetMs = windowEnds - at
      return [
        ...(rate ? [{ name, quota: rate.calls, seconds: rate.seconds, left: left(rate.calls, calls), resetMs }] : []),
        ...(concurrency === undefined ? [] : [{ name, quota: concurrency, left: left(concurrency, running.size) }]),
      ]
    })
  }

  return {
    take(limited: readonly LimitBucket[], timeoutMs: number) {
      const at = now()
      const spent = allowances(limited, at).find(({ left }) => left === 0)
      if (spent) {
        const { left: _, resetMs = BUSY_MS, ...policy } = spent
        return fail({ type: 'rate-limited', retry_after_ms: resetMs, policy })
      }
      const all = limited.map((each) => getCounter(each, at))
      const call = {}
      for (const each of all) {
        each.calls++
        each.running.set(call, at + timeoutMs + GRACE_MS)
      }
      return {
        end() {
          for (const { running } of all) running.delete(call)
          return allowances(limited, now())
        },
      }
    },
  }
}

export function limitsFor(
  principal: Principal,
  { toolkit, tool }: ToolName,
  limits: readonly ToolLimits[],
): readonly LimitBucket[] {
  const called = `tool:${toolkit}.${tool}`.toLowerCase()
  const { limits: own } = principal
  return [
    ...(own ? [{ id: shareOwner(principal), name: 'credential', limits: own } as const] : []),
    ...limits.map(({ pattern: of, limits: each }) => ({ id: `${called} ${of}`, name: 'tool', limits: each }) as const),
  ]
}
