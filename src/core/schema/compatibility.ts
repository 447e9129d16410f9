import { withinBudget, type Budget, createBudget } from '../tool/budget.ts'
import { isObject } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import { type Definition, deriveSecurityLevel, type JsonSchema, needsApproval } from '../tool/tool.ts'
import { compareVersions } from '../tool/version.ts'
import { expandSchema } from './expand.ts'
import { type SchemaChange, compareSchemas, type BumpLevel } from './schema-comparison.ts'

export type ToolContract = Pick<
  Definition,
  'version' | 'input' | 'output' | 'requirements' | 'securityLevel' | 'requiresApproval'
>

export function compareDefinitions(
  previous: ToolContract,
  next: ToolContract,
  budget = createBudget(),
): SchemaChange[] {
  return withinCompareBudget(() => [
    ...compareSchemas('input', previous.input, next.input, budget),
    ...compareSchemas('output', previous.output, next.output, budget),
    ...requirementChanges(previous, next),
  ])
}

/** Compares definitions with all references expanded. */
export function compareExpanded(previous: ToolContract, next: ToolContract, budget = createBudget()): SchemaChange[] {
  return withinCompareBudget(() =>
    compareDefinitions(expandDefinition(previous, budget), expandDefinition(next, budget), budget),
  )
}

export function requiredBump(changes: readonly SchemaChange[]): BumpLevel {
  const levels = new Set(changes.map(({ level }) => level))
  return levels.has('major') ? 'major' : levels.has('minor') ? 'minor' : 'patch'
}

function withinCompareBudget(compare: () => SchemaChange[]): SchemaChange[] {
  const compared = withinBudget(compare, 'The schemas take too much work to compare')
  if (compared.ok) return compared.value
  return compared.problems.map(({ path, message }) => ({ path, what: message, level: 'major' }))
}

function expandDefinition(definition: ToolContract, budget: Budget): ToolContract {
  const { input, output } = definition
  const expandedInput = expandFully(input, budget)
  return {
    ...definition,
    input: isObject(expandedInput) ? expandedInput : input,
    output: output && expandFully(output, budget),
  }
}

/** Expands references, so that parts can be compared. If one cannot be expanded, the schema stays as it is. */
function expandFully(schema: JsonSchema, budget: Budget): JsonSchema {
  const { schema: expanded, cut } = expandSchema(schema, undefined, budget)
  return cut.length === 0 ? expanded : schema
}

/** Pointers to the schemas in what the publisher submitted. */
export interface SchemaPaths {
  readonly input: string
  readonly output: string
  readonly requirements?: string
  /** The tool's name in a document of several tools. */
  readonly name?: string
  /** Whether `input` is a list of parameters, which does not have the paths of a schema. */
  readonly isList?: boolean
}

/** Checks the next version by Semantic Versioning 2.0.0, below 1.0.0 by npm's rules. Skips a version that is not higher. */
export function checkSuccessor(
  previous: ToolContract,
  next: ToolContract,
  schemaPaths?: SchemaPaths,
): readonly Problem[] {
  const changes = compareDefinitions(previous, next).map((change) => {
    const [, field = '', pathInField = ''] = /^\/([^/]*)(.*)$/s.exec(change.path) ?? []
    const schemaPath =
      field === 'input' || field === 'output' || field === 'requirements' ? schemaPaths?.[field] : undefined
    if (schemaPath === undefined) return change
    const what = schemaPaths?.name === undefined ? change.what : `'${schemaPaths.name}': ${change.what}`
    return { ...change, what, path: field === 'input' && schemaPaths?.isList ? schemaPath : schemaPath + pathInField }
  })
  return refuseChanges(changes, previous.version, next.version)
}

type ToolSet = { readonly version: string; readonly tools: readonly string[] }

export function checkToolSetSuccessor(previous: ToolSet, next: ToolSet): readonly Problem[] {
  const removedTools = previous.tools.filter((tool) => !next.tools.includes(tool))
  const addedTools = next.tools.filter((tool) => !previous.tools.includes(tool))
  const changes: SchemaChange[] = [
    ...removedTools.map((tool) => ({ path: '', what: `'${tool}' is removed`, level: 'major' as const })),
    ...addedTools.map((tool) => ({ path: '', what: `'${tool}' is added`, level: 'minor' as const })),
  ]
  return refuseChanges(changes, previous.version, next.version)
}

function refuseChanges(changes: readonly SchemaChange[], previous: string, next: string): readonly Problem[] {
  if (compareVersions(next, previous) <= 0) return []
  const problems: Problem[] = []
  const [release = next] = next.split(/[-+]/)
  for (const { path, what, level } of changes) {
    const lowestAllowed = lowestVersion(previous, level)
    if (level === 'patch' || compareVersions(release, lowestAllowed) >= 0) continue
    const kind = level === 'major' ? 'a breaking change' : 'an addition'
    const message = `${what}: ${kind} needs version ${lowestAllowed} or higher, got ${next}`
    problems.push({ path, message: `${message} (publish with ?allow=breaking to override)` })
  }
  return problems
}

export function lowestVersion(previous: string, level: BumpLevel): string {
  const [major = 0, minor = 0, patch = 0] = (previous.split(/[-+]/)[0] ?? '').split('.').map(Number)
  if (level === 'major' && major > 0) return `${major + 1}.0.0`
  if (level === 'major' || (level === 'minor' && major > 0)) return `${major}.${minor + 1}.0`
  return `${major}.${minor}.${patch + 1}`
}

function* requirementChanges(previous: ToolContract, next: ToolContract): Generator<SchemaChange> {
  const [before, after] = [previous.requirements, next.requirements]
  for (const { id } of after.secrets) {
    if (before.secrets.some((secret) => secret.id === id)) continue
    yield { path: '/requirements/secrets', what: `Secret '${id}' is now required`, level: 'major' }
  }
  for (const { id, oauth2 } of after.authorization) {
    const path = '/requirements/authorization'
    const previousRequirement = before.authorization.find((authorization) => authorization.id === id)
    if (!previousRequirement) yield { path, what: `Authorization '${id}' is now required`, level: 'major' }
    for (const scope of previousRequirement ? (oauth2?.scopes ?? []) : []) {
      if (previousRequirement?.oauth2?.scopes.includes(scope)) continue
      yield { path, what: `Authorization '${id}' now asks for the scope '${scope}'`, level: 'minor' }
    }
  }
  if (after.user_id && !before.user_id)
    yield { path: '/requirements/user_id', what: 'A user id is now required', level: 'major' }
  for (const { id } of before.secrets) {
    if (after.secrets.some((secret) => secret.id === id)) continue
    yield { path: '/requirements/secrets', what: `Secret '${id}' is no longer required`, level: 'patch' }
  }
  const [levelBefore = 0, levelAfter = 0] = [previous, next].map(
    ({ securityLevel, requirements }) => securityLevel ?? deriveSecurityLevel(requirements),
  )
  const hadApproval = needsApproval({ ...previous, securityLevel: levelBefore })
  const hasApproval = needsApproval({ ...next, securityLevel: levelAfter })
  if (hadApproval ? !hasApproval : hasApproval && levelBefore >= levelAfter) {
    const what = `A person ${hasApproval ? 'must now approve' : 'no longer approves'} each call`
    yield { path: '/requiresApproval', what, level: 'major' }
  }
  if (levelBefore === levelAfter) return
  const what = `The security level is ${levelAfter > levelBefore ? 'raised' : 'lowered'} from ${levelBefore} to ${levelAfter}`
  yield { path: '/securityLevel', what, level: levelAfter > levelBefore ? 'major' : 'patch' }
}
