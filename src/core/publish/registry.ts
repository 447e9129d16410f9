import type { Problem } from '../tool/problem.ts'
import type { ToolName } from '../tool/tool-id.ts'
import type { ToolDocument, ToolRecord } from '../tool/tool.ts'
import type { ToolStatus } from '../tool/version.ts'

/** The tools of one published document; they are stored together or not at all. */
export interface Publication {
  readonly records: readonly ToolRecord[]
  /** What the publisher said beside the document; what was not said is taken as it stands, should the id exist. */
  readonly given: { readonly implementation: boolean; readonly tags: boolean }
  readonly allowBreaking: boolean
}

/** What became of a publication. */
export type Published =
  | { readonly outcome: 'created' | 'unchanged'; readonly ids: readonly string[] }
  | { readonly outcome: 'conflict'; readonly ids: readonly string[]; readonly message: string }
  | { readonly outcome: 'refused'; readonly ids: readonly string[]; readonly problems: readonly Problem[] }

/** The one writer of the registry. Its answers are never stale. */
export interface RegistryWriter {
  /** Stores each publication, judging each alone and in order. */
  publish(publications: readonly Publication[]): Promise<readonly Published[]>
  /** Gives the tool's document after the change, or undefined when there is no such version. */
  setStatus(name: ToolName, version: string, status: ToolStatus): Promise<ToolDocument | undefined>
}
