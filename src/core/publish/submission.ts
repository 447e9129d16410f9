import type { Guard } from '../access/guard.ts'
import type { Budget } from '../tool/budget.ts'
import type { Json } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import type { Definition, Implementation } from '../tool/tool.ts'
import type { ImportedTool } from './import.ts'

/** What somebody wants published; its tools are stored together or not at all. */
export type Submission = DocumentSubmission | DefinedSubmission | ImportSubmission

/** A document in any dialect, as it arrived. */
export interface DocumentSubmission {
  /** A bare definition document, or `{definition, implementation?, implementations?, toolkit?, version?, tags?, security_level?, approval?}`. */
  readonly body: Json
  /** The dialect's name, when the publisher says it; recognised by the document's shape otherwise. */
  readonly dialect?: string | undefined
}

/** Tools whose definitions are complete. */
export interface DefinedSubmission {
  readonly tools: readonly DefinedTool[]
  readonly warnings: readonly Problem[]
  /** Whether the publisher said what they ask for beside their definitions. */
  readonly isGuarded?: boolean
  /** What judging and writing them takes a share of, where they are published with others. */
  readonly budget?: Budget
}

export interface DefinedTool {
  readonly definition: Definition
  readonly implementation: Implementation
  /** The published document, and the dialect it was written in. */
  readonly document: Json
  readonly dialect: string
  /** Where the definition's schemas stand in what the publisher sent, for problems to say. */
  readonly schemaPaths: { readonly input: string; readonly output: string }
}

/** One tool of an import, which gets its version from what is published already. */
export interface ImportSubmission {
  readonly imported: ImportedTool
  /** Of a tool that is new or changed. Without it a new tool gets the source's, and a changed one what its change asks. */
  readonly version?: string | undefined
  readonly sourceVersion?: string | undefined
  /** What whoever imports asks for; where they say nothing of it, what the tool was published with stays. */
  readonly guards?: readonly Guard[] | undefined
  /** Of the whole import. */
  readonly budget?: Budget
}
