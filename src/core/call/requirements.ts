import type { ToolSecrets } from '../access/tool-secrets.ts'
import type { AuthorizationChallenge } from '../consent/authorization.ts'
import type { JsonObject } from '../tool/json.ts'
import { formatToolId } from '../tool/tool-id.ts'
import { type AuthorizationRequirement, isToken, type Publisher, type ToolRecord } from '../tool/tool.ts'
import { NO_USER, secretNotSet } from '../failure/failure-words.ts'
import { type Failing, type Failure, fail } from '../failure/failure.ts'
import type { Credential, Invocation } from './invocation.ts'

/** The context of one call (OXP 1.0, "context"). It is never kept. */
export interface CallerContext {
  readonly tokens: ReadonlyMap<string, string>
  readonly secrets: ReadonlyMap<string, string>
  readonly userId?: string | undefined
  readonly keepsToken?: true
  readonly values?: JsonObject | undefined
}

const NO_VALUES: ReadonlyMap<string, string> = new Map()
export const NO_CONTEXT: CallerContext = { tokens: NO_VALUES, secrets: NO_VALUES }

export interface RequiredToken {
  readonly userId: string
  readonly requirement: AuthorizationRequirement
  readonly tool: ToolRecord
  readonly hosts: readonly string[]
  readonly account?: string
  readonly requestedBy?: string | undefined
  readonly chargedTo: string
  readonly reachedAt: () => string
}

export interface GrantedToken {
  readonly token: string
  /** Which of the user's it is, also where the call names none; empty for the one without a name. */
  readonly account: string
}

export type TokenResult = GrantedToken | TokenRefusal | { readonly accounts: readonly string[] }

export type TokenRefusal =
  { readonly challenge: AuthorizationChallenge; readonly reason: string; readonly forOperator?: string } | Unavailable

/** The provider is down, slow or unintelligible. The grant is kept. */
export interface Unavailable {
  readonly unavailable: string
  readonly forOperator?: string
  readonly retry_after_ms?: number
}

export interface UserTokens {
  tokenFor(required: RequiredToken): Promise<TokenResult>
  /** Replaces a token that was answered with 401. `final`: so was its replacement, and only the user can help. */
  renew(required: RequiredToken, refused: string, final: boolean): Promise<TokenResult>
}

export interface GrantLooks {
  /** `tokenFor` without its effects: the token is empty, and a challenge has a link only if the user has one. */
  look(required: RequiredToken): Promise<TokenResult>
  /** The refusal where the provider is not set up, which no user can change. */
  unset(required: Pick<RequiredToken, 'requirement' | 'tool' | 'reachedAt'>): Promise<TokenRefusal | undefined>
}

export const ACCOUNT = 'account'

/** For a token that names no provider. Given to a second one it would be in the hands of whom it was not meant for. */
export const FIRST_PROVIDER = '*'

export function withoutUnnamedToken(context: CallerContext): CallerContext {
  if (!context.tokens.has(FIRST_PROVIDER)) return context
  return { ...context, tokens: new Map([...context.tokens].filter(([id]) => id !== FIRST_PROVIDER)), keepsToken: true }
}

interface CallWay extends Pick<RequiredToken, 'reachedAt' | 'requestedBy' | 'chargedTo'> {
  readonly hosts?: readonly string[] | undefined
}

interface RequirementDeps {
  readonly toolSecrets: ToolSecrets
  readonly userTokens: Pick<UserTokens, 'tokenFor'>
  /** A call without a user is refused at once, and only its readiness says more. */
  readonly unset?: GrantLooks['unset']
}

export const NO_CREDENTIALS: ReadonlyMap<string, Credential> = new Map()

interface Reason {
  readonly reason: string
  readonly forOperator?: string | undefined
}

/** A challenge has no reason where the user is missing. */
export type Lack =
  | TokenRefusal
  | { readonly challenge: AuthorizationChallenge }
  | { readonly withheld: string }
  | (Reason & ({ readonly secret: string } | { readonly token: string }))

/** Takes the caller's own credentials first; only trusted tools get the deployment's secrets and users' grants. */
export async function meetRequirements(
  record: ToolRecord,
  { trusted }: Publisher,
  context: Omit<CallerContext, 'userId'>,
  userId: string | undefined,
  { reachedAt, requestedBy, chargedTo, hosts = [] }: CallWay,
  { toolSecrets, userTokens, unset }: RequirementDeps,
): Promise<({ readonly ok: true } & Pick<Invocation, 'secrets' | 'tokens'>) | Failing> {
  const { authorization, user_id: needsUser } = record.requirements
  const lacks: Lack[] = []
  let lacksUser = needsUser && !userId
  const secrets = secretsFor(record, trusted, context, toolSecrets, lacks)
  const tokens = new Map<string, Credential>()
  const account = context.values?.[ACCOUNT]
  const named = typeof account === 'string' ? { account } : {}
  for (const requirement of authorization) {
    const { id } = requirement
    const own =
      context.tokens.get(id) ?? (requirement === authorization[0] ? context.tokens.get(FIRST_PROVIDER) : undefined)
    if (own) tokens.set(id, { value: own, from: 'caller' })
    else if (isToken(requirement)) lacks.push({ token: id, reason: `Send the token that the tool calls '${id}'` })
    else if (!trusted) lacks.push({ withheld: `users' tokens of '${id}'` })
    else if (!userId) {
      // Grants belong to users: without one there is neither a grant nor anybody to ask
      lacksUser = true
      const refusal = await unset?.({ requirement, tool: record, reachedAt })
      lacks.push(refusal ?? { challenge: challengeForNobody(requirement, reachedAt) })
    } else {
      const required = { userId, requirement, tool: record, hosts, ...named, requestedBy, chargedTo, reachedAt }
      const result = await userTokens.tokenFor(required)
      if ('accounts' in result) {
        const message = `The user has several accounts at '${id}': name one in the call's context, as 'account'`
        const names = result.accounts.map((name) => JSON.stringify(name)).join(', ')
        return fail({ type: 'request-malformed', message, detail: `Wanted one of ${names}` })
      }
      if ('token' in result) tokens.set(id, { value: result.token, from: 'deployment', account: result.account })
      else lacks.push(result)
    }
  }
  const failure = failureOfLacks(record, lacks, lacksUser, context.keepsToken)
  return failure ? fail(failure) : { ok: true, secrets, tokens }
}

function secretsFor(
  record: ToolRecord,
  isTrusted: boolean,
  context: Pick<CallerContext, 'secrets'>,
  toolSecrets: ToolSecrets,
  lacks: Lack[],
): Map<string, Credential> {
  const secrets = new Map<string, Credential>()
  for (const { id } of record.requirements.secrets) {
    const own = context.secrets.get(id)
    if (!own && !isTrusted && toolSecrets.isGranted(id, record)) {
      lacks.push({ withheld: `the secret '${id}'` })
      continue
    }
    const secret = own ? { value: own } : toolSecrets.secretFor(id, record)
    if ('value' in secret) secrets.set(id, { value: secret.value, from: own ? 'caller' : 'deployment' })
    else {
      lacks.push({ secret: id, reason: secretNotSet(id), forOperator: toolSecrets.howToGive(id, record) })
    }
  }
  return secrets
}

/** Undefined where nothing lacks. */
export function failureOfLacks(
  record: ToolRecord,
  lacks: readonly Lack[],
  lacksUser = false,
  keepsToken = false,
): Failure | undefined {
  const withheld = lacks.flatMap((each) => ('withheld' in each ? each.withheld : []))
  if (withheld.length > 0) return { type: 'tool-untrusted', id: record.id, credentials: withheld }
  const authorization = lacks.flatMap((each) => ('challenge' in each ? each.challenge : []))
  const tokens = lacks.flatMap((each) => ('token' in each ? { id: each.token } : []))
  const secrets = lacks.flatMap((each) => ('secret' in each ? { id: each.secret } : []))
  if (authorization.length + tokens.length + secrets.length === 0 && !lacksUser) {
    const [first] = lacks.filter((each) => 'unavailable' in each)
    if (!first) return undefined
    const { unavailable: message, ...more } = first
    return { type: 'tool-failed', message, ...more, can_retry: true }
  }
  const reasons = lacks.flatMap((each): Reason | [] => {
    if ('unavailable' in each) return { reason: each.unavailable, forOperator: each.forOperator }
    return 'reason' in each ? each : []
  })
  if (keepsToken && tokens.length + authorization.length > 0) {
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

export function challengeForNobody(
  { id, oauth2 }: AuthorizationRequirement,
  reachedAt: () => string,
): AuthorizationChallenge {
  const [origin = ''] = /^[a-z]+:\/\/[^/?#]*/i.exec(reachedAt()) ?? []
  return {
    id,
    url: `${origin}/authorizations/${encodeURIComponent(id.toWellFormed())}/start`,
    scopes: oauth2?.scopes ?? [],
    status: 'not_started',
  }
}
