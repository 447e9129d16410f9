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

type FailureAnswer =
  | { readonly status: number; readonly message: string; readonly detail?: string | undefined }
  | { readonly output: JsonObject }

/** An unreadable request is an HTTP error, and any outcome a response (Open Tool Calling RFC, section 4.3). */
export function toFailureResponse(failure: Failure): FailureAnswer {
  switch (failure.type) {
    case 'id-malformed':
      return error({
        message: `'${failure.asked.slice(0, 200)}' names no tool`,
        detail: "wanted a toolkit's and a tool's name",
      })
    case 'tool-unknown':
      return error({ ...describeFailure(failure), detail: 'GET /worker/tools lists the tools' })
    case 'version-unavailable':
    case 'tool-disabled':
    case 'tool-not-executable':
    case 'tool-untrusted':
    case 'outcome-unknown':
    case 'output-elsewhere':
    case 'select-failed':
    case 'output-too-large':
      return error(describeFailure(failure))
    case 'approval-required':
      return { output: { requires_authorization: challenge(failure.challenge) } }
    case 'requirements-missing': {
      const first = failure.authorization.find(({ authorization }) => authorization !== undefined || !failure.user_id)
      return first ? { output: { requires_authorization: challenge(first) } } : missing(failure)
    }
    case 'input-invalid':
      return invalidInput(failure.problems)
    case 'tool-failed':
      return { output: { error: toolError(failure) } }
    case 'tool-timed-out':
    case 'cancelled':
      return error(describeFailure(failure), toRetryAdvice(failure))
    case 'select-invalid':
      return error(describeFailure(failure), { can_retry: true })
    case 'output-invalid':
      return error(describeFailure(failure), { developer_message: formatProblems(failure.problems) })
    case 'input-required':
      return error({
        message: 'The tool asks for more input, and the Open Tool Calling RFC has no way to give it',
        detail: `it can be answered through /mcp:\n${formatInputRequests(failure)}`,
      })
    case 'rate-limited':
    case 'internal':
      return { status: HTTP_STATUS[failure.type], message: formatSentence(describeFailure(failure)) }
    case 'route-unknown':
      return {
        status: HTTP_STATUS[failure.type],
        ...describeFailure(failure),
        detail: 'POST /worker/tools/invoke calls a tool',
      }
    case 'definition-invalid':
      return {
        status: HTTP_STATUS[failure.type],
        ...describeFailure(failure),
        detail: formatProblems(failure.problems),
      }
    default: {
      const words = describeFailure(failure)
      return { status: HTTP_STATUS[failure.type], message: words.message, detail: formatDetail(words) }
    }
  }
}

function error(words: FailureText, more: Partial<ToolFailure> = {}): FailureAnswer {
  const developer_message = formatDetail(words)
  const said = developer_message === undefined ? {} : { developer_message }
  return { output: { error: toolError({ message: words.message, ...said, ...more }) } }
}

function toolError(failure: ToolFailure): JsonObject {
  const { message, developer_message, can_retry = false, additional_prompt_content, retry_after_ms } = failure
  const wait = retry_after_ms === undefined ? undefined : Math.ceil(retry_after_ms)
  return { message, developer_message, can_retry, additional_prompt_content, retry_after_ms: wait }
}

function challenge({ id, authorization, url, scopes, status }: AuthorizationChallenge): JsonObject {
  return { id: authorization ?? id, url, scopes, status }
}

function missing(failure: Extract<Failure, { type: 'requirements-missing' }>): FailureAnswer {
  const { tool, authorization, tokens = [], secrets, user_id, detail } = failure
  const providers = authorization.map(({ id }) => id)
  const granting = providers.length === 0 ? '' : ` who can grant access at ${quoteList(providers)}`
  const what = [
    ...tokens.map(({ id }) => `the token '${id}' (context.authorization.token)`),
    ...secrets.map(({ id }) => `the secret '${id}' (context.secrets)`),
    ...(user_id ? [`a user${granting} (context.user_id)`] : []),
  ]
  return error({ message: `Tool '${tool}' needs ${what.join(' and ')} before it can be called`, detail })
}

function invalidInput(problems: readonly Problem[]): FailureAnswer {
  const { whole, parameters } = groupInputProblems(problems)
  const said = [...whole, ...Object.entries(parameters).map(([name, why]) => `${name}: ${why}`)].join('; ')
  return error(
    { message: `Some inputs are not valid: ${said}` },
    {
      developer_message: formatProblems(problems),
      can_retry: true,
      additional_prompt_content: `Correct these inputs, then call the tool again: ${said}`,
    },
  )
}
