import { toUrlElicitations } from '../call/url-elicitations.ts'
import type { Failure } from '../failure/failure.ts'
import type { InputRequests, InputResponses } from '../tool/content.ts'

/** The input that a task waits for: either links for a person, or requests of the tool. */
export interface PendingInput {
  readonly message: string
  /** Open requests. `suffix` is added to each of the tool's keys, so that no key is used twice. */
  readonly requests: InputRequests['requests']
  readonly suffix: string
  /** Ids of authorizations. */
  readonly links: readonly string[]
  /** All responses to the tool so far. */
  readonly answers: InputResponses
}

/** Returns undefined if no input would help. `round` differs in each run; `first` has the answers of the original call. */
export function toPendingInput(
  failure: Failure,
  previous: PendingInput | undefined,
  round: number,
  first: InputResponses = { responses: {} },
): PendingInput | undefined {
  const suffix = previous ? `#${round}` : ''
  const answers = previous?.answers ?? first
  if (failure.type === 'input-required') {
    const requests = Object.entries(failure.requests).map(([key, request]) => [key + suffix, request] as const)
    const state = failure.state === undefined ? {} : { state: failure.state }
    const message = 'The tool asks for input'
    const next = { responses: answers.responses, ...state }
    return { message, requests: Object.fromEntries(requests), suffix, links: [], answers: next }
  }
  const elicitations = toUrlElicitations(failure)
  const links = elicitations.flatMap(({ challenge }) => challenge.authorization ?? [])
  if (links.length === 0 || links.length < elicitations.length) return undefined
  const requests = Object.fromEntries(elicitations.map(({ key, request }) => [key + suffix, request]))
  const message = elicitations.map(({ request }) => request.params.message).join('; ')
  return { message, requests, suffix, links, answers }
}
