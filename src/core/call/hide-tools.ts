/**
 * Keeps failed lookups from revealing tools that the caller's lists do not show. With a credential, a caller may know of
 * the tools that its patterns for listing or calling cover. Without one, a caller may know of the tools of security level 0
 * that the patterns for anonymous callers cover.
 */
import { covers, KNOWING_SCOPES, maySee, type Principal } from '../access/principal.ts'
import { toOwnRef } from '../access/tool-view.ts'
import { type Failure, type FailureResult, fail } from '../failure/failure.ts'
import { didYouMean } from '../tool/problem.ts'
import { formatToolId, parseToolId } from '../tool/tool-id.ts'
import { formatRefName, formatToolRef, toIdRef, type ToolRef } from '../tool/tool-ref.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { Caller } from './call-request.ts'
import type { Resolver } from './resolve-tool.ts'

const MAX_SUGGESTIONS = 3
const MAX_AVAILABLE = 20

type Viewer = Pick<Caller, 'principal' | 'background'>

type Lookup = Pick<Resolver, 'resolve' | 'suggest'>

export function isHidden(principal: Principal, record: ToolRecord): boolean {
  return principal.kind === 'anonymous' && !maySee(principal, record, 'tools:call')
}

/** Removes tools, versions and suggestions from `failing` that are hidden from the viewer. */
export async function hideFromViewer(
  ref: ToolRef,
  failing: FailureResult,
  viewer: Viewer,
  lookup: Lookup,
): Promise<FailureResult> {
  const { failure } = failing
  if (failure.type === 'tool-unknown') {
    const suggestions = await filterSuggestions(failure.suggestions, viewer, lookup)
    if (viewer.principal.kind === 'anonymous') return toolUnknownFailure(viewer.principal, ref, suggestions)
    return fail({ ...failure, suggestions })
  }
  if (failure.type === 'version-unavailable') return hideVersions(ref, failure, viewer, lookup)
  if (failure.type !== 'tool-disabled' && failure.type !== 'tool-renamed' && failure.type !== 'tool-changed')
    return failing
  const name = parseToolId(failure.id)
  const mayKnow = name !== undefined && (await mayDiscover(formatToolId(name), viewer, lookup))
  return mayKnow ? failing : hideTool(ref, viewer, lookup)
}

/** Answers as if the tool that `ref` leads to did not exist. */
export async function hideTool(ref: ToolRef, viewer: Viewer, lookup: Lookup): Promise<FailureResult> {
  if (viewer.principal.kind !== 'anonymous') return toolUnknownFailure(viewer.principal, ref)
  const name = ref.kind === 'document' ? parseToolId(formatRefName(ref)) : ref.kind === 'id' ? ref : undefined
  const ids = name ? await lookup.suggest(name, viewer.background) : []
  return toolUnknownFailure(viewer.principal, ref, await filterSuggestions(ids, viewer, lookup))
}

async function filterSuggestions(ids: readonly string[], viewer: Viewer, lookup: Lookup): Promise<string[]> {
  const suggestions: string[] = []
  for (const id of ids) {
    if (suggestions.length === MAX_SUGGESTIONS) break
    if (await mayDiscover(id, viewer, lookup)) suggestions.push(id)
  }
  return suggestions
}

async function hideVersions(
  ref: ToolRef,
  failure: Extract<Failure, { readonly type: 'version-unavailable' }>,
  viewer: Viewer,
  lookup: Lookup,
): Promise<FailureResult> {
  if (!(await mayDiscover(failure.tool, viewer, lookup))) return hideTool(ref, viewer, lookup)
  // A credential that covers a tool covers all its versions
  if (viewer.principal.kind !== 'anonymous') return fail(failure)
  const available: string[] = []
  for (const version of failure.available.slice(0, MAX_AVAILABLE)) {
    if (await mayDiscover(`${failure.tool}@${version}`, viewer, lookup)) available.push(version)
  }
  const { yanked } = failure
  const mayKnowYanked = yanked && (await mayDiscover(`${failure.tool}@${yanked.version}`, viewer, lookup))
  return fail({ ...failure, available, yanked: mayKnowYanked ? yanked : undefined })
}

async function mayDiscover(id: string, { principal, background }: Viewer, lookup: Lookup): Promise<boolean> {
  const ownRef = toOwnRef(principal.view, toIdRef(id))
  if (ownRef.kind !== 'id' || !covers(principal, ownRef, KNOWING_SCOPES)) return false
  if (principal.kind !== 'anonymous') return true
  // Resolve without the view, since the view may refuse exactly this version
  const resolution = await lookup.resolve(ownRef, undefined, background)
  return resolution.ok && maySee(principal, resolution.tool.record, KNOWING_SCOPES)
}

/**
 * Returns the failure for a tool that does not exist or that the caller may not know of. Without a credential, it says that one
 * may help. It formats the reference as the resolver does for unknown tools (an id with its range, a name without), so that
 * the two cases look the same.
 */
export function toolUnknownFailure(
  principal: Principal,
  ref: ToolRef,
  suggestions: readonly string[] = [],
): FailureResult {
  const refText = ref.kind === 'name' || ref.kind === 'document' ? formatRefName(ref) : formatToolRef(ref)
  if (principal.kind !== 'anonymous') return fail({ type: 'tool-unknown', ref: refText, suggestions })
  const reason = `No tool '${refText.slice(0, 200)}' is available without a credential${didYouMean(suggestions)}`
  return fail({ type: 'unauthenticated', reason, suggestions })
}
