import { toUrlElicitations } from '../call/url-elicitations.ts'
import type { InputRequests, InputResponses } from '../tool/content.ts'
import type { TaskOutcome } from './task.ts'

/** What a task waits for: either links for a person, or a tool's own requests. */
export interface PendingInput {
  readonly message: string
  /** Not yet answered. Each key is the tool's own and `suffix`, so that none is used again. */
  readonly requests: InputRequests['requests']
  readonly suffix: string
  /** Ids of authorizations. */
  readonly links: readonly string[]
  /** What the tool has been answered so far. */
  readonly answers: InputResponses
  /** Of the call that it waited in. */
  readonly outcome: TaskOutcome
}

/** Undefined for an outcome that nobody can help. `round` differs each time. `first` are the answers that the call came with. */
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
  // The same links under the same keys, since no person is to open one twice
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
