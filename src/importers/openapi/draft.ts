import type { JsonObject } from '../../core/tool/json.ts'
import type { Description } from './description.ts'
import type { Converted, SchemaConverter } from './schema.ts'

/** One input of a tool. */
export interface Input {
  readonly name: string
  readonly schema: Converted
  readonly required: boolean
  readonly description?: string | undefined
}

/** What a request is made of, while it is put together: what the tool asks for, and where that goes. */
export interface Draft {
  readonly description: Description
  readonly converter: SchemaConverter
  readonly nameOf: (name: string, place: string) => string
  readonly inputs: Input[]
  /** Of the `http` implementation. */
  readonly parameters: JsonObject[]
  body?: JsonObject
  /** Why it cannot be done at all. */
  readonly problems: string[]
  readonly warnings: string[]
}
