import type { Budget } from './budget.ts'
import type { Json } from './json.ts'
import type { Checked, Problem } from './problem.ts'
import type { Definition, JsonSchema, ToolRecord } from './tool.ts'

/** What the publisher said beside the document, for dialects whose documents do not say it. */
export interface Given {
  readonly toolkit?: string
  readonly version?: string
}

/** Something of a record that a dialect cannot say: where in the record, and why. */
export interface Loss {
  readonly path: string
  readonly reason: string
}

export interface Encoded {
  readonly document: Json
  readonly losses: readonly Loss[]
}

export interface Decoded {
  readonly definitions: readonly Definition[]
  /** What the document calls each of its tools, in the same order, where that is not the tool's own name. */
  readonly called?: readonly string[]
  /** What the document calls itself, where its dialect has ids of documents. */
  readonly itself?: { readonly id: string; readonly version: string }
  /** Every schema the document holds and where, for the bounds of publication to be judged. */
  readonly schemas: readonly { readonly path: string; readonly schema: JsonSchema }[]
  /** What the dialect's specification asks for and publication does not insist on. */
  readonly warnings: readonly Problem[]
}

/**
 * One definition dialect: documents to definitions, and records back to documents. Pure.
 *
 * Encoding a record in the dialect it was published in gives back the published document.
 */
export interface Codec {
  readonly dialect: string
  /** Whether its schemas may hold local `$ref`s. */
  readonly references: 'none' | 'local'
  /** Whether a document has this dialect's shape; the codecs are asked in order, the most particular first. */
  recognises(document: unknown): boolean
  /** The tools a document defines (one, or all capabilities of a kit), or every breach of the dialect's rules. */
  decode(document: Json, given: Given, budget?: Budget): Checked<Decoded>
  encode(record: ToolRecord, budget?: Budget): Encoded
  /** How many tools a document defines that was published; absent where that is always one. */
  toolsIn?(document: Json): number
}
