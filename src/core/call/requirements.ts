import type { ToolSecrets } from '../access/tool-secrets.ts'
import type { Challenge } from '../consent/authorization.ts'
import type { JsonObject } from '../tool/json.ts'
import { formatToolId } from '../tool/tool-id.ts'
import { type AuthorizationRequirement, isToken, type Publisher, type ToolRecord } from '../tool/tool.ts'
import { type Failing, type Failure, fail } from '../failure/failure.ts'
import type { Credential } from './runner.ts'

/** The context that a caller sends with one call (OXP 1.0, "context"). It is never kept. */
export interface CallerContext {
  readonly tokens: ReadonlyMap<string, string>
  readonly secrets: ReadonlyMap<string, string>
  readonly userId?: string
  /** Whether a token without a provider was sent to nobody, since the tool was asked for without a toolkit. */
  readonly keepsToken?: true
  /** Its other fields: inputs that no model may infer, `user_info`, `account` and `select`. */
  readonly values?: JsonObject
}

const NO_VALUES: ReadonlyMap<string, string> = new Map()
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

/** Looks at users' grants without any effect. */
export interface GrantLooks {
  /**
   * The result that `tokenFor` would give: the token is never given, and empty. Nothing is refreshed, and nobody is asked: there is a
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
export const NOTHING_REQUIRED: MetRequirements = { ok: true, secrets: NOTHING, tokens: NOTHING }

/** Everything that a call lacks, gathered so that it is told at once. */
interface Lacking {
  readonly secrets: { id: string }[]
  readonly tokens: { id: string }[]
  readonly challenges: Challenge[]
  readonly unavailable: Unavailable[]
  user: boolean
  /** Credentials that the deployment would give a trusted tool. */
  readonly withheld: string[]
  readonly details: string[]
  /** The same for whoever runs the deployment. */
  readonly forOperator: string[]
}

function tell({ details, forOperator }: Lacking, detail: string, full = detail): void {
  details.push(detail)
  forOperator.push(full)
}

/**
 * Gathers what a tool requires: the caller's own secrets and tokens first, then the deployment's secrets and the user's
 * grants, which go to trusted tools alone. Everything that is missing is reported at once. What the tool did not declare is
 * not handed on.
 */
export async function meetRequirements(
  record: ToolRecord,
  { trusted }: Publisher,
  context: Omit<CallerContext, 'userId'>,
  userId: string | undefined,
  { reachedAt, hosts = [] }: CallWay,
  { toolSecrets, userTokens }: RequirementDeps,
): Promise<MetRequirements | Failing> {
  const { authorization, user_id: needsUser } = record.requirements
  const lacking: Lacking = {
    secrets: [],
    tokens: [],
    challenges: [],
    unavailable: [],
    user: needsUser && !userId,
    withheld: [],
    details: [],
    forOperator: [],
  }
  const secrets = secretsFor(record, trusted, context, toolSecrets, lacking)
  const tokens = new Map<string, Credential>()
  const account = accountOf(context)
  for (const requirement of authorization) {
    const { id } = requirement
    const own = context.tokens.get(id) ?? context.tokens.get(ANY_PROVIDER)
    if (own) tokens.set(id, { value: own, from: 'caller' })
    else if (isToken(requirement)) {
      lacking.tokens.push({ id })
      tell(lacking, `Send the token along that the tool calls '${id}'`)
    } else if (!trusted) lacking.withheld.push(`users' tokens of '${id}'`)
    else if (!userId) {
      // Grants are users': without one there is none to look for, nor anybody to ask
      lacking.user = true
      lacking.challenges.push(challengeForNobody(requirement, reachedAt))
    } else {
      const result = await userTokens.tokenFor({ userId, requirement, tool: record, hosts, ...account, reachedAt })
      if ('accounts' in result) return fail(whichAccount(id, result.accounts))
      if ('token' in result) tokens.set(id, { value: result.token, from: 'deployment' })
      else if ('challenge' in result) {
        lacking.challenges.push(result.challenge)
        tell(lacking, result.reason, result.forOperator)
      } else {
        lacking.unavailable.push(result)
        tell(lacking, result.unavailable, result.forOperator)
      }
    }
  }
  return failureOf(lacking, record, context) ?? { ok: true, secrets, tokens }
}

/** The secrets that a tool requires: the caller's own, else the deployment's. */
function secretsFor(
  record: ToolRecord,
  isTrusted: boolean,
  context: Pick<CallerContext, 'secrets'>,
  toolSecrets: ToolSecrets,
  lacking: Lacking,
): Map<string, Credential> {
  const secrets = new Map<string, Credential>()
  for (const { id } of record.requirements.secrets) {
    const own = context.secrets.get(id)
    if (!own && !isTrusted && toolSecrets.isGranted(id, record)) {
      lacking.withheld.push(`the secret '${id}'`)
      continue
    }
    const secret = own ? { value: own } : toolSecrets.secretFor(id, record)
    if ('value' in secret) secrets.set(id, { value: secret.value, from: own ? 'caller' : 'deployment' })
    else {
      lacking.secrets.push({ id })
      tell(lacking, `The operator must set the secret '${id}', and let the tool have it`, secret.missing)
    }
  }
  return secrets
}

function failureOf(
  lacking: Lacking,
  record: ToolRecord,
  { keepsToken }: Pick<CallerContext, 'keepsToken'>,
): Failing | undefined {
  const { secrets, tokens, challenges, unavailable, user, withheld, details, forOperator } = lacking
  if (withheld.length > 0) return fail({ type: 'tool-untrusted', id: record.id, credentials: withheld })
  if (keepsToken && tokens.length + challenges.length > 0) {
    tell(lacking, `The token was not used, since the tool was asked for without its toolkit, '${record.toolkit}'`)
  }
  if (user) tell(lacking, 'The call names no user')
  if (secrets.length + tokens.length + challenges.length === 0 && !user) {
    const [first] = unavailable
    return first && fail(unavailableFailure(first))
  }
  return fail({
    type: 'requirements-missing',
    tool: formatToolId(record),
    authorization: challenges,
    ...(tokens.length > 0 ? { tokens } : {}),
    secrets,
    user_id: user,
    detail: details.join('; '),
    ...(forOperator.join() === details.join() ? {} : { forOperator: forOperator.join('; ') }),
  })
}

/** A user with several accounts at a provider, of which the call names none. */
function whichAccount(provider: string, accounts: readonly string[]): Failure {
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
