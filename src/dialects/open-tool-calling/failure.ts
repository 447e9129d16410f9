import type { Failure } from '../../core/failure/failure.ts'
import type { FailureWords } from '../../core/failure/failure-words.ts'
import { againOf, detailOf, inputProblems, questionsOf, sentence, wordsOf } from '../../core/failure/failure-words.ts'
import type { AuthorizationChallenge } from '../../core/consent/authorization.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { type Problem, problemsInWords, quoted } from '../../core/tool/problem.ts'
import type { ToolFailure } from '../../core/tool/content.ts'
import { HTTP_STATUS } from '../../http/answer/failure-status.ts'

type FailureAnswer =
  | { readonly status: number; readonly message: string; readonly detail?: string | undefined }
  | { readonly output: JsonObject }

/** An unreadable request is an HTTP error, and any outcome a response (Open Tool Calling RFC, section 4.3). */
export function answerTo(failure: Failure): FailureAnswer {
  switch (failure.type) {
    case 'id-malformed':
      return error({
        message: `'${failure.asked.slice(0, 200)}' names no tool`,
        detail: "wanted a toolkit's and a tool's name",
      })
    case 'tool-unknown':
      return error({ ...wordsOf(failure), detail: 'GET /worker/tools lists the tools' })
    case 'version-unavailable':
    case 'tool-disabled':
    case 'tool-not-executable':
    case 'tool-untrusted':
    case 'outcome-unknown':
    case 'output-elsewhere':
    case 'select-failed':
    case 'output-too-large':
      return error(wordsOf(failure))
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
      return error(wordsOf(failure), againOf(failure))
    case 'select-invalid':
      return error(wordsOf(failure), { can_retry: true })
    case 'output-invalid':
      return error(wordsOf(failure), { developer_message: problemsInWords(failure.problems) })
    case 'input-required':
      return error({
        message: 'The tool asks for more input, and the Open Tool Calling RFC has no way to give it',
        detail: `it can be answered through /mcp:\n${questionsOf(failure)}`,
      })
    case 'rate-limited':
    case 'internal':
      return { status: HTTP_STATUS[failure.type], message: sentence(wordsOf(failure)) }
    case 'route-unknown':
      return {
        status: HTTP_STATUS[failure.type],
        ...wordsOf(failure),
        detail: 'POST /worker/tools/invoke calls a tool',
      }
    case 'definition-invalid':
      return { status: HTTP_STATUS[failure.type], ...wordsOf(failure), detail: problemsInWords(failure.problems) }
    default: {
      const words = wordsOf(failure)
      return { status: HTTP_STATUS[failure.type], message: words.message, detail: detailOf(words) }
    }
  }
}

function error(words: FailureWords, more: Partial<ToolFailure> = {}): FailureAnswer {
  const developer_message = detailOf(words)
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
  const granting = providers.length === 0 ? '' : ` who can grant access at ${quoted(providers)}`
  const what = [
    ...tokens.map(({ id }) => `the token '${id}' (context.authorization.token)`),
    ...secrets.map(({ id }) => `the secret '${id}' (context.secrets)`),
    ...(user_id ? [`a user${granting} (context.user_id)`] : []),
  ]
  return error({ message: `Tool '${tool}' needs ${what.join(' and ')} before it can be called`, detail })
}

function invalidInput(problems: readonly Problem[]): FailureAnswer {
  const { whole, parameters } = inputProblems(problems)
  const said = [...whole, ...Object.entries(parameters).map(([name, why]) => `${name}: ${why}`)].join('; ')
  return error(
    { message: `Some inputs are not valid: ${said}` },
    {
      developer_message: problemsInWords(problems),
      can_retry: true,
      additional_prompt_content: `Correct these inputs, then call the tool again: ${said}`,
    },
  )
}
