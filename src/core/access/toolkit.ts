import type { ToolName } from '../tool/tool-id.ts'
import { coverDenial, hasScope, isTrustedWith, type Principal } from './principal.ts'

/**
 * Who a toolkit belongs to: a principal, by its id; `deployment`, whose the toolkits with bundled tools are, and those that
 * are older than owners; or nobody yet, whose it is that publishes in it first.
 */
export type ToolkitOwner = { readonly principal: string } | 'deployment' | 'nobody'

/** A toolkit as an administrator sees it. */
export interface Toolkit {
  readonly toolkit: string
  readonly owner: ToolkitOwner
  /** Whether it has bundled tools, so that nobody can be given it. */
  readonly isBundled: boolean
  /** The versions that are given no credentials, since whoever published them was not trusted with the toolkit. */
  readonly untrusted: readonly string[]
}

/** Who toolkits belong to. Its answers are never stale. */
export interface ToolkitStore {
  /** Undefined where there is no such toolkit, and nobody was given one of the name. */
  find(toolkit: string): Promise<Toolkit | undefined>
  /** Gives a toolkit to a principal, or back to the deployment; undefined when it has bundled tools. */
  give(toolkit: string, principal: string | null): Promise<Toolkit | undefined>
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

/** Whether a principal administers the deployment. */
export function isAdministrator(principal: Principal): boolean {
  return hasScope(principal, 'admin')
}
