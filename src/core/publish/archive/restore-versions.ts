import type { Principal } from '../../access/principal.ts'
import { cannotRead } from '../../tool/problem.ts'
import type { Implementation } from '../../tool/tool.ts'
import type { Publish } from '../publish.ts'
import type { KeptDocument } from '../registry.ts'
import type { Report } from '../report.ts'
import type { RestoredSubmission } from '../submission.ts'
import type { LineOf } from './line.ts'
import type { PluginBefore } from './plugin-before.ts'
import type { RegistryArchive } from './registry-archive.ts'

export interface VersionToRestore {
  readonly line: number
  readonly version: LineOf<'version'>
  readonly document: KeptDocument | undefined
}

interface VersionDeps {
  readonly publish: Publish
  readonly archive: Pick<RegistryArchive, 'holds' | 'holdsBlob'>
  readonly plugin: PluginBefore
}

type VersionOutcome = 'created' | 'unchanged' | { readonly refused: string }

/** Publishes what is not here yet, those of one document together. Gives what became of each version, in order. */
export async function publishVersions(
  all: readonly VersionToRestore[],
  principal: Principal,
  deps: VersionDeps,
): Promise<readonly VersionOutcome[]> {
  const held = await deps.archive.holds(all.map(({ version }) => version.record))
  const outcomes: VersionOutcome[] = all.map(() => 'unchanged')
  const groups: number[][] = []
  const kept = new Map<string, string | undefined>()
  for (const [index, each] of all.entries()) {
    if (held[index]) continue
    const why = await whyWithoutModule(each.version.record.implementation, kept, deps)
    if (why !== undefined) {
      outcomes[index] = { refused: why }
      continue
    }
    const before = groups.at(-1)
    const last = before && all[before[0] ?? 0]
    if (before && last && isTogether(last, each)) before.push(index)
    else groups.push([index])
  }
  const submissions = groups.map((group): RestoredSubmission => {
    const members = group.flatMap((index) => all[index] ?? [])
    const document = members[0]?.document
    const restored = members.map(({ version: { status, held, unreviewed, publisher, record } }) => ({
      status,
      held,
      unreviewed,
      publisher,
      record,
    }))
    return { restored, ...(document ? { document } : {}) }
  })
  const reports = submissions.length === 0 ? [] : await deps.publish(submissions, { principal, allowBreaking: true })
  for (const [index, group] of groups.entries()) {
    const report = reports[index]
    if (!report) throw new Error('A version came to nothing')
    for (const member of group) outcomes[member] = outcomeOf(report)
  }
  return outcomes
}

/** Whether two versions that follow each other were published together: one document made them. */
function isTogether(first: VersionToRestore, next: VersionToRestore): boolean {
  return first.document !== undefined && first.document === next.document
}

/** Why a tool of a plugin cannot be restored: the plugin's bytes are not here, nor in the file, or are not to be kept. */
async function whyWithoutModule(
  implementation: Implementation | undefined,
  kept: Map<string, string | undefined>,
  { archive, plugin }: VersionDeps,
): Promise<string | undefined> {
  const blob = implementation?.['blob']
  if (implementation?.kind !== 'wasm' || typeof blob !== 'string') return undefined
  if (!kept.has(blob)) {
    const came = await plugin.keep(blob)
    const isThere = came ? came.refused === undefined : await archive.holdsBlob(blob)
    kept.set(blob, isThere ? undefined : (came?.refused ?? `No bytes of its plugin, '${blob}', come before it`))
  }
  return kept.get(blob)
}

function outcomeOf(report: Report): VersionOutcome {
  if (report.ok) return report.outcome
  const { failure } = report
  if (failure.type === 'definition-invalid') return { refused: cannotRead('the line', failure.problems) }
  return { refused: failure.type === 'conflict' ? failure.message : failure.reason }
}
