import { findCoverDenial, isTrustedWith, type Principal } from '../access/principal.ts'
import type { ToolSecrets } from '../access/tool-secrets.ts'
import { createYielder, createBudget, type YieldControl } from '../tool/budget.ts'
import { formatToolId, type ToolName } from '../tool/tool-id.ts'
import type { Requirements } from '../tool/tool.ts'
import { type ExportFormat, checkExports } from './export.ts'
import { checkLoading, findUnreachable } from './check-definition.ts'
import { type PreparedSubmission, prepareDefinitions, prepareDocument } from './prepare.ts'
import type { PrepareImportDeps } from './import-changes.ts'
import type { PublisherRights, RegistryWriter } from './registry.ts'
import { type PublicationReport, rejectPublication, toReport } from './report.ts'
import type { Submission } from './submission.ts'

export interface PublishDeps extends PrepareImportDeps {
  readonly toolSecrets: Pick<ToolSecrets, 'isGranted'>
  readonly writer: RegistryWriter
  readonly formats: ReadonlyMap<string, ExportFormat>
  readonly yieldControl: YieldControl
}

export interface PublishOptions {
  readonly principal: Principal
  readonly allowBreaking: boolean
  readonly dryRun?: boolean
}

export type Publish = (
  submissions: readonly Submission[],
  options: PublishOptions,
) => Promise<readonly PublicationReport[]>

/** Work that a submission costs beside what its budget counts: digests, records, and the look-ups that an import makes for each tool. */
const SUBMISSION_UNITS = { published: 300, imported: 10_000 }

/**
 * Creates the function that every publication goes through. Each submission is prepared (`prepare.ts`), authorized and
 * checked by itself; one that fails gets its report then. All others are stored together, and reported on.
 */
export function createPublish(deps: PublishDeps): Publish {
  return async (submissions, options) => {
    const accepted: (PreparedSubmission | PublicationReport)[] = []
    // An import has one budget for all of it
    const [first] = submissions
    const { budget = createBudget(Infinity) } = first ?? {}
    const units = SUBMISSION_UNITS[first && 'imported' in first ? 'imported' : 'published']
    const yieldIfDue = createYielder(() => budget.spent + units * accepted.length, deps.yieldControl)
    for (const submission of submissions) {
      await yieldIfDue()
      accepted.push(await acceptSubmission({ ...submission, budget }, options, deps))
    }
    return storePublications(accepted, deps.writer, options.principal)
  }
}

async function acceptSubmission(
  submission: Submission,
  options: PublishOptions,
  deps: PublishDeps,
): Promise<PreparedSubmission | PublicationReport> {
  const { principal, dryRun } = options
  // An import's next stage asks the registry about its tool
  if ('imported' in submission) {
    const { definition, implementation } = submission.imported
    const denial = findCredentialDenial(principal, [{ ...definition, implementation }], deps.toolSecrets)
    if (denial !== undefined) return rejectPublication({ type: 'forbidden', reason: denial })
  }

  const result = await prepare(submission, deps, principal)
  if (!result.ok) return rejectPublication({ type: 'definition-invalid', problems: result.problems })
  const { publication, implementationPaths, state } = result.value
  const { records, schemaPaths } = publication
  const unreachable = findUnreachable(records, implementationPaths, deps.runners)
  const prepared = { ...result.value, warnings: [...result.value.warnings, ...unreachable] }
  const ids = records.map(({ id }) => id)

  const reason = findCredentialDenial(principal, records, deps.toolSecrets)
  if (reason !== undefined) return toReport({ outcome: 'forbidden', ids, reason }, prepared)
  if (state === 'unchanged') return toReport({ outcome: 'unchanged', ids }, prepared, records)

  const loadProblems = await checkLoading(records, implementationPaths, deps.runners)
  if (loadProblems.length > 0) return rejectPublication({ type: 'definition-invalid', problems: loadProblems }, ids)

  const toPath = (index: number) => schemaPaths?.[index]?.input ?? ''
  const { formats, yieldControl } = deps
  const exportWarnings = await checkExports(records, formats.values(), toPath, yieldControl, submission.budget)
  const warnings = [...prepared.warnings, ...exportWarnings]
  if (dryRun) return toReport({ outcome: 'created', ids }, { ...prepared, warnings }, records)
  const allowBreaking = options.allowBreaking || publication.allowBreaking
  return { ...prepared, warnings, publication: { ...publication, allowBreaking } }
}

/** Stores what is prepared, in one request to the registry. Submissions that were reported on before keep their report. */
export async function storePublications(
  submissions: readonly (PreparedSubmission | PublicationReport)[],
  writer: RegistryWriter,
  principal: Principal,
): Promise<readonly PublicationReport[]> {
  const publications = submissions.filter(isPrepared).map(({ publication }) => publication)
  const stored = publications.length === 0 ? [] : await writer.publish(publications, principal)
  const results = stored.values()
  return submissions.map((submission) => {
    if (!isPrepared(submission)) return submission
    const result = results.next().value
    if (!result) throw new Error('A publication came to nothing')
    return toReport(result, submission, submission.publication.records)
  })
}

function isPrepared(submission: PreparedSubmission | PublicationReport): submission is PreparedSubmission {
  return 'publication' in submission
}

async function prepare(submission: Submission, deps: PrepareImportDeps, principal: Principal) {
  if ('body' in submission) return prepareDocument(submission, deps, principal)
  if ('tools' in submission) return prepareDefinitions(submission, deps)
  // Loaded late, since most deployments import seldom
  return (await import('./import-changes.ts')).prepareImport(submission, deps)
}

/** Why a principal may not publish these tools. A publisher decides where secrets and users' tokens are sent. */
export function findCredentialDenial(
  principal: Principal,
  tools: readonly (ToolName & { readonly requirements: Requirements; readonly implementation?: object | undefined })[],
  toolSecrets: Pick<ToolSecrets, 'isGranted'>,
): string | undefined {
  for (const tool of tools) {
    const denial = findCoverDenial(principal, tool, 'tools:publish')
    if (denial) return denial.reason
    // Credentials are sent nowhere by a definition that nothing runs
    if (isTrustedWith(principal, tool) || !tool.implementation) continue
    const { secrets, authorization } = tool.requirements
    const secret = secrets.find((candidate) => toolSecrets.isGranted(candidate.id, tool))
    const [provider] = authorization
    const reliance = secret
      ? `may have the secret '${secret.id}'`
      : provider && `is given users' tokens of '${provider.id}'`
    if (reliance === undefined) continue
    return `'${formatToolId(tool)}' ${reliance}: to publish it, the credential must name it or its toolkit, such as '${tool.toolkit}.*'`
  }
  return undefined
}

/** The rights to a whole toolkit. */
export async function findPublisherRights(
  principal: Principal,
  toolkit: string,
  writer: Pick<RegistryWriter, 'rights'>,
): Promise<PublisherRights> {
  // A pattern that covers any tool of the toolkit covers one called '*'
  const anyTool = { toolkit, tool: '*' }
  const denial = findCoverDenial(principal, anyTool, 'tools:publish')?.reason
  return denial === undefined ? writer.rights(anyTool, principal) : { denied: denial, maySendSecrets: false }
}
