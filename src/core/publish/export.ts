import { afford, type Budget, createBudget, unitsOf, weigh } from '../tool/budget.ts'
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

/**
 * Judges whether records can be written in every form, so that no reader meets one that cannot: all of them together are
 * to leave something of the budget. `placeOf` says where the input of a record stands in what was published.
 */
export function judgeExports(
  records: readonly ToolRecord[],
  formats: Iterable<Format>,
  placeOf: (index: number) => string,
  budget: Budget,
): readonly Problem[] {
  const all = [...formats]
  for (const [index, record] of records.entries()) {
    for (const format of all) {
      const written = format(record, record.name, budget)
      if (!written.ok) return written.problems.map((problem) => placed(problem, placeOf(index)))
    }
  }
  return []
}

function placed({ path, message }: Problem, input: string): Problem {
  return { path: path.startsWith('/input') ? input + path.slice('/input'.length) : path, message }
}
