import type { Budget } from '../tool/budget.ts'
import type { Json, JsonObject } from '../tool/json.ts'
import type { Signal } from '../tool/platform.ts'
import type { Problem } from '../tool/problem.ts'
import type { Definition, Implementation } from '../tool/tool.ts'

export const IMPORT_KINDS = ['openapi', 'mcp', 'oxp'] as const
export type ImportKind = (typeof IMPORT_KINDS)[number]

/** Fields that every importer's request has. */
export const IMPORT_FIELDS = ['from', 'toolkit', 'version', 'tools', 'security_level', 'approval', 'rules']

export interface ImportRequest {
  /** The body's `from`: a URL, a document as text, or a document. */
  readonly source: string | JsonObject
  readonly toolkit: string
  /** Asked before a tool is made, which is work. */
  readonly wants: (tool: string) => boolean
  /** The importer's own fields; it refuses those it does not know. */
  readonly options: JsonObject
  /** A secret of the deployment's that reading the source takes, or why it cannot be had. */
  readonly secret: (id: string) => { readonly value: string } | { readonly missing: string }
  /** For making the items, each a share of it. */
  readonly budget: Budget
  /** Aborts when the caller goes away. */
  readonly signal: Signal
}

export interface Importer {
  readonly kind: ImportKind
  /** Fails with what is wrong with the request or the source. */
  read(request: ImportRequest): Promise<ImportRead | ImportRefusal>
}

/** `items` may be made as they are asked for, so that a large source does not fill the memory. */
export interface ImportRead {
  readonly ok: true
  readonly items: Iterable<ImportItem>
  /** For new tools, if it has the form x.y.z. */
  readonly version?: string
}

export type ImportItem = { readonly tool: ImportedTool } | { readonly skipped: Skipped }

export interface ImportedTool {
  /** The version follows from the request and from what is published. */
  readonly definition: Omit<Definition, 'version'>
  readonly implementation: Implementation
  /** Kept in the record's `source`; a tool changes with its definition, not with this. */
  readonly document: Json
  readonly dialect: string
  /** Shown by a dry run, such as `{"method", "path"}`. */
  readonly about: JsonObject
  /** Where the tool cannot say quite what the source says. */
  readonly warnings: readonly string[]
}

/** A part of the source that no tool can be made of. */
export interface Skipped {
  readonly name: string
  readonly reason: string
  readonly about?: JsonObject
}

/** Why no tools can be made of a source. */
export interface ImportRefusal {
  readonly ok: false
  readonly failure:
    | { readonly type: 'definition-invalid'; readonly problems: readonly Problem[] }
    | { readonly type: 'tool-not-executable'; readonly id: string; readonly reason: string }
}

export function invalidSource(...problems: readonly Problem[]): ImportRefusal {
  return { ok: false, failure: { type: 'definition-invalid', problems } }
}
