/**
 * Limits the bytes that requests hold in one isolate, which has 128 MB.
 *
 * A budget has a size, and each caller a share of it. All budgets together have the isolate's size, and each caller a share of
 * that. A reservation grows as its bytes arrive: it waits until all of its quotas have room, and no more bytes are read until
 * then. The oldest reservation of a budget, or of a caller in it, may exceed that quota, so that reservations do not deadlock.
 *
 * `release` frees a reservation. A reservation that has not grown for `idleMs` is dropped, because a request that the platform
 * ends runs no `finally`.
 */
import type { Clock } from '../core/tool/wait-for-change.ts'

export type Memory = ReturnType<typeof createMemory>
export type MemoryBudget = ReturnType<Memory['createBudget']>
export type Reservation = ReturnType<MemoryBudget['reserve']>

/** Sizes in bytes. */
interface BudgetOptions {
  readonly name: string
  readonly size: number
  /** The quota of one caller in this budget. Larger reservations are capped at it. */
  readonly share: number
  /** A reservation that has not grown for this time expires. */
  readonly idleMs: number
  /** Maximum time that `grow` waits; by default, until the call ends. */
  readonly waitMs?: number
  /** Reservations do not count in the caller's quota of the isolate: their calls already hold memory in another budget. */
  readonly isNested?: true
}

interface Quota {
  readonly key: string
  readonly size: number
  /** Whether the oldest reservation may exceed the quota. */
  readonly oldestMayExceed?: true
}

interface ReservationState {
  readonly quotas: readonly Quota[]
  readonly idleMs: number
  bytes: number
  /** When the reservation expires, in milliseconds since 1970. */
  end: number
}

/** Per caller and budget. */
const MAX_RESERVATIONS = 100
const LOOK_AGAIN_MS = 25
/** Smaller bodies make no reservation. In bytes. */
export const SMALL = 65_536

/** Keys of quotas. A budget's key is its name, which has no space, so quotas never share a key. */
const ISOLATE_KEY = ''
const getCallerKey = (caller: string) => ` ${caller}`
const getShareKey = (budget: string, caller: string) => `${budget} ${caller}`

/** `isolateSize` and `isolateShare` are quotas of the isolate and a caller, in bytes. Two full shares leave room for others. */
export function createMemory({ now, sleep }: Clock, isolateSize = 96_000_000, isolateShare = 40_000_000) {
  /** Usage by the key of the quota, oldest reservation first. */
  const usedMemory = new Map<string, { bytes: number; readonly reservations: Set<ReservationState> }>()

  function resize(reservation: ReservationState, bytes: number): void {
    for (const { key } of reservation.quotas) {
      const use = usedMemory.get(key) ?? { bytes: 0, reservations: new Set() }
      use.bytes += bytes - reservation.bytes
      usedMemory.set(key, use)
      use.reservations.add(reservation)
    }
    reservation.bytes = bytes
    reservation.end = now() + reservation.idleMs
  }

  /** Adds a reservation, without bytes, to the queue of each quota, where it keeps its position while it waits. */
  function joinQuotas(reservation: ReservationState): void {
    resize(reservation, reservation.bytes)
  }

  function drop(reservation: ReservationState): void {
    resize(reservation, 0)
    for (const { key } of reservation.quotas) {
      const reservations = usedMemory.get(key)?.reservations
      reservations?.delete(reservation)
      if (reservations?.size === 0) usedMemory.delete(key)
    }
  }

  function dropExpired(): void {
    const at = now()
    for (const reservation of usedMemory.get(ISOLATE_KEY)?.reservations ?? []) {
      // Even if the clock was set back
      reservation.end = Math.min(reservation.end, at + reservation.idleMs)
      if (reservation.end <= at) drop(reservation)
    }
  }

  function hasRoom(reservation: ReservationState, addedBytes: number): boolean {
    return reservation.quotas.every((quota) => {
      const use = usedMemory.get(quota.key)
      if (!use || use.bytes + addedBytes <= quota.size) return true
      const [oldest] = use.reservations
      return quota.oldestMayExceed === true && (oldest === undefined || oldest === reservation)
    })
  }

  function tryToGrow(reservation: ReservationState, bytes: number): boolean {
    if (bytes <= reservation.bytes) return true
    if (!hasRoom(reservation, bytes - reservation.bytes)) dropExpired()
    // This reservation may have expired too
    if (!hasRoom(reservation, bytes - reservation.bytes)) return false
    resize(reservation, bytes)
    return true
  }

  function createBudget({ name, idleMs, waitMs = Infinity, isNested, size, share }: BudgetOptions) {
    const listQuotas = (caller: string): Quota[] => [
      { key: ISOLATE_KEY, size: isolateSize },
      ...(isNested ? [] : [{ key: getCallerKey(caller), size: isolateShare }]),
      { key: name, size, oldestMayExceed: true },
      { key: getShareKey(name, caller), size: share, oldestMayExceed: true },
    ]

    return {
      /** Whether the caller's quota in this budget is used up, so that its further requests must not start. */
      isFull(getCaller: () => string): boolean {
        if (!usedMemory.has(name)) return false
        dropExpired()
        return (usedMemory.get(getShareKey(name, getCaller()))?.bytes ?? 0) >= share
      },
      /** Creates an empty reservation. `grow` stops waiting when `isOver`. A released reservation cannot grow. */
      reserve(caller: string, isOver: () => boolean = () => false) {
        const reservation: ReservationState = { quotas: listQuotas(caller), idleMs, bytes: 0, end: 0 }
        let isReleased = false
        return {
          getBytes: () => reservation.bytes,
          /** Waits until the reservation has a total of `bytes`. False if there was no room in time. */
          async grow(bytes: number): Promise<boolean> {
            // NaN takes the whole share
            const targetBytes = bytes < share ? bytes : share
            const reservations = usedMemory.get(getShareKey(name, caller))?.reservations
            for (let waitedMs = 0; !isReleased && !isOver(); waitedMs += LOOK_AGAIN_MS) {
              if (tryToGrow(reservation, targetBytes)) return true
              const isRefused = (reservations?.size ?? 0) >= MAX_RESERVATIONS && !reservations?.has(reservation)
              if (waitedMs >= waitMs || isRefused) break
              if (waitedMs === 0) joinQuotas(reservation)
              // Polls, because the platform may end the request whose release it would wait for
              await sleep(LOOK_AGAIN_MS)
            }
            if (reservation.bytes === 0) drop(reservation)
            return false
          },
          /** Counts bytes that are already in memory, even if there is no room. */
          count(bytes: number): void {
            if (!isReleased && bytes > reservation.bytes) resize(reservation, bytes)
          },
          release(): void {
            isReleased = true
            drop(reservation)
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
