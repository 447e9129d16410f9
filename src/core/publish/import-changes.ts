import { type Guard, applyGuards, extractGuard } from '../access/guard.ts'
import { compareExpanded, lowestVersion, requiredBump } from '../schema/compatibility.ts'
import { type Budget, createBudget, DEFAULT_UNITS } from '../tool/budget.ts'
import { type ParseResult, parseFailure } from '../tool/problem.ts'
import { formatToolId, toDerivedName, type ToolName } from '../tool/tool-id.ts'
import type { Definition, Implementation, ToolRecord } from '../tool/tool.ts'
import { compareVersions } from '../tool/version.ts'
import { checkImportedDefinition, checkStorable } from './check-definition.ts'
import { assignNames } from './assign-names.ts'
import { implementationChanges } from './history.ts'
import type { ImportState } from './import.ts'
import { prepareDefinitions } from './prepare-definitions.ts'
import type { PrepareDeps } from './prepare.ts'
import { createToolRecord } from '../tool/digest.ts'
import type { ImportSubmission, PreparedSubmission } from './submission.ts'
import { compareTexts } from './text-changes.ts'

const FIRST_VERSION = '1.0.0'
const SCHEMA_PATHS = { input: '/definition/input', output: '/definition/output' }

/** Derives a tool's version from how it differs from the published one. A tool without differences is not checked again. */
export async function prepareImport(
  { imported, version, sourceVersion, guards, toolkitDescription, isComparison, requiresReview }: ImportSubmission,
  deps: PrepareDeps,
  budget?: Budget,
): Promise<ParseResult<PreparedSubmission>> {
  const { implementation } = imported
  const { definitions } = await assignNames([imported.definition], deps.source)
  const [definition = imported.definition] = definitions
  const existing = await deps.source.loadCurrent(definition)
  if (existing && formatToolId(existing) !== formatToolId(definition))
    return parseFailure(`'${formatToolId(existing)}' exists: ids are unique ignoring case`)
  // No digest is computed for anything larger
  const sizeProblems = [
    ...checkImportedDefinition(definition),
    ...checkStorable(implementation, 'an implementation', '/implementation'),
  ]
  if (sizeProblems.length > 0) return { ok: false, problems: sizeProblems }
  const versions = existing?.versions.toSorted((a, b) => compareVersions(b.version, a.version))
  const highest = (isComparison ? existing?.newest : undefined) ?? versions?.[0]
  if (requiresReview && versions?.[0]?.status.state === 'pending') return parseFailure('A version awaits review')
  const isNewest = existing?.newest?.digest === highest?.digest
  const previous = isNewest ? existing?.newest : highest && (await deps.source.loadRecord(highest.digest))
  const name = previous?.name ?? toImportedName(definition)
  const minGuards = minGuardsForDestructive(definition, previous)
  const withVersion = (versionText: string, ownGuards: readonly Guard[] = guards ?? []) => {
    const allGuards = ownGuards.some(hasSecurityLevel) ? ownGuards : [...ownGuards, ...minGuards]
    return { ...imported, definition: { ...applyGuards({ ...definition, name }, allGuards), version: versionText } }
  }

  async function prepareAs(
    state: ImportState,
    tool: ReturnType<typeof withVersion>,
    more: Pick<PreparedSubmission, 'breaking' | 'changes'> = {},
  ) {
    const tools = [{ ...tool, schemaPaths: SCHEMA_PATHS }]
    const result = await prepareDefinitions({ kind: 'definitions', tools, warnings: [] }, deps, budget)
    if (!result.ok) return result
    // A version derived from the change breaks nothing, but the registry treats any change of a shared schema as breaking
    const { publication: prepared } = result.value
    const publication = { ...prepared, allowBreaking: version === undefined, toolkitDescription, requiresReview }
    return { ok: true, value: { ...result.value, publication, state, ...more } } as const
  }

  if (!highest) return prepareAs('new', withVersion(version ?? sourceVersion ?? FIRST_VERSION))
  const asImported = await createToolRecord(withVersion(highest.version), deps.sha256)
  const isInactive = isComparison && !existing?.newest
  if (asImported.digest === highest.digest || isInactive) return toUnchanged(asImported, implementation)
  // An import without guards must not remove guards that were set deliberately
  const previousGuard = guards === undefined && previous ? extractGuard(previous) : undefined
  const inheritedGuards = previousGuard ? [previousGuard] : guards
  const withInheritedGuards = previousGuard
    ? await createToolRecord(withVersion(highest.version, inheritedGuards), deps.sha256)
    : asImported
  if (withInheritedGuards.digest === highest.digest) return toUnchanged(withInheritedGuards, implementation)
  if (version !== undefined && compareVersions(version, highest.version) <= 0)
    return parseFailure(`It changed, and version ${version} is not above ${highest.version}, its highest`)
  const compareBudget = createBudget(DEFAULT_UNITS, budget)
  const changes = previous
    ? compareExpanded(previous, withInheritedGuards, compareBudget)
    : [{ path: '', what: `It cannot be compared with ${highest.version}`, level: 'major' } as const]
  const breaking = changes.flatMap(({ what, level }) => (level === 'major' ? [what] : []))
  const nextVersion = version ?? lowestVersion(highest.version, requiredBump(changes))
  const allChanges = previous &&
    isComparison && [
      ...compareTexts(previous, withInheritedGuards, compareBudget),
      ...implementationChanges(previous.implementation, implementation, compareBudget),
      ...changes,
    ]
  return prepareAs('changed', withVersion(nextVersion, inheritedGuards), {
    ...(breaking.length > 0 ? { breaking } : {}),
    ...(allChanges ? { changes: allChanges } : {}),
  })
}

/** Adds the toolkit, because models see only names: `issues_create` does not say whose issues. */
function toImportedName(tool: ToolName & { readonly name: string }): string {
  return tool.name.toLowerCase().startsWith(`${tool.toolkit.toLowerCase()}_`) ? tool.name : toDerivedName(tool)
}

/** From level 4, a key must name the tool. A tool imported with less keeps its level, because its callers rely on it. */
function minGuardsForDestructive(
  { annotations }: Pick<Definition, 'annotations'>,
  previous?: ToolRecord,
): readonly Guard[] {
  const appliesHere = previous === undefined || previous.securityLevel >= 4
  return appliesHere && annotations?.destructiveHint === true ? [{ security_level: 4 }] : []
}

const hasSecurityLevel = ({ security_level }: Guard) => security_level !== undefined

function toUnchanged(record: ToolRecord, implementation: Implementation): ParseResult<PreparedSubmission> {
  const specified = { implementation: true, tags: false }
  const publication = { records: [record], specified, allowBreaking: false }
  const implementations = new Map([[implementation, '/implementation']])
  return { ok: true, value: { publication, implementations, warnings: [], state: 'unchanged' } }
}
