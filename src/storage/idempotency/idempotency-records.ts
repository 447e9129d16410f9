import { parseTrusted } from '../../core/tool/json-text.ts'
import type {
  ClaimResult,
  CompletedCall,
  IdempotencyRecords,
  IdempotentCall,
  OutcomeStore,
} from '../../core/call/idempotency.ts'
import { fail } from '../../core/failure/failure.ts'
import type { Sealer } from '../sealing/deployment-keys.ts'
import { createReliableStub } from '../reachable-stub.ts'
import { sha256 } from '../sealing/sha256.ts'
import type { IdempotencyStoreObject } from './idempotency-store-object.ts'

export interface IdempotencyRecordsOptions {
  readonly namespace: DurableObjectNamespace<IdempotencyStoreObject>
  readonly sealer: Sealer
  /** Absent if the deployment has no bucket. */
  readonly outcomes?: OutcomeStore | undefined
  /** If true, no other process claims calls, so a claim of another process is from one that has ended. */
  readonly isOnlyProcess?: boolean
  readonly newId: () => string
  readonly defect: (error: unknown) => void
}

/** Added to a call's deadline, because its outcome may still be on the way. */
const GRACE_MS = 5_000
/** Characters of a sealed outcome in a row. */
const MAX_ROW = 65_536
const STORED_IN_BUCKET = 'outside'

export function createIdempotencyRecords(options: IdempotencyRecordsOptions): IdempotencyRecords {
  const { namespace, sealer, outcomes, newId, defect } = options
  const process = options.isOnlyProcess ? newId() : ''
  const openStore = ({ principal, timeoutMs }: IdempotentCall) =>
    createReliableStub(() => namespace.getByName(principal), {
      what: 'idempotency stores',
      waitMs: timeoutMs + 2 * GRACE_MS,
    })

  async function claimCall(call: IdempotentCall): Promise<ClaimResult> {
    const { principal, callId, select, timeoutMs } = call
    const fingerprint =
      select === undefined ? call.fingerprint : await sha256(JSON.stringify([call.fingerprint, select]))
    const associatedData = JSON.stringify(['call', principal, callId, fingerprint])
    const claim = process + newId()
    const request = { callId, fingerprint, claim, process, forMs: timeoutMs + GRACE_MS }
    const answer = await openStore(call).claim(request)
    if (answer.state === 'finished') {
      const sealedOutcome =
        answer.outcome === STORED_IN_BUCKET ? await outcomes?.find(principal, callId) : answer.outcome
      const unsealed = sealedOutcome === undefined ? undefined : await sealer.unseal(sealedOutcome, associatedData)
      if (!unsealed) return { state: 'unknown' }
      const completedCall: CompletedCall = parseTrusted(unsealed.text)
      return { state: 'finished', finished: completedCall }
    }
    if (answer.state !== 'claimed') return { state: answer.state }
    return {
      state: 'claimed',
      async settle(completedCall) {
        try {
          const outcome = completedCall && (await sealRow(completedCall, call, associatedData))
          await openStore(call).settle(callId, claim, outcome)
        } catch (error) {
          defect(error)
        }
      },
    }
  }

  async function sealRow(
    completedCall: CompletedCall,
    { principal, callId }: IdempotentCall,
    associatedData: string,
  ): Promise<string> {
    const sealed = await sealer.seal(JSON.stringify(completedCall), associatedData)
    if (sealed.length <= MAX_ROW) return sealed
    if (await outcomes?.keep(principal, callId, sealed)) return STORED_IN_BUCKET
    const message = 'The call succeeded, and its answer is too large to be given a second time'
    const result = fail({ type: 'tool-failed', message, can_retry: false })
    return sealer.seal(JSON.stringify({ ...completedCall, result }), associatedData)
  }

  return {
    async claim(call) {
      try {
        return await claimCall(call)
      } catch (error) {
        defect(error)
        return { state: 'unreachable' }
      }
    },
  }
}
