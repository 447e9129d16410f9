import type { QuotaPolicy } from '../access/call-limits.ts'
import { didYouMean, type Problem, groupByParameter, quoteList } from '../tool/problem.ts'
import type { Failure } from './failure.ts'

export interface FailureText {
  readonly message: string
  readonly detail?: string | undefined
}

const MAX_VERSIONS = 20

type OwnWords = 'id-malformed' | 'input-invalid' | 'input-required' | 'tool-failed'

export const NO_USER =
  "No user given: set 'context.user_id' or (MCP and plugins) the header 'X-User-Id', or use an API key with one user"

export function formatNotSetUp(provider: string): string {
  return `'${provider}' is not set up on this Switchboard, so nobody can connect an account. Ask its administrator to set it up`
}

export function formatSecretNotSet(id: string): string {
  return `An administrator must set the secret '${id}' and allow it for the tool`
}

export const MAY_HAVE_RUN = 'It may have taken effect: check before you retry'

export function toRetryAdvice({ may_have_run }: Extract<Failure, { type: 'tool-timed-out' | 'cancelled' }>) {
  return may_have_run ? { can_retry: false, additional_prompt_content: MAY_HAVE_RUN } : { can_retry: true }
}

export const formatSeconds = (count: number) => `${count} ${count === 1 ? 'second' : 'seconds'}`

/** Does not round down, because a caller that waits less is refused again. */
export const tryAgainIn = (ms: number) => `Try again in ${formatSeconds(Math.ceil(ms) / 1000)}`

export function describeFailure(failure: Exclude<Failure, { type: OwnWords }>): FailureText {
  switch (failure.type) {
    case 'request-malformed':
      return { message: failure.message, detail: failure.detail }
    case 'body-too-large':
      return { message: `The body is larger than ${failure.limit} bytes` }
    case 'body-timed-out':
      return { message: 'The body did not arrive in time', detail: 'send the request again, with all of its body' }
    case 'media-type-unsupported':
      return {
        message: `Send the body as '${failure.acceptedType}'`,
        detail: `got the content type '${failure.contentType ?? 'none'}'`,
      }
    case 'protocol-version-unsupported':
      return {
        message: `The protocol version '${failure.version}' is not supported`,
        detail: `wanted '${failure.supported}'`,
      }
    case 'route-unknown':
      return { message: `There is nothing at '${failure.path}'` }
    case 'method-not-allowed':
      return { message: `'${failure.method}' is not allowed here`, detail: `wanted ${failure.allowed.join(', ')}` }
    case 'unauthenticated':
    case 'forbidden':
      return { message: failure.reason }
    case 'rate-limited':
      return {
        message: limitWords(failure.policy),
        detail: `try again in ${formatSeconds(Math.ceil(failure.retry_after_ms / 1000))}`,
      }
    case 'tool-unknown':
      return { message: `Tool '${failure.ref.slice(0, 200)}' was not found${didYouMean(failure.suggestions)}` }
    case 'version-unavailable': {
      const { tool, range, available, yanked } = failure
      const availableList = quoteList(available.slice(-MAX_VERSIONS))
      const detail = `there is ${availableList || 'none'}`
      if (!yanked) return { message: `Version '${range}' of tool '${tool}' is not available`, detail }
      const rest = availableList ? detail : 'only calls of exactly this version still run'
      return {
        message: `'${tool}@${yanked.version}' was yanked`,
        detail: yanked.message === undefined ? rest : `${yanked.message}; ${rest}`,
      }
    }
    case 'tool-disabled':
      return { message: `Tool '${failure.id}' is disabled`, detail: failure.detail }
    case 'tool-renamed':
      return {
        message: `'${failure.ref.slice(0, 200)}' is called '${failure.id}' here`,
        detail: `or '${failure.name}'`,
      }
    case 'tool-changed':
      return { message: `Tool '${failure.id}' has changed`, detail: failure.detail }
    case 'tool-not-executable':
      return { message: `Tool '${failure.id}' cannot be called here`, detail: failure.reason }
    case 'tool-untrusted':
      return {
        message: `Tool '${failure.id}' is not trusted with ${failure.credentials.join(' and ')}`,
        detail:
          failure.detail ??
          'it was published with a key that does not name it or its toolkit: the caller can send its own credentials, or the operator can trust the tool',
      }
    case 'requirements-missing':
      return { message: `Tool '${failure.tool}' needs something more before it can be called`, detail: failure.detail }
    case 'approval-required':
      return { message: 'A person must approve this call first', detail: failure.reason }
    case 'select-invalid':
      return {
        message: `'select' is not a JMESPath expression: ${failure.message}`,
        detail: `${failure.at === undefined ? '' : `at character ${failure.at + 1}; `}wanted an expression such as 'items[].name'`,
      }
    case 'tool-timed-out':
      return {
        message: `The tool did not answer within ${formatSeconds(failure.timeout_ms / 1000)}`,
        detail: failure.may_have_run ? lowerFirst(MAY_HAVE_RUN) : 'the deadline passed while the tool ran',
      }
    case 'output-invalid':
      return { message: 'The output does not match the output schema' }
    case 'output-elsewhere': {
      const { url, content_type, size } = failure.artifact
      return {
        message: `The output is at ${url}`,
        detail: `it has ${size} bytes of ${content_type}, and its schema allows no link in its place`,
      }
    }
    case 'select-failed': {
      const { why, artifact } = failure
      const whole = artifact ? `: everything it returned is at ${artifact.url}` : ''
      return {
        message: `The tool ran, but 'select' failed on its output: ${why}`,
        detail: `do not repeat the call${whole}`,
      }
    }
    case 'output-too-large':
      return { message: `The output is larger than ${failure.limit} bytes`, detail: failure.why }
    case 'cancelled':
      return {
        message: 'The call was canceled',
        ...(failure.may_have_run ? { detail: lowerFirst(MAY_HAVE_RUN) } : {}),
      }
    case 'outcome-unknown':
      return {
        message: 'The outcome of this call is unknown: it started but never finished',
        detail: `it will not run again under the id '${failure.call_id}': check its effect, then use another id if needed`,
      }
    case 'definition-invalid':
      return { message: `The ${failure.what ?? 'definition'} is not valid` }
    case 'misdirected':
    case 'conflict':
    case 'precondition-failed':
    case 'not-found':
    case 'gone':
    case 'unavailable':
      return { message: failure.message }
    case 'internal':
      return { message: 'Something went wrong on our side', detail: `reference '${failure.reference}'` }
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function limitWords(policy: QuotaPolicy | undefined): string {
  if (!policy) return 'Too many requests'
  const { name, quota, seconds } = policy
  const of = name === 'tool' ? 'of this tool' : 'with this credential'
  return `Too many calls ${of}: at most ${quota} ${seconds === undefined ? 'at a time' : `in ${formatSeconds(seconds)}`}`
}

export function formatSentence({ message, detail }: FailureText): string {
  return detail === undefined ? message : `${message}: ${detail}`
}

export function formatDetail({ detail }: FailureText): string | undefined {
  return detail && detail.charAt(0).toUpperCase() + detail.slice(1)
}

export function formatInputRequests({ requests }: Extract<Failure, { type: 'input-required' }>): string {
  const lines = Object.entries(requests).map(([key, { method, params }]) => {
    const message = typeof params.message === 'string' ? params.message : method
    return `- ${key}: ${message}`
  })
  return lines.join('\n')
}

export function groupInputProblems(problems: readonly Problem[]) {
  return {
    whole: problems.filter(({ path }) => path === '').map(({ message }) => message),
    parameters: groupByParameter(problems.filter(({ path }) => path !== '')),
  }
}
