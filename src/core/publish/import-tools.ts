import type { JsonObject } from '../tool/json.ts'
import type { Requirements } from '../tool/tool.ts'
import type { ImportItem, Skipped } from './import.ts'
import type { ImportState } from './prepare.ts'
import type { Publish, PublishOptions } from './publish.ts'
import type { PublicationFailure } from './report.ts'
import type { ImportSubmission } from './submission.ts'

export interface ImportOptions extends PublishOptions, Pick<ImportSubmission, 'version' | 'sourceVersion'> {}

/** What became, or would become, of one tool. */
export interface Made {
  readonly id: string
  readonly name: string
  readonly state: ImportState
  readonly about: JsonObject
  readonly requirements: Requirements
  readonly warnings: readonly string[]
}

export interface Imported {
  readonly made: readonly Made[]
  readonly skipped: readonly Skipped[]
  /** How many were skipped for want of a right. */
  readonly denied: number
}

/** Tools published together: enough to spare messages, and few enough that a large source never lies whole in memory. */
const BATCH = 50
/** The most problems that say why a tool was skipped. */
const MAX_PROBLEMS = 5

/**
 * Publishes what an importer makes, in order and in batches, each tool judged alone. Versions that exist are never touched,
 * nor are tools that the source no longer has.
 */
export async function importTools(
  items: Iterable<ImportItem>,
  { version, sourceVersion, ...options }: ImportOptions,
  publish: Publish,
): Promise<Imported> {
  const made: Made[] = []
  const skipped: Skipped[] = []
  let denied = 0
  for (const batch of batches(items)) {
    const tools = batch.flatMap((item) => ('tool' in item ? [item.tool] : []))
    const submissions = tools.map((imported) => ({ imported, version, sourceVersion }))
    const reports = (await publish(submissions, options)).values()
    for (const item of batch) {
      if ('skipped' in item) {
        skipped.push(item.skipped)
        continue
      }
      const { definition, about, warnings } = item.tool
      const { tool, name, requirements } = definition
      const report = reports.next().value
      if (report?.ok === false) {
        const { failure, ids } = report
        if (failure.type === 'forbidden') denied += 1
        // Refused by the registry, it goes by the name that it would have been exposed under
        skipped.push({ name: ids.length === 0 ? tool : name, reason: worded(failure), about })
      } else if (report?.ids[0] !== undefined && report.state !== undefined) {
        const more = report.warnings.map(({ message }) => message)
        made.push({
          id: report.ids[0],
          name,
          state: report.state,
          about,
          requirements,
          warnings: [...warnings, ...more],
        })
      } else throw new Error(`Nothing became of the imported tool '${tool}'`)
    }
  }
  return { made, skipped, denied }
}

function* batches(items: Iterable<ImportItem>): Iterable<readonly ImportItem[]> {
  let batch: ImportItem[] = []
  for (const item of items) {
    batch.push(item)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  yield batch
}

function worded(failure: PublicationFailure): string {
  if (failure.type === 'forbidden') return failure.reason
  if (failure.type === 'conflict') return failure.message
  return failure.problems
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => (path === '' ? message : `At '${path}': ${message}`))
    .join('; ')
}
