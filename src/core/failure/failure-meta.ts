import type { JsonObject } from '../tool/json.ts'
import { groupByParameter } from '../tool/problem.ts'
import type { Failure } from './failure.ts'

/** Returns the `_meta` of a CallToolResult, so that clients need not parse its text. */
export function toFailureMeta(failure: Failure): JsonObject | undefined {
  switch (failure.type) {
    case 'requirements-missing':
      return toMissingRequirements(failure)
    case 'approval-required':
      return toMissingRequirements({ authorization: [failure.challenge], secrets: [], user_id: false })
    case 'input-invalid':
      return { 'dev.switchboard/parameter_errors': groupByParameter(failure.problems) }
    case 'tool-failed': {
      const { type: _type, message, content: _content, ...rest } = failure
      return Object.keys(rest).length === 0 ? undefined : { 'dev.switchboard/error': { message, ...rest } }
    }
    case 'tool-timed-out':
    case 'cancelled':
      return failure.may_have_run ? { 'dev.switchboard/error': { can_retry: false } } : undefined
    default:
      return undefined
  }
}

type MissingRequirements = Pick<
  Extract<Failure, { readonly type: 'requirements-missing' }>,
  'authorization' | 'tokens' | 'secrets' | 'user_id'
>

function toMissingRequirements({ authorization, tokens, secrets, user_id }: MissingRequirements): JsonObject {
  return {
    'dev.switchboard/missing_requirements': {
      authorization: authorization.map(({ id, url, check_url, scopes }) => ({
        id,
        url,
        check_url,
        scopes: [...scopes],
      })),
      ...(tokens ? { tokens: tokens.map(({ id }) => ({ id })) } : {}),
      secrets: secrets.map(({ id }) => ({ id })),
      user_id,
    },
  }
}
