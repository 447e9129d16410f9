import type { ToolName } from '../tool/tool-id.ts'
import type { ToolStatus } from '../tool/version.ts'
import { coverDenial, hasScope, isTrustedWith, type Principal } from './principal.ts'

/**
 * A principal by its id; `deployment` for toolkits with bundled tools, or older than owners; `nobody` before the first
 * publication.
 */
export type ToolkitOwner = { readonly principal: string } | 'deployment' | 'nobody'

export interface Toolkit {
  readonly toolkit: string
  readonly owner: ToolkitOwner
  /** A toolkit with bundled tools cannot be given away. */
  readonly isBundled: boolean
  /** Versions that get no credentials, since their publisher was not trusted with the toolkit. */
  readonly untrusted: readonly string[]
  /** The stricter of this and a version's own status holds. */
  readonly status: ToolStatus
  /** Its tools are found by these beside their own. */
  readonly tags: readonly string[]
  /** Whether versions published by others than administrators are pending until reviewed. */
  readonly review: boolean
  /** `until` it can be restored; milliseconds since 1970. */
  readonly deleted?: { readonly at: number; readonly until: number }
}

/** Only administrators change `owner`; null is the deployment. */
export interface ToolkitChange {
  readonly status?: ToolStatus
  readonly owner?: string | null
  readonly tags?: readonly string[]
  /** Only an administrator may turn it off. */
  readonly review?: boolean
}

export type ToolkitChanged =
  | { readonly ok: true; readonly toolkit: Toolkit }
  | { readonly ok: false; readonly reason: string; readonly isConflict?: true }

/** Never stale. */
export interface ToolkitStore {
  find(toolkit: string): Promise<Toolkit | undefined>
  /** null gives it to the deployment; undefined when it has bundled tools. */
  give(toolkit: string, principal: string | null): Promise<Toolkit | undefined>
  /** Changes all its tools at once. Undefined where there is none. */
  change(toolkit: string, change: ToolkitChange, principal: Principal): Promise<ToolkitChanged | undefined>
  /** Only a disabled toolkit can be deleted. Undefined where there is none. */
  remove(toolkit: string, principal: Principal): Promise<ToolkitChanged | undefined>
}

/**
 * Why a principal may not publish, import or upload in a toolkit, or change it. `name` has the tool `*` for the toolkit
 * as a whole.
 */
export function toolkitDenial(principal: Principal, name: ToolName, owner: ToolkitOwner): string | undefined {
  if (isTrustedWith(principal, name) || owner === 'nobody') return undefined
  if (owner !== 'deployment' && owner.principal === principal.id) return undefined
  const { toolkit } = name
  const whose = owner === 'deployment' ? "the deployment's" : "another's"
  return `The toolkit '${toolkit}' is ${whose}: publish in another, or have an administrator give you a key that names it ('${toolkit}.*') or the toolkit itself (PUT /toolkits/${toolkit})`
}

/** For administrators, the toolkit's owner, and others who may publish in it by name. */
export function mayReadImplementation(principal: Principal, name: ToolName, owner: ToolkitOwner): boolean {
  if (!hasScope(principal, 'tools:publish') || coverDenial(principal, name, 'tools:publish')) return false
  return isTrustedWith(principal, name) || (typeof owner === 'object' && owner.principal === principal.id)
}

/** For administrators, and the toolkit's owner where somebody else published the version. */
export function mayReview(principal: Principal, publisher: string | null, owner: ToolkitOwner): boolean {
  if (isAdministrator(principal)) return true
  return typeof owner === 'object' && owner.principal === principal.id && publisher !== principal.id
}

/** For all who may change the tool. */
export function mayReadPending(principal: Principal, name: ToolName, owner: ToolkitOwner): boolean {
  if (!hasScope(principal, 'tools:publish') || coverDenial(principal, name, 'tools:publish')) return false
  return toolkitDenial(principal, name, owner) === undefined
}

export function isAdministrator(principal: Principal): boolean {
  return hasScope(principal, 'admin')
}
