import { formatToolId, isNamePart, isOwnName, parseToolId, type ToolIdRef } from './tool-id.ts'

/** A caller's reference to a tool, with the range of versions that the caller accepts. */
export type ToolRef =
  /** `Toolkit.Tool`, `Toolkit.Tool@1.2.3` or `Toolkit.Tool@^1`. */
  | ({ readonly kind: 'id' } & ToolIdRef)
  /** The exposed name of the tool, such as `Toolkit_Tool`. */
  | ({ readonly kind: 'name' } & NameRef)
  /** The tool's own name in a definition document, such as the capability `add` of the document `calculator`. */
  | ({ readonly kind: 'document' } & DocumentRef)
  /** A text that cannot name a tool. */
  | { readonly kind: 'malformed'; readonly text: string }

export type WellFormedRef = Exclude<ToolRef, { kind: 'malformed' }>

export interface NameRef {
  readonly name: string
  readonly range?: string | undefined
}

interface DocumentRef {
  readonly dialect: string
  readonly id: string
  readonly tool: string
  readonly range?: string | undefined
}

/** Replaces a dialect: `id` is then the name of a toolkit, and `tool` the name of one of its tools in its document. */
export const BY_TOOLKIT = 'toolkit'

const NAME_AND_RANGE = /^([A-Za-z0-9_-]{1,64})(?:@(.{1,128}))?$/

export function toIdRef(text: string): ToolRef {
  const id = parseToolId(text)
  return id ? { kind: 'id', ...id } : { kind: 'malformed', text }
}

export function toNameRef(name: string, range?: string): ToolRef {
  return { kind: 'name', name, range }
}

export function toDocumentRef(ref: DocumentRef): ToolRef {
  return { kind: 'document', ...ref }
}

/** Reads an exposed name, `name@range` or an id. Any other text that could be a tool's own name is a name. */
export function parseToolRef(text: string): ToolRef {
  const [, name, range] = NAME_AND_RANGE.exec(text) ?? []
  if (name !== undefined) return toNameRef(name, range)
  const ref = toIdRef(text)
  return ref.kind === 'malformed' && isOwnName(text) ? toNameRef(text) : ref
}

/** Writes a reference as callers do, with its range. */
export function formatToolRef(ref: ToolRef): string {
  if (ref.kind === 'malformed') return ref.text
  const name = formatRefName(ref)
  return ref.range === undefined ? name : `${name}@${ref.range}`
}

/** Writes a reference as callers do, without its range. */
export function formatRefName(ref: WellFormedRef): string {
  if (ref.kind === 'name') return ref.name
  return ref.kind === 'id' ? formatToolId(ref) : `${ref.id}.${ref.tool}`
}

/**
 * Returns a text that is different for each well-formed reference: the key in caches, and the tool in the record of a call
 * that found no tool. A malformed reference is its own text, which may equal another reference's key.
 */
export function toRefKey(ref: ToolRef): string {
  if (ref.kind === 'name' && isNamePart(ref.name)) return `name:${formatToolRef(ref)}`
  if (ref.kind === 'name') return `name:${JSON.stringify(withRange([ref.name], ref.range))}`
  if (ref.kind === 'document')
    return `document:${JSON.stringify(withRange([ref.dialect, ref.id, ref.tool], ref.range))}`
  return formatToolRef(ref)
}

function withRange(names: readonly string[], range: string | undefined): readonly string[] {
  return range === undefined ? names : [...names, range]
}
