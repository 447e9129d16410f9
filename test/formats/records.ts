import type { EncodeResult } from '../../src/core/tool/codec.ts'
import type { JsonObject } from '../../src/core/tool/json.ts'
import { NO_REQUIREMENTS, type ToolRecord } from '../../src/core/tool/tool.ts'

/** A record with an input, and nothing else to lose. */
export function recordOf(input: JsonObject, given: Partial<ToolRecord> = {}): ToolRecord {
  return {
    id: 'Kit.Tool@1.0.0',
    toolkit: 'Kit',
    tool: 'Tool',
    version: '1.0.0',
    name: 'Kit_Tool',
    description: 'Does it',
    input,
    output: {},
    requirements: NO_REQUIREMENTS,
    securityLevel: 0,
    tags: [],
    source: { dialect: 'mcp', document: {} },
    digest: '0',
    ...given,
  }
}

export const pathsOf = ({ losses }: EncodeResult) => losses.map(({ path }) => path)

/** The parameters' schema of a declaration of any of the providers. */
export function parametersOf(document: unknown): Record<string, unknown> {
  const { function: named = document } = document as { function?: unknown }
  const { parameters, input_schema } = named as Record<string, Record<string, unknown>>
  return parameters ?? input_schema ?? {}
}
