import { type Need, NEEDS } from '../../core/call/readiness-need.ts'
import { type Readiness, toReadinessProblem } from '../../core/call/readiness.ts'
import type { Result } from '../../core/failure/failure.ts'

/** The report on a tool that does not exist or that the caller cannot see. */
type UnknownTool = Pick<Readiness, 'tool' | 'problems'> & { readonly ready: false }

export interface ReadinessReport {
  readonly ready: boolean
  /** The first of `NEEDS` that a tool has. */
  readonly needs?: Need
  readonly items: readonly (Readiness | UnknownTool)[]
}

/** Each check may read several values from storage. */
const CONCURRENT_CHECKS = 10

/** Reports the readiness of several tools, in the order of `refs`. */
export async function reportReadiness(
  refs: readonly string[],
  check: (ref: string) => Promise<Result<Readiness>>,
): Promise<ReadinessReport> {
  const items: (Readiness | UnknownTool)[] = []
  for (let at = 0; at < refs.length; at += CONCURRENT_CHECKS) {
    const checks = refs.slice(at, at + CONCURRENT_CHECKS).map(async (tool): Promise<Readiness | UnknownTool> => {
      const readiness = await check(tool)
      if (readiness.ok) return readiness.value
      return { tool, ready: false, problems: [toReadinessProblem(readiness.failure, false)] }
    })
    items.push(...(await Promise.all(checks)))
  }
  const needed = new Set(items.flatMap(({ problems }) => problems.map(({ needs }) => needs)))
  const needs = NEEDS.find((need) => needed.has(need))
  return { ready: items.every(({ ready }) => ready), ...(needs === undefined ? {} : { needs }), items }
}
