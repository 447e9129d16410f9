import type { Budget } from '../tool/budget.ts'
import type { Refused } from './source-refusal.ts'
import type { Json, JsonObject } from '../tool/json.ts'
import type { Signal } from '../tool/platform.ts'
import type { Definition, Implementation } from '../tool/tool.ts'

/** The kinds of source that many tools can be made of at once. */
export const IMPORT_KINDS = ['openapi', 'mcp', 'oxp'] as const
export type ImportKind = (typeof IMPORT_KINDS)[number]

/** The fields of a request that are not its importer's. */
export const IMPORT_FIELDS = ['from', 'toolkit', 'version', 'tools', 'security_level', 'approval', 'rules']

/** What to import, and how. */
export interface ImportRequest {
  /** What the body's `from` names: a URL, a document as text, or a document. */
  readonly source: string | JsonObject
  readonly toolkit: string
  /** Whether the importer is wanted to make this tool; to be asked before the work of making it is done. */
  readonly wants: (tool: string) => boolean
  /** The body's other fields. An importer refuses those it does not know. */
  readonly options: JsonObject
  /** A secret of the deployment's that reading the source takes: its value, or why it cannot be had for this. */
  readonly secret: (id: string) => { readonly value: string } | { readonly missing: string }
  /** What making the items draws on, each a share of it. */
  readonly budget: Budget
  /** Aborts when the caller goes away. */
  readonly signal: Signal
}

/** One kind of source that many tools can be made of at once. */
export interface Importer {
  readonly kind: ImportKind
  /** Reads the source and says which tools it makes. What is wrong with the request or the source is the failure. */
  read(request: ImportRequest): Promise<ImportRead | Refused>
}

/** `items` may be made one by one as they are asked for, so that a large source does not fill the memory. */
export interface ImportRead {
  readonly ok: true
  readonly items: Iterable<ImportItem>
  /** The source's own version, where it has one: that of tools that are new, if it has the form x.y.z. */
  readonly version?: string
}

export type ImportItem = { readonly tool: ImportedTool } | { readonly skipped: Skipped }

export interface ImportedTool {
  /** Complete but for its version, which follows from the request and from what is published already. */
  readonly definition: Omit<Definition, 'version'>
  readonly implementation: Implementation
  /** What the record's `source` keeps. It does not take part in whether a tool changed: its definition does. */
  readonly document: Json
  readonly dialect: string
  /** What a dry run shows beside the definition's name: `{"method", "path"}` of an operation. */
  readonly about: JsonObject
  /** What could not be said quite as the source says it. */
  readonly warnings: readonly string[]
}

/** Something of the source that no tool can be made of, and precisely why. */
export interface Skipped {
  readonly name: string
  readonly reason: string
  /** As of a tool. */
  readonly about?: JsonObject
}
