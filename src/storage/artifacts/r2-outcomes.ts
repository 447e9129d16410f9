import type { OutcomeStore } from '../../core/call/idempotency.ts'
import { outcomeKey } from '../keys.ts'
import { sha256 } from '../sealing/sha256.ts'
import { type ByteStore, storeBytes } from './store-bytes.ts'

const QUOTA = { files: 500, bytes: 134_217_728 }

/** Stores sealed outcomes of calls that are too large for a row of the idempotency store. */
export function createR2Outcomes(store: ByteStore, now: () => number): OutcomeStore {
  return {
    async keep(principal, callId, sealed) {
      const prefix = outcomeKey(await sha256(principal))
      const key = prefix + (await sha256(callId))
      const storeResult = await storeBytes(
        { principal, prefix, key, body: sealed, size: sealed.length },
        { store, now, quota: QUOTA },
      )
      return 'size' in storeResult
    },
    async find(principal, callId) {
      const stored = await store.bucket.get(outcomeKey(await sha256(principal), await sha256(callId)))
      return stored?.text()
    },
  }
}
