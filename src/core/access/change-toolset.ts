/** Decides who may change a toolset, and applies the changes. */
import { canonicalJson } from '../tool/digest.ts'
import type { Principal } from './principal.ts'
import { isAdministrator } from './toolkit-owner.ts'
import type { Toolset, ToolsetDefinition, ToolsetVersion } from './toolset.ts'

export function mayChangeToolset(principal: Principal, { owner }: Pick<Toolset, 'owner'>): boolean {
  return isAdministrator(principal) || principal.id === owner
}

/** Returns a denial for a principal that is bound to a toolset or lock, since it must not widen that. */
export function findBoundDenial({ toolset, lock }: Principal) {
  if (toolset === undefined && lock === undefined) return undefined
  return {
    type: 'forbidden',
    reason: 'A credential with a toolset or a lock cannot manage toolsets and locks',
  } as const
}

/** Returns the text whose SHA-256 is the toolset's digest. */
export function formatToolset(name: string, definition: ToolsetDefinition): string {
  return canonicalJson({ name, definition })
}

/** Returns the same toolset if nothing changes. A new change replaces a pending one. `tokens` is its cost to a model. */
export function changeToolset(toolset: Toolset, version: ToolsetVersion, tokens = Infinity): Toolset {
  if ([toolset.digest, toolset.pending?.digest].includes(version.digest)) return toolset
  const isReviewed = toolset.definition.review || version.definition.review || isOverBudget(toolset, version, tokens)
  return isReviewed ? { ...toolset, pending: version } : applyVersion(toolset, version)
}

/** Checks the old and the new limit, so that a change cannot raise the limit that it exceeds. */
function isOverBudget(toolset: Toolset, version: ToolsetVersion, tokens: number): boolean {
  return [toolset, version].some(({ definition }) => tokens > (definition.max_tokens ?? Infinity))
}

export function approveToolset(toolset: Toolset): Toolset | undefined {
  return toolset.pending && applyVersion(toolset, toolset.pending)
}

export function rejectToolset({ pending, ...toolset }: Toolset): Toolset | undefined {
  return pending && toolset
}

function applyVersion(toolset: Toolset, version: ToolsetVersion): Toolset {
  const { pending: _, ...current } = toolset
  return { ...current, ...version, revision: toolset.revision + 1 }
}
