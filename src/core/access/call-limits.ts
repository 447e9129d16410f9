import { withSchemaDescription, integer, refine, object, optional, type InferOutput } from '../tool/json-reader.ts'
import { matchesTool, type ToolName } from '../tool/tool-id.ts'

export interface QuotaPolicy {
  readonly name: 'credential' | 'tool'
  readonly quota: number
  readonly seconds?: number
}

export interface ToolLimits {
  readonly pattern: string
  readonly limits: CallLimits
}

const MAX_LIMIT = 1_000_000
const DAY_S = 86_400

export const RATE = object({ calls: integer(1, MAX_LIMIT), seconds: integer(1, DAY_S) })
const LIMITS = object({
  rate: optional(withSchemaDescription('Rate limit: calls per period', RATE)),
  concurrency: optional(
    withSchemaDescription('Concurrency limit: calls that run at the same time', integer(1, MAX_LIMIT)),
  ),
})
export type CallLimits = InferOutput<typeof LIMITS>

export const callLimits = refine(LIMITS, ({ rate, concurrency }) =>
  rate === undefined && concurrency === undefined ? "Must have 'rate', 'concurrency', or both" : undefined,
)

export function findToolLimits(limits: ReadonlyMap<string, CallLimits>, name: ToolName): CallLimits | undefined {
  for (const [pattern, toolLimits] of limits) if (matchesTool(pattern, name)) return toolLimits
  return undefined
}
