import type { Failure, FailureType } from '../../core/failure/failure.ts'
import {
  groupInputProblems,
  formatInputRequests,
  formatSentence,
  describeFailure,
} from '../../core/failure/failure-text.ts'
import type { AuthorizationChallenge } from '../../core/consent/authorization.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { omitEmptyRequirements } from '../../core/tool/tool.ts'

type ErrorCode = `${'VALIDATION' | 'SECURITY' | 'EXECUTION' | 'RESOURCE' | 'TIMEOUT' | 'NOT_FOUND' | 'SYSTEM'}_ERROR`

export type FailureMapping = { readonly code: ErrorCode } & (
  { readonly execution: 'failure' | 'cancelled' | 'timeout' } | { readonly status: number }
)

export const EXECUTION_FAILURES = {
  'request-malformed': { code: 'VALIDATION_ERROR', status: 400 },
  'body-too-large': { code: 'RESOURCE_ERROR', status: 413 },
  'body-timed-out': { code: 'TIMEOUT_ERROR', status: 408 },
  'media-type-unsupported': { code: 'VALIDATION_ERROR', status: 415 },
  'protocol-version-unsupported': { code: 'VALIDATION_ERROR', status: 400 },
  'misdirected': { code: 'VALIDATION_ERROR', status: 421 },
  'route-unknown': { code: 'NOT_FOUND_ERROR', status: 404 },
  'method-not-allowed': { code: 'VALIDATION_ERROR', status: 405 },
  'unauthenticated': { code: 'SECURITY_ERROR', status: 401 },
  'forbidden': { code: 'SECURITY_ERROR', status: 403 },
  'rate-limited': { code: 'RESOURCE_ERROR', status: 429 },
  'id-malformed': { code: 'NOT_FOUND_ERROR', execution: 'failure' },
  'tool-unknown': { code: 'NOT_FOUND_ERROR', execution: 'failure' },
  'version-unavailable': { code: 'NOT_FOUND_ERROR', execution: 'failure' },
  'tool-disabled': { code: 'VALIDATION_ERROR', execution: 'failure' },
  'tool-renamed': { code: 'NOT_FOUND_ERROR', execution: 'failure' },
  'tool-changed': { code: 'VALIDATION_ERROR', execution: 'failure' },
  'tool-not-executable': { code: 'VALIDATION_ERROR', execution: 'failure' },
  'tool-untrusted': { code: 'SECURITY_ERROR', execution: 'failure' },
  'requirements-missing': { code: 'SECURITY_ERROR', execution: 'failure' },
  'approval-required': { code: 'SECURITY_ERROR', execution: 'failure' },
  'input-invalid': { code: 'VALIDATION_ERROR', execution: 'failure' },
  'select-invalid': { code: 'VALIDATION_ERROR', execution: 'failure' },
  'tool-failed': { code: 'EXECUTION_ERROR', execution: 'failure' },
  'tool-timed-out': { code: 'TIMEOUT_ERROR', execution: 'timeout' },
  'output-invalid': { code: 'EXECUTION_ERROR', execution: 'failure' },
  'output-elsewhere': { code: 'RESOURCE_ERROR', execution: 'failure' },
  'select-failed': { code: 'EXECUTION_ERROR', execution: 'failure' },
  'output-too-large': { code: 'RESOURCE_ERROR', execution: 'failure' },
  'outcome-unknown': { code: 'EXECUTION_ERROR', execution: 'failure' },
  'cancelled': { code: 'EXECUTION_ERROR', execution: 'cancelled' },
  'input-required': { code: 'EXECUTION_ERROR', execution: 'failure' },
  'definition-invalid': { code: 'VALIDATION_ERROR', status: 422 },
  'conflict': { code: 'VALIDATION_ERROR', status: 409 },
  'precondition-failed': { code: 'VALIDATION_ERROR', status: 412 },
  'not-found': { code: 'NOT_FOUND_ERROR', status: 404 },
  'gone': { code: 'NOT_FOUND_ERROR', status: 410 },
  'unavailable': { code: 'SYSTEM_ERROR', status: 503 },
  'internal': { code: 'SYSTEM_ERROR', execution: 'failure' },
} as const satisfies Record<FailureType, FailureMapping>

export function toExecutionError(failure: Failure): JsonObject {
  return {
    code: EXECUTION_FAILURES[failure.type].code,
    message: formatFailureMessage(failure),
    details: buildDetails(failure),
  }
}

function formatFailureMessage(failure: Failure): string {
  switch (failure.type) {
    case 'media-type-unsupported':
      return `Send the body as '${failure.acceptedType}', got '${failure.contentType ?? 'no content type'}'`
    case 'id-malformed':
      return `There can be no tool '${failure.ref.slice(0, 200)}': ids and capabilities are 1 to 160 characters that can be seen, and a version is x.y.z or a range`
    case 'input-invalid':
      return ['Some parameters are invalid', ...groupInputProblems(failure.problems).whole].join(': ')
    case 'output-invalid':
      return 'The tool returned something its return schema does not allow'
    case 'input-required':
      return `The tool asks for more input, and this protocol has no way to give it\n${formatInputRequests(failure)}`
    case 'tool-failed':
      return failure.message
    case 'request-malformed':
    case 'rate-limited':
    case 'internal':
      return describeFailure(failure).message
    case 'tool-timed-out':
      return failure.may_have_run ? formatSentence(describeFailure(failure)) : describeFailure(failure).message
    default:
      return formatSentence(describeFailure(failure))
  }
}

function buildDetails(failure: Failure): JsonObject | undefined {
  switch (failure.type) {
    case 'request-malformed':
      return failure.detail === undefined ? undefined : { reason: failure.detail }
    case 'body-too-large':
    case 'output-too-large':
      return { limit_bytes: failure.limit }
    case 'rate-limited':
      return { retry_after_ms: failure.retry_after_ms }
    case 'unauthenticated':
    case 'tool-unknown':
      return failure.suggestions?.length ? { suggestions: failure.suggestions } : undefined
    case 'version-unavailable':
      return { available: failure.available }
    case 'requirements-missing':
      return omitEmptyRequirements(failure.authorization.map(encodeChallenge), failure)
    case 'approval-required':
      return { authorization: [encodeChallenge(failure.challenge)] }
    case 'input-invalid':
      return groupInputProblems(failure.problems).parameters
    case 'tool-failed': {
      const { type: _, message: _message, ...details } = failure
      return Object.keys(details).length > 0 ? details : undefined
    }
    case 'tool-timed-out':
    case 'cancelled':
      return failure.may_have_run ? { can_retry: false } : undefined
    case 'output-elsewhere':
    case 'select-failed':
      return failure.artifact ? { artifact: { ...failure.artifact } } : undefined
    case 'select-invalid':
      return failure.at === undefined ? undefined : { character: failure.at + 1 }
    case 'output-invalid':
    case 'definition-invalid':
      return { problems: failure.problems.map((each) => ({ ...each })) }
    case 'input-required':
      return { requests: Object.keys(failure.requests) }
    case 'internal':
      return { reference: failure.reference }
    default:
      return undefined
  }
}

function encodeChallenge({ id, url, check_url, scopes, status }: AuthorizationChallenge): JsonObject {
  return { id, url, check_url, scopes, status }
}
