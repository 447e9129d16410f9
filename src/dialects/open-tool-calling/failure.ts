import type { Failure } from '../../core/failure/failure.ts'
import type { FailureText } from '../../core/failure/failure-text.ts'
import {
  toRetryAdvice,
  formatDetail,
  groupInputProblems,
  formatInputRequests,
  formatSentence,
  describeFailure,
} from '../../core/failure/failure-text.ts'
import type { AuthorizationChallenge } from '../../core/consent/authorization.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { type Problem, formatProblems, quoteList } from '../../core/tool/problem.ts'
import type { ToolFailure } from '../../core/tool/content.ts'
import { HTTP_STATUS } from '../../http/response/failure-status.ts'

type FailureResponse =
  | {
      readonly kind: 'http-error'
      readonly status: number
      readonly message: string
      readonly detail?: string | undefined
    }
  | { readonly kind: 'response'; readonly output: JsonObject }

/** Returns an HTTP error for an unreadable request, and a response for any outcome (Open Tool Calling RFC, section 4.3). */
export function toFailureResponse(failure: Failure): FailureResponse {
  switch (failure.type) {
    case 'id-malformed':
      return toErrorResponse({
        message: `'${failure.ref.slice(0, 200)}' names no tool`,
        detail: "wanted a toolkit's and a tool's name",
      })
    case 'tool-unknown':
      return toErrorResponse({ ...describeFailure(failure), detail: 'GET /worker/tools lists the tools' })
    case 'version-unavailable':
    case 'tool-disabled':
    case 'tool-renamed':
    case 'tool-changed':
    case 'tool-not-executable':
    case 'tool-untrusted':
    case 'outcome-unknown':
    case 'output-elsewhere':
    case 'select-failed':
    case 'output-too-large':
      return toErrorResponse(describeFailure(failure))
    case 'approval-required':
      return toResponse({ requires_authorization: encodeChallenge(failure.challenge) })
    case 'requirements-missing': {
      const first = failure.authorization.find(({ authorization }) => authorization !== undefined || !failure.user_id)
      return first ? toResponse({ requires_authorization: encodeChallenge(first) }) : toMissingRequirements(failure)
    }
    case 'input-invalid':
      return toInvalidInput(failure.problems)
    case 'tool-failed':
      return toResponse({ error: encodeToolError(failure) })
    case 'tool-timed-out':
    case 'cancelled':
      return toErrorResponse(describeFailure(failure), toRetryAdvice(failure))
    case 'select-invalid':
      return toErrorResponse(describeFailure(failure), { can_retry: true })
    case 'output-invalid':
      return toErrorResponse(describeFailure(failure), { developer_message: formatProblems(failure.problems) })
    case 'input-required':
      return toErrorResponse({
        message: 'The tool asks for more input, and the Open Tool Calling RFC has no way to give it',
        detail: `it can be answered through /mcp:\n${formatInputRequests(failure)}`,
      })
    case 'rate-limited':
    case 'internal':
      return toHttpError(failure.type, { message: formatSentence(describeFailure(failure)) })
    case 'route-unknown':
      return toHttpError(failure.type, {
        ...describeFailure(failure),
        detail: 'POST /worker/tools/invoke calls a tool',
      })
    case 'definition-invalid':
      return toHttpError(failure.type, { ...describeFailure(failure), detail: formatProblems(failure.problems) })
    default: {
      const text = describeFailure(failure)
      return toHttpError(failure.type, { ...text, detail: formatDetail(text) })
    }
  }
}

function toHttpError(type: keyof typeof HTTP_STATUS, text: FailureText): FailureResponse {
  return { kind: 'http-error', status: HTTP_STATUS[type], ...text }
}

function toResponse(output: JsonObject): FailureResponse {
  return { kind: 'response', output }
}

function toErrorResponse(text: FailureText, fields: Partial<ToolFailure> = {}): FailureResponse {
  const developer_message = formatDetail(text)
  const developerMessage = developer_message === undefined ? {} : { developer_message }
  return toResponse({ error: encodeToolError({ message: text.message, ...developerMessage, ...fields }) })
}

function encodeToolError(failure: ToolFailure): JsonObject {
  const { message, developer_message, can_retry = false, additional_prompt_content, retry_after_ms } = failure
  const retryAfterMs = retry_after_ms === undefined ? undefined : Math.ceil(retry_after_ms)
  return { message, developer_message, can_retry, additional_prompt_content, retry_after_ms: retryAfterMs }
}

function encodeChallenge({ id, authorization, url, scopes, status }: AuthorizationChallenge): JsonObject {
  return { id: authorization ?? id, url, scopes, status }
}

function toMissingRequirements(failure: Extract<Failure, { type: 'requirements-missing' }>): FailureResponse {
  const { tool, authorization, tokens = [], secrets, user_id, detail } = failure
  const providers = authorization.map(({ id }) => id)
  const providerClause = providers.length === 0 ? '' : ` who can grant access at ${quoteList(providers)}`
  const needs = [
    ...tokens.map(({ id }) => `the token '${id}' (context.authorization.token)`),
    ...secrets.map(({ id }) => `the secret '${id}' (context.secrets)`),
    ...(user_id ? [`a user${providerClause} (context.user_id)`] : []),
  ]
  return toErrorResponse({ message: `Tool '${tool}' needs ${needs.join(' and ')} before it can be called`, detail })
}

function toInvalidInput(problems: readonly Problem[]): FailureResponse {
  const { whole, parameters } = groupInputProblems(problems)
  const message = [...whole, ...Object.entries(parameters).map(([name, problem]) => `${name}: ${problem}`)].join('; ')
  return toErrorResponse(
    { message: `Some inputs are not valid: ${message}` },
    {
      developer_message: formatProblems(problems),
      can_retry: true,
      additional_prompt_content: `Correct these inputs, then call the tool again: ${message}`,
    },
  )
}
