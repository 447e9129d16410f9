import type { JsonObject } from '../tool/json.ts'
import { findCoverDenial, isTrustedWith, type Principal } from '../access/principal.ts'
import type { ToolSecrets } from '../access/tool-secrets.ts'
import { createYielder, createBudget, type YieldControl } from '../tool/budget.ts'
import type { Problem } from '../tool/problem.ts'
import { formatToolId, type ToolName } from '../tool/tool-id.ts'
import type { Requirements, ToolRecord } from '../tool/tool.ts'
import { type ExportFormat, checkExports } from './export.ts'
import { checkLoading, findUnreachable } from './check-definition.ts'
import { type ImportState, type PreparedSubmission, prepareDefinitions, prepareDocument } from './prepare.ts'
import type { PrepareImportDeps } from './import-changes.ts'
import type { PublicationResult, PublisherRights, RegistryWriter, PublicationSuccess } from './registry.ts'
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

/** Every publication passes through: prepare → authorize → check → store → report. */
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
    const denial = findPublishDenial(principal, [{ ...definition, implementation }], deps.toolSecrets)
    if (denial !== undefined) return rejectPublication({ type: 'forbidden', reason: denial })
  }

  const result = await prepare(submission, deps, principal)
  if (!result.ok) return rejectPublication({ type: 'definition-invalid', problems: result.problems })
  const { publication, implementationPaths, state } = result.value
  const { records, schemaPaths } = publication
  const unreachable = findUnreachable(records, implementationPaths, deps.runners)
  const prepared = { ...result.value, warnings: [...result.value.warnings, ...unreachable] }
  const ids = records.map(({ id }) => id)

  const reason = findPublishDenial(principal, records, deps.toolSecrets)
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

export async function storePublications(
  submissions: readonly (PreparedSubmission | PublicationReport)[],
  writer: RegistryWriter,
  principal: Principal,
): Promise<readonly PublicationReport[]> {
  const publications = submissions.flatMap((submission) =>
    'publication' in submission ? [submission.publication] : [],
  )
  const stored = publications.length === 0 ? [] : await writer.publish(publications, principal)
  const results = stored.values()
  return submissions.map((submission) => {
    if (!('publication' in submission)) return submission
    const result = results.next().value
    if (!result) throw new Error('A publication came to nothing')
    return toReport(result, submission, submission.publication.records)
  })
}

async function prepare(submission: Submission, deps: PrepareImportDeps, principal: Principal) {
  if ('body' in submission) return prepareDocument(submission, deps, principal)
  if ('tools' in submission) return prepareDefinitions(submission, deps)
  // Loaded late, since most deployments import seldom
  return (await import('./import-changes.ts')).prepareImport(submission, deps)
}

/** Why a principal may not publish these tools. A publisher decides where secrets and users' tokens are sent. */
export function findPublishDenial(
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

export async function findToolkitPublishDenial(
  principal: Principal,
  toolkit: string,
  writer: Pick<RegistryWriter, 'rights'>,
): Promise<PublisherRights> {
  // A pattern that covers any tool of the toolkit covers one called '*'
  const anyTool = { toolkit, tool: '*' }
  const denial = findCoverDenial(principal, anyTool, 'tools:publish')?.reason
  return denial === undefined ? writer.rights(anyTool, principal) : { denied: denial, maySendSecrets: false }
}

type PublicationFailure =
  | { readonly type: 'definition-invalid'; readonly problems: readonly Problem[] }
  | { readonly type: 'forbidden'; readonly reason: string }
  | { readonly type: 'conflict'; readonly message: string }

export type PublicationReport =
  | (Omit<PublicationSuccess, 'warnings'> & {
      readonly ok: true
      readonly warnings: readonly Problem[]
      readonly uncallable?: readonly string[]
      readonly readAs?: string
      readonly imported?: { readonly state: ImportState; readonly record: ToolRecord | undefined }
    })
  | { readonly ok: false; readonly ids: readonly string[]; readonly failure: PublicationFailure }

export function rejectPublication(failure: PublicationFailure, ids: readonly string[] = []): PublicationReport {
  return { ok: false, ids, failure }
}

export function toReport(
  result: PublicationResult,
  { warnings, state, readAs }: Pick<PreparedSubmission, 'warnings' | 'state' | 'readAs'>,
  records: readonly ToolRecord[] = [],
): PublicationReport {
  const { ids } = result
  switch (result.outcome) {
    case 'created':
    case 'unchanged': {
      const { warnings: storeWarnings = [], ...fields } = result
      // An unchanged version may have got its implementation before
      const created = result.outcome === 'created' ? records : []
      const uncallable = created.filter(({ implementation }) => !implementation).map(({ id }) => id)
      return {
        ok: true,
        ...fields,
        warnings: [...warnings, ...storeWarnings.map((message) => ({ path: '', message }))],
        ...(uncallable.length > 0 ? { uncallable } : {}),
        ...(readAs === undefined ? {} : { readAs }),
        ...(state === undefined ? {} : { imported: { state, record: records[0] } }),
      }
    }
    case 'forbidden':
      return rejectPublication({ type: 'forbidden', reason: result.reason }, ids)
    case 'conflict':
      return rejectPublication({ type: 'conflict', message: result.message }, ids)
    case 'refused':
      return rejectPublication({ type: 'definition-invalid', problems: result.problems }, ids)
  }
}

export function toProblems(failure: PublicationFailure): readonly Problem[] {
  if (failure.type === 'definition-invalid') return failure.problems
  return [{ path: '', message: failure.type === 'conflict' ? failure.message : failure.reason }]
}

export function summarizeReports(reports: readonly PublicationReport[]): JsonObject {
  const stored = reports.flatMap((report) => (report.ok ? [report] : []))
  const publishedIds = stored.flatMap(({ outcome, ids }) => (outcome === 'created' ? ids : []))
  const pending = stored.flatMap((report) => report.pending ?? [])
  const unchangedCount = stored.filter(({ outcome }) => outcome === 'unchanged').length
  const refusedCount = reports.length - stored.length
  return {
    published: publishedIds,
    ...(pending.length > 0 ? { pending } : {}),
    ...(unchangedCount > 0 ? { unchanged: unchangedCount } : {}),
    ...(refusedCount > 0 ? { refused: refusedCount } : {}),
  }
}
