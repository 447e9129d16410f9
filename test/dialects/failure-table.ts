import type { Failure } from '../../src/core/failure/failure.ts'
import table from './failures.txt?raw'

/**
 * `failures.txt` has a block for each failure of `failures.ts`: the failure in JSON, then a line for each dialect with the
 * status and the parts of its answer, in JSON.
 */
export const TABLE: ReadonlyMap<string, readonly string[]> = new Map(
  table
    .trimEnd()
    .split('\n\n')
    .map((block) => {
      const [failure = '', ...lines] = block.split('\n')
      return [failure, lines]
    }),
)

export const formatLine = (dialect: string, ...parts: readonly unknown[]) =>
  `${dialect.padEnd(18)} ${parts.map((part) => JSON.stringify(part)).join(' ')}`

export function findLine(failure: Failure, dialect: string): string {
  const line = TABLE.get(JSON.stringify(failure))?.find((each) => each.startsWith(`${dialect} `))
  if (line === undefined) throw new Error(`failures.txt has no answer of ${dialect} to ${JSON.stringify(failure)}`)
  return line
}
