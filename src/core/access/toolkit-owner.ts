import type { ToolName } from '../tool/tool-id.ts'
import type { ToolStatus } from '../tool/version.ts'
import type { ChangeRefusal } from './change-refusal.ts'
import { covers, hasScope, isTrustedWith, type Principal } from './principal.ts'

/** `deployment` owns toolkits that have bundled tools or predate owners; `nobody` applies before the first publication. */
export type ToolkitOwner = { readonly principal: string } | 'deployment' | 'nobody'

export interface Toolkit {
  readonly toolkit: string
  readonly owner: ToolkitOwner
  readonly isBundled: boolean
  /** Versions that get no credentials, since their publisher was not trusted with the toolkit. */
  readonly untrusted: readonly string[]
  /** The stricter of this and the version's status applies. */
  readonly status: ToolStatus
  readonly tags: readonly string[]
  readonly review: boolean
  readonly description?: string
  /** When it was deleted and until when it can be restored, in milliseconds since 1970. */
  readonly deleted?: { readonly at: number; readonly until: number }
}

export interface ToolkitChange {
  readonly status?: ToolStatus | undefined
  readonly owner?: string | null
  readonly tags?: readonly string[] | undefined
  readonly review?: boolean | undefined
  readonly description?: string | null | undefined
}

/** A toolkit can be assigned to an owner (`to`) before it exists. */
export type ToolkitMutation = ToolkitChange | { readonly to: string | null } | 'delete'

export type ToolkitChangeResult = { readonly ok: true; readonly toolkit: Toolkit } | ChangeRefusal

export interface ToolkitStore {
  find(toolkit: string): Promise<Toolkit | undefined>
  change(toolkit: string, change: ToolkitMutation, principal: Principal): Promise<ToolkitChangeResult>
}

/** Returns why the principal may not publish in a toolkit with this owner. */
export function findOwnerDenial(principal: Principal, name: ToolName, owner: ToolkitOwner): string | undefined {
  if (isTrustedWith(principal, name) || owner === 'nobody') return undefined
  if (owner !== 'deployment' && owner.principal === principal.id) return undefined
  const { toolkit } = name
  const ownerText = owner === 'deployment' ? "the deployment's" : "another's"
  return `The toolkit '${toolkit}' is ${ownerText}: publish in another, or have an administrator give you a key that names it ('${toolkit}.*') or the toolkit itself (PUT /toolkits/${toolkit})`
}

export function mayReadImplementation(principal: Principal, name: ToolName, owner: ToolkitOwner): boolean {
  if (!hasScope(principal, 'tools:publish') || !covers(principal, name, 'tools:publish')) return false
  return isTrustedWith(principal, name) || (typeof owner === 'object' && owner.principal === principal.id)
}

/** Checks whether the credential and the toolkit's owner let the principal publish and change the tool. */
export function mayPublish(principal: Principal, name: ToolName, owner: ToolkitOwner): boolean {
  if (!hasScope(principal, 'tools:publish') || !covers(principal, name, 'tools:publish')) return false
  return findOwnerDenial(principal, name, owner) === undefined
}

export function isAdministrator(principal: Principal): boolean {
  return hasScope(principal, 'admin')
}
