import { type Guard, guarded, guardOf } from '../access/guard.ts'
import { lowestVersion, requiredBump } from '../schema/compatibility.ts'
import { createBudget, UNITS } from '../tool/budget.ts'
import { type Checked, refused } from '../tool/problem.ts'
import { formatToolId, joinedName, type ToolName } from '../tool/tool-id.ts'
import type { ToolSource } from '../tool/tool-source.ts'
import type { Definition, ToolRecord } from '../tool/tool.ts'
import { compareVersions } from '../tool/version.ts'
import { judgeImported, judgeText } from './definition-rules.ts'
import { type ImportState, placeNames, type Prepared, prepareDefined, type PrepareDeps } from './prepare.ts'
import { recordOf } from '../tool/digest.ts'
import type { ImportSubmission } from './submission.ts'

export interface PrepareImportDeps extends PrepareDeps {
  readonly source: Pick<ToolSource, 'current' | 'record' | 'addressed' | 'holds'>
}

const FIRST_VERSION = '1.0.0'
const SCHEMA_PATHS = { input: '/definition/input', output: '/definition/output' }

/** A tool's version follows from how it differs from what is published; one that does not is not judged again. */
export async function prepareImport(
  { imported, version, sourceVersion, budget, guards }: ImportSubmission,
  deps: PrepareImportDeps,
): Promise<Checked<Prepared>> {
  const { implementation } = imported
  const { definitions } = await placeNames([imported.definition], deps.source)
  const [placed = imported.definition] = definitions
  const existing = await deps.source.current(placed)
  if (existing && formatToolId(existing) !== formatToolId(placed))
    return refused(`'${formatToolId(existing)}' exists: ids are unique ignoring case`)
  // A digest can be made of texts alone
  const unfit = [...judgeImported(placed), ...judgeText(implementation, 'an implementation', '/implementation')]
  if (unfit.length > 0) return { ok: false, problems: unfit }
  const highest = existing?.versions.toSorted((a, b) => compareVersions(b.version, a.version))[0]
  const newest = existing?.newest
  const previous = newest?.digest === highest?.digest ? newest : highest && (await deps.source.record(highest.digest))
  const name = previous?.name ?? nameWithToolkit(placed)
  const least = leastOfDestructive(placed, previous)
  const asVersion = (of: string, also: readonly Guard[] = guards ?? []) => ({
    ...imported,
    definition: { ...guarded({ ...placed, name }, also.some(saysLevel) ? also : [...also, ...least]), version: of },
  })

  async function prepared(state: ImportState, tool: ReturnType<typeof asVersion>): Promise<Checked<Prepared>> {
    const tools = [{ ...tool, schemaPaths: SCHEMA_PATHS }]
    const result = await prepareDefined({ tools, warnings: [], ...(budget ? { budget } : {}) }, deps)
    return result.ok ? { ok: true, value: { ...result.value, state } } : result
  }

  if (!highest) return prepared('new', asVersion(version ?? sourceVersion ?? FIRST_VERSION))
  const asSaid = await recordOf(asVersion(highest.version), deps.sha256)
  if (asSaid.digest === highest.digest) return unchanged(asSaid)
  // An import that says nothing of guards must not take back what somebody was careful to ask for
  const kept = guards === undefined && previous ? guardOf(previous) : undefined
  const also = kept ? [kept] : guards
  const asBefore = kept ? await recordOf(asVersion(highest.version, also), deps.sha256) : asSaid
  if (asBefore.digest === highest.digest) return unchanged(asBefore)
  if (version !== undefined) {
    if (compareVersions(version, highest.version) > 0) return prepared('changed', asVersion(version, also))
    return refused(`It changed, and version ${version} is not above ${highest.version}, its highest`)
  }
  const level = previous ? requiredBump(previous, asBefore, createBudget(UNITS, budget)) : 'major'
  return prepared('changed', asVersion(lowestVersion(highest.version, level), also))
}

/** Models see names alone: of `issues_create`, nobody knows whose issues. */
function nameWithToolkit(tool: ToolName & { readonly name: string }): string {
  return tool.name.toLowerCase().startsWith(`${tool.toolkit.toLowerCase()}_`) ? tool.name : joinedName(tool)
}

/** From 4 a key must name the tool. One that was imported with less keeps its level, as its callers rely on it. */
function leastOfDestructive({ annotations }: Pick<Definition, 'annotations'>, previous?: ToolRecord): readonly Guard[] {
  const begins = previous === undefined || previous.securityLevel >= 4
  return begins && annotations?.destructiveHint === true ? [{ security_level: 4 }] : []
}

const saysLevel = ({ security_level }: Guard) => security_level !== undefined

function unchanged(record: ToolRecord): Checked<Prepared> {
  const given = { implementation: true, tags: false }
  return {
    ok: true,
    value: { records: [record], places: [], implementedAt: [], given, warnings: [], state: 'unchanged' },
  }
}
