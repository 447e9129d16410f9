import type { Hono } from 'hono'
import { hasScope, isTrustedWith, NEEDS_CREDENTIAL, type Principal } from '../../../core/access/principal.ts'
import type { ToolSecrets } from '../../../core/access/tool-secrets.ts'
import type { Catalog } from '../../../core/catalog/catalog.ts'
import { formatSecretNotSet } from '../../../core/failure/failure-text.ts'
import { fail, ok } from '../../../core/failure/failure.ts'
import { findPublisherRights, type Publish } from '../../../core/publish/publish.ts'
import type { ImportedTool, Importer, ImportRequest } from '../../../core/publish/import.ts'
import type { ImportOptions } from '../../../core/publish/import-tools.ts'
import type { RegistryWriter } from '../../../core/publish/registry.ts'
import { type FindingStore, MAX_KNOWN_TOOLS, MAX_SOURCE_TOOLS } from '../../../core/publish/findings/finding.ts'
import { shortDescription } from '../../../core/tool/definition-fields.ts'
import { createBudget, SOURCE_UNITS, type YieldControl } from '../../../core/tool/budget.ts'
import { enumReader, optional } from '../../../core/tool/json-reader.ts'
import { MAX_SOURCE_NODES } from '../../../core/tool/json-text.ts'
import { parseToolId } from '../../../core/tool/tool-id.ts'
import { lazyBody } from '../../../http/request/json-body.ts'
import { defineQuery } from '../../../http/request/query.ts'
import { json, arraySchema, OBJECT, objectSchema, TEXTS } from '../../../http/route/response-specs.ts'
import { createRouter, type RouteDeps } from '../../../http/route/router.ts'
import type { ImportProvidersDeps } from './providers.ts'
import { importSkills, type ImportSkillsDeps } from './skills.ts'
import type { ImportAnswers } from './wire.ts'

interface ImportRoutesDeps extends RouteDeps, ImportProvidersDeps, ImportSkillsDeps {
  readonly importers: readonly Importer[]
  readonly publish: Publish
  readonly catalog: Pick<Catalog, 'list'>
  readonly toolSecrets: ToolSecrets
  readonly writer: Pick<RegistryWriter, 'rights'>
  readonly findings: Pick<FindingStore, 'remember' | 'forget'>
  readonly yieldControl: YieldControl
}

export const importQuery = defineQuery({
  dry_run: optional(enumReader(['0', '1']), '0'),
  allow: optional(enumReader(['breaking'])),
})
const REPORT = {
  'unchanged?': TEXTS,
  'missing_requirements?': OBJECT,
  'skipped': arraySchema(OBJECT),
  'warnings?': arraySchema(OBJECT),
  'providers?': arraySchema(OBJECT),
  'skills?': arraySchema(OBJECT),
}
const IMPORT_LIMIT = 16 * 1024 * 1024

export function createImportRoutes(deps: ImportRoutesDeps): Hono {
  const { importers, publish, catalog, toolSecrets, writer, findings, yieldControl } = deps
  const { router, on } = createRouter<ImportAnswers>(deps, { access: 'public' })
  const kinds = importers.map(({ kind }) => kind)
  const load = () => import('./wire.ts')

  on('POST /toolkits/import', 'Import a toolkit from an OpenAPI description or from another tool server', {
    scope: 'tools:publish',
    auditAction: 'tools.import',
    query: importQuery,
    body: lazyBody(async () => (await load()).importReader(kinds), {
      limit: IMPORT_LIMIT,
      parts: MAX_SOURCE_NODES,
      fetchesSource: true,
      what: 'import',
    }),
    responses: {
      200: json(
        'Already imported; or what a dry run would publish',
        objectSchema({ 'ids?': TEXTS, 'tools?': arraySchema(OBJECT), 'gone?': TEXTS, ...REPORT }),
      ),
      201: json('Imported', objectSchema({ 'ids': TEXTS, 'pending?': TEXTS, ...REPORT })),
    },
  })(async ({ c, principal, fetchCapability, query: { dry_run, allow }, body, addAuditDetails }) => {
    const [{ encodeDryRun, encodeImported, listProblems }, { importTools }] = await Promise.all([
      load(),
      import('../../../core/publish/import-tools.ts'),
    ])
    const { kind, source, toolkit, version, isSelected, options, guardsFor } = body
    const dryRun = dry_run === '1'
    const sourceHost = typeof source === 'string' ? URL.parse(source.trim())?.host : undefined
    addAuditDetails({
      toolkit,
      from: kind,
      ...(sourceHost ? { host: sourceHost } : {}),
      ...(dryRun ? { dry_run: true } : {}),
    })
    const { denied: reason, maySendSecrets } = await findPublisherRights(principal, toolkit, writer)
    if (reason !== undefined) return fail({ type: 'forbidden', reason })
    if (!fetchCapability) return fail(NEEDS_CREDENTIAL)
    const importer = importers.find((candidate) => candidate.kind === kind)
    if (!importer) throw new Error(`No importer for '${kind}'`)
    const secret = createSecretLookup(principal, toolkit, maySendSecrets)
    const { signal } = c.req.raw
    const budget = createBudget(SOURCE_UNITS)
    const request = { source, toolkit, options, secret, budget, yieldControl, signal, fetchCapability }
    const [knownTools, tools] = [new Set<string>(), new Set<string>()]
    const mayImport = (tool: string) => {
      knownTools.add(tool)
      const isChosen = isSelected(tool, budget)
      if (isChosen) tools.add(tool)
      return isChosen
    }
    const importedSource = await importer.read({ ...request, isSelected: mayImport, wantsSkills: !dryRun })
    if (!importedSource.ok) return importedSource
    const { items, version: sourceVersion, toolkitDescription } = importedSource
    const guards = guardsFor && ((tool: ImportedTool) => guardsFor(tool, budget))
    const importOptions = {
      version,
      sourceVersion,
      toolkitDescription,
      guardsFor: guards,
      findMissingSecret: createMissingSecretCheck(principal),
    }
    const publishOptions = { principal, dryRun, allowBreaking: allow !== undefined, budget, yieldControl }
    const { createImportProviders } = await import('./providers.ts')
    const importProviders =
      options.credentials === 'per-user' ? await createImportProviders(deps, principal) : undefined
    const result = await importTools(
      importProviders?.check(items) ?? items,
      { ...publishOptions, ...importOptions },
      publish,
    )
    const providers = importProviders?.report(result)
    if (dryRun) {
      const { findGoneTools } = await import('./gone-tools.ts')
      const gone = await findGoneTools(result, { toolkit, isSelected: mayImport }, catalog, principal)
      return ok({ ...encodeDryRun(result, gone), ...(providers ? { providers } : {}) })
    }
    const { imported: importedTools, skipped, denied } = result
    addAuditDetails({ made: importedTools.length, skipped: skipped.length })
    if (importedTools.length === 0) {
      const [firstSkipped] = skipped
      if (firstSkipped && denied === skipped.length) return fail({ type: 'forbidden', reason: firstSkipped.reason })
      return fail({ type: 'definition-invalid', what: 'import', problems: listProblems(kind, result) })
    }
    // The stored name may differ, because new names have no `-`
    const storedToolkit = parseToolId(importedTools[0]?.id ?? '')?.toolkit ?? toolkit
    // A source that was sent as a document cannot be fetched again
    if (!sourceHost || typeof source !== 'string') await findings.forget(storedToolkit)
    else
      await findings.remember({
        toolkit: storedToolkit,
        kind,
        url: source.trim(),
        options,
        tools: [...tools].slice(0, MAX_SOURCE_TOOLS),
        known: [...knownTools].slice(0, MAX_KNOWN_TOOLS),
        description: shortDescription(toolkitDescription),
        importer: principal.id,
        isTrusted: isTrustedWith(principal, { toolkit, tool: '*' }),
        maySendSecrets,
      })
    const addedProviders = (await importProviders?.add(providers ?? [])) ?? []
    if (addedProviders.length > 0) addAuditDetails({ providers: addedProviders })
    const skills = await importSkills(importedSource.skills, storedToolkit, principal, deps)
    if (skills.added.length > 0) addAuditDetails({ skills: skills.added })
    const hasChanges =
      addedProviders.length + skills.added.length > 0 || importedTools.some(({ state }) => state !== 'unchanged')
    const others = {
      ...(providers ? { providers } : {}),
      ...(skills.reports.length > 0 ? { skills: skills.reports } : {}),
    }
    const answer = { ...encodeImported(result), ...others }
    return { ...ok(answer), status: hasChanges ? 201 : 200 }
  })

  return router

  /** Returns secrets only to callers who may decide where all of a toolkit's secrets are sent. */
  function createSecretLookup(principal: Principal, toolkit: string, maySendSecrets: boolean): ImportRequest['secret'] {
    const anyTool = { toolkit, tool: '*' }
    const condition = isTrustedWith(principal, anyTool)
      ? `what is published in the toolkit '${toolkit}' is reviewed: have an administrator import it`
      : `the credential must name the toolkit '${toolkit}'`
    return (id) =>
      maySendSecrets ? toolSecrets.secretFor(id, anyTool) : { missing: `To use the secret '${id}', ${condition}` }
  }

  function createMissingSecretCheck(principal: Principal): NonNullable<ImportOptions['findMissingSecret']> {
    return (id, tool) => {
      if ('value' in toolSecrets.secretFor(id, tool)) return undefined
      if (!hasScope(principal, 'admin')) return formatSecretNotSet(id)
      // The same text for all tools of the toolkit, which makes it one warning
      return toolSecrets.formatGrantAdvice(
        id,
        toolSecrets.isGranted(id, tool) ? tool : { toolkit: tool.toolkit, tool: '*' },
      )
    }
  }
}
