/*
 * A publication has three states. A `Submission` is what arrives; a `PreparedSubmission` has its checked records, or is
 * refused; the `Publication` in it is what the registry stores. `registry.ts` defines the last, and the result of storing it.
 */
import type { Guard } from '../access/guard.ts'
import type { SchemaPaths } from '../schema/compatibility.ts'
import type { DecodeOptions } from '../tool/codec.ts'
import type { Json } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import type { Definition, Implementation } from '../tool/tool.ts'
import type { ImportedTool, ImportState } from './import.ts'
import type { Publication } from './registry.ts'
import type { TextChange } from './text-changes.ts'

/** The tools of one submission are stored together or not at all. */
export type Submission = DocumentSubmission | DefinitionSubmission | ImportSubmission

export interface DocumentSubmission {
  readonly kind: 'document'
  /** A bare definition document, or `{definition, …}` with the other fields in `publication-body.ts`. */
  readonly body: Json
  readonly dialect?: string | undefined
  /** Defaults if neither the document nor the body around it specifies a toolkit or version. */
  readonly decodeOptions?: DecodeOptions | undefined
}

/** The tools of a plugin. */
export interface DefinitionSubmission {
  readonly kind: 'definitions'
  readonly tools: readonly {
    readonly definition: Definition
    /** The tool's name in its document. */
    readonly sourceName?: string
    readonly implementation: Implementation
    readonly document: Json
    readonly dialect: string
    readonly schemaPaths: SchemaPaths
  }[]
  readonly warnings: readonly Problem[]
  /** Sets `specified.guard`. */
  readonly isGuarded?: boolean
}

/** A tool of an import. */
export interface ImportSubmission {
  readonly kind: 'import'
  readonly imported: ImportedTool
  readonly version?: string | undefined
  /** The version that the source states, for a tool that is new here. */
  readonly sourceVersion?: string | undefined
  /** If undefined, a tool keeps the guards that it was published with. */
  readonly guards?: readonly Guard[] | undefined
  readonly toolkitDescription?: string | undefined
  /** Only compares with the active version, and reports all changes. */
  readonly isComparison?: boolean | undefined
  /** Stored only if it then awaits review, and no other version does. */
  readonly requiresReview?: boolean | undefined
}

export interface PreparedSubmission {
  readonly publication: Publication
  /** Each implementation once, with its path in what was submitted. Tools of one document may share one. */
  readonly implementations: ReadonlyMap<Implementation, string>
  readonly warnings: readonly Problem[]
  /** Only for an import. */
  readonly state?: ImportState
  /** Only for an import: the changes that break callers. */
  readonly breaking?: readonly string[]
  /** Only for a comparison. */
  readonly changes?: readonly TextChange[]
  /** The dialect in which a list of tools was read, if none was named. Several dialects have such lists. */
  readonly readAs?: string
}
