import { type Guard, extractGuard } from '../access/guard.ts'
import { createYielder, type Budget, type YieldControl } from '../tool/budget.ts'
import { shortDescription } from '../tool/definition-fields.ts'
import type { Problem } from '../tool/problem.ts'
import { NO_REQUIREMENTS, type Requirements, type ToolRecord } from '../tool/tool.ts'
import type { ToolName } from '../tool/tool-id.ts'
import type { ImportedFrom, ImportedTool, ImportItem, SkippedTool } from './import.ts'
import type { ImportState } from './prepare.ts'
import { type Publish, type PublishOptions } from './publish.ts'
import { toProblems } from './report.ts'
import type { ImportSubmission } from './submission.ts'

export interface ImportOptions
  extends PublishOptions, Pick<ImportSubmission, 'version' | 'sourceVersion' | 'toolkitDescription'> {
  readonly budget: Budget
  readonly yieldControl: YieldControl
  readonly guardsFor?: ((tool: ImportedTool) => readonly Guard[]) | undefined
  /** Why a tool would be called without a secret that it needs, and undefined if it would not. */
  readonly findMissingSecret?: (secret: string, tool: ToolName) => string | undefined
}

export interface ImportedToolReport {
  readonly id: string
  readonly name: string
  readonly state: ImportState
  readonly about: ImportedFrom
  readonly requirements: Requirements
  readonly missing: readonly { readonly id: string }[]
  readonly guard?: Guard
  readonly isPending?: true
  readonly warnings: readonly string[]
}

export type ImportResult = Awaited<ReturnType<typeof importTools>>

/** A batch is one message to the registry. It is small, since other requests wait for it: some tools take 5 ms each. */
const BATCH_TOOLS = 10
const SOURCE_TOO_LARGE = "The source takes too much work as a whole: import it in parts, chosen by 'tools'"

const MAX_PROBLEMS = 5

/** Tools are judged alone. Existing versions are never touched, nor tools that the source no longer has. */
export async function importTools(
  items: Iterable<ImportItem>,
  {
    version,
    sourceVersion,
    toolkitDescription,
    budget,
    yieldControl,
    guardsFor,
    findMissingSecret,
    ...options
  }: ImportOptions,
  publish: Publish,
) {
  const imported: ImportedToolReport[] = []
  const skipped: SkippedTool[] = []
  let denied = 0
  const about = shortDescription(toolkitDescription)
  for await (const batch of batches(items, budget, yieldControl)) {
    const tools = batch.flatMap((item) => ('tool' in item ? [item.tool] : []))
    const submissions = tools.map((imported) => {
      return { imported, version, sourceVersion, toolkitDescription: about, budget, guards: guardsFor?.(imported) }
    })
    const reports = (await publish(submissions, options)).values()
    for (const item of batch) {
      if ('skipped' in item) {
        skipped.push(budget.isExceeded ? { ...item.skipped, reason: SOURCE_TOO_LARGE } : item.skipped)
        continue
      }
      const { definition, about, warnings } = item.tool
      const { tool, name } = definition
      const report = reports.next().value
      if (report?.ok === false) {
        const { failure, ids } = report
        if (failure.type === 'forbidden') denied += 1
        skipped.push({
          name: ids.length === 0 ? tool : name,
          reason: budget.isExceeded ? SOURCE_TOO_LARGE : joinProblems(toProblems(failure)),
          about,
        })
      } else if (report?.imported?.record) {
        const { state, record } = report.imported
        const toolReport = reportTool(record, findMissingSecret)
        const reportWarnings = report.warnings.map(({ message }) => message)
        imported.push({
          ...toolReport,
          state,
          about,
          ...(report.pending ? { isPending: true } : {}),
          warnings: [...warnings, ...reportWarnings, ...toolReport.warnings],
        })
      } else throw new Error(`Nothing became of the imported tool '${tool}'`)
    }
  }
  return { imported, skipped, denied }
}

/** The warnings are those of secrets that the tool would be called without. */
function reportTool(record: ToolRecord, findMissingSecret: ImportOptions['findMissingSecret']) {
  const { id, name, requirements } = record
  const missingSecrets = requirements.secrets.flatMap((secret) => {
    const warning = findMissingSecret?.(secret.id, record)
    return warning === undefined ? [] : [{ id: secret.id, warning }]
  })
  // The guard has the whole level, also as far as it follows from what the tool requires
  const guard = extractGuard({ ...record, requirements: NO_REQUIREMENTS })
  return {
    id,
    name,
    requirements,
    missing: missingSecrets.map((secret) => ({ id: secret.id })),
    ...(guard ? { guard } : {}),
    warnings: missingSecrets.map(({ warning }) => warning),
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
