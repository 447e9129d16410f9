import { compareDefinitions } from '../schema/change.ts'
import { afford, type Budget, createBudget, weigh } from '../tool/budget.ts'
import { canonicalJson } from '../tool/digest.ts'
import type { ToolSource } from '../tool/tool-source.ts'
import type { Implementation, ToolDocument, ToolRecord, VersionEntry } from '../tool/tool.ts'
import { compareVersions } from '../tool/version.ts'
import { compareSaid, type SaidChange } from './said-changes.ts'

/** A version of a tool, and what it changed. */
export interface VersionHistory {
  readonly entry: VersionEntry
  /** Absent for versions beyond those that are read. */
  readonly record?: ToolRecord
  /** The version that it is compared with, where both are read: the one before or, of one that is pending, the one that callers have. */
  readonly comparedWith?: string
  /** What differs from that: first what is said, which models read as instructions. */
  readonly changes?: readonly SaidChange[]
}

/** So many versions are read, the highest first; of the others is said that they are there. */
const MOST_READ = 20
/** Of what was said and is said so many characters are told, those of the highest versions first; of more, that they differ. */
const MOST_TOLD = 500_000

/**
 * The versions of a tool that a reader `sees`, the highest first, with what each changed of what they see too. All comparisons draw
 * on one budget.
 */
export async function historyOf(
  { versions }: ToolDocument,
  source: Pick<ToolSource, 'record'>,
  sees: (record: ToolRecord) => boolean,
): Promise<readonly VersionHistory[]> {
  const ordered = [...versions].sort((a, b) => compareVersions(b.version, a.version))
  const bases = ordered.slice(0, MOST_READ).map((entry, index) => baseOf(entry, ordered.slice(index + 1)))
  const digests = [...ordered.slice(0, MOST_READ), ...bases].flatMap((entry) => (entry ? [entry.digest] : []))
  const read = await Promise.all(
    [...new Set(digests)].map(async (digest) => [digest, await source.record(digest)] as const),
  )
  const records = new Map(read)
  const budget = createBudget()
  let left = MOST_TOLD
  return ordered.flatMap((entry, index) => {
    const record = index < MOST_READ ? records.get(entry.digest) : undefined
    const before = records.get(bases[index]?.digest ?? '')
    if (!record) return { entry }
    if (!sees(record)) return []
    if (!before || !sees(before)) return { entry, record }
    const said = compareSaid(before, record, budget).map((change) => {
      left -= (change.before?.length ?? 0) + (change.after?.length ?? 0)
      return left >= 0 ? change : withoutTexts(change)
    })
    const changes = [
      ...said,
      ...implementationChanges(before.implementation, record.implementation, budget),
      ...compareDefinitions(before, record, budget),
    ]
    return { entry, record, comparedWith: before.version, changes }
  })
}

/** The version that another is compared with. What was refused, or waits as well, is nothing that callers have had. */
function baseOf({ status }: VersionEntry, lower: readonly VersionEntry[]): VersionEntry | undefined {
  if (status.state !== 'pending') return lower[0]
  return lower.find((each) => each.status.state !== 'pending' && each.status.state !== 'disabled')
}

function withoutTexts({ path, what, level }: SaidChange): SaidChange {
  return { path, what, level }
}

/** That what runs differs, and not how: an implementation is for fewer people than a definition is. */
function implementationChanges(
  before: Implementation | undefined,
  after: Implementation | undefined,
  budget: Budget,
): readonly SaidChange[] {
  const told = (what: string): readonly SaidChange[] => [{ path: '/implementation', what, level: 'patch' }]
  if (before?.kind !== after?.kind) return told('It runs in another way')
  const compared = afford(() => {
    weigh(before, budget)
    weigh(after, budget)
    return before === undefined || canonicalJson(before) === canonicalJson(after)
  }, 'What it runs is too much to compare')
  if (!compared.ok) return compared.problems.flatMap(({ message }) => told(message))
  return compared.value ? [] : told('What it runs differs')
}
