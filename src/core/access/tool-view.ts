/** Narrows the tools that a principal may see to those of a toolset, a lock or both. */
import { parseToolId, toDerivedName, toolKey, type ToolName } from '../tool/tool-id.ts'
import { createToolPatterns } from '../tool/tool-patterns.ts'
import type { ToolRef } from '../tool/tool-ref.ts'
import type { ToolLock } from './tool-lock.ts'
import type { ToolsetDefinition, ToolsetEntry } from './toolset.ts'

/** Plain data, since it is sent to the Durable Objects that search. */
export interface ToolView {
  /** The digests of the toolset and the lock. Data for a view is cached under this key. */
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

/** Finds a tool of the view by the tool's own name; undefined if the view does not include it. */
export function findChosenTool(view: ToolView, name: ToolName): ChosenTool | undefined {
  const { findEntry, locked, hasLock } = compileView(view)
  const entry = findEntry(name)
  const lock = locked.get(toolKey(name))
  return (view.toolset && !entry) || (hasLock && !lock) ? undefined : { entry, lock }
}

/** Lists patterns that together cover every tool of the view. */
export function listViewPatterns(view: ToolView): readonly string[] {
  return compileView(view).patterns
}

/** Converts a reference that uses the view's name for a tool to the tool's own name. */
export function toOwnRef(view: ToolView | undefined, ref: ToolRef): ToolRef {
  if (!view || (ref.kind !== 'id' && ref.kind !== 'name')) return ref
  const key = ref.kind === 'id' ? toolKey(ref) : ref.name.toLowerCase()
  const own = compileView(view).renamed.get(key)
  return own ? { kind: 'id', ...own, ...(ref.range === undefined ? {} : { range: ref.range }) } : ref
}

/** Returns a tool's name in the view. */
export function toViewName<T extends ToolName>(name: T, { name: tool = name.tool }: Pick<ToolsetEntry, 'name'>): T {
  return { ...name, tool }
}

const compiledViews = new WeakMap<ToolView, ReturnType<typeof compile>>()

function compileView(view: ToolView) {
  const compiledView = compiledViews.get(view) ?? compile(view)
  compiledViews.set(view, compiledView)
  return compiledView
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
    // Ids in a lock use the view's names
    if (own?.range !== undefined)
      locked.set(toolKey(renamed.get(toolKey(own)) ?? own), { name, version: own.range, digest })
  }
  return {
    renamed,
    locked,
    hasLock: lock !== undefined,
    patterns: lock ? [...locked.keys()] : entries.map(({ tool }) => tool),
    /** A tool's own entry precedes patterns. A tool whose name the view gives to another tool is not found. */
    findEntry(name: ToolName): ToolsetEntry | undefined {
      const key = toolKey(name)
      const entry = exact.get(key)
      if (entry || renamed.has(key)) return entry
      return matchers.find(({ covers }) => covers(name))?.entry
    },
  }
}
