import { compareDefinitions } from '../schema/compatibility.ts'
import { withinBudget, type Budget, createBudget, chargeValue } from '../tool/budget.ts'
import { canonicalJson } from '../tool/digest.ts'
import type { ToolSource } from '../tool/tool-source.ts'
import type { Implementation, ToolEntry, ToolRecord, VersionEntry } from '../tool/tool.ts'
import { compareVersions } from '../tool/version.ts'
import { compareTexts, type TextChange } from './text-changes.ts'

export interface VersionHistory {
  readonly entry: VersionEntry
  readonly record?: ToolRecord
  readonly comparedWith?: string
  readonly changes?: readonly TextChange[]
}

const MAX_COMPARED = 20
/** Characters of all texts that a history shows. Changes beyond them are listed without their texts. */
const MAX_TEXT_CHARACTERS = 500_000

/** Returns the versions that the reader may see, highest first. All comparisons share one budget. */
export async function loadHistory(
  { versions }: ToolEntry,
  source: Pick<ToolSource, 'loadRecord'>,
  maySee: (record: ToolRecord) => boolean,
): Promise<readonly VersionHistory[]> {
  const orderedVersions = [...versions].sort((a, b) => compareVersions(b.version, a.version))
  const bases = orderedVersions
    .slice(0, MAX_COMPARED)
    .map((entry, index) => findBaseVersion(entry, orderedVersions.slice(index + 1)))
  const digests = [...orderedVersions.slice(0, MAX_COMPARED), ...bases].flatMap((entry) =>
    entry ? [entry.digest] : [],
  )
  const loadedRecords = await Promise.all(
    [...new Set(digests)].map(async (digest) => [digest, await source.loadRecord(digest)] as const),
  )
  const records = new Map(loadedRecords)
  const budget = createBudget()
  let remaining = MAX_TEXT_CHARACTERS
  return orderedVersions.flatMap((entry, index) => {
    const record = index < MAX_COMPARED ? records.get(entry.digest) : undefined
    const baseRecord = records.get(bases[index]?.digest ?? '')
    if (!record) return { entry }
    if (!maySee(record)) return []
    if (!baseRecord || !maySee(baseRecord)) return { entry, record }
    const texts = compareTexts(baseRecord, record, budget).map((change) => {
      remaining -= (change.before?.length ?? 0) + (change.after?.length ?? 0)
      const { path, what, level } = change
      return remaining >= 0 ? change : { path, what, level }
    })
    const changes = [
      ...texts,
      ...implementationChanges(baseRecord.implementation, record.implementation, budget),
      ...compareDefinitions(baseRecord, record, budget),
    ]
    return { entry, record, comparedWith: baseRecord.version, changes }
  })
}

/** Finds the version to compare with: the next lower, or for a pending version the highest lower that callers had. */
function findBaseVersion({ status }: VersionEntry, lowerVersions: readonly VersionEntry[]): VersionEntry | undefined {
  if (status.state !== 'pending') return lowerVersions[0]
  return lowerVersions.find((entry) => entry.status.state !== 'pending' && entry.status.state !== 'disabled')
}

/** Reports that an implementation differs, but not how: fewer people may read an implementation than a definition. */
export function implementationChanges(
  before: Implementation | undefined,
  after: Implementation | undefined,
  budget: Budget,
) {
  const change = (what: string): readonly TextChange[] => [{ path: '/implementation', what, level: 'patch' }]
  if (before?.kind !== after?.kind) return change('Its implementation is of another kind')
  const compared = withinBudget(() => {
    chargeValue(before, budget)
    chargeValue(after, budget)
    return before === undefined || canonicalJson(before) === canonicalJson(after)
  }, 'Its implementation is too large to compare')
  if (!compared.ok) return compared.problems.flatMap(({ message }) => change(message))
  return compared.value ? [] : change('Its implementation differs')
}
