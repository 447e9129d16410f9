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
  readonly remaining: number
  readonly resetMs?: number
}

export type CallLimiter = ReturnType<typeof createCallLimiter>

interface LimitCounter {
  windowEnds: number
  calls: number
  /** The latest end of each running call, since the platform may kill a request without notice. */
  readonly running: Map<object, number>
}

const MAX_COUNTED = 10_000
/** A call whose end is never reported counts for this long after its timeout, in milliseconds. */
const GRACE_MS = 5_000
const BUSY_MS = 1_000

/** Counts in this isolate's memory, so that warm calls do no I/O. The limits apply to each isolate separately. */
export function createCallLimiter(now: () => number) {
  const counters = createLruCache<LimitCounter>(MAX_COUNTED)

  function getCounter({ id, limits: { rate } }: LimitBucket, at: number): LimitCounter {
    const counter = counters.get(id) ?? { windowEnds: 0, calls: 0, running: new Map() }
    if (rate && at >= counter.windowEnds) {
      counter.windowEnds = at + rate.seconds * 1_000
      counter.calls = 0
    }
    for (const [call, until] of counter.running) if (until <= at) counter.running.delete(call)
    counters.set(id, counter)
    return counter
  }

  function listStatuses(buckets: readonly LimitBucket[], at: number): LimitStatus[] {
    return buckets.flatMap((bucket): LimitStatus[] => {
      const { name, limits } = bucket
      const { rate, concurrency } = limits
      const { calls, windowEnds, running } = getCounter(bucket, at)
      const subtract = (quota: number, used: number) => Math.max(0, quota - used)
      const resetMs = windowEnds - at
      return [
        ...(rate
          ? [{ name, quota: rate.calls, seconds: rate.seconds, remaining: subtract(rate.calls, calls), resetMs }]
          : []),
        ...(concurrency === undefined
          ? []
          : [{ name, quota: concurrency, remaining: subtract(concurrency, running.size) }]),
      ]
    })
  }

  return {
    take(buckets: readonly LimitBucket[], timeoutMs: number) {
      const at = now()
      const exhausted = listStatuses(buckets, at).find(({ remaining }) => remaining === 0)
      if (exhausted) {
        const { remaining: _, resetMs = BUSY_MS, ...policy } = exhausted
        return fail({ type: 'rate-limited', retry_after_ms: resetMs, policy })
      }
      const bucketCounters = buckets.map((bucket) => getCounter(bucket, at))
      const call = {}
      for (const counter of bucketCounters) {
        counter.calls++
        counter.running.set(call, at + timeoutMs + GRACE_MS)
      }
      return {
        end() {
          for (const { running } of bucketCounters) running.delete(call)
          return listStatuses(buckets, now())
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
  const toolId = `tool:${toolkit}.${tool}`.toLowerCase()
  const { limits: credentialLimits } = principal
  return [
    ...(credentialLimits ? [{ id: shareOwner(principal), name: 'credential', limits: credentialLimits } as const] : []),
    ...limits.map(
      ({ pattern: of, limits: toolLimits }) => ({ id: `${toolId} ${of}`, name: 'tool', limits: toolLimits }) as const,
    ),
  ]
}
