import type { FormatWriter } from '../tool/codec.ts'
import type { ToolStatus } from '../tool/version.ts'
import type { Principal } from '../access/principal.ts'

export interface ListQuery {
  readonly q?: string | undefined
  /** `relevant`: of a search for the newest versions only the answers, and of an operation only the best result. */
  readonly results?: 'all' | 'relevant' | undefined
  readonly toolkit?: string | undefined
  readonly tag?: string | undefined
  readonly callable?: boolean | undefined
  /** `newest`: of each tool the newest active version; `all`: every active or deprecated one. */
  readonly versions: 'newest' | 'all'
  /** All versions of one status, in toolkits that the principal may change; not together with `q`. */
  readonly status?: ToolStatus['state'] | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** One of several tools that are the same operation: its listed version, and its exposed name. */
export interface OperationTool {
  readonly id: string
  readonly name: string
}

export interface Listing {
  readonly lines: readonly string[]
  /** Of a search: for each line the tools that are the same operation, best first and at most ten; empty if it is alone. */
  readonly operations?: readonly (readonly OperationTool[])[] | undefined
  /** By the id of each of them that is not the best, the best one's. */
  readonly sameAs?: Readonly<Record<string, string>> | undefined
  readonly nextCursor?: string
  readonly total?: number | undefined
  /** How many of the total are answers. They come first. */
  readonly relevant?: number | undefined
  readonly unmatched?: readonly string[] | undefined
  /** The entity tag of the catalog that this lists; undefined if it is a search or lists all versions. */
  readonly etag?: string | undefined
  /** No memory for it in time. */
  readonly isOutOfMemory?: true
}

export interface ListOptions {
  /** Waits until so many characters more may be listed; false where that takes too long. */
  readonly reserve?: ((characters: number) => Promise<boolean>) | undefined
}

/** As stored (OXP), or written from each record within a budget of its own; a line that costs too much is empty. */
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
  /** The first of these that the principal sees nothing of; for a tool of an unknown toolkit, the toolkit. */
  findUnknownName(names: readonly string[], principal: Principal): Promise<UnknownName | undefined>
  /** Names, as lists show them, of tools that can be called and are called much like it. None for who may not list them. */
  suggestNames(name: string, principal: Principal): Promise<readonly string[]>
  /** The entity tag of the catalog of now, which covers its tools and policies. */
  etag(): Promise<string>
  list(query: ListQuery, principal: Principal, format: LineFormat, options?: ListOptions): Promise<Listing | undefined>
}
