import type { Claimed, Finished, Ledger, LedgerCall } from '../../core/call/ledger.ts'
import { fail } from '../../core/failure/failure.ts'
import type { Sealer } from '../sealing/deployment-keys.ts'
import { retryOnce } from '../reachable-stub.ts'
import { sha256 } from '../sealing/sha256.ts'
import type { LedgerObject } from './ledger-object.ts'

export interface LedgerOptions {
  readonly namespace: DurableObjectNamespace<LedgerObject>
  readonly sealer: Sealer
  readonly newId: () => string
  readonly defect: (error: unknown) => void
}

/** Added to a call's deadline, since its answer may have been on the way. */
const GRACE_MS = 5_000
/** SQLite takes two million bytes a row. */
const MAX_OUTCOME = 600_000

export function createLedger({ namespace, sealer, newId, defect }: LedgerOptions): Ledger {
  const ledgerOf = (principal: string) => namespace.getByName(principal)

  async function ask(call: LedgerCall): Promise<Claimed> {
    const { principal, callId, select, timeoutMs } = call
    const fingerprint =
      select === undefined ? call.fingerprint : await sha256(JSON.stringify([call.fingerprint, select]))
    const bound = JSON.stringify(['call', principal, callId, fingerprint])
    const claim = newId()
    const request = { callId, fingerprint, claim, forMs: timeoutMs + GRACE_MS }
    const answer = await retryOnce(async () => ledgerOf(principal).claim(request))
    if (answer.state === 'finished') {
      const opened = await sealer.open(answer.outcome, bound)
      if (!opened) return { state: 'unknown' }
      const finished: Finished = JSON.parse(opened.text)
      return { state: 'finished', finished }
    }
    if (answer.state !== 'claimed') return { state: answer.state }
    return {
      state: 'claimed',
      async settle(finished) {
        try {
          const outcome = finished && (await sealer.seal(textOf(finished), bound))
          await retryOnce(async () => ledgerOf(principal).settle(callId, claim, outcome))
        } catch (error) {
          defect(error)
        }
      },
    }
  }

  return {
    async claim(call) {
      try {
        return await within(call.timeoutMs + 2 * GRACE_MS, ask(call))
      } catch (error) {
        defect(error)
        return { state: 'unreachable' }
      }
    },
  }
}

async function within(ms: number, work: Promise<Claimed>): Promise<Claimed> {
  const { promise, resolve } = Promise.withResolvers<Claimed>()
  const timer = setTimeout(() => resolve({ state: 'unreachable' }), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

function textOf(finished: Finished): string {
  const text = JSON.stringify(finished)
  if (text.length <= MAX_OUTCOME) return text
  const message = 'The call succeeded, and its answer is too large to be given a second time'
  return JSON.stringify({ ...finished, result: fail({ type: 'tool-failed', message, can_retry: false }) })
}
