import type { Challenge } from '../../core/consent/authorization.ts'
import { problemsByParameter } from '../../core/tool/problem.ts'
import type { Failure, FailureType } from '../../core/call/failure.ts'
import type { ToolFailure } from '../../core/tool/tool-failure.ts'
import type { JsonObject } from '../../core/tool/json.ts'

/** The status each failure is answered with. What a tool did is an answer, not an error: 200 (OXP 1.0, "Call tool"). */
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
  'tool-unknown': 400,
  'version-unavailable': 400,
  'tool-disabled': 400,
  'tool-not-executable': 400,
  'requirements-missing': 400,
  'approval-required': 400,
  'input-invalid': 422,
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

/** The ToolError of a failure that happened while the tool ran; undefined for every other. */
export function toolError(failure: Failure): JsonObject | undefined {
  switch (failure.type) {
    case 'tool-failed':
      return failed(failure)
    case 'tool-timed-out':
      return {
        message: `The tool did not answer within ${failure.timeout_ms / 1000} seconds`,
        developer_message: 'The deadline passed while the tool ran',
        can_retry: true,
      }
    case 'output-invalid':
      return {
        message: 'The tool returned something its output schema does not allow',
        developer_message: failure.problems
          .map(({ path, message }) => `${path || 'The output'}: ${message}`)
          .join('; '),
        can_retry: false,
      }
    case 'cancelled':
      return { message: 'The call was cancelled', can_retry: true }
    case 'input-required':
      return {
        message: 'The tool asks for more input, and OXP has no way to give it',
        developer_message: `It asks for ${Object.keys(failure.requests).join(', ')}: call it through /mcp`,
        can_retry: false,
      }
    default:
      return undefined
  }
}

/** The body of a ServerErrorResponse or ValidationErrorResponse. */
export function failureBody(failure: Failure): JsonObject {
  switch (failure.type) {
    case 'request-malformed':
      return said(failure.message, failure.detail)
    case 'body-too-large':
      return said(
        failure.got === undefined
          ? `The body is larger than ${failure.limit} bytes`
          : `The body has ${failure.got} bytes, and at most ${failure.limit} are taken`,
      )
    case 'media-type-unsupported':
      return said(`Send the body as '${failure.wanted}'`, `Got the content type '${failure.got ?? 'none'}'`)
    case 'protocol-version-unsupported':
      return said(`The protocol version '${failure.asked}' is not supported`, `Wanted '${failure.supported}'`)
    case 'route-unknown':
      return said(`There is nothing at '${failure.path}'`, 'GET /tools lists the tools, POST /tools/call calls one')
    case 'method-not-allowed':
      return said(`'${failure.method}' is not allowed here`, `Wanted ${failure.allowed.join(', ')}`)
    case 'unauthenticated':
    case 'forbidden':
      return said(failure.reason)
    case 'rate-limited':
      return said('Too many requests', `Try again in ${Math.ceil(failure.retry_after_ms / 1000)} seconds`)
    case 'id-malformed':
      return said(
        `'${failure.asked.slice(0, 200)}' is not a tool id`,
        "Wanted 'Toolkit.Tool', 'Toolkit.Tool@1.2.3' or a range such as 'Toolkit.Tool@^1.2'",
      )
    case 'tool-unknown':
      return unknownTool(failure.asked, failure.suggestions)
    case 'version-unavailable':
      return said(`Tool '${failure.name}' was not found`, `${failure.tool} version ${failure.asked} is not available`)
    case 'tool-disabled':
      return said(`Tool '${failure.id}' is disabled`, 'An administrator can enable it with PATCH /tools/{id}')
    case 'tool-not-executable':
      return said(`Tool '${failure.id}' cannot be called here`, failure.reason)
    case 'requirements-missing':
      return {
        ...said(`Tool '${failure.tool}' needs something more before it can be called`, failure.detail),
        missing_requirements: {
          ...(failure.authorization.length > 0 ? { authorization: failure.authorization.map(authorization) } : {}),
          ...(failure.secrets.length > 0 ? { secrets: failure.secrets.map(({ id }) => ({ id })) } : {}),
          ...(failure.user_id ? { user_id: true } : {}),
        },
      }
    case 'approval-required':
      return {
        ...said('A person must approve this call first', failure.reason),
        missing_requirements: { authorization: [authorization(failure.challenge)] },
      }
    case 'input-invalid':
      return invalidInput(failure.problems)
    case 'definition-invalid':
      return { message: 'The definition is not valid', errors: failure.problems.map((each) => ({ ...each })) }
    case 'conflict':
    case 'not-found':
    case 'unavailable':
      return said(failure.message)
    case 'internal':
      return said('Something went wrong on our side', `Reference '${failure.reference}'`)
    case 'tool-failed':
    case 'tool-timed-out':
    case 'output-invalid':
    case 'cancelled':
    case 'input-required':
      return toolError(failure) ?? said('The tool failed')
  }
}

function said(message: string, developer_message?: string): { message: string; developer_message?: string } {
  return developer_message === undefined ? { message } : { message, developer_message }
}

/** What a person must do first (OXP 1.0, "AuthorizationRequirements"). */
function authorization({ id, url, check_url }: Challenge): JsonObject {
  return check_url === undefined ? { id, url } : { id, url, check_url }
}

function unknownTool(asked: string, suggestions: readonly string[]): JsonObject {
  const unknown = `${asked.slice(0, 200)} is not available`
  if (suggestions.length === 0) return said(`Tool '${asked.slice(0, 200)}' was not found`, unknown)
  const nearest = suggestions.map((id) => `'${id}'`).join(', ')
  return {
    ...said(`Tool '${asked.slice(0, 200)}' was not found: did you mean ${nearest}?`, unknown),
    suggestions,
  }
}

/** Problems by parameter; what concerns the input as a whole stands in the message. */
function invalidInput(problems: Extract<Failure, { type: 'input-invalid' }>['problems']): JsonObject {
  const whole = problems.filter(({ path }) => path === '').map(({ message }) => message)
  const message = ['Some input parameters are invalid', ...whole].join(': ')
  return { message, parameter_errors: problemsByParameter(problems.filter(({ path }) => path !== '')) }
}

function failed(failure: ToolFailure): JsonObject {
  const { message, developer_message, can_retry, additional_prompt_content, retry_after_ms } = failure
  return {
    message,
    ...(developer_message === undefined ? {} : { developer_message }),
    ...(can_retry === undefined ? {} : { can_retry }),
    ...(additional_prompt_content === undefined ? {} : { additional_prompt_content }),
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  }
}
