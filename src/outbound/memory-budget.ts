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
  /** The quota of one caller in this budget. A larger reservation is cut to it. */
  readonly share: number
  /** A reservation that has not grown for this time expires. */
  readonly leaseMs: number
  /** The time that `grow` waits at most; by default until the call is over. */
  readonly waitMs?: number
  /** Reservations do not count in the caller's quota of the isolate: their calls hold memory in another budget already. */
  readonly isNested?: true
}

interface Quota {
  readonly key: string
  readonly size: number
  /** Whether the oldest reservation may exceed the quota. */
  readonly yieldsToOldest?: true
}

/** The state of a reservation. */
interface Lease {
  readonly quotas: readonly Quota[]
  readonly leaseMs: number
  bytes: number
  /** When the lease expires, in milliseconds since 1970. */
  end: number
}

/** The reservations of one caller in one budget. */
const MAX_LEASES = 100
const LOOK_AGAIN_MS = 25
/** Smaller bodies make no reservation. In bytes. */
export const SMALL = 65_536

/** `size` and `share` are the quotas of the isolate and of one caller, in bytes. Two callers at their quota leave room for others. */
export function createMemory({ now, sleep }: Clock, size = 96_000_000, share = 40_000_000) {
  /**
   * The use of each quota, oldest lease first. The keys of quotas:
   *
   * - `''`: the isolate
   * - `' <caller>'`: a caller in the isolate
   * - `'<budget>'`: a budget
   * - `'<budget> <caller>'`: a caller in a budget
   */
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
    // This lease may have expired too
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
      /** Whether the caller's quota in this budget is used up, so that no further request of the caller may begin. */
      isFull(getCaller: () => string): boolean {
        if (!used.has(name)) return false
        dropExpired()
        return (used.get(`${name} ${getCaller()}`)?.bytes ?? 0) >= limits.share
      },
      /** Makes a reservation of no bytes. `grow` stops waiting when `isOver`. A released reservation cannot grow. */
      reserve(caller: string, isOver: () => boolean = () => false) {
        const lease: Lease = { quotas: listQuotas(caller), leaseMs, bytes: 0, end: 0 }
        let isReleased = false
        return {
          getBytes: () => lease.bytes,
          /** Waits until the reservation has `bytes` bytes in all. False if there was no room in time. */
          async grow(bytes: number): Promise<boolean> {
            const targetBytes = bytes < limits.share ? bytes : limits.share
            const leases = used.get(`${name} ${caller}`)?.leases
            for (let waitedMs = 0; !isReleased && !isOver(); waitedMs += LOOK_AGAIN_MS) {
              if (tryToGrow(lease, targetBytes)) return true
              if (waitedMs >= waitMs || (leases && leases.size >= MAX_LEASES && !leases.has(lease))) break
              // Registers the lease, so that it keeps its place while it waits
              if (waitedMs === 0) resize(lease, lease.bytes)
              // Checks again by itself: the platform may end the request whose release it would wait for
              await sleep(LOOK_AGAIN_MS)
            }
            if (lease.bytes === 0) drop(lease)
            return false
          },
          /** Counts bytes that are in memory already, even if there is no room. */
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
