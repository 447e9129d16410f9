import { type AuthorizationChallenge, authorizationPath } from '../consent/authorization.ts'
import { formatToolId } from '../tool/tool-id.ts'
import type { AuthorizationRequirement, ToolRecord } from '../tool/tool.ts'
import { NO_USER } from '../failure/failure-text.ts'
import type { Failure } from '../failure/failure.ts'
import type { ProviderUnavailable, TokenRefusal } from './user-tokens.ts'

interface Reason {
  readonly reason: string
  readonly forOperator?: string | undefined
}

export type MissingRequirement =
  /** A credential that only trusted tools get. */
  | { readonly kind: 'withheld'; readonly credential: string }
  | ({ readonly kind: 'secret' | 'token'; readonly id: string } & Reason)
  /** Has no reason if the call has no user. */
  | ({ readonly kind: 'challenge'; readonly challenge: AuthorizationChallenge } & Partial<Reason>)
  | ({ readonly kind: 'unavailable'; readonly reason: string } & Omit<ProviderUnavailable, 'unavailable'>)

export function toMissingRequirement(refusal: TokenRefusal): MissingRequirement {
  if ('challenge' in refusal) return { kind: 'challenge', ...refusal }
  const { unavailable: reason, ...more } = refusal
  return { kind: 'unavailable', reason, ...more }
}

/**
 * Returns the failure for the first of these: a credential is withheld from the untrusted tool; a user, token, secret or
 * authorization is missing; a provider is unavailable. The second also names unavailable providers. Returns undefined if
 * nothing is missing.
 */
export function toRequirementsFailure(
  record: ToolRecord,
  missing: readonly MissingRequirement[],
  { lacksUser = false, droppedToken = false }: { readonly lacksUser?: boolean; readonly droppedToken?: boolean } = {},
): Failure | undefined {
  const withheld = missing.flatMap((requirement) => (requirement.kind === 'withheld' ? requirement.credential : []))
  if (withheld.length > 0) return { type: 'tool-untrusted', id: record.id, credentials: withheld }
  const authorization = missing.flatMap((requirement) =>
    requirement.kind === 'challenge' ? requirement.challenge : [],
  )
  const tokens = missing.flatMap((requirement) => (requirement.kind === 'token' ? { id: requirement.id } : []))
  const secrets = missing.flatMap((requirement) => (requirement.kind === 'secret' ? { id: requirement.id } : []))
  if (authorization.length + tokens.length + secrets.length === 0 && !lacksUser) {
    const unavailable = missing.find((requirement) => requirement.kind === 'unavailable')
    if (!unavailable) return undefined
    const { kind: _, reason: message, ...more } = unavailable
    return { type: 'tool-failed', message, ...more, can_retry: true }
  }
  const reasons = missing.flatMap((requirement): Reason | [] => (hasReason(requirement) ? requirement : []))
  if (droppedToken && tokens.length + authorization.length > 0) {
    reasons.push({
      reason: `The token was not used, since the tool was called without its toolkit, '${record.toolkit}'`,
    })
  }
  if (lacksUser) reasons.push({ reason: NO_USER })
  const detail = reasons.map(({ reason }) => reason).join('; ')
  const full = reasons.map(({ reason, forOperator }) => forOperator ?? reason).join('; ')
  return {
    type: 'requirements-missing',
    tool: formatToolId(record),
    authorization,
    ...(tokens.length > 0 ? { tokens } : {}),
    secrets,
    user_id: lacksUser,
    detail,
    ...(full === detail ? {} : { forOperator: full }),
  }
}

function hasReason(requirement: MissingRequirement): requirement is MissingRequirement & Reason {
  return 'reason' in requirement && requirement.reason !== undefined
}

export function createUserlessChallenge(
  { id, oauth2 }: AuthorizationRequirement,
  requestUrl: () => string,
): AuthorizationChallenge {
  const [origin = ''] = /^[a-z]+:\/\/[^/?#]*/i.exec(requestUrl()) ?? []
  return {
    id,
    url: `${origin}${authorizationPath(id)}/start`,
    scopes: oauth2?.scopes ?? [],
    status: 'not_started',
  }
}
