/**
 * Limits the bytes that requests hold in one isolate, which has 128 MB.
 *
 * A budget has a size, and each caller a share of it. All budgets together have the isolate's size, and each caller a share of
 * that. A reservation grows before its bytes are read, and waits until all of its quotas have room. The oldest reservation of
 * a budget, or of a caller in it, grows past that quota, so that reservations which wait for each other come to an end.
 *
 * `release` gives a reservation back. One that has not grown for `leaseMs` is dropped, because a request that the platform ends
 * runs no `finally`.
 */
export type Memory = ReturnType<typeof createMemory>
export type MemoryBudget = ReturnType<Memory['createBudget']>
export type Reservation = ReturnType<MemoryBudget['reserve']>

interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/** Sizes in bytes. */
interface BudgetOptions {
  readonly name: string
  readonly size: number
  /** Of one caller. A reservation of more is cut to it. */
  readonly share: number
  readonly leaseMs: number
  /** How long `grow` waits; by default until the call is over. */
  readonly waitMs?: number
  /** For what calls need that hold memory already: it does not count in their caller's share of the isolate. */
  readonly isNested?: true
}

interface Quota {
  readonly key: string
  readonly size: number
  /** The oldest lease grows past it, so that leases which wait for each other all come to their ends. */
  readonly yieldsToOldest?: true
}

interface Lease {
  readonly quotas: readonly Quota[]
  readonly leaseMs: number
  bytes: number
  end: number
}

/** Of one caller, in one budget. */
const MAX_LEASES = 100
const LOOK_AGAIN_MS = 25
/** In bytes: what is smaller is not reserved. */
export const SMALL = 65_536

/** What an isolate holds, of its 128 MB: two callers who take what they may leave some to others. */
export function createMemory({ now, sleep }: Clock, size = 96_000_000, share = 40_000_000) {
  /** By quota: '' is the isolate's, ' caller' a caller's of it, 'budget' a budget's, 'budget caller' a caller's of that. The oldest lease comes first. */
  const used = new Map<string, { bytes: number; readonly leases: Set<Lease> }>()

  function resize(lease: Lease, bytes: number): void {
    for (const { key } of lease.quotas) {
      const use = used.get(key) ?? { bytes: 0, leases: new Set() }
      use.bytes += bytes - lease.bytes
      used.set(key, use)
      use.leases.add(lease)
    }
    lease.bytes = bytes
    lease.end = now() + lease.leaseMs
  }

  function drop(lease: Lease): void {
    resize(lease, 0)
    for (const { key } of lease.quotas) {
      const leases = used.get(key)?.leases
      leases?.delete(lease)
      if (leases?.size === 0) used.delete(key)
    }
  }

  function dropExpired(): void {
    const at = now()
    for (const lease of used.get('')?.leases ?? []) {
      // Also where the clock was set back
      lease.end = Math.min(lease.end, at + lease.leaseMs)
      if (lease.end <= at) drop(lease)
    }
  }

  function hasRoom(lease: Lease, addedBytes: number): boolean {
    return lease.quotas.every((quota) => {
      const use = used.get(quota.key)
      if (!use || use.bytes + addedBytes <= quota.size) return true
      const [oldest = lease] = use.leases
      return quota.yieldsToOldest === true && oldest === lease
    })
  }

  function tryToGrow(lease: Lease, bytes: number): boolean {
    if (bytes <= lease.bytes) return true
    if (!hasRoom(lease, bytes - lease.bytes)) dropExpired()
    // Its own may have expired
    if (!hasRoom(lease, bytes - lease.bytes)) return false
    resize(lease, bytes)
    return true
  }

  function createBudget({ name, leaseMs, waitMs = Infinity, isNested, ...limits }: BudgetOptions) {
    const listQuotas = (caller: string): Quota[] => [
      { key: '', size },
      ...(isNested ? [] : [{ key: ` ${caller}`, size: share }]),
      { key: name, size: limits.size, yieldsToOldest: true },
      { key: `${name} ${caller}`, size: limits.share, yieldsToOldest: true },
    ]

    return {
      /** Whether a caller has its share: nothing more is to be begun for it. */
      isFull(getCaller: () => string): boolean {
        if (!used.has(name)) return false
        dropExpired()
        return (used.get(`${name} ${getCaller()}`)?.bytes ?? 0) >= limits.share
      },
      /** Memory for something that grows, until `isOver`. What is released takes no memory again. */
      reserve(caller: string, isOver: () => boolean = () => false) {
        const lease: Lease = { quotas: listQuotas(caller), leaseMs, bytes: 0, end: 0 }
        let isReleased = false
        return {
          getBytes: () => lease.bytes,
          /** Waits until it has so many bytes in all; false where it has not got them in time. */
          async grow(bytes: number): Promise<boolean> {
            const targetBytes = bytes < limits.share ? bytes : limits.share
            const leases = used.get(`${name} ${caller}`)?.leases
            for (let waitedMs = 0; !isReleased && !isOver(); waitedMs += LOOK_AGAIN_MS) {
              if (tryToGrow(lease, targetBytes)) return true
              if (waitedMs >= waitMs || (leases && leases.size >= MAX_LEASES && !leases.has(lease))) break
              // It waits in the order in which it came
              if (waitedMs === 0) resize(lease, lease.bytes)
              // Looks again by itself: a request must not wait for what another does, which the platform may end
              await sleep(LOOK_AGAIN_MS)
            }
            if (lease.bytes === 0) drop(lease)
            return false
          },
          /** For what is in memory already. */
          count(bytes: number): void {
            if (!isReleased && bytes > lease.bytes) resize(lease, bytes)
          },
          release(): void {
            isReleased = true
            drop(lease)
          },
        }
      },
    }
  }

  return { createBudget }
}

export const isolateMemory = createMemory({
  now: Date.now,
  sleep: (ms) => new Promise((done) => setTimeout(done, ms)),
})
