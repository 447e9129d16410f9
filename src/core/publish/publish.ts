import { findCoverDenial, isTrustedWith, type Principal } from '../access/principal.ts'
import type { ToolSecrets } from '../access/tool-secrets.ts'
import { type Budget, createYielder, createBudget, type YieldControl } from '../tool/budget.ts'
import type { ParseResult } from '../tool/problem.ts'
import { formatToolId, type ToolName } from '../tool/tool-id.ts'
import type { Requirements } from '../tool/tool.ts'
import { type ExportFormat, checkExports } from './export.ts'
import { checkLoading, findUnreachable } from './check-definition.ts'
import { type PrepareDeps, prepareDocument } from './prepare.ts'
import { prepareDefinitions } from './prepare-definitions.ts'
import type { PublicationFailure, PublicationResult, PublisherRights, RegistryWriter } from './registry.ts'
import { completeResult } from './report.ts'
import type { ImportSubmission, PreparedSubmission, Submission } from './submission.ts'

export interface PublishDeps extends PrepareDeps {
  readonly toolSecrets: Pick<ToolSecrets, 'isGranted'>
  readonly writer: RegistryWriter
  readonly formats: ReadonlyMap<string, ExportFormat>
  readonly yieldControl: YieldControl
}

export interface PublishOptions {
  readonly principal: Principal
  readonly allowBreaking: boolean
  readonly dryRun?: boolean
  /** For all submissions together. */
  readonly budget?: Budget
}

export type Publish = (
  submissions: readonly Submission[],
  options: PublishOptions,
) => Promise<readonly PublicationResult[]>

/** Work that a submission's budget does not count: digests, records, and an import's lookups for each tool. */
const SUBMISSION_UNITS = { document: 300, definitions: 300, import: 10_000 }

/**
 * Creates the function that every publication goes through. Each submission is prepared, authorized and checked
 * independently. A submission that will not be stored gets its result then. The writer stores all others.
 */
export function createPublish(deps: PublishDeps): Publish {
  return async (submissions, { budget = createBudget(Infinity), ...options }) => {
    const acceptedSubmissions: Accepted[] = []
    let otherUnits = 0
    const yieldIfDue = createYielder(() => budget.spent + otherUnits, deps.yieldControl)
    for (const submission of submissions) {
      await yieldIfDue()
      acceptedSubmissions.push(await acceptSubmission(submission, { budget, ...options }, deps))
      otherUnits += SUBMISSION_UNITS[submission.kind]
    }
    return storeAccepted(acceptedSubmissions, deps.writer, options.principal)
  }
}

/** A submission to store, or the result of one that is not stored. */
type Accepted =
  | { readonly kind: 'prepared'; readonly prepared: PreparedSubmission }
  | { readonly kind: 'ended'; readonly result: PublicationResult }

async function acceptSubmission(
  submission: Submission,
  { principal, dryRun, budget, ...options }: PublishOptions & { readonly budget: Budget },
  deps: PublishDeps,
): Promise<Accepted> {
  const { runners, formats, toolSecrets, yieldControl } = deps
  const importDenial = findImportDenial(principal, submission, toolSecrets)
  if (importDenial !== undefined) return refuse({ type: 'forbidden', reason: importDenial })

  const preparation = await prepare(submission, deps, budget, principal)
  if (!preparation.ok) return refuse({ type: 'definition-invalid', problems: preparation.problems })
  const { publication, implementations, state } = preparation.value
  const { records, schemaPaths } = publication
  const ids = records.map(({ id }) => id)
  const denial = findCredentialDenial(principal, records, toolSecrets)
  if (denial !== undefined) return refuse({ type: 'forbidden', reason: denial }, ids)

  const warnings = [...preparation.value.warnings, ...findUnreachable(implementations, runners)]
  const endAs = (outcome: 'created' | 'unchanged'): Accepted => {
    const result = { ok: true, outcome, ids, warnings: [] } as const
    return { kind: 'ended', result: completeResult(result, { ...preparation.value, warnings }) }
  }
  if (state === 'unchanged') return endAs('unchanged')
  const loadProblems = await checkLoading(implementations, runners)
  if (loadProblems.length > 0) return refuse({ type: 'definition-invalid', problems: loadProblems }, ids)

  const toPath = (index: number) => schemaPaths?.[index]?.input ?? ''
  warnings.push(...(await checkExports(records, formats.values(), toPath, yieldControl, budget)))
  if (dryRun) return endAs('created')
  const allowBreaking = options.allowBreaking || publication.allowBreaking
  const prepared = { ...preparation.value, warnings, publication: { ...publication, allowBreaking } }
  return { kind: 'prepared', prepared }
}

function refuse(failure: PublicationFailure, ids: readonly string[] = []): Accepted {
  return { kind: 'ended', result: { ok: false, ids, failure } }
}

/** Authorizes an import before preparation too, because that asks the registry about the tool and may rename it. */
function findImportDenial(principal: Principal, submission: Submission, toolSecrets: PublishDeps['toolSecrets']) {
  if (submission.kind !== 'import') return undefined
  const { definition, implementation } = submission.imported
  return findCredentialDenial(principal, [{ ...definition, implementation }], toolSecrets)
}

function prepare(
  submission: Submission,
  deps: PrepareDeps,
  budget: Budget,
  publisher: Principal,
): Promise<ParseResult<PreparedSubmission>> {
  switch (submission.kind) {
    case 'document':
      return prepareDocument(submission, deps, { budget, publisher })
    case 'definitions':
      return prepareDefinitions(submission, deps, budget)
    case 'import':
      return loadAndPrepareImport(submission, deps, budget)
  }
}

/** Loads the code only for an import, because most deployments rarely import. */
async function loadAndPrepareImport(submission: ImportSubmission, deps: PrepareDeps, budget: Budget) {
  const { prepareImport } = await import('./import-changes.ts')
  return prepareImport(submission, deps, budget)
}

async function storeAccepted(acceptedSubmissions: readonly Accepted[], writer: RegistryWriter, principal: Principal) {
  const publications = acceptedSubmissions.flatMap((entry) =>
    entry.kind === 'prepared' ? entry.prepared.publication : [],
  )
  const results = publications.length === 0 ? [] : [...(await writer.publish(publications, principal))]
  return acceptedSubmissions.map((entry) => {
    if (entry.kind === 'ended') return entry.result
    const result = results.shift()
    if (!result) throw new Error('A publication came to nothing')
    return completeResult(result, entry.prepared)
  })
}

/** Finds why a principal may not publish these tools. A publisher decides where secrets and users' tokens are sent. */
export function findCredentialDenial(
  principal: Principal,
  tools: readonly (ToolName & { readonly requirements: Requirements; readonly implementation?: object | undefined })[],
  toolSecrets: Pick<ToolSecrets, 'isGranted'>,
): string | undefined {
  for (const tool of tools) {
    const denial = findCoverDenial(principal, tool, 'tools:publish')
    if (denial) return denial.reason
    // A definition without an implementation sends no credentials anywhere
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

/** Returns the rights to a whole toolkit. */
export async function findPublisherRights(
  principal: Principal,
  toolkit: string,
  writer: Pick<RegistryWriter, 'rights'>,
): Promise<PublisherRights> {
  // A pattern that covers any tool of the toolkit covers one named '*'
  const anyTool = { toolkit, tool: '*' }
  const denial = findCoverDenial(principal, anyTool, 'tools:publish')?.reason
  return denial === undefined ? writer.rights(anyTool, principal) : { denied: denial, maySendSecrets: false }
}
