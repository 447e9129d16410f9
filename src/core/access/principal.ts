import type { CallLimits } from './call-limits.ts'
import { formatToolId, matchesTool, type ToolName } from '../tool/tool-id.ts'
import { listCovers } from '../tool/tool-patterns.ts'
import type { ToolRecord } from '../tool/tool.ts'
import { findChosenTool, type ToolView } from './tool-view.ts'

export const SCOPES = [
  'tools:read',
  'tools:call',
  'tools:publish',
  'users:confirm',
  'records:read',
  'scim',
  'admin',
] as const
export type Scope = (typeof SCOPES)[number]

export interface Principal {
  /** Stable and printable, since it appears in logs. */
  readonly id: string
  readonly kind: 'admin' | 'key' | 'jwt' | 'person' | 'agent' | 'anonymous'
  readonly name?: string
  readonly scopes: readonly Scope[]
  /** Patterns for all scopes, or patterns by scope. A scope without patterns covers nothing. */
  readonly tools: readonly string[] | Readonly<Partial<Record<Scope, readonly string[]>>>
  /** A tool must also match these. They only restrict, and never count as naming a tool. */
  readonly restrictedTo?: readonly string[]
  /** A toolset's name and a lock's hash, which limit what it can see and call. Without `view`, it can see nothing. */
  readonly toolset?: string
  readonly lock?: string
  /** The tools that it can see, if a toolset or lock selects them. */
  readonly view?: ToolView
  readonly users: 'any' | readonly string[]
  readonly limits?: CallLimits
  /** An agent's owner, with whom it shares limits and quotas. */
  readonly owner?: string
  readonly recordsArguments?: boolean
}

export const ADMIN: Principal = { id: 'admin', kind: 'admin', scopes: ['admin'], tools: ['*'], users: 'any' }

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

/** Checks whether the principal's patterns and view cover the tool, for any one of several scopes. */
export function covers(principal: Principal, name: ToolName, scope: Scope | readonly Scope[]): boolean {
  const { restrictedTo, view, toolset, lock } = principal
  if (view ? !findChosenTool(view, name) : toolset !== undefined || lock !== undefined) return false
  const isCoveredFor = (oneScope: Scope) => isCovered(patternsFor(principal, oneScope), name)
  const isInScope = typeof scope === 'string' ? isCoveredFor(scope) : scope.some(isCoveredFor)
  return isInScope && (restrictedTo === undefined || isCovered(restrictedTo, name))
}

/** Longer lists are looked up in an index. */
const FEW_PATTERNS = 8

function isCovered(patterns: readonly string[], name: ToolName): boolean {
  if (patterns.length > FEW_PATTERNS) return listCovers(patterns, name)
  return patterns.some((pattern) => matchesTool(pattern, name))
}

export function findCoverDenial(
  principal: Principal,
  name: ToolName,
  scope: Scope | readonly Scope[],
): Denial | undefined {
  return covers(principal, name, scope) ? undefined : coverDenial(name)
}

export function coverDenial(name: ToolName): Denial {
  return { type: 'forbidden', reason: `The credential does not cover '${formatToolId(name)}'` }
}

export function patternsFor({ tools }: Pick<Principal, 'tools'>, scope: Scope): readonly string[] {
  return 'length' in tools ? tools : (tools[scope] ?? [])
}

/** With one of these scopes, a principal may know that a tool exists. */
export const KNOWING_SCOPES = ['tools:read', 'tools:call'] as const satisfies readonly Scope[]

export type ToolWithLevel = ToolName & { readonly securityLevel: number }

export function maySee(principal: Principal, tool: ToolWithLevel, scope: Scope | readonly Scope[]): boolean {
  return covers(principal, tool, scope) && (principal.kind !== 'anonymous' || tool.securityLevel === 0)
}

interface Denial {
  readonly type: 'unauthenticated' | 'forbidden'
  readonly reason: string
}

export function findScopeDenial(principal: Principal, scope: Scope | readonly Scope[]): Denial | undefined {
  const isGranted =
    typeof scope === 'string' ? hasScope(principal, scope) : scope.some((oneScope) => hasScope(principal, oneScope))
  if (isGranted) return undefined
  if (principal.kind === 'anonymous') return NEEDS_CREDENTIAL
  return { type: 'forbidden', reason: `This needs the scope '${[scope].flat().join("' or '")}'` }
}

export const NEEDS_CREDENTIAL: Denial = { type: 'unauthenticated', reason: 'This needs a credential' }

/**
 * Applies the levels of the Machine Context Protocol: 0 is open; 1 to 3 need a credential; from 4 it must name the tool or its
 * toolkit; from 8 a person must also approve each call, which is requested after all other checks pass.
 */
export function findCallDenial(principal: Principal, record: ToolWithLevel): Denial | undefined {
  const denial = findScopeDenial(principal, 'tools:call') ?? findCoverDenial(principal, record, 'tools:call')
  if (denial) return denial
  const { securityLevel, toolkit } = record
  if (securityLevel === 0) return undefined
  const levelText = `'${formatToolId(record)}' has security level ${securityLevel}`
  if (principal.kind === 'anonymous') return { type: 'unauthenticated', reason: `${levelText} and needs a credential` }
  const isAdmin = principal.kind === 'admin' || hasScope(principal, 'admin')
  if (securityLevel < 4 || isAdmin || namesTool(principal, record, 'tools:call')) return undefined
  const reason = `${levelText}: the credential must name it or its toolkit, such as '${toolkit}.*'`
  return { type: 'forbidden', reason }
}

export function formatApprovalReason({ id, securityLevel }: ToolRecord): string {
  return `'${id}' ${securityLevel >= 8 ? `has security level ${securityLevel}` : "runs only with a person's approval"}`
}

/** Checks whether tools that the principal publishes may get secrets and tokens, since a tool can send them anywhere. */
export function isTrustedWith(principal: Principal, name: ToolName): boolean {
  return hasScope(principal, 'admin') || namesTool(principal, name, 'tools:publish')
}

/** Lets those who may publish a tool approve its calls, since they decide what it does. */
export function mayApprove(principal: Principal, name: ToolName): boolean {
  return hasScope(principal, 'tools:publish') && isTrustedWith(principal, name)
}

/** Checks whether another key must be someone else's. Callers who create keys, and owners of agents, could hold both. */
export function isDistinguishableByKey(caller: Principal): boolean {
  return caller.kind === 'key' && !hasScope(caller, 'admin')
}

/** Checks whether a key's holder may approve a call that was made with another key and not for the holder's own user. */
export function mayApproveByKey(
  approver: Principal,
  caller: Principal,
  { tool, userId }: { readonly tool: ToolName; readonly userId: string | undefined },
): boolean {
  const callerUsers = [userId, ...(caller.users === 'any' ? [] : caller.users)]
  const isSameUser = approver.users !== 'any' && approver.users.some((user) => callerUsers.includes(user))
  return isDistinguishableByKey(caller) && approver.id !== caller.id && !isSameUser && mayApprove(approver, tool)
}

/** Returns the principal whose share is used. Agents use their owner's, since an owner can authorize many agents. */
export function shareOwner({ id, owner = id }: Principal): string {
  return owner
}

export function mayActFor(principal: Principal, userId: string): boolean {
  return principal.users === 'any' || principal.users.includes(userId)
}

function namesTool(principal: Principal, name: ToolName, scope: Scope): boolean {
  return patternsFor(principal, scope).some(
    (pattern) => !pattern.split('.')[0]?.includes('*') && matchesTool(pattern, name),
  )
}

/**
 * Proof that a principal or an agent's client was authorized, or that the deployment's settings name the address. An address
 * from a request is fetched only for a tool's run or with this proof, so a route without an authorizer cannot fetch.
 */
export class FetchCapability {
  protected readonly initiator: string

  constructor(initiator: string) {
    this.initiator = initiator
  }
}
