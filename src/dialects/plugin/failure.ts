import type { Failure, FailureType } from '../../core/call/failure.ts'
import type { Problem } from '../../core/tool/problem.ts'

/**
 * The status each failure is answered with. What a model can put right, and what a tool did, is the call's result (200);
 * not to find a tool, or not to be let in, is an error of the protocol.
 */
export const STATUS = {
  'request-malformed': 400,
  'body-too-large': 413,
  'media-type-unsupported': 415,
  'protocol-version-unsupported': 400,
  'route-unknown': 404,
  'method-not-allowed': 405,
  'unauthenticated': 401,
  'forbidden': 403,
  'rate-limited': 429,
  'id-malformed': 400,
  'tool-unknown': 404,
  'version-unavailable': 404,
  'tool-disabled': 404,
  'tool-not-executable': 404,
  'requirements-missing': 200,
  'approval-required': 200,
  'input-invalid': 200,
  'tool-failed': 200,
  'tool-timed-out': 200,
  'output-invalid': 200,
  'cancelled': 200,
  'input-required': 200,
  'definition-invalid': 422,
  'conflict': 409,
  'not-found': 404,
  'unavailable': 503,
  'internal': 500,
} as const satisfies Record<FailureType, number>

/** A failure in words, for the model or the person who reads the result: the dialect has nothing else. */
export function wordsOf(failure: Failure): string {
  switch (failure.type) {
    case 'request-malformed':
      return failure.detail === undefined ? failure.message : `${failure.message}. ${failure.detail}`
    case 'body-too-large':
      return `The body is larger than ${failure.limit} bytes`
    case 'media-type-unsupported':
      return `Send the body as '${failure.wanted}', got '${failure.got ?? 'no content type'}'`
    case 'protocol-version-unsupported':
      return `The protocol version '${failure.asked}' is not supported: wanted '${failure.supported}'`
    case 'route-unknown':
      return `There is nothing at '${failure.path}'`
    case 'method-not-allowed':
      return `'${failure.method}' is not allowed here: wanted ${failure.allowed.join(', ')}`
    case 'unauthenticated':
    case 'forbidden':
      return failure.reason
    case 'rate-limited':
      return `Too many requests: try again in ${Math.ceil(failure.retry_after_ms / 1000)} seconds`
    case 'id-malformed':
      return `'${failure.asked.slice(0, 200)}' is not a tool's name, which is 1 to 64 of the characters A-Z, a-z, 0-9, _ and -`
    case 'tool-unknown': {
      const nearest = failure.suggestions.map((id) => `'${id}'`).join(', ')
      const unknown = `Tool '${failure.asked.slice(0, 200)}' was not found`
      return nearest === '' ? `${unknown}: describe lists the tools there are` : `${unknown}: did you mean ${nearest}?`
    }
    case 'version-unavailable':
      return `Version '${failure.asked}' of tool '${failure.tool}' is not available`
    case 'tool-disabled':
      return `Tool '${failure.id}' is disabled`
    case 'tool-not-executable':
      return `Tool '${failure.id}' cannot be called here: ${failure.reason}`
    case 'requirements-missing': {
      const links = failure.authorization.map(({ id, url }) => `To authorize '${id}', open ${url} and then call again`)
      const needs = `Tool '${failure.tool}' needs something more before it can be called: ${failure.detail}`
      return [needs, ...links].join('\n')
    }
    case 'approval-required':
      return `A person must approve this call first: ${failure.reason}\nTo approve it, open ${failure.challenge.url} and then call again`
    case 'input-invalid':
      return `Some arguments are invalid: ${listed(failure.problems, 'The arguments')}`
    case 'tool-failed': {
      const { message, developer_message, additional_prompt_content, retry_after_ms } = failure
      const retry = retry_after_ms === undefined ? [] : [`Try again in ${Math.ceil(retry_after_ms / 1000)} seconds`]
      const more = [developer_message, additional_prompt_content].filter(
        (each) => each !== undefined && each !== message,
      )
      return [message, ...more, ...retry].join('\n')
    }
    case 'tool-timed-out':
      return `The tool did not answer within ${failure.timeout_ms / 1000} seconds`
    case 'output-invalid':
      return `The tool returned something its output schema does not allow: ${listed(failure.problems, 'The output')}`
    case 'cancelled':
      return 'The call was cancelled'
    case 'input-required':
      return `The tool asks for more input (${Object.keys(failure.requests).join(', ')}), and a plugin's call has no way to give it`
    case 'definition-invalid':
      return `The definition is not valid: ${listed(failure.problems, 'The definition')}`
    case 'conflict':
    case 'not-found':
    case 'unavailable':
      return failure.message
    case 'internal':
      return `Something went wrong on our side (reference '${failure.reference}')`
  }
}

function listed(problems: readonly Problem[], whole: string): string {
  return problems.map(({ path, message }) => `${path === '' ? whole : `'${path.slice(1)}'`}: ${message}`).join('; ')
}
