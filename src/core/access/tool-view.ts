/** What a principal sees of the tools that it may see: those of one toolset, as one lock says, or both. */
import { parseToolId, toDerivedName, toolKey, type ToolName } from '../tool/tool-id.ts'
import { createToolPatterns } from '../tool/tool-patterns.ts'
import type { ToolRef } from '../tool/tool-ref.ts'
import type { ToolLock } from './tool-lock.ts'
import type { ToolsetDefinition, ToolsetEntry } from './toolset.ts'

/** Plain data, since it is sent to objects that search. */
export interface ToolView {
  /** The digests of the toolset and the lock: what is cached for a view is cached under it. */
  readonly key: string
  readonly toolset?: { readonly name: string; readonly definition: ToolsetDefinition }
  readonly lock?: { readonly hash: string } & Pick<ToolLock, 'tools' | 'skills'>
}

/** The view of a principal whose toolset or lock is gone or disabled. */
export const EMPTY_VIEW: ToolView = { key: 'none', lock: { hash: '', tools: {} } }

export interface LockedVersion {
  readonly name: string
  readonly version: string
  readonly digest: string
}

export interface ChosenTool {
  readonly entry?: ToolsetEntry | undefined
  readonly lock?: LockedVersion | undefined
}

/** What the view says of a tool, by its own name; undefined for a tool that is not in it. */
export function findChosenTool(view: ToolView, name: ToolName): ChosenTool | undefined {
  const { findEntry, locked, hasLock } = compileView(view)
  const entry = findEntry(name)
  const lock = locked.get(toolKey(name))
  return (view.toolset && !entry) || (hasLock && !lock) ? undefined : { entry, lock }
}

/** Patterns of which one covers each tool of the view. */
export function listViewPatterns(view: ToolView): readonly string[] {
  return compileView(view).patterns
}

/** A reference with a name that the view gives, by the tool's own name. */
export function toOwnRef(view: ToolView | undefined, ref: ToolRef): ToolRef {
  if (!view || (ref.kind !== 'id' && ref.kind !== 'name')) return ref
  const key = ref.kind === 'id' ? toolKey(ref) : ref.name.toLowerCase()
  const own = compileView(view).renamed.get(key)
  return own ? { kind: 'id', ...own, ...(ref.range === undefined ? {} : { range: ref.range }) } : ref
}

/** The name of a tool that the view gives it. */
export function toViewName<T extends ToolName>(name: T, { name: tool = name.tool }: Pick<ToolsetEntry, 'name'>): T {
  return { ...name, tool }
}

const compiledViews = new WeakMap<ToolView, ReturnType<typeof compile>>()

function compileView(view: ToolView) {
  const compiled = compiledViews.get(view) ?? compile(view)
  compiledViews.set(view, compiled)
  return compiled
}

function compile({ toolset, lock }: ToolView) {
  const entries = toolset?.definition.tools ?? []
  const exact = new Map(
    entries.filter(({ tool }) => !tool.includes('*')).map((entry) => [entry.tool.toLowerCase(), entry]),
  )
  const patterns = entries.filter(({ tool }) => tool.includes('*'))
  const matchers = patterns.map((entry) => ({ entry, ...createToolPatterns([entry.tool]) }))
  const renamed = new Map<string, ToolName>()
  for (const { tool, name } of exact.values()) {
    const own = name === undefined ? undefined : parseToolId(tool)
    if (!own || name === undefined) continue
    const viewName = { ...own, tool: name }
    renamed.set(toolKey(viewName), own).set(toDerivedName(viewName).toLowerCase(), own)
  }
  const locked = new Map<string, LockedVersion>()
  for (const [name, { id, digest }] of Object.entries(lock?.tools ?? {})) {
    const own = parseToolId(id)
    // Ids in a lock are those that the view gives
    if (own?.range !== undefined)
      locked.set(toolKey(renamed.get(toolKey(own)) ?? own), { name, version: own.range, digest })
  }
  return {
    renamed,
    locked,
    hasLock: lock !== undefined,
    patterns: lock ? [...locked.keys()] : entries.map(({ tool }) => tool),
    /** An entry of its own comes before a pattern, and a tool whose name another has here is not there. */
    findEntry(name: ToolName): ToolsetEntry | undefined {
      const key = toolKey(name)
      const entry = exact.get(key)
      if (entry || renamed.has(key)) return entry
      return matchers.find(({ covers }) => covers(name))?.entry
    },
  }
}
