import type { Challenge } from '../../core/consent/authorization.ts'
import type { Failure, FailureType } from '../../core/call/failure.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { problemsByParameter } from '../../core/tool/problem.ts'

/** The error types of the specification ("Tool Execution"), as codes. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'SECURITY_ERROR'
  | 'EXECUTION_ERROR'
  | 'RESOURCE_ERROR'
  | 'TIMEOUT_ERROR'
  | 'NOT_FOUND_ERROR'
  | 'SYSTEM_ERROR'

/** How a failure is answered: in the execution of a response (status 200), or as an error message with a status. */
export type Answer = { readonly code: ErrorCode } & (
  { readonly execution: 'failure' | 'cancelled' | 'timeout' } | { readonly status: number }
)

/** What became of a well-formed request is its execution, whatever it was, save that a caller was not let in. */
export const ANSWERS = {
  'request-malformed': { code: 'VALIDATION_ERROR', status: 400 },
  'body-too-large': { code: 'RESOURCE_ERROR', status: 413 },
  'media-type-unsupported': { code: 'VALIDATION_ERROR', status: 415 },
  'protocol-version-unsupported': { code: 'VALIDATION_ERROR', status: 400 },
  'route-unknown': { code: 'NOT_FOUND_ERROR', status: 404 },
  'method-not-allowed': { code: 'VALIDATION_ERROR', status: 405 },
  'unauthenticated': { code: 'SECURITY_ERROR', status: 401 },
  'forbidden': { code: 'SECURITY_ERROR', status: 403 },
  'rate-limited': { code: 'RESOURCE_ERROR', status: 429 },
  'id-malformed': { code: 'NOT_FOUND_ERROR', execution: 'failure' },
  'tool-unknown': { code: 'NOT_FOUND_ERROR', execution: 'failure' },
  'version-unavailable': { code: 'NOT_FOUND_ERROR', execution: 'failure' },
  'tool-disabled': { code: 'VALIDATION_ERROR', execution: 'failure' },
  'tool-not-executable': { code: 'VALIDATION_ERROR', execution: 'failure' },
  'requirements-missing': { code: 'SECURITY_ERROR', execution: 'failure' },
  'approval-required': { code: 'SECURITY_ERROR', execution: 'failure' },
  'input-invalid': { code: 'VALIDATION_ERROR', execution: 'failure' },
  'tool-failed': { code: 'EXECUTION_ERROR', execution: 'failure' },
  'tool-timed-out': { code: 'TIMEOUT_ERROR', execution: 'timeout' },
  'output-invalid': { code: 'EXECUTION_ERROR', execution: 'failure' },
  'cancelled': { code: 'EXECUTION_ERROR', execution: 'cancelled' },
  'input-required': { code: 'EXECUTION_ERROR', execution: 'failure' },
  'definition-invalid': { code: 'VALIDATION_ERROR', status: 422 },
  'conflict': { code: 'VALIDATION_ERROR', status: 409 },
  'not-found': { code: 'NOT_FOUND_ERROR', status: 404 },
  'unavailable': { code: 'SYSTEM_ERROR', status: 503 },
  'internal': { code: 'SYSTEM_ERROR', execution: 'failure' },
} as const satisfies Record<FailureType, Answer>

/** The `error` of an execution or of an error message: `{code, message, details?}`. */
export function errorOf(failure: Failure): JsonObject {
  return { code: ANSWERS[failure.type].code, ...said(failure) }
}

function said(failure: Failure): { readonly message: string; readonly details?: JsonObject } {
  switch (failure.type) {
    case 'request-malformed':
      return {
        message: failure.message,
        ...(failure.detail === undefined ? {} : { details: { reason: failure.detail } }),
      }
    case 'body-too-large':
      return { message: `The body is larger than ${failure.limit} bytes`, details: { limit_bytes: failure.limit } }
    case 'media-type-unsupported':
      return { message: `Send the body as '${failure.wanted}', got '${failure.got ?? 'no content type'}'` }
    case 'protocol-version-unsupported':
      return { message: `The protocol version '${failure.asked}' is not supported: wanted '${failure.supported}'` }
    case 'route-unknown':
      return { message: `There is nothing at '${failure.path}'` }
    case 'method-not-allowed':
      return { message: `'${failure.method}' is not allowed here: wanted ${failure.allowed.join(', ')}` }
    case 'unauthenticated':
    case 'forbidden':
      return { message: failure.reason }
    case 'rate-limited':
      return { message: 'Too many requests', details: { retry_after_ms: failure.retry_after_ms } }
    case 'id-malformed':
      return {
        message: `There can be no tool '${failure.asked.slice(0, 200)}': ids and capabilities are 1 to 64 of the characters A-Z, a-z, 0-9, _ and -, and a version is x.y.z or a range`,
      }
    case 'tool-unknown': {
      const message = `Tool '${failure.asked.slice(0, 200)}' was not found`
      if (failure.suggestions.length === 0) return { message }
      const nearest = failure.suggestions.map((id) => `'${id}'`).join(', ')
      return { message: `${message}: did you mean ${nearest}?`, details: { suggestions: failure.suggestions } }
    }
    case 'version-unavailable':
      return {
        message: `Version '${failure.asked}' of tool '${failure.tool}' is not available`,
        details: { available: failure.available },
      }
    case 'tool-disabled':
      return { message: `Tool '${failure.id}' is disabled` }
    case 'tool-not-executable':
      return { message: `Tool '${failure.id}' cannot be called here: ${failure.reason}` }
    case 'requirements-missing':
      return missing(failure)
    case 'approval-required':
      return {
        message: `A person must approve this call first: ${failure.reason}`,
        details: { authorization: [challenge(failure.challenge)] },
      }
    case 'input-invalid':
      return invalidInput(failure.problems)
    case 'tool-failed': {
      const { type: _, message, ...details } = failure
      return Object.keys(details).length > 0 ? { message, details } : { message }
    }
    case 'tool-timed-out':
      return { message: `The tool did not answer within ${failure.timeout_ms / 1000} seconds` }
    case 'output-invalid':
      return {
        message: 'The tool returned something its return schema does not allow',
        details: { problems: failure.problems.map((each) => ({ ...each })) },
      }
    case 'cancelled':
      return { message: 'The call was cancelled' }
    case 'input-required':
      return {
        message: 'The tool asks for more input, and this protocol has no way to give it',
        details: { requests: Object.keys(failure.requests) },
      }
    case 'definition-invalid':
      return {
        message: 'The definition is not valid',
        details: { problems: failure.problems.map((each) => ({ ...each })) },
      }
    case 'conflict':
    case 'not-found':
    case 'unavailable':
      return { message: failure.message }
    case 'internal':
      return { message: 'Something went wrong on our side', details: { reference: failure.reference } }
  }
}

function missing(failure: Extract<Failure, { type: 'requirements-missing' }>): ReturnType<typeof said> {
  const { tool, authorization, secrets, user_id, detail } = failure
  return {
    message: `Tool '${tool}' needs something more before it can be called: ${detail}`,
    details: {
      ...(authorization.length > 0 ? { authorization: authorization.map(challenge) } : {}),
      ...(secrets.length > 0 ? { secrets: secrets.map(({ id }) => ({ id })) } : {}),
      ...(user_id ? { user_id } : {}),
    },
  }
}

/** What a person must do first: where, and where it can be seen how far they are. */
function challenge({ id, url, check_url, scopes, status }: Challenge): JsonObject {
  return { id, url, ...(check_url === undefined ? {} : { check_url }), scopes: [...scopes], status }
}

/** The problems by parameter; what concerns the parameters as a whole stands in the message. */
function invalidInput(problems: Extract<Failure, { type: 'input-invalid' }>['problems']): ReturnType<typeof said> {
  const whole = problems.filter(({ path }) => path === '').map(({ message }) => message)
  return {
    message: ['Some parameters are invalid', ...whole].join(': '),
    details: problemsByParameter(problems.filter(({ path }) => path !== '')),
  }
}
