import type { Principal } from '../access/principal.ts'
import type { Problem } from '../tool/problem.ts'
import type { ToolName } from '../tool/tool-id.ts'
import type { ToolDocument, ToolRecord } from '../tool/tool.ts'
import type { ToolStatus } from '../tool/version.ts'

/** A document that is kept beside the records that were made of it: one of several tools, or with an id of its own. */
export interface KeptDocument {
  readonly dialect: string
  /** SHA-256 (hex) of `text`, the document as JSON. */
  readonly hash: string
  readonly text: string
  /** What it calls itself: unique in its dialect, ignoring case. It is judged as a whole then. */
  readonly itself?: { readonly id: string; readonly version: string }
  readonly toolkit: string
  /** The tools it defines, by what it calls them. */
  readonly tools: Readonly<Record<string, string>>
}

/** The tools of one published document; they are stored together or not at all. */
export interface Publication {
  readonly records: readonly ToolRecord[]
  readonly document?: KeptDocument
  /** What the publisher said beside the document; what was not said is taken as it stands, should the id exist. */
  readonly given: {
    readonly implementation: boolean
    readonly tags: boolean
    readonly guard?: boolean
    readonly toolkit?: boolean
  }
  readonly allowBreaking: boolean
  /** Whether the publisher may not publish in a toolkit that is called as the document calls itself. */
  readonly isIdOfOthers?: true
}

/** What became of a publication. */
export type Published =
  | { readonly outcome: 'forbidden'; readonly ids: readonly string[]; readonly reason: string }
  | {
      readonly outcome: 'created' | 'unchanged'
      readonly ids: readonly string[]
      /** The tools of earlier versions of the document that this one has not, without versions. */
      readonly leftOut?: readonly string[]
      /** Those that are not there for callers before they were reviewed. */
      readonly pending?: readonly string[]
      /** What its publisher did not ask for, and should know. */
      readonly warnings?: readonly string[]
    }
  | { readonly outcome: 'conflict'; readonly ids: readonly string[]; readonly message: string }
  | { readonly outcome: 'refused'; readonly ids: readonly string[]; readonly problems: readonly Problem[] }

/**
 * What can be changed: a version's status; and, by administrators, whether it is trusted with credentials, and the name that
 * its tool has where tools have names alone, null being the one it has by itself.
 */
export interface VersionChange {
  readonly status?: ToolStatus
  readonly trusted?: boolean
  readonly name?: string | null
}

/** The tool's document after a change, or why the principal may not change it. */
export type Changed =
  | { readonly ok: true; readonly document: ToolDocument }
  | { readonly ok: false; readonly reason: string; readonly isConflict?: true }

/** The one writer of the registry, which alone decides who may write what. Its answers are never stale. */
export interface RegistryWriter {
  /** Stores each publication for who publishes it, judging each alone and in order. */
  publish(publications: readonly Publication[], principal: Principal): Promise<readonly Published[]>
  /** Undefined when there is no such version. */
  change(name: ToolName, version: string, change: VersionChange, principal: Principal): Promise<Changed | undefined>
  /** Why a principal may publish nothing of this name, or of this toolkit where the tool is `*`. */
  denial(name: ToolName, principal: Principal): Promise<string | undefined>
}
