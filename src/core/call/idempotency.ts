import type { Json } from '../tool/json.ts'
import { type FailureResult, type Failure, type FailureType, fail } from '../failure/failure.ts'
import type { ToolSuccess } from './runner.ts'

export interface CompletedCall {
  readonly result: ToolSuccess | FailureResult
  readonly durationMs: number
  /** Milliseconds since 1970. */
  readonly finishedAt: number
}

export interface IdempotentCall {
  readonly principal: string
  readonly callId: string
  /** A hash of everything that the tool receives. */
  readonly fingerprint: string
  readonly select?: Json | undefined
  readonly timeoutMs: number
}

/**
 * `reused`: another call has the id. `unknown`: the call started, but its outcome is lost. `crowded`: too many repetitions of
 * the call wait for its outcome. `unreachable`: the store does not respond.
 */
export type ClaimResult =
  | { readonly state: 'claimed'; readonly settle: (finished: CompletedCall | undefined) => Promise<void> }
  | { readonly state: 'finished'; readonly finished: CompletedCall }
  | { readonly state: 'reused' | 'unknown' | 'crowded' | 'unreachable' }

export interface IdempotencyRecords {
  claim(call: IdempotentCall): Promise<ClaimResult>
}

/** Stores outcomes that are too large for the idempotency store. `keep` is false if there is no room. */
export interface OutcomeStore {
  keep(principal: string, callId: string, sealed: string): Promise<boolean>
  find(principal: string, callId: string): Promise<string | undefined>
}

/**
 * Runs a call at most once under its id. A repetition gets the stored outcome if the tool succeeded or its failure is final
 * (`isFinalFailure`). After any other failure, the claim is released and a repetition runs: the tool cannot have acted, needs
 * further input, failed with `can_retry`, or is safe to run again. A claim without an outcome is abandoned 5 s after the
 * deadline or when its server restarts, and its call never runs again. `run` calls `begins` before the tool starts.
 */
export async function runIdempotently(
  call: IdempotentCall,
  run: (begins: () => void) => ToolSuccess | FailureResult | Promise<ToolSuccess | FailureResult>,
  { idempotencyRecords, now }: { readonly idempotencyRecords: IdempotencyRecords; readonly now: () => number },
): Promise<CompletedCall> {
  const startedAt = now()
  const finishedWith = (result: ToolSuccess | FailureResult): CompletedCall => {
    const finishedAt = now()
    return { result, durationMs: finishedAt - startedAt, finishedAt }
  }
  const claim = await idempotencyRecords.claim(call)
  if (claim.state === 'finished') return claim.finished
  if (claim.state === 'reused') return finishedWith(failReusedId(call.callId))
  const unknown = fail({ type: 'outcome-unknown', call_id: call.callId })
  if (claim.state === 'unknown') return finishedWith(unknown)
  if (claim.state === 'crowded') return finishedWith(fail({ type: 'rate-limited', retry_after_ms: CROWDED_MS }))
  if (claim.state !== 'claimed') {
    const message = 'Cannot check the idempotency record of this call'
    return finishedWith(fail({ type: 'unavailable', message }))
  }
  let finished: CompletedCall
  let hasBegun = false
  try {
    finished = finishedWith(await run(() => void (hasBegun = true)))
  } catch (error) {
    // The tool may have acted: it must not run again
    await claim.settle(hasBegun ? finishedWith(unknown) : undefined)
    throw error
  }
  const { result } = finished
  await claim.settle(result.ok || isFinalFailure(result.failure) ? finished : undefined)
  return finished
}

export function failReusedId(callId: string): FailureResult {
  const message = `The call id '${callId}' was already used with a different tool, version, user, account, credential, answer, file, input or selection`
  return fail({ type: 'conflict', message })
}

const CROWDED_MS = 1_000
const AFTER_RUN: readonly FailureType[] = ['output-invalid', 'output-elsewhere', 'select-failed', 'output-too-large']

/** Checks whether the tool may have acted, so that the call must not run again. */
function isFinalFailure(failure: Failure): boolean {
  if (failure.type === 'tool-failed') return failure.can_retry !== true
  if (failure.type === 'tool-timed-out' || failure.type === 'cancelled') return failure.may_have_run === true
  return AFTER_RUN.includes(failure.type)
}
