import type { ToolName } from '../tool/tool-id.ts'
import type { ToolStatus } from '../tool/version.ts'
import { coverDenial, hasScope, isTrustedWith, type Principal } from './principal.ts'

/**
 * Who a toolkit belongs to: a principal, by its id; `deployment`, whose the toolkits with bundled tools are, and those that
 * are older than owners; or nobody yet, whose it is that publishes in it first.
 */
export type ToolkitOwner = { readonly principal: string } | 'deployment' | 'nobody'

/** A toolkit as its owner and administrators see it. */
export interface Toolkit {
  readonly toolkit: string
  readonly owner: ToolkitOwner
  /** Whether it has bundled tools, so that nobody can be given it. */
  readonly isBundled: boolean
  /** The versions that are given no credentials, since whoever published them was not trusted with the toolkit. */
  readonly untrusted: readonly string[]
  /** What is said of it as a whole: of this and of what is said of a version, the stricter holds. */
  readonly status: ToolStatus
  /** By which its tools are found beside their own. */
  readonly tags: readonly string[]
  /** Whether what others than administrators publish in it is pending until it was reviewed. */
  readonly review: boolean
  /** When it was deleted, and until when it can be brought back, in milliseconds since 1970. */
  readonly deleted?: { readonly at: number; readonly until: number }
}

/** What can be changed of a toolkit; the owner by administrators, null being the deployment. */
export interface ToolkitChange {
  readonly status?: ToolStatus
  readonly owner?: string | null
  readonly tags?: readonly string[]
  /** Anybody who may change it asks for review; only an administrator no longer does. */
  readonly review?: boolean
}

/** A toolkit after a change, or why the principal may not change it so. */
export type ToolkitChanged =
  | { readonly ok: true; readonly toolkit: Toolkit }
  | { readonly ok: false; readonly reason: string; readonly isConflict?: true }

/** Toolkits as wholes. Its answers are never stale. */
export interface ToolkitStore {
  /** Undefined where there is no such toolkit, and nobody was given one of the name. */
  find(toolkit: string): Promise<Toolkit | undefined>
  /** Gives a toolkit to a principal, or back to the deployment; undefined when it has bundled tools. */
  give(toolkit: string, principal: string | null): Promise<Toolkit | undefined>
  /** Changes all tools of a toolkit at once. Undefined where there is no such toolkit. */
  change(toolkit: string, change: ToolkitChange, principal: Principal): Promise<ToolkitChanged | undefined>
  /** Deletes a toolkit that nobody may call any more. Undefined where there is none. */
  remove(toolkit: string, principal: Principal): Promise<ToolkitChanged | undefined>
}

/**
 * Why a principal may not publish in a toolkit, import or upload into it, or change what is published in it; undefined when
 * it may. `name` is the tool that it is about, of the name `*` for the toolkit as a whole.
 */
export function toolkitDenial(principal: Principal, name: ToolName, owner: ToolkitOwner): string | undefined {
  if (isTrustedWith(principal, name) || owner === 'nobody') return undefined
  if (owner !== 'deployment' && owner.principal === principal.id) return undefined
  const { toolkit } = name
  const whose = owner === 'deployment' ? "the deployment's" : "another's"
  return `The toolkit '${toolkit}' is ${whose}: publish in another, or have an administrator give you a key that names it ('${toolkit}.*') or the toolkit itself (PUT /toolkits/${toolkit})`
}

/**
 * Whether a principal may read how a tool is implemented: whoever decides what it does, that is an administrator, its toolkit's
 * owner, and whoever may publish in it by name.
 */
export function mayReadImplementation(principal: Principal, name: ToolName, owner: ToolkitOwner): boolean {
  if (!hasScope(principal, 'tools:publish') || coverDenial(principal, name, 'tools:publish')) return false
  return isTrustedWith(principal, name) || (typeof owner === 'object' && owner.principal === principal.id)
}

/**
 * Whether a principal says that a version which awaits review is active, or what else it is: an administrator, or the toolkit's
 * owner where somebody else published it.
 */
export function mayReview(principal: Principal, publisher: string | null, owner: ToolkitOwner): boolean {
  if (isAdministrator(principal)) return true
  return typeof owner === 'object' && owner.principal === principal.id && publisher !== principal.id
}

/** Whether a principal knows of versions that await review: whoever may change what is published of the tool. */
export function mayReadPending(principal: Principal, name: ToolName, owner: ToolkitOwner): boolean {
  if (!hasScope(principal, 'tools:publish') || coverDenial(principal, name, 'tools:publish')) return false
  return toolkitDenial(principal, name, owner) === undefined
}

/** Whether a principal administers the deployment. */
export function isAdministrator(principal: Principal): boolean {
  return hasScope(principal, 'admin')
}
