import { compareDefinitions } from '../schema/change.ts'
import { createBudget } from '../tool/budget.ts'
import type { ToolSource } from '../tool/tool-source.ts'
import { titleOf, type ToolDocument, type ToolRecord, type VersionEntry } from '../tool/tool.ts'
import { compareVersions } from '../tool/version.ts'

/** A difference between a version and the one before it. */
export type VersionDifference = ReturnType<typeof compareDefinitions>[number]

/** A version of a tool, and what it changed. */
export interface VersionHistory {
  readonly entry: VersionEntry
  /** Absent for versions beyond those that are read. */
  readonly record?: ToolRecord
  /** What differs from the version before, where both are read. */
  readonly changes?: readonly VersionDifference[]
}

/** So many versions are read, the highest first; of the others is said that they are there. */
const MOST_READ = 20

/** The versions of a tool, the highest first, with what each changed. All comparisons draw on one budget. */
export async function historyOf(
  { versions }: ToolDocument,
  source: Pick<ToolSource, 'record'>,
): Promise<readonly VersionHistory[]> {
  const ordered = [...versions].sort((a, b) => compareVersions(b.version, a.version))
  const records = await Promise.all(ordered.slice(0, MOST_READ).map(({ digest }) => source.record(digest)))
  const budget = createBudget()
  return ordered.map((entry, index) => {
    const [record, before] = [records[index], records[index + 1]]
    if (!record) return { entry }
    if (!before) return { entry, record }
    return { entry, record, changes: [...compareDefinitions(before, record, budget), ...wordChanges(before, record)] }
  })
}

/** What is said of a tool is instructions to a model: that it differs is worth a look. */
function wordChanges(before: ToolRecord, after: ToolRecord): readonly VersionDifference[] {
  const changes: VersionDifference[] = []
  const note = (path: string, what: string) => void changes.push({ path, what, level: 'patch' })
  if (before.description !== after.description) note('/description', 'Its description differs')
  if (titleOf(before) !== titleOf(after)) note('/title', 'Its title differs')
  if (before.implementation?.kind !== after.implementation?.kind) note('/implementation', 'It runs in another way')
  return changes
}
