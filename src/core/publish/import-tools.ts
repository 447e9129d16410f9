import { type Guard, extractGuard } from '../access/guard.ts'
import { createYielder, type Budget, type YieldControl } from '../tool/budget.ts'
import { shortDescription } from '../tool/definition-fields.ts'
import type { Problem } from '../tool/problem.ts'
import { NO_REQUIREMENTS } from '../tool/tool.ts'
import type { ToolName } from '../tool/tool-id.ts'
import { getImportOrigin, type ImportedTool, type ImportItem, type SkippedTool } from './import.ts'
import { type Publish, type PublishOptions } from './publish.ts'
import type { PublicationRefusal, PublicationSuccess } from './registry.ts'
import { toProblems } from './report.ts'
import type { ImportSubmission } from './submission.ts'

export interface ImportOptions
  extends PublishOptions, Pick<ImportSubmission, 'version' | 'sourceVersion' | 'toolkitDescription' | 'isComparison'> {
  readonly budget: Budget
  readonly yieldControl: YieldControl
  readonly guardsFor?: ((tool: ImportedTool) => readonly Guard[]) | undefined
  /** Returns why a tool would be called without a secret that it needs, or undefined if it would not be. */
  readonly findMissingSecret?: (secret: string, tool: ToolName) => string | undefined
}

export type ImportedToolReport = ReturnType<typeof reportTool>
export type ImportResult = Awaited<ReturnType<typeof importTools>>

/** A batch is one message to the registry. It is small, because other requests wait for it: some tools take 5 ms. */
const BATCH_TOOLS = 10
const SOURCE_TOO_LARGE = "The source takes too much work as a whole: import it in parts, chosen by 'tools'"

const MAX_PROBLEMS = 5

/** Imports each tool independently. Never changes existing versions, or tools that the source no longer has. */
export async function importTools(
  items: Iterable<ImportItem>,
  {
    version,
    sourceVersion,
    toolkitDescription,
    isComparison,
    yieldControl,
    guardsFor,
    findMissingSecret,
    ...options
  }: ImportOptions,
  publish: Publish,
) {
  const { budget } = options
  const importedTools: ImportedToolReport[] = []
  const skipped: SkippedTool[] = []
  const skip = (tool: SkippedTool) => skipped.push(budget.isExceeded ? { ...tool, reason: SOURCE_TOO_LARGE } : tool)
  let denied = 0
  const sourceKeys = new Set<string>()
  const origins = new Set<string>()
  const sourceFields = {
    version,
    sourceVersion,
    toolkitDescription: shortDescription(toolkitDescription),
    isComparison,
  }
  for await (const batch of batches(items, budget, yieldControl)) {
    const tools = batch.flatMap((item) => ('tool' in item ? [item.tool] : []))
    const submissions = tools.map((imported) => {
      return { kind: 'import', imported, ...sourceFields, guards: guardsFor?.(imported) } as const
    })
    const results = (await publish(submissions, options)).values()
    for (const item of batch) {
      sourceKeys.add(toSourceKey('skipped' in item ? item.skipped.name : item.tool.definition.tool))
      if ('skipped' in item) {
        skip(item.skipped)
        continue
      }
      origins.add(getImportOrigin(item.tool.dialect, item.tool.implementation))
      const result = results.next().value
      if (!result) throw new Error(`Nothing became of the imported tool '${item.tool.definition.tool}'`)
      if (result.ok) importedTools.push(reportTool(item.tool, result, findMissingSecret))
      else {
        if (result.failure.type === 'forbidden') denied += 1
        skip(toSkippedTool(item.tool, result))
      }
    }
  }
  return { imported: importedTools, skipped, denied, sourceKeys, origins }
}

/** Returns the same key for a tool's name in the source and its name here. */
export function toSourceKey(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
}

function toSkippedTool({ definition, about }: ImportedTool, { failure }: PublicationRefusal): SkippedTool {
  return { name: definition.tool, reason: joinProblems(toProblems(failure)), about }
}

function reportTool(
  tool: ImportedTool,
  { imported, pending, warnings }: PublicationSuccess,
  findMissingSecret: ImportOptions['findMissingSecret'],
) {
  if (!imported) throw new Error(`No record of the imported tool '${tool.definition.tool}'`)
  const { state, breaking, changes, record } = imported
  const { id, name, requirements } = record
  const missingSecrets = requirements.secrets.flatMap((secret) => {
    const warning = findMissingSecret?.(secret.id, record)
    return warning === undefined ? [] : [{ id: secret.id, warning }]
  })
  // The guard has the full level, even if that follows from the requirements
  const guard = extractGuard({ ...record, requirements: NO_REQUIREMENTS })
  return {
    id,
    name,
    requirements,
    missing: missingSecrets.map((secret) => ({ id: secret.id })),
    ...(guard ? { guard } : {}),
    state,
    ...(breaking ? { breaking } : {}),
    ...(changes ? { changes } : {}),
    tags: tool.definition.tags,
    about: tool.about,
    ...(pending ? { isPending: true } : {}),
    warnings: [
      ...tool.warnings,
      ...warnings.map(({ message }) => message),
      ...missingSecrets.map(({ warning }) => warning),
    ],
  }
}

async function* batches(items: Iterable<ImportItem>, budget: Budget, yieldControl: YieldControl) {
  let batch: ImportItem[] = []
  const yieldIfDue = createYielder(() => budget.spent, yieldControl)
  for (const item of items) {
    batch.push(item)
    await yieldIfDue()
    if (batch.length < BATCH_TOOLS) continue
    yield batch
    batch = []
    await yieldControl()
  }
  yield batch
}

function joinProblems(problems: readonly Problem[]): string {
  return problems
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => (path === '' ? message : `At '${path}': ${message}`))
    .join('; ')
}
