import type { CallLimits } from './limits.ts'
import { patternCovers } from '../tool/tool-id.ts'
import { formatToolId, type ToolName } from '../tool/tool-id.ts'
import type { ToolRecord } from '../tool/tool.ts'

/**
 * `users:confirm`: to say who the person in front of a browser is, as the deployment's verifier of users does. `records:read`: to see
 * what everybody called and did.
 */
export const SCOPES = ['tools:read', 'tools:call', 'tools:publish', 'users:confirm', 'records:read', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** Who is calling, what it may do, with which tools, and for which users it may act. */
export interface Principal {
  /** Stable and printable: it stands in logs. */
  readonly id: string
  readonly kind: 'admin' | 'key' | 'jwt' | 'person' | 'agent' | 'anonymous'
  /** What people call it, where they do: it stands in records. */
  readonly name?: string
  readonly scopes: readonly Scope[]
  /** Tool patterns such as `*`, `Gmail.*` or `Gmail.GetEmails`; `*` stands for any run of characters. */
  readonly tools: readonly string[]
  /** The patterns of those scopes that do not hold for all of `tools`. */
  readonly toolsFor?: Readonly<Partial<Record<Scope, readonly string[]>>>
  /** Where there are such patterns, they must cover a tool too; they take away, and never count as naming a tool. */
  readonly within?: readonly string[]
  readonly users: 'any' | readonly string[]
  /** How often it may call, where that is limited. */
  readonly limits?: CallLimits
  /** The id of the principal whose limits these are, where they are another's. */
  readonly limitsOf?: string
  /** Whether the arguments of its calls are recorded. */
  readonly recordsArguments?: boolean
}

/** The deployment's administrator: everything, for anyone. */
export const ADMIN: Principal = { id: 'admin', kind: 'admin', scopes: ['admin'], tools: ['*'], users: 'any' }

/** Whoever comes without a credential where `ACCESS=public` lets them: level 0 tools, for nobody. */
export const ANONYMOUS: Principal = {
  id: 'anonymous',
  kind: 'anonymous',
  scopes: ['tools:read', 'tools:call'],
  tools: ['*'],
  users: [],
}

export function hasScope(principal: Pick<Principal, 'scopes'>, scope: Scope): boolean {
  return principal.scopes.includes('admin') || principal.scopes.includes(scope)
}

/** Whether a principal may know of a tool's name at all. */
export function covers(principal: Principal, name: ToolName): boolean {
  return coversWith(principal.tools, principal, name)
}

function coversWith(patterns: readonly string[], { within }: Principal, name: ToolName): boolean {
  const isCovered = (pattern: string) => patternCovers(pattern, name)
  return patterns.some(isCovered) && (within === undefined || within.some(isCovered))
}

/** Why a principal may not know of a tool, or use a scope with it; undefined when its patterns cover it. */
export function coverDenial(principal: Principal, name: ToolName, scope?: Scope): Denial | undefined {
  const patterns = scope === undefined ? principal.tools : patternsFor(principal, scope)
  if (coversWith(patterns, principal, name)) return undefined
  return { type: 'forbidden', reason: `The credential does not cover '${formatToolId(name)}'` }
}

/** The tools that a principal may use a scope with. */
function patternsFor({ tools, toolsFor }: Principal, scope: Scope): readonly string[] {
  return toolsFor?.[scope] ?? tools
}

/** What rights are judged by. */
export type LevelledTool = ToolName & { readonly securityLevel: number }

/** Whether a principal may see a tool in lists: its patterns cover it, and the anonymous see level 0 only. */
export function maySee(principal: Principal, tool: LevelledTool): boolean {
  return covers(principal, tool) && (principal.kind !== 'anonymous' || tool.securityLevel === 0)
}

/** Why a principal is refused. */
export interface Denial {
  readonly type: 'unauthenticated' | 'forbidden'
  readonly reason: string
}

/** Why a principal may not do what takes a scope, or any of several; undefined when it may. */
export function scopeDenial(principal: Principal, scope: Scope | readonly Scope[]): Denial | undefined {
  if (typeof scope === 'string' ? hasScope(principal, scope) : scope.some((each) => hasScope(principal, each))) {
    return undefined
  }
  if (principal.kind === 'anonymous') return NEEDS_CREDENTIAL
  return { type: 'forbidden', reason: `This needs the scope '${[scope].flat().join("' or '")}'` }
}

export const NEEDS_CREDENTIAL: Denial = { type: 'unauthenticated', reason: 'This needs a credential' }

/**
 * Why a principal may not call a tool, or undefined when it may. Security levels as the Machine Context Protocol counts
 * them: 0 asks for nothing; 1 to 3 for an authenticated caller; 4 and above for a caller whose key names the tool or
 * its toolkit (a bare `*` is not enough, an admin may); 8 to 10 also for a person's approval of this very call, which is
 * asked for when everything else is in order.
 */
export function denial(principal: Principal, record: LevelledTool): Denial | undefined {
  const denied = scopeDenial(principal, 'tools:call') ?? coverDenial(principal, record, 'tools:call')
  if (denied) return denied
  const level = record.securityLevel
  if (level >= 1 && principal.kind === 'anonymous') {
    return {
      type: 'unauthenticated',
      reason: `'${formatToolId(record)}' has security level ${level} and needs a credential`,
    }
  }
  if (
    level >= 4 &&
    principal.kind !== 'admin' &&
    !hasScope(principal, 'admin') &&
    !names(principal, record, 'tools:call')
  ) {
    const reason = `'${formatToolId(record)}' has security level ${level}: the credential must name it or its toolkit, such as '${record.toolkit}.*'`
    return { type: 'forbidden', reason }
  }
  return undefined
}

/** Why a person must approve each call of a tool, in words that others follow. */
export function approvalReason({ id, securityLevel }: ToolRecord): string {
  return securityLevel >= 8
    ? `'${id}' has security level ${securityLevel}`
    : `'${id}' runs only with a person's approval`
}

/**
 * Whether a principal is trusted with a tool: an administrator, or whoever's credential names the tool or its toolkit. What
 * others publish is given no secret of the deployment's and no user's token, since to publish is to send them anywhere.
 */
export function isTrustedWith(principal: Principal, name: ToolName): boolean {
  return hasScope(principal, 'admin') || names(principal, name, 'tools:publish')
}

/**
 * Whether a principal may approve calls of a tool that are for others: an administrator, and whoever may publish in its toolkit
 * by name. Who decides what a tool does may decide that it is done.
 */
export function mayApprove(principal: Principal, name: ToolName): boolean {
  return hasScope(principal, 'tools:publish') && isTrustedWith(principal, name)
}

/** Whether a principal may act for a user. */
export function mayActFor(principal: Principal, userId: string): boolean {
  return principal.users === 'any' || principal.users.includes(userId)
}

/** The user that somebody is here: the one whom they may act for or, where that is not one, their principal. */
export function userOf({ id, users }: Principal): string {
  const [only] = users === 'any' ? [] : users
  return only !== undefined && users.length === 1 ? only : id
}

/** Whether a credential names a tool for a scope: a pattern that spells out at least its toolkit. */
function names(principal: Principal, name: ToolName, scope: Scope): boolean {
  return patternsFor(principal, scope).some(
    (pattern) => !pattern.split('.')[0]?.includes('*') && patternCovers(pattern, name),
  )
}
