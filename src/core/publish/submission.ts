import type { Guard } from '../access/guard.ts'
import type { SchemaPaths } from '../schema/compatibility.ts'
import type { Budget } from '../tool/budget.ts'
import type { DecodeOptions } from '../tool/codec.ts'
import type { Json } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import type { Definition, Implementation } from '../tool/tool.ts'
import type { ImportedTool } from './import.ts'

/** The tools of one submission are stored together or not at all. */
export type Submission = DocumentSubmission | DefinitionSubmission | ImportSubmission

export interface DocumentSubmission {
  /** A bare definition document, or `{definition, implementation?, implementations?, toolkit?, version?, tags?, security_level?, approval?}`. */
  readonly body: Json
  readonly dialect?: string | undefined
  /** Defaults for a document that names no toolkit or version, and has none beside it. */
  readonly decodeOptions?: DecodeOptions | undefined
  readonly budget?: Budget
}

export interface DefinitionSubmission {
  readonly tools: readonly DefinitionWithImplementation[]
  readonly warnings: readonly Problem[]
  readonly isGuarded?: boolean
  readonly budget?: Budget
}

export interface DefinitionWithImplementation {
  readonly definition: Definition
  readonly implementation: Implementation
  readonly document: Json
  readonly dialect: string
  readonly schemaPaths: SchemaPaths
}

export interface ImportSubmission {
  readonly imported: ImportedTool
  readonly version?: string | undefined
  readonly sourceVersion?: string | undefined
  /** If undefined, a tool keeps the guards that it was published with. */
  readonly guards?: readonly Guard[] | undefined
  readonly toolkitDescription?: string | undefined
  readonly budget?: Budget
}
