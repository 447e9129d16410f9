import { type Failure, type FailureType, filterOpenChallenges } from '../../core/failure/failure.ts'
import { formatInputRequests, formatSentence, tryAgainIn, describeFailure } from '../../core/failure/failure-text.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { HTTP_STATUS, OUTCOME_STATUS } from '../../http/response/failure-status.ts'

/** A call's outcome is its result (200); an unknown tool or a refused caller is a protocol error. */
export const STATUS = {
  ...HTTP_STATUS,
  ...OUTCOME_STATUS,
  'id-malformed': 400,
  'tool-unknown': 404,
  'version-unavailable': 404,
  'tool-disabled': 404,
  'tool-renamed': 404,
  'tool-changed': 404,
  'tool-not-executable': 404,
  'tool-untrusted': 200,
  'requirements-missing': 200,
  'approval-required': 200,
  'input-invalid': 200,
  'select-invalid': 200,
} as const satisfies Record<FailureType, number>

export function formatPluginFailure(failure: Failure): string {
  switch (failure.type) {
    case 'request-malformed':
      return failure.detail === undefined ? failure.message : `${failure.message}. ${failure.detail}`
    case 'media-type-unsupported':
      return `Send the body as '${failure.acceptedType}', got '${failure.contentType ?? 'no content type'}'`
    case 'id-malformed':
      return `'${failure.ref.slice(0, 200)}' is not a tool's name, which is 1 to 64 of the characters A-Z, a-z, 0-9, _ and -`
    case 'tool-unknown': {
      const { message } = describeFailure(failure)
      return failure.suggestions.length === 0 ? `${message}: describe lists the tools there are` : message
    }
    case 'requirements-missing': {
      const links = filterOpenChallenges(failure).map(
        ({ id, url }) => `To authorize '${id}', open ${url} and then call again`,
      )
      return [formatSentence(describeFailure(failure)), ...links].join('\n')
    }
    case 'approval-required':
      return `${formatSentence(describeFailure(failure))}\nTo approve it, open ${failure.challenge.url} and then call again`
    case 'input-invalid':
      return `Some arguments are invalid: ${listProblems(failure.problems, 'The arguments')}`
    case 'tool-failed': {
      const { message, additional_prompt_content: prompt, retry_after_ms: retryAfterMs } = failure
      return [
        message,
        ...(prompt === undefined ? [] : [prompt]),
        ...(retryAfterMs === undefined ? [] : [tryAgainIn(retryAfterMs)]),
      ].join('\n')
    }
    case 'tool-timed-out':
      return failure.may_have_run ? formatSentence(describeFailure(failure)) : describeFailure(failure).message
    case 'output-invalid':
      return formatSentence({ ...describeFailure(failure), detail: listProblems(failure.problems, 'The output') })
    case 'input-required':
      return `The tool asks for more input, and a plugin's call has no way to give it\n${formatInputRequests(failure)}`
    case 'definition-invalid':
      return formatSentence({ ...describeFailure(failure), detail: listProblems(failure.problems, 'The definition') })
    case 'internal':
      return `Something went wrong on our side (reference '${failure.reference}')`
    default:
      return formatSentence(describeFailure(failure))
  }
}

function listProblems(problems: readonly Problem[], wholeName: string): string {
  return problems.map(({ path, message }) => `${path === '' ? wholeName : `'${path.slice(1)}'`}: ${message}`).join('; ')
}
