import type { Policy } from '../../access/policy.ts'
import type { Principal } from '../../access/principal.ts'
import type { KeptDocument } from '../registry.ts'
import type { LineOf } from './line.ts'

export type ArchiveCursor = Readonly<Record<string, string | number>>

export interface ArchivePart {
  readonly text: string
  readonly lines: number
  readonly blob?: string
  readonly next?: ArchiveCursor
}

export type Standing = Pick<LineOf<'version'>, 'status' | 'held' | 'unreviewed' | 'publisher'>

export type ArchiveRow =
  | LineOf<'toolkit' | 'name' | 'given' | 'version'>
  | { readonly kind: 'policy'; readonly policy: Policy }
  | { readonly kind: 'document'; readonly document: KeptDocument }

export type RowOutcome =
  'created' | 'unchanged' | 'changed' | { readonly refused: string } | { readonly skipped: string }

export interface RegistryArchive {
  read(cursor: ArchiveCursor | undefined, toolkit: string | undefined): Promise<ArchivePart>
  /** In order and in one transaction, each row where nothing else stands in its place; for administrators alone. */
  restore(rows: readonly ArchiveRow[], principal: Principal): Promise<readonly RowOutcome[]>
}
