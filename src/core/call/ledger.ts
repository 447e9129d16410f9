import type { Json, JsonObject } from '../tool/json.ts'
import type { ToolRecord } from '../tool/tool.ts'
import { type Failing, type Failure, fail } from '../failure/failure.ts'
import type { Success } from './runner.ts'

/** The end of a call, as it is told again to a caller who repeats it. */
export interface Finished {
  readonly result: Success | Failing
  readonly durationMs: number
  /** Milliseconds since 1970. */
  readonly finishedAt: number
}

/** A call under an id of its caller's choosing: the same one again is answered, and not run. */
export interface LedgerCall {
  /** The principal's id: ids of calls are its own. */
  readonly principal: string
  readonly callId: string
  readonly userId: string | undefined
  readonly tool: ToolRecord
  /** As the tool gets it. */
  readonly input: JsonObject
  /** Which part of the output is wanted. */
  readonly select?: Json | undefined
  /** How long it may run, in milliseconds. */
  readonly timeoutMs: number
}

/**
 * `claimed`: nobody ran it before, and it is this caller's to run and then to settle: as finished, or, with nothing, as
 * not run after all. `finished`: it was run, perhaps while this caller waited. `reused`: its id is that of another call.
 * `unknown`: it was begun, and nobody can tell any more what became of it. `unreachable`: nobody could be asked.
 */
export type Claimed =
  | { readonly state: 'claimed'; readonly settle: (finished: Finished | undefined) => Promise<void> }
  | { readonly state: 'finished'; readonly finished: Finished }
  | { readonly state: 'reused' | 'unknown' | 'unreachable' }

/** Where each call of a principal is claimed before it runs, so that it runs once. */
export interface Ledger {
  claim(call: LedgerCall): Promise<Claimed>
}

/**
 * Runs a call that was not run before under its id; else gives what came of it. What has not been run after all, and what
 * says itself that it can be tried again, is run when it is repeated. `run` tells when its tool begins: what breaks before
 * that did nothing.
 */
export async function runOnce(
  call: LedgerCall,
  run: (begins: () => void) => Promise<Success | Failing>,
  { ledger, now }: { readonly ledger: Ledger; readonly now: () => number },
): Promise<Finished> {
  const started = now()
  const finishedWith = (result: Success | Failing): Finished => {
    const finishedAt = now()
    return { result, durationMs: finishedAt - started, finishedAt }
  }
  const claimed = await ledger.claim(call)
  switch (claimed.state) {
    case 'finished':
      return claimed.finished
    case 'reused': {
      const message = `The call id '${call.callId}' is that of another call, with another tool, version, user, input or selection`
      return finishedWith(fail({ type: 'conflict', message }))
    }
    case 'unknown':
      return finishedWith(fail({ type: 'outcome-unknown', call_id: call.callId }))
    case 'unreachable':
      return finishedWith(
        fail({ type: 'unavailable', message: 'Switchboard cannot look up whether this call was made before' }),
      )
    case 'claimed':
      break
  }
  let finished: Finished
  let hasBegun = false
  try {
    finished = finishedWith(await run(() => void (hasBegun = true)))
  } catch (error) {
    // Whatever its tool did is done: it must not be done again
    const unknown = fail({ type: 'outcome-unknown', call_id: call.callId })
    await claimed.settle(hasBegun ? finishedWith(unknown) : undefined)
    throw error
  }
  const { result } = finished
  await claimed.settle(result.ok || wasRun(result.failure) ? finished : undefined)
  return finished
}

function wasRun(failure: Failure): boolean {
  switch (failure.type) {
    case 'tool-failed':
      return failure.can_retry !== true
    case 'tool-timed-out':
    case 'cancelled':
      return failure.may_have_run === true
    case 'output-invalid':
    case 'output-elsewhere':
    case 'select-failed':
    case 'output-too-large':
      return true
    default:
      return false
  }
}
