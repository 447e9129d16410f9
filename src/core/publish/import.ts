import type { FetchCapability } from '../access/principal.ts'
import type { Budget, YieldControl } from '../tool/budget.ts'
import type { Json, JsonObject } from '../tool/json.ts'
import type { Signal } from '../tool/platform.ts'
import type { ImportKind, ServerList } from '../tool/remote-dialect.ts'
import type { Problem } from '../tool/problem.ts'
import type { Definition, Implementation } from '../tool/tool.ts'

export const IMPORT_FIELDS = ['from', 'toolkit', 'version', 'tools', 'security_level', 'approval', 'rules']

export interface ImportRequest {
  readonly source: string | JsonObject
  readonly toolkit: string
  readonly isSelected: (tool: string) => boolean
  readonly options: JsonObject
  readonly secret: (id: string) => { readonly value: string } | { readonly missing: string }
  readonly budget: Budget
  readonly yieldControl: YieldControl
  readonly signal: Signal
  /** Whether to read the skills of a server too. */
  readonly wantsSkills?: boolean
  /** Says on whose behalf a source on another server is fetched. */
  readonly fetchCapability: FetchCapability
}

export interface Importer {
  readonly kind: ImportKind
  read(request: ImportRequest): Promise<ImportRead | ImportRefusal>
}

/** `items` may be created lazily, so that a large source does not fill the memory. */
interface ImportRead {
  readonly ok: true
  readonly items: Iterable<ImportItem>
  readonly version?: string
  readonly toolkitDescription?: string | undefined
  readonly skills?: ServerList['skills']
}

export type ImportItem = { readonly tool: ImportedTool } | { readonly skipped: SkippedTool }

/** The place of a tool in its source. */
export interface ImportedFrom {
  readonly method?: string
  readonly path?: string
  readonly tool?: string
}

export interface ImportedTool {
  readonly definition: Omit<Definition, 'version'>
  readonly implementation: Implementation
  /** Stored in the record's `source`. A tool changes with its definition, not with its document. */
  readonly document: Json
  readonly dialect: string
  readonly about: ImportedFrom
  readonly warnings: readonly string[]
  readonly providers?: readonly ImportedProvider[]
}

/** A provider through which people enter the credential of a security scheme, or consent to its scopes. */
export interface ImportedProvider {
  readonly id: string
  readonly kind: 'api_key' | 'bearer' | 'basic' | 'oauth2'
  readonly scheme: string
  /** The body of an administrator's PUT request. */
  readonly body: JsonObject
}

/** Tools of one source have the same dialect, kind and server. */
export function getImportOrigin(dialect: string, { kind, url }: Partial<Implementation> = {}): string {
  return [dialect, kind, /^[^/?#]*\/\/[^/?#]*/.exec(String(url))].join(' ')
}

/** How an imported tool differs from the published one. */
export type ImportState = 'new' | 'changed' | 'unchanged'

export interface SkippedTool {
  readonly name: string
  readonly reason: string
  readonly about?: ImportedFrom
}

export interface ImportRefusal {
  readonly ok: false
  readonly failure:
    | { readonly type: 'definition-invalid'; readonly problems: readonly Problem[] }
    | { readonly type: 'tool-not-executable'; readonly id: string; readonly reason: string }
}

export function invalidSource(...problems: readonly Problem[]): ImportRefusal {
  return { ok: false, failure: { type: 'definition-invalid', problems } }
}
