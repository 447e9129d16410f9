import type { ToolSecrets } from '../access/tool-secrets.ts'
import { type AuthorizationChallenge, authorizationPath } from '../consent/authorization.ts'
import type { JsonObject } from '../tool/json.ts'
import { formatToolId } from '../tool/tool-id.ts'
import { type AuthorizationRequirement, isCallerToken, type Publisher, type ToolRecord } from '../tool/tool.ts'
import { NO_USER, formatSecretNotSet } from '../failure/failure-text.ts'
import { type FailureResult, type Failure, fail } from '../failure/failure.ts'
import type { Credential, Invocation } from './invocation.ts'

/** The context of one call (OXP 1.0, "context"). It is never kept. */
export interface CallContext {
  readonly tokens: ReadonlyMap<string, string>
  readonly secrets: ReadonlyMap<string, string>
  readonly userId?: string | undefined
  readonly droppedToken?: true
  readonly values?: JsonObject | undefined
}

const NO_VALUES: ReadonlyMap<string, string> = new Map()
export const NO_CONTEXT: CallContext = { tokens: NO_VALUES, secrets: NO_VALUES }

export interface TokenQuery {
  readonly userId: string
  readonly requirement: AuthorizationRequirement
  readonly tool: ToolRecord
  readonly hosts: readonly string[]
  readonly account?: string
  readonly requestedBy?: string | undefined
  readonly chargedTo: string
  readonly requestUrl: () => string
}

export interface AccessToken {
  readonly token: string
  /** Which of the user's it is, also where the call names none; empty for the one without a name. */
  readonly account: string
}

export type TokenResult = AccessToken | TokenRefusal | { readonly accounts: readonly string[] }

export type TokenRefusal =
  | { readonly challenge: AuthorizationChallenge; readonly reason: string; readonly forOperator?: string }
  | ProviderUnavailable

/** The provider is down, slow or unintelligible. The grant is kept. */
export interface ProviderUnavailable {
  readonly unavailable: string
  readonly forOperator?: string
  readonly retry_after_ms?: number
}

export interface UserTokens {
  tokenFor(required: TokenQuery): Promise<TokenResult>
  /** Replaces a token that was answered with 401. `final`: so was its replacement, and only the user can help. */
  renew(required: TokenQuery, refused: string, final: boolean): Promise<TokenResult>
}

export interface GrantPreview {
  /** `tokenFor` without its effects: the token is empty, and a challenge has a link only if the user has one. */
  look(required: TokenQuery): Promise<TokenResult>
  /** The refusal where the provider is not set up, which no user can change. */
  findSetupRefusal(required: Pick<TokenQuery, 'requirement' | 'tool' | 'requestUrl'>): Promise<TokenRefusal | undefined>
}

export const ACCOUNT = 'account'

/** For a token that names no provider. Only the first provider gets it: a second one could misuse it. */
export const UNNAMED_PROVIDER = '*'

export function withoutUnnamedToken(context: CallContext): CallContext {
  if (!context.tokens.has(UNNAMED_PROVIDER)) return context
  return {
    ...context,
    tokens: new Map([...context.tokens].filter(([id]) => id !== UNNAMED_PROVIDER)),
    droppedToken: true,
  }
}

interface TokenContext extends Pick<TokenQuery, 'requestUrl' | 'requestedBy' | 'chargedTo'> {
  readonly hosts?: readonly string[] | undefined
}

interface RequirementDeps {
  readonly toolSecrets: ToolSecrets
  readonly userTokens: Pick<UserTokens, 'tokenFor'>
  /** A call without a user is refused at once, and only its readiness says more. */
  readonly findSetupRefusal?: GrantPreview['findSetupRefusal']
}

export const NO_CREDENTIALS: ReadonlyMap<string, Credential> = new Map()

interface Reason {
  readonly reason: string
  readonly forOperator?: string | undefined
}

/** A challenge has no reason where the user is missing. */
export type MissingRequirement =
  | { readonly kind: 'withheld'; readonly credential: string }
  | ({ readonly kind: 'secret' | 'token'; readonly id: string } & Reason)
  | { readonly kind: 'challenge'; readonly challenge: AuthorizationChallenge }
  | ({ readonly kind: 'challenge'; readonly challenge: AuthorizationChallenge } & Reason)
  | ({ readonly kind: 'unavailable'; readonly reason: string } & Omit<ProviderUnavailable, 'unavailable'>)

export function toMissingRequirement(refusal: TokenRefusal): MissingRequirement {
  if ('challenge' in refusal) return { kind: 'challenge', ...refusal }
  const { unavailable: reason, ...more } = refusal
  return { kind: 'unavailable', reason, ...more }
}

/** Takes the caller's own credentials first; only trusted tools get the deployment's secrets and users' grants. */
export async function meetRequirements(
  record: ToolRecord,
  { trusted }: Publisher,
  context: Omit<CallContext, 'userId'>,
  userId: string | undefined,
  { requestUrl, requestedBy, chargedTo, hosts = [] }: TokenContext,
  { toolSecrets, userTokens, findSetupRefusal }: RequirementDeps,
): Promise<({ readonly ok: true } & Pick<Invocation, 'secrets' | 'tokens'>) | FailureResult> {
  const { authorization, user_id: needsUser } = record.requirements
  const lacks: MissingRequirement[] = []
  let lacksUser = needsUser && !userId
  const secrets = resolveSecrets(record, trusted, context, toolSecrets, lacks)
  const tokens = new Map<string, Credential>()
  const account = context.values?.[ACCOUNT]
  const accountField = typeof account === 'string' ? { account } : {}
  for (const requirement of authorization) {
    const { id } = requirement
    const callerToken =
      context.tokens.get(id) ?? (requirement === authorization[0] ? context.tokens.get(UNNAMED_PROVIDER) : undefined)
    if (callerToken) tokens.set(id, { value: callerToken, from: 'caller' })
    else if (isCallerToken(requirement))
      lacks.push({ kind: 'token', id, reason: `Send the token that the tool calls '${id}'` })
    else if (!trusted) lacks.push({ kind: 'withheld', credential: `users' tokens of '${id}'` })
    else if (!userId) {
      // Grants belong to users: without one there is neither a grant nor anybody to ask
      lacksUser = true
      const refusal = await findSetupRefusal?.({ requirement, tool: record, requestUrl })
      lacks.push(
        refusal
          ? toMissingRequirement(refusal)
          : { kind: 'challenge', challenge: createUserlessChallenge(requirement, requestUrl) },
      )
    } else {
      const required = { userId, requirement, tool: record, hosts, ...accountField, requestedBy, chargedTo, requestUrl }
      const result = await userTokens.tokenFor(required)
      if ('accounts' in result) {
        const message = `The user has several accounts at '${id}': name one in the call's context, as 'account'`
        const names = result.accounts.map((name) => JSON.stringify(name)).join(', ')
        return fail({ type: 'request-malformed', message, detail: `Wanted one of ${names}` })
      }
      if ('token' in result) tokens.set(id, { value: result.token, from: 'deployment', account: result.account })
      else lacks.push(toMissingRequirement(result))
    }
  }
  const failure = toRequirementsFailure(record, lacks, lacksUser, context.droppedToken)
  return failure ? fail(failure) : { ok: true, secrets, tokens }
}

function resolveSecrets(
  record: ToolRecord,
  isTrusted: boolean,
  context: Pick<CallContext, 'secrets'>,
  toolSecrets: ToolSecrets,
  lacks: MissingRequirement[],
): Map<string, Credential> {
  const secrets = new Map<string, Credential>()
  for (const { id } of record.requirements.secrets) {
    const callerSecret = context.secrets.get(id)
    if (!callerSecret && !isTrusted && toolSecrets.isGranted(id, record)) {
      lacks.push({ kind: 'withheld', credential: `the secret '${id}'` })
      continue
    }
    const secret = callerSecret ? { value: callerSecret } : toolSecrets.secretFor(id, record)
    if ('value' in secret) secrets.set(id, { value: secret.value, from: callerSecret ? 'caller' : 'deployment' })
    else {
      const forOperator = toolSecrets.formatGrantAdvice(id, record)
      lacks.push({ kind: 'secret', id, reason: formatSecretNotSet(id), forOperator })
    }
  }
  return secrets
}

/**
 * Gives the first that holds: the tool is untrusted (`withheld`), requirements are missing, a provider is unavailable. The
 * reasons of missing requirements name an unavailable provider, too. Undefined where nothing lacks.
 */
export function toRequirementsFailure(
  record: ToolRecord,
  lacks: readonly MissingRequirement[],
  lacksUser = false,
  droppedToken = false,
): Failure | undefined {
  const withheld = lacks.flatMap((lack) => (lack.kind === 'withheld' ? lack.credential : []))
  if (withheld.length > 0) return { type: 'tool-untrusted', id: record.id, credentials: withheld }
  const authorization = lacks.flatMap((lack) => (lack.kind === 'challenge' ? lack.challenge : []))
  const tokens = lacks.flatMap((lack) => (lack.kind === 'token' ? { id: lack.id } : []))
  const secrets = lacks.flatMap((lack) => (lack.kind === 'secret' ? { id: lack.id } : []))
  if (authorization.length + tokens.length + secrets.length === 0 && !lacksUser) {
    const unavailable = lacks.find((lack) => lack.kind === 'unavailable')
    if (!unavailable) return undefined
    const { kind: _, reason: message, ...more } = unavailable
    return { type: 'tool-failed', message, ...more, can_retry: true }
  }
  const reasons = lacks.flatMap((lack): Reason | [] => ('reason' in lack ? lack : []))
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
