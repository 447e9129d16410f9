import type { Policy } from '../../access/policy.ts'
import type { Principal } from '../../access/principal.ts'
import type { Publisher, ToolRecord } from '../../tool/tool.ts'
import type { ToolStatus } from '../../tool/version.ts'
import type { KeptDocument } from '../registry.ts'
import type { LineOf } from './line.ts'

export type ArchiveCursor = Readonly<Record<string, string | number>>

export interface ArchivePart {
  readonly text: string
  readonly lines: number
  readonly blob?: string
  readonly next?: ArchiveCursor
}

export interface Standing {
  readonly status: ToolStatus
  readonly held: boolean
  readonly unreviewed?: boolean | undefined
  readonly publisher: Publisher
}

export type ArchiveRow =
  | LineOf<'toolkit' | 'name' | 'given'>
  | { readonly kind: 'policy'; readonly policy: Policy }
  | { readonly kind: 'document'; readonly document: KeptDocument }
  | (Standing & { readonly kind: 'version'; readonly record: ToolRecord; readonly bundled: boolean })

export type RowOutcome =
  'created' | 'unchanged' | 'changed' | { readonly refused: string } | { readonly skipped: string }

export interface RegistryArchive {
  read(cursor: ArchiveCursor | undefined, toolkit: string | undefined): Promise<ArchivePart>
  /** In order and in one transaction, each row where nothing else stands in its place; for administrators alone. */
  restore(rows: readonly ArchiveRow[], principal: Principal): Promise<readonly RowOutcome[]>
}
