import type { Hono } from 'hono'
import { hasScope, isTrustedWith, NEEDS_CREDENTIAL, type Principal } from '../../../core/access/principal.ts'
import type { ToolSecrets } from '../../../core/access/tool-secrets.ts'
import { secretNotSet } from '../../../core/failure/failure-words.ts'
import { fail, ok } from '../../../core/failure/failure.ts'
import { authoriseToolkit, type Publish } from '../../../core/publish/publish.ts'
import type { ImportedTool, Importer, ImportRequest } from '../../../core/publish/import.ts'
import type { ImportOptions } from '../../../core/publish/import-tools.ts'
import type { RegistryWriter } from '../../../core/publish/registry.ts'
import type { GiveWay } from '../../../core/tool/budget.ts'
import { oneOf, optional } from '../../../core/tool/json-reader.ts'
import { MANY_PARTS } from '../../../core/tool/json-text.ts'
import { loadedBody } from '../../../http/request/json-body.ts'
import { query } from '../../../http/request/query.ts'
import { json, listOf, OBJECT, objectOf, TEXTS } from '../../../http/route/answers.ts'
import { createFace, type RouteDeps } from '../../../http/route/route.ts'
import type { ImportAnswers } from './wire.ts'

export interface ImportFaceDeps extends RouteDeps {
  readonly importers: readonly Importer[]
  readonly publish: Publish
  readonly toolSecrets: ToolSecrets
  readonly writer: Pick<RegistryWriter, 'rights'>
  readonly giveWay: GiveWay
}

export const importQuery = query({
  dry_run: optional(oneOf(['0', '1']), '0'),
  allow: optional(oneOf(['breaking'])),
})
const IMPORT_LIMIT = 16 * 1024 * 1024

export function importFace(deps: ImportFaceDeps): Hono {
  const { importers, publish, toolSecrets, writer, giveWay } = deps
  const { face, on } = createFace<ImportAnswers>(deps, 'open')
  const kinds = importers.map(({ kind }) => kind)
  const load = () => import('./wire.ts')

  on('POST /toolkits/import', 'Import a toolkit from an OpenAPI description or from another tool server', {
    scope: 'tools:publish',
    act: 'tools.import',
    query: importQuery,
    body: loadedBody(async () => (await load()).importReader(kinds), {
      limit: IMPORT_LIMIT,
      parts: MANY_PARTS,
      readsMore: true,
      what: 'definition',
    }),
    answers: {
      200: json(
        'Already imported; or what a dry run would publish',
        objectOf({
          'ids?': TEXTS,
          'unchanged?': TEXTS,
          'tools?': listOf(OBJECT),
          'skipped': listOf(OBJECT),
          'warnings?': listOf(OBJECT),
        }),
      ),
      201: json(
        'Imported',
        objectOf({
          'ids': TEXTS,
          'unchanged?': TEXTS,
          'pending?': TEXTS,
          'skipped': listOf(OBJECT),
          'warnings?': listOf(OBJECT),
        }),
      ),
    },
  })(async ({ c, principal, admission: asker, query: { dry_run, allow }, body, note, meter }) => {
    const [{ encodeDryRun, encodeImported, problemsOf }, { importTools }] = await Promise.all([
      load(),
      import('../../../core/publish/import-tools.ts'),
    ])
    const { kind, source, toolkit, version, wants, options, guardsOf } = body
    const dryRun = dry_run === '1'
    const host = typeof source === 'string' ? URL.parse(source.trim())?.host : undefined
    note({ toolkit, from: kind, ...(host ? { host } : {}), ...(dryRun ? { dry_run: true } : {}) })
    const { denied: reason, maySendSecrets } = await authoriseToolkit(principal, toolkit, writer)
    if (reason !== undefined) return fail({ type: 'forbidden', reason })
    if (!asker) return fail(NEEDS_CREDENTIAL)
    const importer = importers.find((each) => each.kind === kind)
    if (!importer) throw new Error(`No importer for '${kind}'`)
    const secret = secretsOf(principal, toolkit, maySendSecrets)
    const { signal } = c.req.raw
    const request = { source, toolkit, options, secret, meter, giveWay, signal, asker }
    const read = await importer.read({ ...request, wants: (tool) => wants(tool, meter) })
    if (!read.ok) return read
    const { items, version: sourceVersion, toolkitDescription } = read
    const guards = guardsOf && ((imported: ImportedTool) => guardsOf(imported, meter))
    const said = { version, sourceVersion, toolkitDescription, guardsOf: guards, lackOf: lackFor(principal) }
    const rules = { principal, dryRun, allowBreaking: allow !== undefined, budget: meter, giveWay }
    const imported = await importTools(items, { ...rules, ...said }, publish)
    if (dryRun) return ok(encodeDryRun(imported))
    const { made, skipped, denied } = imported
    note({ made: made.length, skipped: skipped.length })
    if (made.length === 0) {
      const [first] = skipped
      if (first && denied === skipped.length) return fail({ type: 'forbidden', reason: first.reason })
      return fail({ type: 'definition-invalid', problems: problemsOf(kind, imported) })
    }
    const isNews = made.some(({ state }) => state !== 'unchanged')
    return { ...ok(encodeImported(imported)), status: isNews ? 201 : 200 }
  })

  return face

  /** Only for those who may decide where all of a toolkit's secrets are sent. */
  function secretsOf(principal: Principal, toolkit: string, maySendSecrets: boolean): ImportRequest['secret'] {
    const whole = { toolkit, tool: '*' }
    const why = isTrustedWith(principal, whole)
      ? `what is published in the toolkit '${toolkit}' is reviewed: have an administrator import it`
      : `the credential must name the toolkit '${toolkit}'`
    return (id) =>
      maySendSecrets ? toolSecrets.secretFor(id, whole) : { missing: `To use the secret '${id}', ${why}` }
  }

  function lackFor(principal: Principal): NonNullable<ImportOptions['lackOf']> {
    return (id, tool) => {
      if ('value' in toolSecrets.secretFor(id, tool)) return undefined
      if (!hasScope(principal, 'admin')) return secretNotSet(id)
      // The same words for all tools of the toolkit, and so one warning
      return toolSecrets.howToGive(id, toolSecrets.isGranted(id, tool) ? tool : { toolkit: tool.toolkit, tool: '*' })
    }
  }
}
