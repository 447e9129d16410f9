import { described, integer, into, object, optional, wrong } from '../tool/json-reader.ts'
import { patternCovers, type ToolName } from '../tool/tool-id.ts'

export interface CallLimits {
  readonly rate?: { readonly calls: number; readonly seconds: number }
  readonly concurrency?: number
}

/** A limit as callers are told of it; without `seconds`, it counts calls at a time. */
export interface LimitPolicy {
  readonly name: 'credential' | 'tool'
  readonly quota: number
  readonly seconds?: number
}

/** `of` tells a tool's limits from others that it has. */
export interface ToolLimits {
  readonly of: string
  readonly limits: CallLimits
}

const MOST = 1_000_000
const DAY_S = 86_400

export const callLimits = into(
  object({
    rate: optional(
      described('So many calls in so many seconds', object({ calls: integer(1, MOST), seconds: integer(1, DAY_S) })),
    ),
    concurrency: optional(described('So many calls at a time', integer(1, MOST))),
  }),
  (limits, report): CallLimits | ReturnType<typeof wrong> =>
    limits.rate === undefined && limits.concurrency === undefined
      ? wrong(report, "Must have 'rate', 'concurrency', or both")
      : limits,
)

export function limitsOfTool(limits: ReadonlyMap<string, CallLimits>, name: ToolName): CallLimits | undefined {
  for (const [pattern, each] of limits) if (patternCovers(pattern, name)) return each
  return undefined
}
