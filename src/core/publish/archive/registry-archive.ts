import type { Policy } from '../../access/policy.ts'
import type { Principal } from '../../access/principal.ts'
import type { Publisher, ToolRecord } from '../../tool/tool.ts'
import type { ToolStatus } from '../../tool/version.ts'
import type { KeptDocument } from '../registry.ts'

/** The form of an export's lines; another one is refused. */
export const FORMAT = 2

/** Where an export goes on; what it holds is the registry's own. */
export type ArchiveCursor = Readonly<Record<string, string | number>>

/** A part of an export: whole lines, and then the bytes of a plugin, which belong before what comes next. */
export interface ArchivePart {
  /** Lines of JSON, each with its line break. */
  readonly text: string
  readonly lines: number
  /** The hash of bytes that the next version names. */
  readonly blob?: string
  /** Undefined at the end. */
  readonly next?: ArchiveCursor
}

/** How a version stood in the registry that it comes back from. */
export interface Standing {
  readonly status: ToolStatus
  /** Whether an administrator disabled it. */
  readonly held: boolean
  /** Whether it was published where that is reviewed, and nobody has said that it is active. */
  readonly unreviewed?: boolean | undefined
  readonly publisher: Publisher
}

/** A row of the registry as an export tells it. */
export type ArchiveRow =
  | {
      readonly kind: 'toolkit'
      readonly toolkit: string
      /** Null for the deployment. */
      readonly owner: string | null
      /** Absent where it is active. */
      readonly status?: ToolStatus
      /** Whether an administrator disabled it. */
      readonly held: boolean
      readonly tags: readonly string[]
      /** Whether what is published in it is reviewed. */
      readonly review?: boolean
    }
  | { readonly kind: 'name' | 'given'; readonly name: string; readonly tool: string }
  | { readonly kind: 'policy'; readonly policy: Policy }
  | { readonly kind: 'document'; readonly document: KeptDocument }
  | (Standing & { readonly kind: 'version'; readonly record: ToolRecord; readonly bundled: boolean })

/** `skipped` where the deployment does not carry the bundled tool. */
export type RowOutcome =
  'created' | 'unchanged' | 'changed' | { readonly refused: string } | { readonly skipped: string }

/** The registry as a whole, to be written out and taken in again. Its answers are never stale. */
export interface RegistryArchive {
  /** The next part of all, or of one toolkit. */
  read(cursor: ArchiveCursor | undefined, toolkit: string | undefined): Promise<ArchivePart>
  /** Stores rows in order and in one transaction, each where nothing else stands in its place; for administrators alone. */
  restore(rows: readonly ArchiveRow[], principal: Principal): Promise<readonly RowOutcome[]>
}
