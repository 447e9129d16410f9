import { type Budget, createBudget, DEFAULT_UNITS } from '../tool/budget.ts'
import { createToolRecord } from '../tool/digest.ts'
import type { ParseResult, Problem } from '../tool/problem.ts'
import { assignNames } from './assign-names.ts'
import { checkCombinedSize, checkImplementation, checkReadCost } from './check-definition.ts'
import { checkSchemas, checkStorable, checkToolId } from './check-definition.ts'
import type { PrepareDeps } from './prepare.ts'
import type { DefinitionSubmission, PreparedSubmission } from './submission.ts'

/** Bytes of a whole definition: as many as its document may have, and as many again for the fields outside it. */
const MAX_COMPLETE_BYTES = 512 * 1024

/** Checks and names definitions from importers and plugins, and creates their records. */
export async function prepareDefinitions(
  { tools, warnings, isGuarded }: DefinitionSubmission,
  { runners, sha256, source }: PrepareDeps,
  parentBudget?: Budget,
): Promise<ParseResult<PreparedSubmission>> {
  const budget = createBudget(DEFAULT_UNITS, parentBudget)
  const definitions = tools.map(({ definition }) => definition)
  const sizeProblems = checkCombinedSize(definitions)
  if (sizeProblems.length > 0) return { ok: false, problems: sizeProblems }
  const problems = tools.flatMap((tool) => checkTool(tool, runners, budget))
  if (problems.length > 0) return { ok: false, problems }
  const assignment = await assignNames(definitions, source)
  const records = await Promise.all(
    tools.map((tool, index) =>
      createToolRecord({ ...tool, definition: assignment.definitions[index] ?? tool.definition }, sha256),
    ),
  )
  const specified = { implementation: true, tags: false, ...(isGuarded ? { guard: true } : {}) }
  const schemaPaths = tools.map(({ schemaPaths }) => schemaPaths)
  return {
    ok: true,
    value: {
      publication: { records, schemaPaths, specified, allowBreaking: false },
      implementations: new Map(tools.map(({ implementation }) => [implementation, '/implementation'])),
      warnings: [...warnings, ...assignment.warnings],
    },
  }
}

function checkTool(
  { definition, implementation, document, schemaPaths }: DefinitionSubmission['tools'][number],
  runners: PrepareDeps['runners'],
  budget: Budget,
): readonly Problem[] {
  const partProblems = [
    ...checkToolId(definition),
    ...checkStorable(implementation, 'an implementation', '/implementation'),
  ]
  const contentProblems = [
    ...checkStorable(document, 'a definition', '/definition'),
    ...checkReadCost(definition, '/definition', budget),
  ]
  if (contentProblems.length > 0) return [...partProblems, ...contentProblems]
  const { input, output } = definition
  const schemas = [
    { path: schemaPaths.input, schema: input },
    ...(output === null ? [] : [{ path: schemaPaths.output, schema: output }]),
  ]
  return [
    ...partProblems,
    ...checkStorable(definition, 'a complete definition', '', MAX_COMPLETE_BYTES),
    ...checkSchemas(schemas, 'local', budget),
    ...checkImplementation(implementation, definition, runners),
  ]
}
