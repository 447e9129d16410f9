import type { ToolView } from '../access/tool-view.ts'
import type { Policies, PolicySet } from '../access/policy.ts'
import { textBytes, createSwrCache, type CacheMemory } from '../cache/swr-cache.ts'
import type { WaitUntil } from '../tool/platform.ts'
import { formatToolId, isNamePart, type ToolName } from '../tool/tool-id.ts'
import { formatRefName, formatToolRef, type ToolRef, toRefKey, type WellFormedRef } from '../tool/tool-ref.ts'
import type { ToolSource } from '../tool/tool-source.ts'
import type { Publisher, ToolEntry, ToolRecord } from '../tool/tool.ts'
import { chooseVersion, isVersionRange, resolveVersion, type ToolStatus, withoutPending } from '../tool/version.ts'
import { type FailureResult, fail } from '../failure/failure.ts'
import { type CallableTool, applyPolicyToTool } from './callable-tool.ts'

export interface ResolvedTool {
  readonly ok: true
  readonly tool: CallableTool
  /** The record as the caller's toolset or lock shows it to readers; absent without either. */
  readonly listed?: ToolRecord
  readonly status: ToolStatus
  readonly publisher: Publisher
  readonly toolkitDescription?: string | undefined
}

type Resolution = ResolvedTool | FailureResult

export type ResolveInView = (ref: ToolRef, view: ToolView, background: WaitUntil) => Promise<Resolution>

/** Resolves tools for callers, each of whom may have a view. */
export interface Resolver extends Omit<RecordResolver, 'resolve'> {
  /** Returns without I/O or a promise if the reference was just resolved and the caller has no view. */
  resolve(ref: ToolRef, view: ToolView | undefined, background: WaitUntil): Resolution | Promise<Resolution>
}

/** Resolves tools independently of the caller. */
export interface RecordResolver {
  resolve(ref: ToolRef, background: WaitUntil): Resolution | Promise<Resolution>
  /** Suggests ids similar to an unknown one. */
  suggest(name: ToolName, background: WaitUntil): readonly string[] | Promise<readonly string[]>
  invalidate(): void
}

interface ResolverDeps {
  readonly source: ToolSource
  readonly makeCallable: (record: ToolRecord) => CallableTool | Promise<CallableTool>
  readonly memory: CacheMemory
  readonly now: () => number
}

const FOUND = { fresh: 5_000, stale: 25_000, staleIfError: 60_000 }
const NOT_FOUND = { fresh: 2_000 }
/** A callable tool takes about this many times the bytes of its record's text. */
const TOOL_FACTOR = 4
const ANSWER_BYTES = 400

export function createResolver({ source, makeCallable, now, memory }: ResolverDeps): RecordResolver {
  const resolutions = createSwrCache<ResolvedTool | FailureResult>({
    store: memory.partition(
      ({ value }, key) => 2 * key.length + ANSWER_BYTES + (value.ok ? 0 : textBytes(JSON.stringify(value.failure))),
    ),
    getAges: ({ ok }) => (ok ? FOUND : NOT_FOUND),
    now,
  })
  const suggestions = createSwrCache<readonly string[]>({
    store: memory.partition(({ value }, key) => 2 * key.length + ANSWER_BYTES + textBytes(JSON.stringify(value))),
    getAges: () => NOT_FOUND,
    now,
  })
  const tools = memory.partition<CallableTool>(({ record }) => TOOL_FACTOR * textBytes(JSON.stringify(record)))

  async function lookUp(ref: WellFormedRef): Promise<ResolvedTool | FailureResult> {
    if (ref.kind === 'document') return lookUpDocument(ref)
    const name = ref.kind === 'name' ? await source.findByName(ref.name) : ref
    if (!name) return nameFailure(formatRefName(ref))
    if (ref.range !== undefined && !isVersionRange(ref.range))
      return fail({ type: 'id-malformed', ref: formatToolRef(ref) })
    return lookUpTool(name, ref.range, formatToolRef(ref))
  }

  /**
   * A reference to a tool of a document may have the id of a document, the name of a toolkit, or both:
   *
   * | the id is the id or name of                               | the tool is of                    |
   * | --------------------------------------------------------- | --------------------------------- |
   * | a document                                                | the document                      |
   * | a toolkit, written in the same case                       | the toolkit                       |
   * | both                                                      | the document, or else the toolkit |
   * | both, has a dash, and the document is in another toolkit  | the document                      |
   */
  async function lookUpDocument(ref: Extract<ToolRef, { kind: 'document' }>): Promise<ResolvedTool | FailureResult> {
    const { dialect, id, tool, range } = ref
    if (range !== undefined && !isVersionRange(range)) return fail({ type: 'id-malformed', ref: formatToolRef(ref) })
    const address = await source.findDocumentAddress(dialect, id, tool)
    const documentTool = address && Object.hasOwn(address.tools, tool) ? address.tools[tool] : undefined
    const refText = formatRefName(ref)
    if (address && documentTool !== undefined) {
      const resolution = await lookUpTool({ toolkit: address.toolkit, tool: documentTool }, range, refText)
      if (resolution.ok || resolution.failure.type !== 'tool-unknown') return resolution
    }
    const isDocumentOnly = address !== undefined && address.toolkit !== id && id.includes('-')
    if (!isDocumentOnly && isNamePart(id) && isNamePart(tool)) {
      const resolved = await lookUpTool({ toolkit: id, tool }, range, refText)
      if (!resolved.ok || resolved.tool.record.toolkit === id) return resolved
    }
    return fail({ type: 'tool-unknown', ref: refText, suggestions: [] })
  }

  /** Looks up a version in the Registry if KV lacks it, since KV may be some seconds old. */
  async function lookUpTool(
    name: ToolName,
    range: string | undefined,
    refText: string,
  ): Promise<ResolvedTool | FailureResult> {
    const copiedEntry = await source.loadTool(name)
    const visibleCopy = copiedEntry && withoutPending(copiedEntry)
    const resolved = visibleCopy && (await resolveEntry(visibleCopy, range))
    if (resolved) return resolved
    const current = await source.loadCurrentOrSuggest(name)
    const entry = current.entry && !current.entry.isDeleted ? withoutPending(current.entry) : undefined
    if (entry) return (await resolveEntry(entry, range)) ?? versionFailure(entry, range)
    const suggestions = current.suggestions ?? (await source.suggestIds(name))
    return fail({ type: 'tool-unknown', ref: refText, suggestions })
  }

  /** Returns undefined if the entry has no such version, or its record is not in KV yet. */
  async function resolveEntry(
    entry: ToolEntry,
    range: string | undefined,
  ): Promise<ResolvedTool | FailureResult | undefined> {
    const version = entry.isDeleted ? undefined : chooseVersion(entry, range)
    if (!version) return undefined
    if (version.status.state === 'disabled')
      return disabledFailure(formatToolId(entry, version.version), version.status)
    const cachedTool = tools.get(version.digest)
    const { status, publisher } = version
    const { toolkitDescription } = entry
    if (cachedTool) return { ok: true, tool: cachedTool, status, publisher, toolkitDescription }
    const inline = entry.newest?.digest === version.digest ? entry.newest : undefined
    const record = inline ?? (await source.loadRecord(version.digest))
    if (!record) return undefined
    const tool = await makeCallable(record)
    tools.set(record.digest, tool)
    return { ok: true, tool, status, publisher, toolkitDescription }
  }

  return {
    resolve(ref, background) {
      // Callers choose its text, which could match another reference's key
      if (ref.kind === 'malformed') return fail({ type: 'id-malformed', ref: ref.text })
      return resolutions.get(toRefKey(ref), () => lookUp(ref), background)
    },
    suggest: (name, background) => suggestions.get(formatToolId(name), () => source.suggestIds(name), background),
    invalidate() {
      resolutions.invalidate()
      suggestions.invalidate()
    },
  }
}

export function getListed({ listed, tool }: Pick<ResolvedTool, 'listed' | 'tool'>): ToolRecord {
  return listed ?? tool.record
}

export function withViews(resolver: RecordResolver, loadResolve: () => Promise<ResolveInView>): Resolver {
  return {
    ...resolver,
    resolve(ref, view, background) {
      if (!view) return resolver.resolve(ref, background)
      return loadResolve().then((resolveInView) => resolveInView(ref, view, background))
    },
  }
}

export function withPolicies(resolver: RecordResolver, policies: Policies): RecordResolver {
  const governedTools = new WeakMap<ResolvedTool, { readonly policies: PolicySet; readonly answer: ResolvedTool }>()

  function govern(answer: ResolvedTool | FailureResult): ResolvedTool | FailureResult {
    if (!answer.ok) return answer
    const currentPolicies = policies.current()
    const cachedTool = governedTools.get(answer)
    if (cachedTool?.policies === currentPolicies) return cachedTool.answer
    const tool = applyPolicyToTool(answer.tool, currentPolicies.policyFor(answer.tool.record))
    const governed = tool === answer.tool ? answer : { ...answer, tool }
    governedTools.set(answer, { policies: currentPolicies, answer: governed })
    return governed
  }

  return {
    ...resolver,
    resolve(ref, background) {
      const answer = resolver.resolve(ref, background)
      return answer instanceof Promise ? answer.then(govern) : govern(answer)
    },
  }
}

function nameFailure(ref: string): FailureResult {
  return fail(isNamePart(ref) ? { type: 'tool-unknown', ref, suggestions: [] } : { type: 'id-malformed', ref })
}

function versionFailure(entry: ToolEntry, range = 'latest'): FailureResult {
  const off = entry.versions.flatMap(({ status }) => (status.state === 'disabled' ? [status] : []))
  if (off.length === entry.versions.length) return disabledFailure(formatToolId(entry), off.at(-1))
  const yanked = resolveVersion(entry.versions, range, 'yanked')
  return fail({
    type: 'version-unavailable',
    tool: formatToolId(entry),
    name: entry.newest?.name ?? formatToolId(entry),
    range,
    available: entry.versions.filter(({ status }) => status.state === 'active').map(({ version }) => version),
    yanked: yanked?.status.state === 'yanked' ? { version: yanked.version, message: yanked.status.message } : undefined,
  })
}

function disabledFailure(id: string, { message: detail }: { readonly message?: string } = {}): FailureResult {
  return fail({ type: 'tool-disabled', id, ...(detail === undefined ? {} : { detail }) })
}
