/**
 * Finds the tool that a call names, and decides whether the caller may call it. The rules are in `../access/principal.ts`:
 *
 * - a credential covers a tool if one of its patterns matches the tool's id, so this is known without a lookup;
 * - `KNOWING_SCOPES` are the scopes whose patterns let a caller know that a tool exists;
 * - `findCallDenial` returns why a caller may not call a tool: scope, patterns, or security level.
 *
 * An id that the credential does not cover is denied before it is looked up, so the answer is the same whether the tool
 * exists or not. `hide-tools.ts` does the same for failed lookups.
 */
import { coverDenial, covers, findCallDenial, KNOWING_SCOPES, mayActFor, type Principal } from '../access/principal.ts'
import { toOwnRef } from '../access/tool-view.ts'
import { formatToolRef, type ToolRef } from '../tool/tool-ref.ts'
import type { ToolRecord } from '../tool/tool.ts'
import { type FailureResult, fail } from '../failure/failure.ts'
import type { Caller, CallRequest } from './call-request.ts'
import { abortFailure, type StartDeadline } from './deadline.ts'
import { hideFromViewer, hideTool, isHidden, toolUnknownFailure } from './hide-tools.ts'
import type { ResolvedTool, Resolver } from './resolve-tool.ts'
import { chooseCandidate, type FindCandidates } from './tool-candidates.ts'

type Requester = Pick<Caller, 'principal' | 'background' | 'signal'>

interface ResolveRefDeps {
  readonly resolver: Resolver
  readonly startDeadline: StartDeadline
}

export interface CalledToolDeps extends ResolveRefDeps {
  readonly findCandidates: FindCandidates
}

const RESOLVE_MS = 15_000

export type CalledTool = ResolvedTool & { readonly toolRef: ToolRef }

/** Finds the tool that the request names. For a tool that is hidden from the caller, it fails as for an unknown one. */
export async function findCalledTool(
  request: CallRequest,
  caller: Requester,
  deps: CalledToolDeps,
): Promise<CalledTool | FailureResult> {
  const { principal, background } = caller
  const { bareName, documentRef } = request
  const choice = bareName && chooseCandidate(bareName, principal, await deps.findCandidates(bareName.name, background))
  if (choice && 'failure' in choice) return choice
  const toolRef = choice ?? request.toolRef
  const resolution = await resolveToolRef(toolRef, documentRef, caller, deps)
  if (!resolution.ok) return hideFromViewer(toolRef, resolution, caller, deps.resolver)
  if (isHidden(principal, resolution.tool.record)) return hideTool(toolRef, caller, deps.resolver)
  return { ...resolution, toolRef }
}

/**
 * Resolves `ref`. If a definition document may have the same id, `documentRef` is its address. It is tried first, and its tool
 * is used if the credential covers the tool.
 */
export async function resolveToolRef(
  ref: ToolRef,
  documentRef: ToolRef | undefined,
  requester: Requester,
  deps: ResolveRefDeps,
): Promise<ResolvedTool | FailureResult> {
  if (documentRef !== undefined) {
    const byDocument = await resolveWithDeadline(documentRef, requester, deps)
    if (byDocument.ok && covers(requester.principal, byDocument.tool.record, KNOWING_SCOPES)) return byDocument
  }
  const byRef = denyUncovered(requester.principal, ref) ?? (await resolveWithDeadline(ref, requester, deps))
  if (!byRef.ok || documentRef === undefined || ref === documentRef) return byRef
  // Tools' ids ignore case, but documents' ids do not. If `calculator.add` finds `Calculator.add`, it is a document's id, and
  // the lookup above found no tool of that document that the credential covers
  const isSameCase = ref.kind === 'id' && ref.toolkit === byRef.tool.record.toolkit
  return isSameCase ? byRef : fail({ type: 'tool-unknown', ref: formatToolRef(ref), suggestions: [] })
}

async function resolveWithDeadline(
  ref: ToolRef,
  { principal, background, signal }: Requester,
  { resolver, startDeadline }: ResolveRefDeps,
): Promise<ResolvedTool | FailureResult> {
  // The deadline sets no timer for a cached tool, which is resolved without a promise
  const resolution = await startDeadline(RESOLVE_MS, signal).race(resolver.resolve(ref, principal.view, background))
  if (resolution === 'cancelled') return abortFailure(resolution, RESOLVE_MS)
  return resolution === 'expired'
    ? fail({ type: 'unavailable', message: 'Cannot look up the tool in time' })
    : resolution
}

/** Refuses an uncovered id before the lookup, so that the refusal does not reveal whether the tool exists. */
export function denyUncovered(principal: Principal, ref: ToolRef): FailureResult | undefined {
  const ownRef = principal.view && ref.kind === 'id' ? toOwnRef(principal.view, ref) : ref
  const isUncovered = ref.kind === 'id' && ownRef.kind === 'id' && !covers(principal, ownRef, KNOWING_SCOPES)
  return isUncovered ? fail(coverDenial(ref)) : undefined
}

export function resolveUserId(principal: Principal, userId: string | undefined): string | undefined {
  if (userId !== undefined) return userId
  return principal.users !== 'any' && principal.users.length === 1 ? principal.users[0] : undefined
}

/** Returns why the caller may not call the tool at all, or not for this user. */
export function authorizeCall(principal: Principal, ref: ToolRef, record: ToolRecord, userId: string | undefined) {
  const denial = findCallDenial(principal, record)
  if (denial) {
    // Denying a name without a toolkit would reveal that the tool exists
    const mayKnowTool = ref.kind === 'id' || covers(principal, record, KNOWING_SCOPES)
    return mayKnowTool ? fail(denial) : toolUnknownFailure(principal, ref)
  }
  if (userId === undefined || mayActFor(principal, userId)) return undefined
  return fail({ type: 'forbidden', reason: 'The credential may not act for this user' })
}
