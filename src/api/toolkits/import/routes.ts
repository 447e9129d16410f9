import { type Context, Hono } from 'hono'
import { isTrustedWith, type Principal } from '../../../core/access/principal.ts'
import type { ToolSecrets } from '../../../core/access/tool-secrets.ts'
import { type Failing, fail } from '../../../core/failure/failure.ts'
import { authoriseToolkit } from '../../../core/publish/authorise.ts'
import type { Importer, ImportRequest } from '../../../core/publish/import.ts'
import type { Publish } from '../../../core/publish/publish.ts'
import type { RegistryWriter } from '../../../core/publish/registry.ts'
import { readJson } from '../../../http/request/body.ts'
import { jsonText } from '../../../http/answer/json-response.ts'
import type { ReadOf } from '../../../http/request/query.ts'
import { createRoute, type Note, type RouteDeps } from '../../../http/route/route.ts'
import { importBody } from './body.ts'
import { importQuery } from './query.ts'

export interface ImportFaceDeps extends RouteDeps {
  readonly importers: readonly Importer[]
  readonly publish: Publish
  readonly toolSecrets: ToolSecrets
  readonly writer: Pick<RegistryWriter, 'denial'>
  /** Lets other requests have the thread. */
  readonly giveWay: () => Promise<void>
}

/** The largest body, in bytes: a whole description fits into it. */
const IMPORT_LIMIT = 16 * 1024 * 1024

/**
 * `POST /toolkits/import`: makes a toolkit of a description or of another server. `?dry_run=1` says what would be made, and
 * `?allow=breaking` lets a given version break what semantic versioning promises.
 */
export function importFace(deps: ImportFaceDeps): Hono {
  const { importers, publish, toolSecrets, writer, giveWay } = deps
  const route = createRoute(deps)
  const kinds = importers.map(({ kind }) => kind)
  return new Hono().post(
    '/toolkits/import',
    route({ scope: 'tools:publish', act: 'tools.import', query: importQuery, body: importBody(kinds) }, importToolkit),
  )

  async function importToolkit(
    c: Context,
    principal: Principal,
    note: Note,
    { dry_run, allow }: ReadOf<typeof importQuery>,
  ): Promise<Response | Failing> {
    const body = await readJson(c.req.raw, IMPORT_LIMIT)
    if (!body.ok) return body
    // Loaded with the first import
    const [{ decodeImport, encodeDryRun, encodeImported, problemsOf }, { importBudget, importTools }] =
      await Promise.all([import('./wire.ts'), import('../../../core/publish/import-tools.ts')])
    const asked = decodeImport(body.value, kinds)
    if (!asked.ok) return fail({ type: 'definition-invalid', problems: asked.problems })
    const { kind, source, toolkit, version, wants, options, guardsOf } = asked.value
    note({ toolkit, from: kind, ...(dry_run === '1' ? { dry_run: true } : {}) })
    const reason = await authoriseToolkit(principal, toolkit, writer)
    if (reason !== undefined) return fail({ type: 'forbidden', reason })
    const importer = importers.find((each) => each.kind === kind)
    if (!importer) throw new Error(`No importer for '${kind}'`)
    const secret = secretsOf(principal, toolkit)
    const budget = importBudget()
    const read = await importer.read({ source, toolkit, wants, options, secret, budget, signal: c.req.raw.signal })
    if (!read.ok) return read
    const dryRun = dry_run === '1'
    const imported = await importTools(
      read.items,
      {
        principal,
        version,
        sourceVersion: read.version,
        dryRun,
        allowBreaking: allow !== undefined,
        budget,
        giveWay,
        guardsOf,
      },
      publish,
    )
    if (dryRun) return jsonText(JSON.stringify(encodeDryRun(imported)))
    const { made, skipped, denied } = imported
    note({ made: made.length, skipped: skipped.length })
    if (made.length === 0) {
      const [first] = skipped
      if (first && denied === skipped.length) return fail({ type: 'forbidden', reason: first.reason })
      return fail({ type: 'definition-invalid', problems: problemsOf(kind, imported) })
    }
    const isNews = made.some(({ state }) => state !== 'unchanged')
    return jsonText(JSON.stringify(encodeImported(imported)), isNews ? 201 : 200)
  }

  /** The secrets that every tool of a toolkit may have, for whoever may decide where those are sent. */
  function secretsOf(principal: Principal, toolkit: string): ImportRequest['secret'] {
    const whole = { toolkit, tool: '*' }
    return (id) =>
      isTrustedWith(principal, whole)
        ? toolSecrets.secretFor(id, whole)
        : { missing: `To use the secret '${id}', the credential must name the toolkit '${toolkit}'` }
  }
}
