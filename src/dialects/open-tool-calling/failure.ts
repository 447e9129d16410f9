import type { Challenge } from '../../core/consent/authorization.ts'
import type { Failure } from '../../core/call/failure.ts'
import type { ToolFailure } from '../../core/tool/tool-failure.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { type Problem, problemsByParameter } from '../../core/tool/problem.ts'

/** What a failure is answered with: a status and a body of its own, or the output of a response (always 200). */
export type FailureAnswer =
  { readonly status: number; readonly message: string; readonly detail?: string } | { readonly output: JsonObject }

/**
 * Every failure in this face's words. What kept a request from being one is an HTTP error; whatever became of a call is
 * a response with `success: false` (Open Tool Calling RFC, section 4.3).
 */
export function answerTo(failure: Failure): FailureAnswer {
  switch (failure.type) {
    case 'request-malformed':
      return refusal(400, failure.message, failure.detail)
    case 'body-too-large':
      return refusal(413, `The body is larger than ${failure.limit} bytes`)
    case 'media-type-unsupported':
      return refusal(415, `Send the body as '${failure.wanted}'`, `Got the content type '${failure.got ?? 'none'}'`)
    case 'protocol-version-unsupported':
      return refusal(400, `The protocol version '${failure.asked}' is not supported`, `Wanted '${failure.supported}'`)
    case 'route-unknown':
      return refusal(404, `There is nothing at '${failure.path}'`, 'POST /worker/tools/invoke calls a tool')
    case 'method-not-allowed':
      return refusal(405, `'${failure.method}' is not allowed here`, `Wanted ${failure.allowed.join(', ')}`)
    case 'unauthenticated':
      return refusal(401, failure.reason)
    case 'forbidden':
      return refusal(403, failure.reason)
    case 'rate-limited':
      return refusal(429, `Too many requests: try again in ${Math.ceil(failure.retry_after_ms / 1000)} seconds`)
    case 'definition-invalid':
      return refusal(422, 'The definition is not valid', listed(failure.problems))
    case 'conflict':
      return refusal(409, failure.message)
    case 'not-found':
      return refusal(404, failure.message)
    case 'unavailable':
      return refusal(503, failure.message)
    case 'internal':
      return refusal(500, `Something went wrong on our side: reference '${failure.reference}'`)
    case 'id-malformed':
      return error(`'${failure.asked.slice(0, 200)}' names no tool`, "Wanted a toolkit's and a tool's name")
    case 'tool-unknown':
      return error(unknown(failure.asked.slice(0, 200), failure.suggestions), 'GET /worker/tools lists the tools')
    case 'version-unavailable':
      return error(
        `Tool '${failure.tool}' has no version '${failure.asked}'`,
        `Wanted one of ${failure.available.map((version) => `'${version}'`).join(', ') || 'none'}`,
      )
    case 'tool-disabled':
      return error(`Tool '${failure.id}' is disabled`)
    case 'tool-not-executable':
      return error(`Tool '${failure.id}' cannot be called here`, failure.reason)
    case 'approval-required':
      return { output: { requires_authorization: challenge(failure.challenge) } }
    case 'requirements-missing': {
      const [first] = failure.authorization
      // The output holds one thing only: what else is missing, the next call tells
      return first ? { output: { requires_authorization: challenge(first) } } : missing(failure)
    }
    case 'input-invalid':
      return invalidInput(failure.problems)
    case 'tool-failed':
      return { output: { error: toolError(failure) } }
    case 'tool-timed-out': {
      const message = `The tool did not answer within ${failure.timeout_ms / 1000} seconds`
      return error(message, 'The deadline passed while the tool ran', { can_retry: true })
    }
    case 'output-invalid':
      return error('The tool returned something its output schema does not allow', listed(failure.problems))
    case 'cancelled':
      return error('The call was cancelled', undefined, { can_retry: true })
    case 'input-required':
      return error(
        'The tool asks for more input, and the Open Tool Calling RFC has no way to give it',
        `It asks for ${Object.keys(failure.requests).join(', ')}: call it through /mcp`,
      )
  }
}

function refusal(status: number, message: string, detail?: string): FailureAnswer {
  return detail === undefined ? { status, message } : { status, message, detail }
}

function error(message: string, developer_message?: string, more: Partial<ToolFailure> = {}): FailureAnswer {
  return {
    output: {
      error: toolError({ message, ...(developer_message === undefined ? {} : { developer_message }), ...more }),
    },
  }
}

function toolError(failure: ToolFailure): JsonObject {
  const { message, developer_message, can_retry = false, additional_prompt_content, retry_after_ms } = failure
  return {
    message,
    ...(developer_message === undefined ? {} : { developer_message }),
    can_retry,
    ...(additional_prompt_content === undefined ? {} : { additional_prompt_content }),
    // An integer, says the RFC's schema
    ...(retry_after_ms === undefined ? {} : { retry_after_ms: Math.ceil(retry_after_ms) }),
  }
}

/** `id` is the authorization's own; where there is none, since the call names no user, the provider's. */
function challenge({ id, authorization, url, scopes, status }: Challenge): JsonObject {
  return { id: authorization ?? id, url, scopes: [...scopes], status }
}

function missing({
  tool,
  secrets,
  user_id,
  detail,
}: Extract<Failure, { type: 'requirements-missing' }>): FailureAnswer {
  const what = [
    ...secrets.map(({ id }) => `the secret '${id}' (context.secrets)`),
    ...(user_id ? ['a user (context.user_id)'] : []),
  ]
  return error(`Tool '${tool}' needs ${what.join(' and ')} before it can be called`, detail)
}

/** A model may do better when told what is wrong, so the call can be tried again, with other inputs. */
function invalidInput(problems: readonly Problem[]): FailureAnswer {
  const whole = problems.filter(({ path }) => path === '').map(({ message }) => message)
  const named = Object.entries(problemsByParameter(problems.filter(({ path }) => path !== '')))
  const said = [...whole, ...named.map(([name, why]) => `${name}: ${why}`)].join('; ')
  return error(`Some inputs are not valid: ${said}`, listed(problems), {
    can_retry: true,
    additional_prompt_content: `Correct these inputs, then call the tool again: ${said}`,
  })
}

function listed(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
}

function unknown(asked: string, suggestions: readonly string[]): string {
  if (suggestions.length === 0) return `Tool '${asked}' was not found`
  return `Tool '${asked}' was not found: did you mean ${suggestions.map((id) => `'${id}'`).join(', ')}?`
}
