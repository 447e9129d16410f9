import type { Budget } from './budget.ts'
import type { Json } from './json.ts'
import type { ParseResult, Problem } from './problem.ts'
import type { Definition, JsonSchema, ToolRecord } from './tool.ts'

export interface DecodeOptions {
  readonly toolkit?: string
  readonly version?: string
  /** For all work on the document. */
  readonly budget?: Budget | undefined
}

export interface Loss {
  readonly path: string
  readonly reason: string
}

export interface EncodeResult {
  readonly document: Json
  readonly losses: readonly Loss[]
}

/** Writes a definition in the format of a dialect or model provider. `name` is the exposed name of the tool. */
export type FormatWriter = (record: ToolRecord, name: string, budget: Budget) => EncodeResult

export interface DecodeResult {
  readonly definitions: readonly Definition[]
  readonly sourceNames?: readonly string[]
  readonly itself?: { readonly id: string; readonly version: string }
  readonly schemas: readonly { readonly path: string; readonly schema: JsonSchema }[]
  /** If inputs are lists of parameters: a pointer to the list of each definition. */
  readonly parameterLists?: readonly string[]
  readonly warnings: readonly Problem[]
  /** The toolkit to use if another dialect's toolkit has the same name in different case. */
  readonly alternateToolkit?: string
  /** Why a document that can be converted to other formats cannot be published. */
  readonly unpublishable?: readonly Problem[]
  readonly toolkitDescription?: string | undefined
}

export interface Codec {
  readonly dialect: string
  readonly references: 'none' | 'local'
  recognizes(document: unknown): boolean
  decode(document: Json, options: DecodeOptions): ParseResult<DecodeResult>
  encode(record: ToolRecord, budget?: Budget): EncodeResult
  countTools?(document: Json): number
}
