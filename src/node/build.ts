import type { DefinitionDocument } from '../core/publish/registry.ts'
import type { ToolRecord } from '../core/tool/tool.ts'
import type { CompiledSchema } from '../core/schema/validator.ts'
import type { BundledHandler } from '../runners/bundled/runner.ts'

export interface Build {
  readonly hash: string
  readonly tools: readonly (BundledHandler & {
    readonly record: ToolRecord
    readonly validateInput?: CompiledSchema
    readonly validateOutput?: CompiledSchema
  })[]
  readonly documents: readonly DefinitionDocument[]
}
