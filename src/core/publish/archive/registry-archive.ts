import type { Policy } from '../../access/policy.ts'
import type { Principal } from '../../access/principal.ts'
import type { ToolRecord } from '../../tool/tool.ts'
import type { ToolStatus } from '../../tool/version.ts'

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

/** What stands beside the versions: what administrators say of tools, whose toolkits are, and which names lead to which tools. */
export type Fact =
  | {
      readonly kind: 'toolkit'
      readonly toolkit: string
      readonly owner: string | null
      /** What is said of it as a whole, where it is not active. */
      readonly status?: ToolStatus
      /** Whether an administrator disabled it. */
      readonly held: boolean
      readonly tags: readonly string[]
      /** Whether what is published in it is reviewed. */
      readonly review?: boolean
    }
  | { readonly kind: 'name' | 'given'; readonly name: string; readonly tool: string }
  | { readonly kind: 'policy'; readonly policy: Policy }

/** What became of a fact; `refused` says why it cannot be so here. */
export type FactOutcome = 'created' | 'unchanged' | 'changed' | { readonly refused: string }

/** The registry as a whole, to be written out and taken in again. Its answers are never stale. */
export interface RegistryArchive {
  /** What comes next of all, or of one toolkit. */
  read(cursor: ArchiveCursor | undefined, toolkit: string | undefined): Promise<ArchivePart>
  /** Which of these records are stored as they are, to the letter. */
  holds(records: readonly ToolRecord[]): Promise<readonly boolean[]>
  /** Whether bytes are kept under this hash. */
  holdsBlob(hash: string): Promise<boolean>
  /** Has these be so, each where nothing stands against it, in order; for administrators alone. */
  restore(facts: readonly Fact[], principal: Principal): Promise<readonly FactOutcome[]>
}
