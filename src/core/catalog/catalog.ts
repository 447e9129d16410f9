import type { FormatWriter } from '../tool/codec.ts'
import type { ToolStatus } from '../tool/version.ts'
import type { Principal } from '../access/principal.ts'

export interface ListQuery {
  readonly q?: string | undefined
  /** `relevant`: a search for the newest versions returns only relevant results, and only the best tool of an operation. */
  readonly results?: 'all' | 'relevant' | undefined
  readonly toolkit?: string | undefined
  readonly tag?: string | undefined
  readonly callable?: boolean | undefined
  /** `newest`: the newest active version of each tool; `all`: every active or deprecated version. */
  readonly versions: 'newest' | 'all'
  /** All versions with one status, in toolkits that the principal may change; cannot be combined with `q`. */
  readonly status?: ToolStatus['state'] | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** One of several tools that are the same operation: the id of its listed version and its exposed name. */
export interface OperationTool {
  readonly id: string
  readonly name: string
}

export interface Listing {
  readonly lines: readonly string[]
  /** In a search: for each line, up to ten tools that are the same operation, best first; empty if there are no others. */
  readonly operations?: readonly (readonly OperationTool[])[] | undefined
  /** Maps the id of each such tool, except the best, to the id of the best. */
  readonly sameAs?: Readonly<Record<string, string>> | undefined
  readonly nextCursor?: string
  readonly total?: number | undefined
  /** How many of the total are relevant. They come first. */
  readonly relevant?: number | undefined
  readonly unmatched?: readonly string[] | undefined
  /** The entity tag of the catalog that this lists; undefined if it is a search or lists all versions. */
  readonly etag?: string | undefined
  /** Memory did not become free in time. */
  readonly isOutOfMemory?: true
}

export interface ListOptions {
  /** Waits until this many more characters may be listed; false if that takes too long. */
  readonly reserve?: ((characters: number) => Promise<boolean>) | undefined
}

/** Lines as stored (OXP), or written from each record within its own budget; a line that costs too much is empty. */
export type LineFormat =
  { readonly name: 'stored' } | { readonly name: string; readonly write: (...args: Parameters<FormatWriter>) => string }

export interface UnknownName {
  readonly name: string
  readonly known: readonly string[]
  readonly isNear: boolean
}

export type ToolkitCount = {
  readonly toolkit: string
  readonly tools: number
  readonly level: number
  readonly description: string | null
}

export interface ToolkitCounts {
  toolkits(principal: Principal, query?: Pick<ListQuery, 'callable'>): Promise<readonly ToolkitCount[]>
}

export interface Catalog {
  /** Finds the first name for which the principal sees nothing; for a tool of an unknown toolkit, returns the toolkit. */
  findUnknownName(names: readonly string[], principal: Principal): Promise<UnknownName | undefined>
  /** Suggests callable tools with similar names, as listed. Returns none if the principal may not list them. */
  suggestNames(name: string, principal: Principal): Promise<readonly string[]>
  /** Returns the entity tag of the current catalog, which covers its tools and policies. */
  etag(): Promise<string>
  list(query: ListQuery, principal: Principal, format: LineFormat, options?: ListOptions): Promise<Listing | undefined>
}
