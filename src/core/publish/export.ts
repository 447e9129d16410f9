import { type Budget, createBudget, createYielder, type YieldControl } from '../tool/budget.ts'
import { chargeValue, DEFAULT_UNITS, textUnits, withinBudget } from '../tool/budget.ts'
import type { EncodeResult, FormatWriter } from '../tool/codec.ts'
import type { ParseResult, Problem } from '../tool/problem.ts'
import type { ToolRecord } from '../tool/tool.ts'

/**
 * Writes records in export formats, each within a budget. An export that takes too much work fails when it is requested, and
 * lists leave the tool out. Publication only warns of it. There, records are written in each format until a shared budget is
 * spent. Small records without references or merges are not tried, because none of their formats takes much work, and writing
 * all formats takes as long as publishing.
 */

export type ExportFormat = (record: ToolRecord, name: string, budget?: Budget) => ParseResult<EncodeResult>

export function withBudget(form: string, write: FormatWriter): ExportFormat {
  return (record, name, budget = createBudget()) =>
    withinBudget(() => {
      const encodeResult = write(record, name, budget)
      chargeValue(encodeResult.document, budget)
      for (const { path, reason } of encodeResult.losses) budget.spend(textUnits(path) + textUnits(reason))
      return encodeResult
    }, `Takes too much work to write as '${form}': its parts repeat each other too often, by '$ref' or 'allOf'`)
}

const MAX_UNITS = 2_000_000
/** Characters of both schemas. */
const MAX_SMALL_CHARACTERS = 8 * 1024
const CONSEQUENCE = '. That export is refused, and lists in it leave the tool out'

/** Warns of each format that a record cannot be written in. */
export async function checkExports(
  records: readonly ToolRecord[],
  formats: Iterable<ExportFormat>,
  toPath: (index: number) => string,
  yieldControl: YieldControl,
  budget?: Budget,
): Promise<readonly Problem[]> {
  const warnings: Problem[] = []
  const exportBudget = createBudget(MAX_UNITS, budget)
  const yieldIfDue = createYielder(() => exportBudget.spent, yieldControl)
  const allFormats = [...formats]
  for (const [index, record] of records.entries()) {
    if (!mayExceedBudget(record)) continue
    for (const format of allFormats) {
      const result = format(record, record.name, createBudget(DEFAULT_UNITS, exportBudget))
      // If the other formats left too little budget, nothing is known about this one
      if (exportBudget.isExceeded || budget?.isExceeded) return warnings
      for (const { path, message } of result.ok ? [] : result.problems) {
        warnings.push({ path: path.replace(/^\/input/, () => toPath(index)), message: message + CONSEQUENCE })
      }
      await yieldIfDue()
    }
  }
  return warnings
}

/** References and merges multiply the work of a format. Otherwise, it grows at most with the size. */
function mayExceedBudget({ input, output }: ToolRecord): boolean {
  const text = JSON.stringify([input, output])
  return text.length > MAX_SMALL_CHARACTERS || /"(?:\$ref|allOf)":/.test(text)
}
