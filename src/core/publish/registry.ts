import type { Principal } from '../access/principal.ts'
import type { Problem } from '../tool/problem.ts'
import type { ToolName } from '../tool/tool-id.ts'
import type { ToolDocument, ToolRecord } from '../tool/tool.ts'
import type { ToolStatus } from '../tool/version.ts'

/** The tools of one published document; they are stored together or not at all. */
export interface Publication {
  readonly records: readonly ToolRecord[]
  /** What the publisher said beside the document; what was not said is taken as it stands, should the id exist. */
  readonly given: { readonly implementation: boolean; readonly tags: boolean }
  readonly allowBreaking: boolean
}

/** What became of a publication. */
export type Published =
  | { readonly outcome: 'created' | 'unchanged'; readonly ids: readonly string[] }
  | { readonly outcome: 'conflict'; readonly ids: readonly string[]; readonly message: string }
  | { readonly outcome: 'refused'; readonly ids: readonly string[]; readonly problems: readonly Problem[] }

/** The one writer of the registry. Its answers are never stale. */
export interface RegistryWriter {
  /** Stores each publication, judging each alone and in order. */
  publish(publications: readonly Publication[]): Promise<readonly Published[]>
  /** Gives the tool's document after the change, or undefined when there is no such version. */
  setStatus(name: ToolName, version: string, status: ToolStatus): Promise<ToolDocument | undefined>
}

/** Reads tools. `document` and `record` may be seconds old; what is current never is. */
export interface ToolSource {
  document(name: ToolName): Promise<ToolDocument | undefined>
  current(name: ToolName): Promise<ToolDocument | undefined>
  record(digest: string): Promise<ToolRecord | undefined>
  /** The tool that is exposed under a name, ignoring case. */
  named(name: string): Promise<ToolName | undefined>
  /** What `current` gives; of a name that is unknown, the names near it, nearest first and at most 20. */
  currentOrNearest(name: ToolName): Promise<ToolDocument | readonly ToolName[]>
}

export interface ListQuery {
  /** Words to search for, ranked; undefined lists in the order of ids. */
  readonly q?: string | undefined
  readonly toolkit?: string | undefined
  readonly tag?: string | undefined
  /** `newest`: the newest active version of each tool; `all`: every active or deprecated version. */
  readonly versions: 'newest' | 'all'
  readonly limit: number
  readonly cursor?: string | undefined
}

/** What a lister must know of a tool to decide whether to show it. */
export interface ListedTool extends ToolName {
  /** The unique name it is exposed under where tools have no ids. */
  readonly name: string
  readonly tags: readonly string[]
  readonly securityLevel: number
  readonly executable: boolean
}

/** One page of a listing: each line is one tool's definition, serialised. */
export interface Listing {
  readonly lines: readonly string[]
  readonly nextCursor?: string
}

/** How a listing writes its tools: as stored (OXP as its specification has it), or made from each record. */
export type LineFormat =
  { readonly name: 'stored' } | { readonly name: string; readonly write: (record: ToolRecord, name: string) => string }

export interface Catalogue {
  /** Names the whole catalogue's state: it changes whenever a listing does. */
  etag(): Promise<string>
  /** A page of the tools that the principal may see. Gives undefined for a cursor that is none of ours. */
  list(query: ListQuery, principal: Principal, format: LineFormat): Promise<Listing | undefined>
}
