import type { Policy } from '../../access/policy.ts'
import type { Principal } from '../../access/principal.ts'
import type { SkillContent } from '../../skill/skill.ts'
import type { DefinitionDocument } from '../registry.ts'
import type { LineByKind } from './line.ts'

export type ArchiveCursor = Readonly<Record<string, string | number>>

export interface ArchivePart {
  readonly text: string
  readonly lines: number
  readonly blob?: string
  readonly next?: ArchiveCursor
}

export type VersionState = Pick<LineByKind<'version'>, 'status' | 'held' | 'unreviewed' | 'publisher'>

export type ArchiveRow =
  | LineByKind<'toolkit' | 'name' | 'given' | 'version'>
  | { readonly kind: 'policy'; readonly policy: Policy }
  | LineByKind<'toolset'>
  | (Omit<LineByKind<'skill'>, 'files'> & SkillContent)
  | { readonly kind: 'lock'; readonly hash: string; readonly text: string }
  | { readonly kind: 'document'; readonly document: DefinitionDocument }

export type RowOutcome =
  'created' | 'unchanged' | 'changed' | { readonly refused: string } | { readonly skipped: string }

export interface RegistryArchive {
  read(cursor: ArchiveCursor | undefined, toolkit: string | undefined): Promise<ArchivePart>
  /** Stores rows in order in one transaction, except rows whose place something else has. Only for administrators. */
  restore(rows: readonly ArchiveRow[], principal: Principal): Promise<readonly RowOutcome[]>
}
