import type { Budget } from '../tool/budget.ts'
import type { ToolName } from '../tool/tool-id.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { ToolStatus } from '../tool/version.ts'
import type { Principal } from '../access/principal.ts'

export interface ListQuery {
  /** Words to search for, ranked; undefined lists in the order of ids. */
  readonly q?: string | undefined
  readonly toolkit?: string | undefined
  readonly tag?: string | undefined
  /** Whether tools are left out that cannot be called here. */
  readonly callable?: boolean | undefined
  /** `newest`: the newest active version of each tool; `all`: every active or deprecated version. */
  readonly versions: 'newest' | 'all'
  /** Of all versions those of one status, in the toolkits that the principal may change; beside no question. */
  readonly status?: ToolStatus['state'] | undefined
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
  /** Of a search: how many tools it finds, and the words of the question that none has which the principal may see. */
  readonly total?: number
  readonly unmatched?: readonly string[]
}

/**
 * How a listing writes its tools: as stored (OXP as its specification has it), or made from each record. Each line has a
 * budget of its own; what is too costly to write is an empty line.
 */
export type LineFormat =
  | { readonly name: 'stored' }
  | { readonly name: string; readonly write: (record: ToolRecord, name: string, budget: Budget) => string }

/** A toolkit (`Gmail`) or a tool (`Gmail.Send`) of which a principal sees nothing. */
export interface Unknown {
  readonly name: string
  /** What the principal sees that is called much like it, or else some of what it sees beside it: other toolkits, or other tools of its toolkit. */
  readonly known: readonly string[]
  readonly isNear: boolean
}

/** A toolkit, with how many of its listed tools a principal may see, and the highest security level among these. */
export type ToolkitCount = {
  readonly toolkit: string
  readonly tools: number
  readonly level: number
}

/** Counts what lists hold. Its answers are never stale. */
export interface ToolkitCounts {
  /** The toolkits of which the principal sees a listed tool, in the order of their names. */
  toolkits(principal: Principal): Promise<readonly ToolkitCount[]>
}

export interface Catalogue {
  /** The first of these toolkits and tools that the principal sees nothing of; of a tool whose toolkit is unknown, that toolkit. */
  unknown(names: readonly string[], principal: Principal): Promise<Unknown | undefined>
  /** Names the whole catalogue's state: it changes whenever a listing does. */
  etag(): Promise<string>
  /** A page of the tools that the principal may see. Gives undefined for a cursor that is none of ours. */
  list(query: ListQuery, principal: Principal, format: LineFormat): Promise<Listing | undefined>
}
