import type { KeptDocument } from '../core/publish/registry.ts'
import type { ToolRecord } from '../core/tool/tool.ts'
import type { CompiledSchema } from '../core/schema/validator.ts'
import type { Carried } from '../runners/bundled/runner.ts'

export interface Build {
  readonly hash: string
  readonly tools: readonly (Carried & {
    readonly record: ToolRecord
    readonly validateInput?: CompiledSchema
    readonly validateOutput?: CompiledSchema
  })[]
  readonly documents: readonly KeptDocument[]
}
