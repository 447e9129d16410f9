import type { Failure, FailureType } from '../../core/failure/failure.ts'
import type { FailureText } from '../../core/failure/failure-text.ts'
import {
  toRetryAdvice,
  formatDetail,
  formatSentence,
  groupInputProblems,
  formatInputRequests,
  describeFailure,
} from '../../core/failure/failure-text.ts'
import type { AuthorizationChallenge } from '../../core/consent/authorization.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { isVersion } from '../../core/tool/tool-id.ts'
import { formatProblems } from '../../core/tool/problem.ts'
import { omitEmptyRequirements } from '../../core/tool/tool.ts'
import { HTTP_STATUS, OUTCOME_STATUS, UNCALLED_STATUS } from '../../http/response/failure-status.ts'

/** A tool's own failure is an answer, not an error: 200 (OXP 1.0, "Call tool"). */
export const STATUS = {
  ...HTTP_STATUS,
  ...OUTCOME_STATUS,
  ...UNCALLED_STATUS,
} as const satisfies Record<FailureType, number>

export function failureBody(failure: Failure): JsonObject {
  switch (failure.type) {
    case 'body-too-large':
      return failure.size === undefined
        ? toBody(describeFailure(failure))
        : { message: `The body has ${failure.size} bytes, and at most ${failure.limit} are taken` }
    case 'route-unknown':
      return toBody(describeFailure(failure), 'GET /tools lists the tools, POST /tools/call calls one')
    case 'id-malformed':
      return {
        message: `'${failure.ref.slice(0, 200)}' is not a tool id`,
        developer_message: "Wanted 'Toolkit.Tool', 'Toolkit.Tool@1.2.3' or a range such as 'Toolkit.Tool@^1.2'",
      }
    case 'tool-unknown':
      return {
        ...toBody(describeFailure(failure), `${failure.ref.slice(0, 200)} is not available`),
        ...toSuggestions(failure),
      }
    case 'unauthenticated':
      return { ...toBody(describeFailure(failure)), ...toSuggestions(failure) }
    case 'version-unavailable': {
      const { name, tool, range, available, yanked } = failure
      // Clients are tested with the specification's example, which has this message. OXP has no ranges
      const body = yanked
        ? { message: formatSentence(describeFailure(failure)) }
        : toBody({ message: `Tool '${name}' was not found` }, `${tool} version ${range} is not available`)
      const newest = isVersion(range) ? undefined : available.at(-1)
      return newest === undefined ? body : { ...body, suggestions: [`${tool}@${newest}`] }
    }
    case 'requirements-missing': {
      const providersToSetUp = failure.authorization.flatMap(({ id, needsSetup }) => (needsSetup ? [id] : []))
      const hints = providersToSetUp.map(
        (id) => `; or send a token of your own as context.authorization [{"id": "${id}", "token": …}]`,
      )
      const missingRequirements = omitEmptyRequirements(failure.authorization.map(encodeAuthorization), failure)
      return {
        ...toBody(describeFailure({ ...failure, detail: failure.detail + hints.join('') })),
        missing_requirements:
          providersToSetUp.length === 0
            ? missingRequirements
            : { ...missingRequirements, needs_setup: providersToSetUp },
      }
    }
    case 'approval-required':
      return {
        ...toBody(describeFailure(failure)),
        missing_requirements: { authorization: [encodeAuthorization(failure.challenge)] },
      }
    case 'input-invalid': {
      const { whole, parameters } = groupInputProblems(failure.problems)
      return { message: ['Some input parameters are invalid', ...whole].join(': '), parameter_errors: parameters }
    }
    case 'definition-invalid':
      return { ...toBody(describeFailure(failure)), errors: failure.problems.map((each) => ({ ...each })) }
    case 'tool-failed': {
      const { message, developer_message, can_retry, additional_prompt_content, retry_after_ms, content } = failure
      const body = { message, developer_message, can_retry, additional_prompt_content, retry_after_ms }
      const hasMedia = content?.some(({ type }) => type !== 'text') ?? false
      return hasMedia ? { ...body, content: content?.map((block) => ({ ...block })) } : body
    }
    case 'tool-timed-out':
    case 'cancelled':
      return { ...toBody(describeFailure(failure)), ...toRetryAdvice(failure) }
    case 'outcome-unknown':
    case 'output-too-large':
      return { ...toBody(describeFailure(failure)), can_retry: false }
    case 'output-invalid':
      return { ...toBody(describeFailure(failure), formatProblems(failure.problems, 'The output')), can_retry: false }
    case 'output-elsewhere':
    case 'select-failed':
      return {
        ...toBody(describeFailure(failure)),
        can_retry: false,
        ...(failure.artifact ? { artifact: { ...failure.artifact } } : {}),
      }
    case 'input-required':
      return {
        message: 'The tool asks for more input, and OXP has no way to give it',
        developer_message: `It can be answered through /mcp:\n${formatInputRequests(failure)}`,
        can_retry: false,
      }
    default:
      return toBody(describeFailure(failure))
  }
}

function toBody(text: FailureText, developer_message = formatDetail(text)): JsonObject {
  return { message: text.message, developer_message }
}

function toSuggestions({ suggestions = [] }: { readonly suggestions?: readonly string[] }): JsonObject {
  return suggestions.length === 0 ? {} : { suggestions }
}

/** The published OpenAPI document allows no other fields here, although it does around this object. */
function encodeAuthorization({ id, url, check_url }: AuthorizationChallenge): JsonObject {
  return { id, url, check_url }
}
