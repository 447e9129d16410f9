import type { ChangeRefusal } from '../access/change-refusal.ts'
import type { Principal } from '../access/principal.ts'
import type { SchemaPaths } from '../schema/compatibility.ts'
import type { Problem } from '../tool/problem.ts'
import type { ToolName } from '../tool/tool-id.ts'
import type { ToolEntry, ToolRecord } from '../tool/tool.ts'
import type { ToolStatus } from '../tool/version.ts'
import type { ImportState } from './import.ts'
import type { TextChange } from './text-changes.ts'

export interface DefinitionDocument {
  readonly dialect: string
  /** SHA-256 (hex) of `text`. */
  readonly hash: string
  readonly text: string
  /** The id is unique in its dialect, ignoring case. Such a document is checked as a whole. */
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
  /** Which fields the publisher specified outside the document. An existing id keeps its others. */
  readonly specified: {
    readonly implementation: boolean
    readonly tags: boolean
    readonly guard?: boolean
    readonly toolkit?: boolean
  }
  readonly allowBreaking: boolean
  /** Stored only if all of it awaits review. */
  readonly requiresReview?: boolean | undefined
  /** Stored if nobody described the toolkit and all its tools are in this publication. */
  readonly toolkitDescription?: string | undefined
}

export type PublicationResult = PublicationSuccess | PublicationRefusal

export interface PublicationSuccess {
  readonly ok: true
  readonly outcome: 'created' | 'unchanged'
  readonly ids: readonly string[]
  readonly removedIds?: readonly string[]
  readonly pending?: readonly string[]
  readonly warnings: readonly Problem[]
  /** This field and the following ones are added to the registry's result. */
  readonly uncallable?: readonly string[]
  readonly readAs?: string
  readonly imported?: {
    readonly state: ImportState
    readonly breaking?: readonly string[]
    readonly changes?: readonly TextChange[]
    readonly record: ImportedRecord
  }
}

/** Message types of a Durable Object cannot include a whole record. */
type ImportedRecord = Pick<
  ToolRecord,
  keyof ToolName | 'id' | 'name' | 'requirements' | 'securityLevel' | 'requiresApproval'
>

export interface PublicationRefusal {
  readonly ok: false
  readonly ids: readonly string[]
  readonly failure: PublicationFailure
}

export type PublicationFailure =
  | { readonly type: 'definition-invalid'; readonly problems: readonly Problem[] }
  | { readonly type: 'forbidden'; readonly reason: string }
  | { readonly type: 'conflict'; readonly message: string }

/** Only administrators may change `trusted` (with credentials) and `name` (the exposed name; null for the tool's own). */
export interface VersionChange {
  readonly status?: ToolStatus
  readonly trusted?: boolean
  readonly name?: string | null
}

export interface PublisherRights {
  /** Why the principal may not publish there. */
  readonly denied: string | undefined
  readonly maySendSecrets: boolean
}

/** The registry's only writer, which decides who may write what. Its results are never stale. */
export interface RegistryWriter {
  publish(publications: readonly Publication[], principal: Principal): Promise<readonly PublicationResult[]>
  change(
    name: ToolName,
    version: string,
    change: VersionChange,
    principal: Principal,
  ): Promise<{ readonly ok: true; readonly document: ToolEntry } | ChangeRefusal>
  /** The rights to one tool, or to a toolkit if the tool is `*`. */
  rights(name: ToolName, principal: Principal): Promise<PublisherRights>
}
