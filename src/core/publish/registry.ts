import type { Principal } from '../access/principal.ts'
import type { SchemaPaths } from '../schema/compatibility.ts'
import type { Problem } from '../tool/problem.ts'
import type { ToolName } from '../tool/tool-id.ts'
import type { ToolEntry, ToolRecord } from '../tool/tool.ts'
import type { ToolStatus } from '../tool/version.ts'

export interface DefinitionDocument {
  readonly dialect: string
  /** SHA-256 (hex) of `text`. */
  readonly hash: string
  readonly text: string
  /** The id is unique in its dialect, ignoring case; such a document is judged as a whole. */
  readonly itself?: { readonly id: string; readonly version: string }
  readonly toolkit: string
  readonly tools: Readonly<Record<string, string>>
  readonly toolkitDescription?: string | undefined
}

export interface Publication {
  readonly records: readonly ToolRecord[]
  /** One for each record. */
  readonly schemaPaths?: readonly SchemaPaths[]
  readonly document?: DefinitionDocument
  /** Which fields the publisher specified beside the document. An id that exists keeps its others. */
  readonly specified: {
    readonly implementation: boolean
    readonly tags: boolean
    readonly guard?: boolean
    readonly toolkit?: boolean
  }
  readonly allowBreaking: boolean
  /** Stored if the toolkit has no tools yet. */
  readonly toolkitDescription?: string | undefined
}

export interface PublicationSuccess {
  readonly outcome: 'created' | 'unchanged'
  readonly ids: readonly string[]
  readonly removedIds?: readonly string[]
  readonly pending?: readonly string[]
  readonly warnings?: readonly string[]
}

export type PublicationResult =
  | PublicationSuccess
  | { readonly outcome: 'forbidden'; readonly ids: readonly string[]; readonly reason: string }
  | { readonly outcome: 'conflict'; readonly ids: readonly string[]; readonly message: string }
  | { readonly outcome: 'refused'; readonly ids: readonly string[]; readonly problems: readonly Problem[] }

/** `trusted` (with credentials) and `name` (where tools have names alone; null for its own) are for administrators. */
export interface VersionChange {
  readonly status?: ToolStatus
  readonly trusted?: boolean
  readonly name?: string | null
}

export interface PublisherRights {
  /** Why the principal may publish nothing there. */
  readonly denied: string | undefined
  readonly maySendSecrets: boolean
}

type VersionChangeResult =
  | { readonly ok: true; readonly document: ToolEntry }
  | { readonly ok: false; readonly reason: string; readonly isConflict?: true }

/** The registry's one writer, which alone decides who may write what. Its answers are never stale. */
export interface RegistryWriter {
  publish(publications: readonly Publication[], principal: Principal): Promise<readonly PublicationResult[]>
  change(
    name: ToolName,
    version: string,
    change: VersionChange,
    principal: Principal,
  ): Promise<VersionChangeResult | undefined>
  /** The rights to one tool, or to a toolkit if the tool is `*`. */
  rights(name: ToolName, principal: Principal): Promise<PublisherRights>
}
