import type { ToolSecrets } from '../access/tool-secrets.ts'
import type { JsonObject } from '../tool/json.ts'
import { isCallerToken, type Publisher, type ToolRecord } from '../tool/tool.ts'
import { formatSecretNotSet } from '../failure/failure-text.ts'
import { type FailureResult, fail } from '../failure/failure.ts'
import type { Credential, Invocation } from './invocation.ts'
import {
  createUserlessChallenge,
  type MissingRequirement,
  toMissingRequirement,
  toRequirementsFailure,
} from './missing-requirements.ts'
import type { GrantPreview, TokenQuery, UserTokens } from './user-tokens.ts'

/** The context of one call (OXP 1.0, "context"). It is never stored. */
export interface CallContext {
  readonly tokens: ReadonlyMap<string, string>
  readonly secrets: ReadonlyMap<string, string>
  readonly userId?: string | undefined
  readonly droppedToken?: true
  readonly values?: JsonObject | undefined
}

const NO_VALUES: ReadonlyMap<string, string> = new Map()
export const NO_CONTEXT: CallContext = { tokens: NO_VALUES, secrets: NO_VALUES }

export const ACCOUNT = 'account'

/** For a token that names no provider. Only the first provider gets it, since a second one could misuse it. */
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
  /** Set for readiness checks, which also report whether a provider is set up. A call without a user fails even without it. */
  readonly findSetupRefusal?: GrantPreview['findSetupRefusal']
}

export const NO_CREDENTIALS: ReadonlyMap<string, Credential> = new Map()

/**
 * Resolves the secrets and tokens that a tool requires. The caller's own credentials come first. Only trusted tools get the
 * deployment's secrets and users' grants. Fails with everything that is missing.
 */
export async function meetRequirements(
  record: ToolRecord,
  { trusted }: Publisher,
  context: Omit<CallContext, 'userId'>,
  userId: string | undefined,
  { requestUrl, requestedBy, chargedTo, hosts = [] }: TokenContext,
  deps: RequirementDeps,
): Promise<({ readonly ok: true } & Pick<Invocation, 'secrets' | 'tokens'>) | FailureResult> {
  const requirements = record.requirements
  const missing: MissingRequirement[] = []
  const secrets = new Map<string, Credential>()
  for (const { id } of requirements.secrets) {
    const secret = resolveSecret(id, record, trusted, context, deps.toolSecrets)
    if ('kind' in secret) missing.push(secret)
    else secrets.set(id, secret)
  }
  const tokens = new Map<string, Credential>()
  const account = context.values?.[ACCOUNT]
  const accountField = typeof account === 'string' ? { account } : {}
  for (const [index, requirement] of requirements.authorization.entries()) {
    const { id } = requirement
    const callerToken = context.tokens.get(id) ?? (index === 0 ? context.tokens.get(UNNAMED_PROVIDER) : undefined)
    const query = { userId, requirement, tool: record, hosts, ...accountField, requestedBy, chargedTo, requestUrl }
    const token = callerToken ? callerCredential(callerToken) : await resolveToken(query, trusted, deps)
    if ('ok' in token) return token
    if ('kind' in token) missing.push(token)
    else tokens.set(id, token)
  }
  const needsUser = requirements.user_id || missing.some(({ kind }) => kind === 'challenge')
  const { droppedToken = false } = context
  const failure = toRequirementsFailure(record, missing, { lacksUser: !userId && needsUser, droppedToken })
  return failure ? fail(failure) : { ok: true, secrets, tokens }
}

function callerCredential(value: string): Credential {
  return { value, from: 'caller' }
}

function resolveSecret(
  id: string,
  record: ToolRecord,
  isTrusted: boolean,
  context: Pick<CallContext, 'secrets'>,
  toolSecrets: ToolSecrets,
): Credential | MissingRequirement {
  const callerSecret = context.secrets.get(id)
  if (callerSecret) return callerCredential(callerSecret)
  if (!isTrusted && toolSecrets.isGranted(id, record)) return { kind: 'withheld', credential: `the secret '${id}'` }
  const secret = toolSecrets.secretFor(id, record)
  if ('value' in secret) return { value: secret.value, from: 'deployment' }
  return { kind: 'secret', id, reason: formatSecretNotSet(id), forOperator: toolSecrets.formatGrantAdvice(id, record) }
}

/** Returns a token of the user's grant, or the missing requirement. Fails if the call must name one of several accounts. */
async function resolveToken(
  query: Omit<TokenQuery, 'userId'> & { readonly userId: string | undefined },
  isTrusted: boolean,
  { userTokens, findSetupRefusal }: Pick<RequirementDeps, 'userTokens' | 'findSetupRefusal'>,
): Promise<Credential | MissingRequirement | FailureResult> {
  const { userId, requirement } = query
  const { id } = requirement
  if (isCallerToken(requirement)) return { kind: 'token', id, reason: `Send the token that the tool calls '${id}'` }
  if (!isTrusted) return { kind: 'withheld', credential: `users' tokens of '${id}'` }
  if (!userId) {
    // Grants belong to users: without a user, there is no grant and nobody to ask
    const refusal = await findSetupRefusal?.(query)
    if (refusal) return toMissingRequirement(refusal)
    return { kind: 'challenge', challenge: createUserlessChallenge(requirement, query.requestUrl) }
  }
  const result = await userTokens.tokenFor({ ...query, userId })
  if ('token' in result) {
    const { token: value, account, parts, generation } = result
    return { value, from: 'deployment', account, ...(parts && generation ? { parts, generation } : {}) }
  }
  if (!('accounts' in result)) return toMissingRequirement(result)
  const message = `The user has several accounts at '${id}': name one in the call's context, as 'account'`
  const names = result.accounts.map((name) => JSON.stringify(name)).join(', ')
  return fail({ type: 'request-malformed', message, detail: `Wanted one of ${names}` })
}
