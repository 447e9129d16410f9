import { formatToolId, isNamePart, isOwnName, parseToolId, type ToolIdRef } from './tool-id.ts'

/** What a caller names a tool by, with the range of versions that it accepts. */
export type ToolRef =
  /** `Toolkit.Tool`, `Toolkit.Tool@1.2.3` or `Toolkit.Tool@^1`. */
  | ({ readonly kind: 'id' } & ToolIdRef)
  /** The name that lists show it under, such as `Toolkit_Tool`. */
  | ({ readonly kind: 'name' } & NameRef)
  /** The name that it has in a definition document. */
  | ({ readonly kind: 'document' } & DocumentRef)
  /** Names no tool. */
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

/** In place of a dialect: the document is all of a toolkit, whose tools are named as their own documents name them. */
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

/** Reads `name`, `name@range` or an id; any other text that can be a name is one. */
export function parseToolRef(text: string): ToolRef {
  const [, name, range] = NAME_AND_RANGE.exec(text) ?? []
  if (name !== undefined) return toNameRef(name, range)
  const ref = toIdRef(text)
  return ref.kind === 'malformed' && isOwnName(text) ? toNameRef(text) : ref
}

/** As callers write it. */
export function formatToolRef(ref: ToolRef): string {
  if (ref.kind === 'malformed') return ref.text
  const name = formatRefName(ref)
  return ref.range === undefined ? name : `${name}@${ref.range}`
}

/** As callers write it, without the range. */
export function formatRefName(ref: WellFormedRef): string {
  if (ref.kind === 'name') return ref.name
  return ref.kind === 'id' ? formatToolId(ref) : `${ref.id}.${ref.tool}`
}

/** Another text for each reference: the key of caches, and the tool of a call's record where there is no such tool. */
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
