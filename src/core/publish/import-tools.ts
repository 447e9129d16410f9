import type { Guard } from '../access/guard.ts'
import { type Budget, createBudget } from '../tool/budget.ts'
import type { JsonObject } from '../tool/json.ts'
import type { Requirements } from '../tool/tool.ts'
import { STRETCH } from './export.ts'
import type { ImportedTool, ImportItem, Skipped } from './import.ts'
import type { ImportState } from './prepare.ts'
import type { Publish, PublishOptions } from './publish.ts'
import type { PublicationFailure } from './report.ts'
import type { ImportSubmission } from './submission.ts'

export interface ImportOptions extends PublishOptions, Pick<ImportSubmission, 'version' | 'sourceVersion'> {
  /** What making the items draws on, and publishing them. */
  readonly budget: Budget
  /** Lets other requests have the thread. */
  readonly giveWay: () => Promise<void>
  /** What whoever imports asks of a tool's calls; undefined where they say nothing of it. */
  readonly guardsOf?: ((tool: ImportedTool) => readonly Guard[]) | undefined
}

/** What became, or would become, of one tool. */
export interface Made {
  readonly id: string
  readonly name: string
  readonly state: ImportState
  readonly about: JsonObject
  readonly requirements: Requirements
  /** What it asks for beyond what follows from these. */
  readonly guard?: Guard
  /** Whether it is not there for callers before it was reviewed. */
  readonly isPending?: true
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
/** For all that one source takes: more than twice what 5,000 tools of 50 kB each do. */
const MAX_UNITS = 500_000_000
const TOO_MUCH = "The source takes too much work as a whole: import it in parts, chosen by 'tools'"

/** For an importer to draw on, and then for `importTools`. */
export function importBudget(): Budget {
  return createBudget(MAX_UNITS)
}

/** The most problems that say why a tool was skipped. */
const MAX_PROBLEMS = 5

/**
 * Publishes what an importer makes, in order and in batches, each tool judged alone. Versions that exist are never touched,
 * nor are tools that the source no longer has.
 */
export async function importTools(
  items: Iterable<ImportItem>,
  { version, sourceVersion, budget, giveWay, guardsOf, ...options }: ImportOptions,
  publish: Publish,
): Promise<Imported> {
  const made: Made[] = []
  const skipped: Skipped[] = []
  let denied = 0
  for await (const batch of batches(items, budget, giveWay)) {
    const tools = batch.flatMap((item) => ('tool' in item ? [item.tool] : []))
    const submissions = tools.map((imported) => ({
      imported,
      version,
      sourceVersion,
      budget,
      guards: guardsOf?.(imported),
    }))
    const reports = (await publish(submissions, options)).values()
    for (const item of batch) {
      if ('skipped' in item) {
        skipped.push(budget.isSpent ? { ...item.skipped, reason: TOO_MUCH } : item.skipped)
        continue
      }
      const { definition, about, warnings } = item.tool
      const { tool, name, requirements } = definition
      const report = reports.next().value
      if (report?.ok === false) {
        const { failure, ids } = report
        if (failure.type === 'forbidden') denied += 1
        // Refused by the registry, it goes by the name that it would have been exposed under
        skipped.push({
          name: ids.length === 0 ? tool : name,
          reason: budget.isSpent ? TOO_MUCH : worded(failure),
          about,
        })
      } else if (report?.ids[0] !== undefined && report.state !== undefined) {
        const more = report.warnings.map(({ message }) => message)
        made.push({
          id: report.ids[0],
          name,
          state: report.state,
          about,
          requirements,
          ...(report.guard ? { guard: report.guard } : {}),
          ...(report.pending ? { isPending: true } : {}),
          warnings: [...warnings, ...more],
        })
      } else throw new Error(`Nothing became of the imported tool '${tool}'`)
    }
  }
  return { made, skipped, denied }
}

async function* batches(
  items: Iterable<ImportItem>,
  budget: Budget,
  giveWay: () => Promise<void>,
): AsyncGenerator<readonly ImportItem[]> {
  let batch: ImportItem[] = []
  let from = budget.spent
  for (const item of items) {
    batch.push(item)
    if (budget.spent - from > STRETCH) {
      await giveWay()
      from = budget.spent
    }
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
