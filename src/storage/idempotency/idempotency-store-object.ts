import { DurableObject } from 'cloudflare:workers'
import { createChangeNotifier } from '../changes.ts'
import { readField, firstRow } from '../rows.ts'
import { openTables } from '../schema.ts'

/**
 * See `../STORAGE.md`. Times are milliseconds since 1970. `fingerprint` is a keyed hash of everything that the tool receives,
 * `claim` is the attempt that runs the call, `until` is when the claim expires, and `outcome` is sealed.
 */
const TABLES = `
CREATE TABLE call (
  id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, claim TEXT NOT NULL, until INTEGER NOT NULL, outcome TEXT, expires INTEGER NOT NULL
);
CREATE INDEX call_expires ON call (expires);
`

type ClaimRow = Pick<ClaimRequest, 'fingerprint' | 'claim'> & {
  readonly until: number
  readonly outcome: string | null
}

interface ClaimRequest {
  readonly callId: string
  readonly fingerprint: string
  /** A retry of the same request, after the object was moved, has the same claim. */
  readonly claim: string
  /** A claim with another prefix belongs to a process that has ended. */
  readonly process: string
  readonly forMs: number
}

type ClaimAnswer =
  | { readonly state: 'finished'; readonly outcome: string }
  | { readonly state: 'claimed' | 'reused' | 'unknown' | 'crowded' }

/** Requests waiting for one call. Each holds its input meanwhile; memory budgets bound large inputs. */
const MAX_WAITING = 64
const KEPT_MS = 86_400_000
const SWEEP_MS = 600_000
/** Beyond this, the oldest outcome is deleted. Repeating its call then reports `unknown`, and does not run the tool. */
const MAX_OUTCOMES = 2_000
/** Beyond this, the oldest call is deleted. */
const MAX_CALLS = 1_000_000

/** Longer than the slowest upload. */
const PENDING_WRITE_MS = 1_800_000

/** One object per principal: its calls by their ids, with sealed outcomes. A repeated call waits for the first one. */
export function defineIdempotencyStore<E>(clock: () => number) {
  return class IdempotencyStore extends DurableObject<E> {
    readonly #sql: SqlStorage
    readonly #changes = createChangeNotifier()

    constructor(state: DurableObjectState, env: E) {
      super(state, env)
      this.#sql = state.storage.sql
      openTables(this.#sql, { object: 'an IdempotencyStore', version: 1, tables: TABLES })
    }

    async claim({ callId, fingerprint, claim, process, forMs }: ClaimRequest): Promise<ClaimAnswer> {
      for (;;) {
        const now = clock()
        this.#sql.exec('DELETE FROM call WHERE expires <= ?', now)
        const query = 'SELECT fingerprint, claim, until, outcome FROM call WHERE id = ?'
        const storedCall = firstRow<ClaimRow>(this.#sql, query, callId)
        if (!storedCall) {
          const row = [callId, fingerprint, claim, now + forMs, now + forMs + KEPT_MS]
          this.#sql.exec('INSERT INTO call VALUES (?, ?, ?, ?, NULL, ?)', ...row)
          this.#forget(now)
          await this.#sweepLater()
          return { state: 'claimed' }
        }
        if (storedCall.fingerprint !== fingerprint) return { state: 'reused' }
        if (storedCall.outcome !== null) return { state: 'finished', outcome: storedCall.outcome }
        if (storedCall.claim === claim) return { state: 'claimed' }
        if (storedCall.until <= now || !storedCall.claim.startsWith(process)) return { state: 'unknown' }
        if (this.#changes.count(callId) >= MAX_WAITING) return { state: 'crowded' }
        await this.#changes.waitForChange(callId, storedCall.until - now)
      }
    }

    /** Ends a call. Without an outcome, it can be made again. Has no effect if the claim no longer holds. */
    settle(callId: string, claim: string, outcome: string | undefined): void {
      if (outcome === undefined) this.#sql.exec('DELETE FROM call WHERE id = ? AND claim = ?', callId, claim)
      else {
        const end = 'UPDATE call SET outcome = ?, expires = ? WHERE id = ? AND claim = ? AND outcome IS NULL'
        this.#sql.exec(end, outcome, clock() + KEPT_MS, callId, claim)
      }
      this.#changes.notifyChange(callId)
    }

    /** Counts bytes that are about to be written under a key. Returns the other pending writes with the prefix. */
    beginWrite(prefix: string, key: string, size: number): { key: string; size: number }[] {
      const now = clock()
      const { kv } = this.ctx.storage
      const otherWrites: { key: string; size: number }[] = []
      for (const [otherKey, write] of kv.list<{ size: number; until: number }>({ prefix })) {
        if (write.until <= now) kv.delete(otherKey)
        else otherWrites.push({ key: otherKey, size: write.size })
      }
      kv.put(key, { size, until: now + PENDING_WRITE_MS })
      return otherWrites
    }

    /** Ends a pending write, whether or not its bytes were stored. */
    endWrite(key: string): void {
      this.ctx.storage.kv.delete(key)
    }

    /** Uses row ids, which grow by one per call, so each call checks only two rows. */
    #forget(now: number): void {
      const last = 'SELECT max(rowid) FROM call'
      const outcome = `UPDATE call SET outcome = NULL WHERE rowid = (${last}) - ? AND until <= ?`
      this.#sql.exec(outcome, MAX_OUTCOMES, now)
      this.#sql.exec(`DELETE FROM call WHERE rowid = (${last}) - ? AND until <= ?`, MAX_CALLS, now)
    }

    override async alarm(): Promise<void> {
      this.#sql.exec('DELETE FROM call WHERE expires <= ?', clock())
      await this.#sweepLater()
    }

    async #sweepLater(): Promise<void> {
      const next = readField<number>(this.#sql, 'SELECT expires FROM call ORDER BY expires LIMIT 1')
      if (next === undefined || (await this.ctx.storage.getAlarm()) !== null) return
      await this.ctx.storage.setAlarm(next + SWEEP_MS)
    }
  }
}

export type IdempotencyStoreObject = InstanceType<ReturnType<typeof defineIdempotencyStore>>
