/** Who may change a toolset, and what each change makes of it. */
import { canonicalJson } from '../tool/digest.ts'
import type { Principal } from './principal.ts'
import { isAdministrator } from './toolkit-owner.ts'
import type { Toolset, ToolsetDefinition, ToolsetVersion } from './toolset.ts'

export function mayChangeToolset(principal: Principal, { owner }: Pick<Toolset, 'owner'>): boolean {
  return isAdministrator(principal) || principal.id === owner
}

/** Where a toolset or a lock is a right, whoever has it must not widen it. */
export function findBoundDenial({ toolset, lock }: Principal) {
  if (toolset === undefined && lock === undefined) return undefined
  return {
    type: 'forbidden',
    reason: 'A credential with a toolset or a lock cannot manage toolsets and locks',
  } as const
}

/** The text whose SHA-256 is a toolset's digest. */
export function formatToolset(name: string, definition: ToolsetDefinition): string {
  return canonicalJson({ name, definition })
}

/** Gives the toolset itself if this changes nothing. A later change replaces one that waits for approval. `tokens` is what
 * the change costs a model. */
export function changeToolset(toolset: Toolset, version: ToolsetVersion, tokens = Infinity): Toolset {
  if ([toolset.digest, toolset.pending?.digest].includes(version.digest)) return toolset
  const isReviewed = toolset.definition.review || version.definition.review || isOverBudget(toolset, version, tokens)
  return isReviewed ? { ...toolset, pending: version } : applyVersion(toolset, version)
}

/** Nobody raises the limit in the change that exceeds it. */
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
