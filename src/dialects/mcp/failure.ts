import { type Failure, type FailureType, filterOpenChallenges } from '../../core/failure/failure.ts'
import { formatInputRequests, formatSentence, tryAgainIn, describeFailure } from '../../core/failure/failure-text.ts'
import { didYouMean, type Problem, groupByParameter, formatProblems, quoteList } from '../../core/tool/problem.ts'
import type { ToolFailure } from '../../core/tool/content.ts'
import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR } from './wire.ts'

/**
 * The response to each failure: a JSON-RPC error with its HTTP status, or a tool's result with `isError`. If JSON-RPC has no
 * suitable code, as for `forbidden`, the code is the HTTP status.
 */
export const MCP_FAILURES = {
  'request-malformed': { code: PARSE_ERROR, status: 400 },
  'body-too-large': { code: INVALID_REQUEST, status: 413 },
  'body-timed-out': { code: INVALID_REQUEST, status: 408 },
  'media-type-unsupported': { code: INVALID_REQUEST, status: 415 },
  'protocol-version-unsupported': { code: INVALID_REQUEST, status: 400 },
  'misdirected': { code: 421, status: 421 },
  'route-unknown': { code: METHOD_NOT_FOUND, status: 404 },
  'method-not-allowed': { code: INVALID_REQUEST, status: 405 },
  'unauthenticated': { code: 401, status: 401 },
  'forbidden': { code: 403, status: 403 },
  'rate-limited': { code: 429, status: 429 },
  'id-malformed': { code: INVALID_PARAMS, status: 200 },
  'tool-unknown': { code: INVALID_PARAMS, status: 200 },
  'version-unavailable': { code: INVALID_PARAMS, status: 200 },
  'tool-disabled': { code: INVALID_PARAMS, status: 200 },
  'tool-renamed': { code: INVALID_PARAMS, status: 200 },
  'tool-changed': 'result',
  'tool-not-executable': { code: INVALID_PARAMS, status: 200 },
  'tool-untrusted': 'result',
  'requirements-missing': 'result',
  'approval-required': 'result',
  'input-invalid': 'result',
  'select-invalid': 'result',
  'tool-failed': 'result',
  'tool-timed-out': 'result',
  'output-invalid': 'result',
  'output-elsewhere': 'result',
  'select-failed': 'result',
  'output-too-large': 'result',
  'outcome-unknown': 'result',
  'cancelled': 'result',
  'input-required': 'result',
  'definition-invalid': { code: INVALID_PARAMS, status: 200 },
  'conflict': { code: INVALID_PARAMS, status: 200 },
  'precondition-failed': { code: INVALID_PARAMS, status: 200 },
  'not-found': { code: INVALID_PARAMS, status: 200 },
  'gone': { code: INVALID_PARAMS, status: 200 },
  'unavailable': { code: INTERNAL_ERROR, status: 503 },
  'internal': { code: INTERNAL_ERROR, status: 500 },
} as const satisfies Record<FailureType, 'result' | Readonly<Record<'code' | 'status', number>>>

export function formatFailure(failure: Failure): string {
  switch (failure.type) {
    case 'media-type-unsupported':
      return `Send the body as '${failure.acceptedType}', got the content type '${failure.contentType ?? 'none'}'`
    case 'route-unknown':
      return `There is no method '${failure.method.slice(0, 100)}'`
    case 'id-malformed':
      return formatUnknownTool(failure.ref, [], '')
    case 'tool-unknown':
      return formatUnknownTool(failure.ref, failure.suggestions, ': there is none, or you may not use it')
    case 'version-unavailable':
      return formatSentence(describeFailure({ ...failure, tool: failure.name }))
    case 'tool-not-executable':
      return `The tool '${failure.id}' cannot be called here: ${failure.reason}`
    case 'requirements-missing':
      return formatMissingRequirements(failure)
    case 'approval-required':
      return `approval_required: a person must approve this call first: open ${failure.challenge.url} and then call again with the same arguments\n${failure.reason}`
    case 'input-invalid':
      return formatInvalidInput(failure.problems)
    case 'tool-failed':
      return formatToolFailure(failure)
    case 'tool-timed-out':
      return failure.may_have_run
        ? formatSentence(describeFailure(failure))
        : formatSentence({ ...describeFailure(failure), detail: 'it may work when called again' })
    case 'output-invalid':
      return formatSentence({ ...describeFailure(failure), detail: formatProblems(failure.problems, 'the output') })
    case 'input-required':
      return `The tool asks for more input, which this client cannot give: it takes MCP 2026-07-28\n${formatInputRequests(failure)}`
    case 'definition-invalid':
      return formatSentence({ ...describeFailure(failure), detail: formatProblems(failure.problems, 'the definition') })
    default:
      return formatSentence(describeFailure(failure))
  }
}

/** A hidden tool gets the same message. */
export function formatUnknownTool(name: string, suggestions: readonly string[], hint: string): string {
  return `Unknown tool: '${name.slice(0, 200)}'${didYouMean(suggestions) || hint}`
}

function formatMissingRequirements(failure: Extract<Failure, { type: 'requirements-missing' }>): string {
  const steps = filterOpenChallenges(failure).map(
    ({ id, url }) => `authorization_required: the user must authorize '${id}': open ${url} and then call again`,
  )
  if (failure.secrets.length > 0) steps.push(`Missing secrets: ${quoteList(failure.secrets.map(({ id }) => id))}`)
  return [`The tool '${failure.tool}' needs something more before it can be called: ${failure.detail}`, ...steps].join(
    '\n',
  )
}

function formatInvalidInput(problems: readonly Problem[]): string {
  const lines = Object.entries(groupByParameter(problems)).map(([name, reason]) =>
    name === '' ? reason : `- ${name}: ${reason}`,
  )
  return ['Some arguments are invalid', ...lines].join('\n')
}

function formatToolFailure({ message, additional_prompt_content, can_retry, retry_after_ms }: ToolFailure): string {
  const lines = [message]
  if (additional_prompt_content !== undefined) lines.push(additional_prompt_content)
  if (can_retry === true)
    lines.push(retry_after_ms === undefined ? 'It may work when called again' : tryAgainIn(retry_after_ms))
  return lines.join('\n')
}
