import type { AuthorizationChallenge, Failure } from './failure.ts'
import type { Credential } from './runner.ts'
import type { ToolSecrets } from './secrets.ts'
import { formatToolId } from './tool-id.ts'
import type { AuthorizationRequirement, ToolRecord } from './tool.ts'

/** What a caller sends along for one call (OXP 1.0, "context"). It is used for that call and never kept. */
export interface CallerContext {
  readonly tokens: ReadonlyMap<string, string>
  readonly secrets: ReadonlyMap<string, string>
  readonly userId?: string
}

/** Where a person's consent comes from when the caller sends no token of its own. */
export interface Grants {
  /** A token of this user at this provider with these scopes, or the challenge by which the user can consent. */
  tokenFor(asking: {
    readonly userId: string | undefined
    readonly requirement: AuthorizationRequirement
    readonly tool: ToolRecord
    /** A URL of this deployment as the caller reached it: links to it start with its origin. */
    readonly reachedAt: () => string
  }): Promise<{ readonly token: string } | { readonly challenge: AuthorizationChallenge; readonly reason: string }>
}

/** What a tool was promised. */
export interface Met {
  readonly ok: true
  readonly secrets: ReadonlyMap<string, Credential>
  readonly tokens: ReadonlyMap<string, Credential>
}

/** The provider id of a caller's token in dialects whose calls carry one token and say nothing of whose it is. */
export const ANY_PROVIDER = '*'

const NOTHING: ReadonlyMap<string, Credential> = new Map()
const MET_BY_NOTHING: Met = { ok: true, secrets: NOTHING, tokens: NOTHING }

/**
 * Gathers what a tool requires: the caller's own secrets and tokens first, then the deployment's secrets and the user's
 * grants. Everything that is missing is reported at once. What the tool did not declare is not handed on.
 */
export function meetRequirements(
  record: ToolRecord,
  context: CallerContext,
  reachedAt: () => string,
  deps: { readonly toolSecrets: ToolSecrets; readonly grants: Grants },
): Met | Promise<Met | { readonly ok: false; readonly failure: Failure }> {
  const { authorization, secrets, user_id } = record.requirements
  if (authorization.length === 0 && secrets.length === 0 && !user_id) return MET_BY_NOTHING
  return gather(record, context, reachedAt, deps)
}

async function gather(
  record: ToolRecord,
  context: CallerContext,
  reachedAt: () => string,
  { toolSecrets, grants }: { readonly toolSecrets: ToolSecrets; readonly grants: Grants },
): Promise<Met | { readonly ok: false; readonly failure: Failure }> {
  const missingSecrets: { id: string }[] = []
  const challenges: AuthorizationChallenge[] = []
  const details: string[] = []

  const secrets = new Map<string, Credential>()
  for (const { id } of record.requirements.secrets) {
    const own = context.secrets.get(id)
    if (own) {
      secrets.set(id, { value: own, from: 'caller' })
      continue
    }
    const deployed = toolSecrets.secretFor(id, record)
    if ('value' in deployed) secrets.set(id, { value: deployed.value, from: 'deployment' })
    else {
      missingSecrets.push({ id })
      details.push(deployed.missing)
    }
  }

  const tokens = new Map<string, Credential>()
  for (const requirement of record.requirements.authorization) {
    const own = context.tokens.get(requirement.id) ?? context.tokens.get(ANY_PROVIDER)
    if (own) {
      tokens.set(requirement.id, { value: own, from: 'caller' })
      continue
    }
    const granted = await grants.tokenFor({ userId: context.userId, requirement, tool: record, reachedAt })
    if ('token' in granted) tokens.set(requirement.id, { value: granted.token, from: 'deployment' })
    else {
      challenges.push(granted.challenge)
      details.push(granted.reason)
    }
  }

  const user = record.requirements.user_id && !context.userId
  if (user) details.push('The call names no user')
  if (missingSecrets.length === 0 && challenges.length === 0 && !user) return { ok: true, secrets, tokens }
  return {
    ok: false,
    failure: {
      type: 'requirements-missing',
      tool: formatToolId(record),
      authorization: challenges,
      secrets: missingSecrets,
      user_id: user,
      detail: details.join('; '),
    },
  }
}
