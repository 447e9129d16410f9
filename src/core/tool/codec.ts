import type { Budget } from './budget.ts'
import type { Json } from './json.ts'
import type { Checked, Problem } from './problem.ts'
import type { Definition, JsonSchema, ToolRecord } from './tool.ts'

export interface Given {
  readonly toolkit?: string
  readonly version?: string
}

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
  /** The document's own names of its tools, in the same order, where they differ. */
  readonly called?: readonly string[]
  readonly itself?: { readonly id: string; readonly version: string }
  readonly schemas: readonly { readonly path: string; readonly schema: JsonSchema }[]
  /** Breaches of the dialect's specification that publication lets pass. */
  readonly warnings: readonly Problem[]
}

/** A record encoded in the dialect it was published in gives back the published document. Pure. */
export interface Codec {
  readonly dialect: string
  readonly references: 'none' | 'local'
  /** Codecs are asked in order, the most particular first. */
  recognises(document: unknown): boolean
  decode(document: Json, given: Given, budget?: Budget): Checked<Decoded>
  encode(record: ToolRecord, budget?: Budget): Encoded
  /** The number of tools in a published document; absent where that is always one. */
  toolsIn?(document: Json): number
}
