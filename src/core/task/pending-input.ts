import { toUrlElicitations } from '../call/url-elicitations.ts'
import type { InputRequests, InputResponses } from '../tool/content.ts'
import type { TaskOutcome } from './task.ts'

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
  /** The outcome of the run that asked for the input. */
  readonly outcome: TaskOutcome
}

/** Undefined if no input would help. `round` is different in each run. `first` are the answers in the original call. */
export function toPendingInput(
  outcome: TaskOutcome,
  previous: PendingInput | undefined,
  round: number,
  first: InputResponses = { responses: {} },
): PendingInput | undefined {
  if (outcome.result.ok) return undefined
  const { failure } = outcome.result
  const suffix = previous ? `#${round}` : ''
  const answers = previous?.answers ?? first
  if (failure.type === 'input-required') {
    const { requests, state } = failure
    return {
      message: 'The tool asks for input',
      requests: Object.fromEntries(Object.entries(requests).map(([key, request]) => [key + suffix, request])),
      suffix,
      links: [],
      answers: { responses: answers.responses, ...(state === undefined ? {} : { state }) },
      outcome,
    }
  }
  const elicitations = toUrlElicitations(failure)
  const links = elicitations.flatMap(({ challenge }) => challenge.authorization ?? [])
  if (links.length === 0 || links.length < elicitations.length) return undefined
  // The same links keep their keys, so that nobody opens one twice
  if (previous && links.every((link) => previous.links.includes(link))) return { ...previous, outcome }
  const entries = elicitations.map(({ challenge, params }) => {
    return [`authorization:${challenge.id}${suffix}`, { method: 'elicitation/create', params }] as const
  })
  return {
    message: elicitations.map(({ params }) => params.message).join('; '),
    requests: Object.fromEntries(entries),
    suffix,
    links,
    answers,
    outcome,
  }
}
