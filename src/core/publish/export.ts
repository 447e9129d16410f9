import { afford, type Budget, createBudget, UNITS, unitsOf, weigh } from '../tool/budget.ts'
import type { Encoded } from '../tool/codec.ts'
import { afterStretches, type GiveWay } from '../tool/give-way.ts'
import type { Checked, Problem } from '../tool/problem.ts'
import type { ToolRecord } from '../tool/tool.ts'

/** Writes a definition in a dialect or a model provider's form. `name` is what the tool is exposed under. */
export type Writer = (record: ToolRecord, name: string, budget: Budget) => Encoded

export type Format = (record: ToolRecord, name: string, budget?: Budget) => Checked<Encoded>

export function bounded(form: string, write: Writer): Format {
  return (record, name, budget = createBudget()) =>
    afford(() => {
      const encoded = write(record, name, budget)
      weigh(encoded.document, budget)
      for (const { path, reason } of encoded.losses) budget.spend(unitsOf(path) + unitsOf(reason))
      return encoded
    }, `Takes too much work to write as '${form}': its parts repeat each other too often, by '$ref' or 'allOf'`)
}

const MAX_UNITS = 2_000_000

export async function judgeExports(
  records: readonly ToolRecord[],
  formats: Iterable<Format>,
  placeOf: (index: number) => string,
  giveWay: GiveWay,
  budget?: Budget,
): Promise<readonly Problem[]> {
  const all = [...formats]
  const whole = createBudget(MAX_UNITS, budget)
  const mayGiveWay = afterStretches(whole, giveWay)
  for (const [index, record] of records.entries()) {
    for (const format of all) {
      const written = format(record, record.name, createBudget(UNITS, whole))
      if (!written.ok) {
        return written.problems.map(({ path, message }) => ({
          path: path.replace(/^\/input/, () => placeOf(index)),
          message,
        }))
      }
      await mayGiveWay()
    }
  }
  return []
}
