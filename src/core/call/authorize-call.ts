/**
 * Finds the tool that a call names, hides it from those who may not know of it, and authorizes the call. The
 * address of a definition document is tried first, then the id, if the address leads to nothing that the credential
 * covers. An id that the credential does not cover is denied before it is looked up, so it cannot be told from one
 * that does not exist. Suggestions that the caller may not see are removed. A lookup takes 15 s at most. The rules:
 * `../access/principal.ts`.
 */
import {
  findCoverDenial,
  covers,
  findCallDenial,
  KNOWING_SCOPES,
  mayActFor,
  maySee,
  patternsFor,
  type Principal,
} from '../access/principal.ts'
import type { WaitUntil, Signal } from '../tool/platform.ts'
import { didYouMean } from '../tool/problem.ts'
import { formatToolId, parseToolId } from '../tool/tool-id.ts'
import { formatRefName, formatToolRef, toIdRef, type ToolRef } from '../tool/tool-ref.ts'
import type { ToolRecord } from '../tool/tool.ts'
import { type FailureResult, fail } from '../failure/failure.ts'
import { type Deadline, abortFailure } from './deadline.ts'
import type { ResolvedTool, Resolver } from './resolve-tool.ts'

const MAX_SUGGESTIONS = 3
const MAX_AVAILABLE = 20

export interface RequestContext {
  readonly principal: Principal
  readonly background: WaitUntil
  readonly signal: () => Signal | undefined
}

export interface ResolveRefDeps {
  readonly resolver: Resolver
  readonly startDeadline: (timeoutMs: number, caller: () => Signal | undefined) => Deadline
}

const RESOLVE_MS = 15_000

/** Resolves the address of a document first, if there is one, and then the reference. */
export async function resolveToolRef(
  ref: ToolRef,
  documentRef: ToolRef | undefined,
  context: RequestContext,
  deps: ResolveRefDeps,
): Promise<ResolvedTool | FailureResult> {
  if (documentRef === undefined) return resolveCovered(ref, context, deps)
  const byDocument = await resolveWithDeadline(documentRef, context, deps)
  if (byDocument.ok && covers(context.principal, byDocument.tool.record, KNOWING_SCOPES)) return byDocument
  const byRef = await resolveCovered(ref, context, deps)
  if (!byRef.ok || ref === documentRef) return byRef
  // An id in other upper or lower case than the tool's is the id of a document, which the lookup above did not find
  if (ref.kind === 'id' && ref.toolkit === byRef.tool.record.toolkit) return byRef
  return fail({ type: 'tool-unknown', asked: formatToolRef(ref), suggestions: [] })
}

async function resolveCovered(ref: ToolRef, context: RequestContext, deps: ResolveRefDeps) {
  return denyUncovered(context.principal, ref) ?? resolveWithDeadline(ref, context, deps)
}

/** Takes no timer for a tool that is cached. */
async function resolveWithDeadline(
  ref: ToolRef,
  { background, signal }: RequestContext,
  { resolver, startDeadline }: ResolveRefDeps,
): Promise<ResolvedTool | FailureResult> {
  const resolving = resolver.resolve(ref, background)
  return resolving instanceof Promise ? raceDeadline(resolving, startDeadline(RESOLVE_MS, signal)) : resolving
}

async function raceDeadline(
  resolving: Promise<ResolvedTool | FailureResult>,
  deadline: Deadline,
): Promise<ResolvedTool | FailureResult> {
  const resolved = await deadline.race(resolving)
  if (resolved === 'cancelled') return abortFailure(resolved, RESOLVE_MS)
  return resolved === 'expired' ? fail({ type: 'unavailable', message: 'Cannot look up the tool in time' }) : resolved
}

/** Refuses an uncovered id before it is looked up: it cannot be told from one that does not exist. */
export function denyUncovered(principal: Principal, ref: ToolRef): FailureResult | undefined {
  if (principal.restrictedTo === undefined && patternsFor(principal, 'tools:call').includes('*')) return undefined
  if (ref.kind !== 'id' || covers(principal, ref, KNOWING_SCOPES)) return undefined
  const denied = findCoverDenial(principal, ref, 'tools:call')
  return denied && fail(denied)
}

export function isHidden(principal: Principal, record: ToolRecord): boolean {
  return principal.kind === 'anonymous' && !maySee(principal, record, 'tools:call')
}

type Viewer = Pick<RequestContext, 'principal' | 'background'>

export async function maskHiddenTool(
  ref: ToolRef,
  viewer: Viewer,
  resolver: Pick<Resolver, 'resolve' | 'suggest'>,
): Promise<FailureResult> {
  const name = ref.kind === 'document' ? parseToolId(formatRefName(ref)) : ref.kind === 'id' ? ref : undefined
  const suggestions = name ? await resolver.suggest(name, viewer.background) : []
  return filterSuggestions(ref, fail({ type: 'tool-unknown', asked: '', suggestions }), viewer, resolver)
}

/** Keeps from a failure to resolve every suggestion, tool and version that lists hide from the principal. */
export async function filterSuggestions(
  ref: ToolRef,
  failing: FailureResult,
  { principal, background }: Viewer,
  resolver: Pick<Resolver, 'resolve' | 'suggest'>,
): Promise<FailureResult> {
  const { failure } = failing
  async function isShown(id: string): Promise<boolean> {
    const idRef = toIdRef(id)
    if (idRef.kind !== 'id' || !covers(principal, idRef, KNOWING_SCOPES)) return false
    const resolved = principal.kind === 'anonymous' ? await resolver.resolve(idRef, background) : undefined
    return !resolved || (resolved.ok && maySee(principal, resolved.tool.record, KNOWING_SCOPES))
  }

  function mask(): FailureResult | Promise<FailureResult> {
    if (principal.kind !== 'anonymous') return toolUnknownFailure(principal, ref)
    return maskHiddenTool(ref, { principal, background }, resolver)
  }

  if (failure.type === 'tool-disabled') {
    const name = parseToolId(failure.id)
    return name && (await isShown(formatToolId(name))) ? failing : mask()
  }
  if (failure.type === 'version-unavailable') {
    if (!(await isShown(failure.tool))) return mask()
    // A credential that covers a tool covers all its versions
    if (principal.kind !== 'anonymous') return failing
    const available: string[] = []
    for (const version of failure.available.slice(0, MAX_AVAILABLE)) {
      if (await isShown(`${failure.tool}@${version}`)) available.push(version)
    }
    return fail({ ...failure, available })
  }
  if (failure.type !== 'tool-unknown') return failing
  const suggestions: string[] = []
  for (const id of failure.suggestions) {
    if (suggestions.length === MAX_SUGGESTIONS) break
    if (await isShown(id)) suggestions.push(id)
  }
  return principal.kind === 'anonymous'
    ? toolUnknownFailure(principal, ref, suggestions)
    : fail({ ...failure, suggestions })
}

export function resolveUserId(principal: Principal, userId: string | undefined): string | undefined {
  if (userId !== undefined) return userId
  return principal.users !== 'any' && principal.users.length === 1 ? principal.users[0] : undefined
}

export function authorizeCall(principal: Principal, ref: ToolRef, record: ToolRecord, userId: string | undefined) {
  const denied = findCallDenial(principal, record)
  // Refusing a name without a toolkit would tell that the tool exists
  if (denied && !covers(principal, record, KNOWING_SCOPES) && ref.kind !== 'id')
    return toolUnknownFailure(principal, ref)
  if (denied) return fail(denied)
  if (userId === undefined || mayActFor(principal, userId)) return undefined
  return fail({ type: 'forbidden', reason: 'The credential may not act for this user' })
}

function toolUnknownFailure(principal: Principal, ref: ToolRef, suggestions: readonly string[] = []): FailureResult {
  const refText = ref.kind === 'name' || ref.kind === 'document' ? formatRefName(ref) : formatToolRef(ref)
  if (principal.kind !== 'anonymous') return fail({ type: 'tool-unknown', asked: refText, suggestions })
  const reason = `No tool '${refText.slice(0, 200)}' is available without a credential${didYouMean(suggestions)}`
  return fail({ type: 'unauthenticated', reason, suggestions })
}
