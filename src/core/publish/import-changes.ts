import { type Guard, applyGuards, extractGuard } from '../access/guard.ts'
import { lowestVersion, requiredBump } from '../schema/compatibility.ts'
import { createBudget, DEFAULT_UNITS } from '../tool/budget.ts'
import { type ParseResult, parseFailure } from '../tool/problem.ts'
import { formatToolId, toDerivedName, type ToolName } from '../tool/tool-id.ts'
import type { ToolSource } from '../tool/tool-source.ts'
import type { Definition, ToolRecord } from '../tool/tool.ts'
import { compareVersions } from '../tool/version.ts'
import { checkImportedDefinition, checkStorable } from './check-definition.ts'
import {
  type ImportState,
  assignNames,
  type PreparedSubmission,
  prepareDefinitions,
  type PrepareDeps,
} from './prepare.ts'
import { createToolRecord } from '../tool/digest.ts'
import type { ImportSubmission } from './submission.ts'

export interface PrepareImportDeps extends PrepareDeps {
  readonly source: Pick<ToolSource, 'loadCurrent' | 'loadRecord' | 'findDocumentAddress' | 'hasToolkit'>
}

const FIRST_VERSION = '1.0.0'
const SCHEMA_PATHS = { input: '/definition/input', output: '/definition/output' }

/** A tool's version follows from how it differs from what is published; one that does not is not judged again. */
export async function prepareImport(
  { imported, version, sourceVersion, budget, guards }: ImportSubmission,
  deps: PrepareImportDeps,
): Promise<ParseResult<PreparedSubmission>> {
  const { implementation } = imported
  const { definitions } = await assignNames([imported.definition], deps.source)
  const [placed = imported.definition] = definitions
  const existing = await deps.source.loadCurrent(placed)
  if (existing && formatToolId(existing) !== formatToolId(placed))
    return parseFailure(`'${formatToolId(existing)}' exists: ids are unique ignoring case`)
  // A digest can be made of texts alone
  const unfit = [
    ...checkImportedDefinition(placed),
    ...checkStorable(implementation, 'an implementation', '/implementation'),
  ]
  if (unfit.length > 0) return { ok: false, problems: unfit }
  const highest = existing?.versions.toSorted((a, b) => compareVersions(b.version, a.version))[0]
  const newest = existing?.newest
  const previous =
    newest?.digest === highest?.digest ? newest : highest && (await deps.source.loadRecord(highest.digest))
  const name = previous?.name ?? toImportedName(placed)
  const least = minGuardsForDestructive(placed, previous)
  const asVersion = (of: string, also: readonly Guard[] = guards ?? []) => ({
    ...imported,
    definition: {
      ...applyGuards({ ...placed, name }, also.some(hasSecurityLevel) ? also : [...also, ...least]),
      version: of,
    },
  })

  async function prepared(
    state: ImportState,
    tool: ReturnType<typeof asVersion>,
  ): Promise<ParseResult<PreparedSubmission>> {
    const tools = [{ ...tool, schemaPaths: SCHEMA_PATHS }]
    const result = await prepareDefinitions({ tools, warnings: [], ...(budget ? { budget } : {}) }, deps)
    return result.ok ? { ok: true, value: { ...result.value, state } } : result
  }

  if (!highest) return prepared('new', asVersion(version ?? sourceVersion ?? FIRST_VERSION))
  const asSaid = await createToolRecord(asVersion(highest.version), deps.sha256)
  if (asSaid.digest === highest.digest) return unchanged(asSaid)
  // An import that says nothing of guards must not take back what somebody was careful to ask for
  const kept = guards === undefined && previous ? extractGuard(previous) : undefined
  const also = kept ? [kept] : guards
  const asBefore = kept ? await createToolRecord(asVersion(highest.version, also), deps.sha256) : asSaid
  if (asBefore.digest === highest.digest) return unchanged(asBefore)
  if (version !== undefined) {
    if (compareVersions(version, highest.version) > 0) return prepared('changed', asVersion(version, also))
    return parseFailure(`It changed, and version ${version} is not above ${highest.version}, its highest`)
  }
  const level = previous ? requiredBump(previous, asBefore, createBudget(DEFAULT_UNITS, budget)) : 'major'
  return prepared('changed', asVersion(lowestVersion(highest.version, level), also))
}

/** Models see names alone: of `issues_create`, nobody knows whose issues. */
function toImportedName(tool: ToolName & { readonly name: string }): string {
  return tool.name.toLowerCase().startsWith(`${tool.toolkit.toLowerCase()}_`) ? tool.name : toDerivedName(tool)
}

/** From 4 a key must name the tool. One that was imported with less keeps its level, as its callers rely on it. */
function minGuardsForDestructive(
  { annotations }: Pick<Definition, 'annotations'>,
  previous?: ToolRecord,
): readonly Guard[] {
  const begins = previous === undefined || previous.securityLevel >= 4
  return begins && annotations?.destructiveHint === true ? [{ security_level: 4 }] : []
}

const hasSecurityLevel = ({ security_level }: Guard) => security_level !== undefined

function unchanged(record: ToolRecord): ParseResult<PreparedSubmission> {
  const given = { implementation: true, tags: false }
  return {
    ok: true,
    value: { records: [record], places: [], implementationPaths: [], given, warnings: [], state: 'unchanged' },
  }
}
