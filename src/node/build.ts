import type { KeptDocument } from '../core/publish/registry.ts'
import type { ToolRecord } from '../core/tool/tool.ts'
import type { Validate } from '../core/schema/validator.ts'
import type { Carried } from '../runners/bundled/runner.ts'

/** What a build adds to the source: the tools under `tools/`, and the validators of their schemas. */
export interface Build {
  readonly hash: string
  readonly tools: readonly (Carried & {
    readonly record: ToolRecord
    /** Absent where the schema must be interpreted, since compiled code would count no work. */
    readonly validateInput?: Validate
    readonly validateOutput?: Validate
  })[]
  /** The documents that several of the tools come from. */
  readonly documents: readonly KeptDocument[]
}
