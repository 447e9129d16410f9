import type { ToolSecrets } from '../access/tool-secrets.ts'
import type { Challenge } from '../consent/authorization.ts'
import type { JsonObject } from '../tool/json.ts'
import { formatToolId } from '../tool/tool-id.ts'
import { type AuthorizationRequirement, isToken, type Publisher, type ToolRecord } from '../tool/tool.ts'
import { type Failing, type Failure, fail } from './failure.ts'
import type { Credential } from './runner.ts'

/** What a caller sends along for one call (OXP 1.0, "context"). It is used for that call and never kept. */
export interface CallerContext {
  readonly tokens: ReadonlyMap<string, string>
  readonly secrets: ReadonlyMap<string, string>
  readonly userId?: string
  /** Whether a token without a provider was sent to nobody, since the tool was asked for without a toolkit. */
  readonly keepsToken?: true
  /** What else it says, by name: what no model may infer of the input, and `user_info`. */
  readonly values?: JsonObject
}

const NO_VALUES: ReadonlyMap<string, string> = new Map()
/** Of a caller who sends nothing along. */
export const NO_CONTEXT: CallerContext = { tokens: NO_VALUES, secrets: NO_VALUES }

/** A token that a call requires: whose, at which provider with which scopes, and for which tool. */
export interface RequiredToken {
  readonly userId: string
  readonly requirement: AuthorizationRequirement
  readonly tool: ToolRecord
  /** Where the tool may send it, as `host` or `host:port`. */
  readonly hosts: readonly string[]
  /** Which of the user's accounts at the provider, where the call names one. */
  readonly account?: string
  /** A URL of this deployment as the caller reached it: links to it start with its origin. */
  readonly reachedAt: () => string
}

/** A token; or the challenge by which the user can consent, and why; or why there is neither for now. */
export type TokenResult =
  | { readonly token: string }
  | { readonly challenge: Challenge; readonly reason: string; readonly forOperator?: string }
  | Unavailable
  /** The user has connected several accounts, and the call does not say which: these. */
  | { readonly accounts: readonly string[] }

/** The provider is down, slow, or answers what makes no sense. The grant is kept. */
export interface Unavailable {
  readonly unavailable: string
  readonly forOperator?: string
  readonly retry_after_ms?: number
}

/** Where users' tokens come from when the caller sends none of its own. */
export interface UserTokens {
  tokenFor(required: RequiredToken): Promise<TokenResult>
  /**
   * A token in place of `refused`, which the provider's API answered 401 to. `final`: even the one that was given in place
   * of another was refused, so only the user can help.
   */
  renew(required: RequiredToken, refused: string, final: boolean): Promise<TokenResult>
}

/** What users have granted, looked at without any effect. */
export interface GrantLooks {
  /**
   * What `tokenFor` would come to: the token is never given, and empty. Nothing is refreshed, and nobody is asked: there is a
   * link where somebody has been asked already, and else a challenge without an authorization.
   */
  look(required: RequiredToken): Promise<TokenResult>
}

/** The credentials a tool was promised. */
export interface MetRequirements {
  readonly ok: true
  readonly secrets: ReadonlyMap<string, Credential>
  readonly tokens: ReadonlyMap<string, Credential>
}

/** The field of a context that says which of the user's accounts at a provider a call is for. */
export const ACCOUNT = 'account'

/** The provider id of a caller's token in dialects whose calls carry one token and say nothing of whose it is. */
export const ANY_PROVIDER = '*'

/** A context without the token that says nothing of a provider. */
export function withoutAnyToken(context: CallerContext): CallerContext {
  if (!context.tokens.has(ANY_PROVIDER)) return context
  return { ...context, tokens: new Map([...context.tokens].filter(([id]) => id !== ANY_PROVIDER)), keepsToken: true }
}

/** Where a call came in, and where its tool may send what it is given. */
interface CallWay extends Pick<RequiredToken, 'reachedAt'> {
  readonly hosts?: readonly string[] | undefined
}

interface RequirementDeps {
  readonly toolSecrets: ToolSecrets
  readonly userTokens: Pick<UserTokens, 'tokenFor'>
}

const NOTHING: ReadonlyMap<string, Credential> = new Map()
const NOTHING_REQUIRED: MetRequirements = { ok: true, secrets: NOTHING, tokens: NOTHING }

/**
 * Gathers what a tool requires: the caller's own secrets and tokens first, then the deployment's secrets and the user's
 * grants, which go to trusted tools alone. Everything that is missing is reported at once. What the tool did not declare is
 * not handed on.
 */
export function meetRequirements(
  record: ToolRecord,
  publisher: Publisher,
  context: Omit<CallerContext, 'userId'>,
  userId: string | undefined,
  way: CallWay,
  deps: RequirementDeps,
): MetRequirements | Promise<MetRequirements | Failing> {
  const { authorization, secrets, user_id } = record.requirements
  if (authorization.length === 0 && secrets.length === 0 && !user_id) return NOTHING_REQUIRED
  return gather(record, publisher, context, userId, way, deps)
}

async function gather(
  record: ToolRecord,
  { trusted }: Publisher,
  context: Omit<CallerContext, 'userId'>,
  userId: string | undefined,
  { reachedAt, hosts = [] }: CallWay,
  { toolSecrets, userTokens }: RequirementDeps,
): Promise<MetRequirements | Failing> {
  const missingSecrets: { id: string }[] = []
  const missingTokens: { id: string }[] = []
  const challenges: Challenge[] = []
  const unavailable: Unavailable[] = []
  const details: string[] = []
  /** The same for whoever runs the deployment. */
  const forOperator: string[] = []
  const lacks = (detail: string, full = detail): void => {
    details.push(detail)
    forOperator.push(full)
  }
  /** What the deployment would give, were the tool trusted. */
  const withheld: string[] = []

  const secrets = new Map<string, Credential>()
  for (const { id } of record.requirements.secrets) {
    const own = context.secrets.get(id)
    if (!own && !trusted && toolSecrets.isGranted(id, record)) {
      withheld.push(`the secret '${id}'`)
      continue
    }
    const secret = own ? { value: own } : toolSecrets.secretFor(id, record)
    if ('value' in secret) secrets.set(id, { value: secret.value, from: own ? 'caller' : 'deployment' })
    else {
      missingSecrets.push({ id })
      lacks(`The operator must set the secret '${id}', and let the tool have it`, secret.missing)
    }
  }

  const tokens = new Map<string, Credential>()
  const account = accountOf(context)
  let lacksUser = record.requirements.user_id && !userId
  for (const requirement of record.requirements.authorization) {
    const own = context.tokens.get(requirement.id) ?? context.tokens.get(ANY_PROVIDER)
    if (own) {
      tokens.set(requirement.id, { value: own, from: 'caller' })
      continue
    }
    if (isToken(requirement)) {
      missingTokens.push({ id: requirement.id })
      lacks(`Send the token along that the tool calls '${requirement.id}'`)
      continue
    }
    if (!trusted) {
      withheld.push(`users' tokens of '${requirement.id}'`)
      continue
    }
    if (!userId) {
      // Grants are users': without one there is none to look for, nor anybody to ask
      lacksUser = true
      challenges.push(challengeForNobody(requirement, reachedAt))
      continue
    }
    const result = await userTokens.tokenFor({ userId, requirement, tool: record, hosts, ...account, reachedAt })
    if ('accounts' in result) return fail(whichAccount(requirement.id, result.accounts))
    if ('token' in result) tokens.set(requirement.id, { value: result.token, from: 'deployment' })
    else if ('challenge' in result) {
      challenges.push(result.challenge)
      lacks(result.reason, result.forOperator)
    } else {
      unavailable.push(result)
      lacks(result.unavailable, result.forOperator)
    }
  }

  if (withheld.length > 0) return fail({ type: 'tool-untrusted', id: record.id, credentials: withheld })
  if (context.keepsToken && missingTokens.length + challenges.length > 0) {
    lacks(`The token was not used, since the tool was asked for without its toolkit, '${record.toolkit}'`)
  }
  if (lacksUser) lacks('The call names no user')
  if (missingSecrets.length + missingTokens.length + challenges.length === 0 && !lacksUser) {
    const [first] = unavailable
    return first ? fail(unavailableFailure(first)) : { ok: true, secrets, tokens }
  }
  return fail({
    type: 'requirements-missing',
    tool: formatToolId(record),
    authorization: challenges,
    ...(missingTokens.length > 0 ? { tokens: missingTokens } : {}),
    secrets: missingSecrets,
    user_id: lacksUser,
    detail: details.join('; '),
    ...(forOperator.join() === details.join() ? {} : { forOperator: forOperator.join('; ') }),
  })
}

/** A user with several accounts at a provider, of which the call names none. */
export function whichAccount(provider: string, accounts: readonly string[]): Failure {
  const names = accounts.map((account) => JSON.stringify(account)).join(', ')
  const message = `The user has several accounts at '${provider}': name one in the call's context, as 'account'`
  return { type: 'request-malformed', message, detail: `Wanted one of ${names}` }
}

/** Which of the user's accounts a call is for, where its context says so. */
export function accountOf({ values }: Pick<CallerContext, 'values'>): Pick<RequiredToken, 'account'> {
  const account = values?.[ACCOUNT]
  return typeof account === 'string' ? { account } : {}
}

/** A provider that cannot be asked for now: what the tool would have done may work later. */
export function unavailableFailure({ unavailable: message, forOperator, retry_after_ms }: Unavailable): Failure {
  return {
    type: 'tool-failed',
    message,
    ...(forOperator === undefined ? {} : { forOperator }),
    can_retry: true,
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  }
}

/** The page says that the call named no user, and there is nothing to follow. */
export function challengeForNobody({ id, oauth2 }: AuthorizationRequirement, reachedAt: () => string): Challenge {
  const [origin = ''] = /^[a-z]+:\/\/[^/?#]*/i.exec(reachedAt()) ?? []
  return {
    id,
    url: `${origin}/authorizations/${encodeURIComponent(id.toWellFormed())}/start`,
    scopes: oauth2?.scopes ?? [],
    status: 'not_started',
  }
}
