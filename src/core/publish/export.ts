import { afford, type Budget, createBudget, UNITS, unitsOf, weigh } from '../tool/budget.ts'
import type { Encoded } from '../tool/codec.ts'
import type { Checked, Problem } from '../tool/problem.ts'
import type { ToolRecord } from '../tool/tool.ts'

/** A way to write a definition: a dialect, or a model provider's own form. `name` is what the tool is exposed under. */
export type Writer = (record: ToolRecord, name: string, budget: Budget) => Encoded

/** The same within a budget: what takes too much work to write is a problem, at the part of the record that takes it. */
export type Format = (record: ToolRecord, name: string, budget?: Budget) => Checked<Encoded>

/** Bounds a writer: the work that it says it does, and what it wrote. */
export function bounded(form: string, write: Writer): Format {
  return (record, name, budget = createBudget()) =>
    afford(() => {
      const encoded = write(record, name, budget)
      weigh(encoded.document, budget)
      for (const { path, reason } of encoded.losses) budget.spend(unitsOf(path) + unitsOf(reason))
      return encoded
    }, `Takes too much work to write as '${form}': its parts repeat each other too often, by '$ref' or 'allOf'`)
}

/** For all records of one publication in every form: what a document of large tools takes, many times. */
const MAX_UNITS = 2_000_000
/** So much is done before others get the thread. */
export const STRETCH = 30_000

/**
 * Judges whether records can be written in every form, so that no reader meets one that cannot. `placeOf` says where the
 * input of a record stands in what was published; `giveWay` lets other requests have the thread; `budget` is that of what
 * they are published with.
 */
export async function judgeExports(
  records: readonly ToolRecord[],
  formats: Iterable<Format>,
  placeOf: (index: number) => string,
  giveWay: () => Promise<void>,
  budget?: Budget,
): Promise<readonly Problem[]> {
  const all = [...formats]
  const whole = createBudget(MAX_UNITS, budget)
  let from = 0
  for (const [index, record] of records.entries()) {
    for (const format of all) {
      const written = format(record, record.name, createBudget(UNITS, whole))
      if (!written.ok) return written.problems.map((problem) => placed(problem, placeOf(index)))
      if (whole.spent - from <= STRETCH) continue
      await giveWay()
      from = whole.spent
    }
  }
  return []
}

function placed({ path, message }: Problem, input: string): Problem {
  return { path: path.startsWith('/input') ? input + path.slice('/input'.length) : path, message }
}
