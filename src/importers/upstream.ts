import type { Credential } from '../core/call/invocation.ts'
import { IMPORT_FIELDS, type Importer, type ImportRequest, invalidSource } from '../core/publish/import.ts'
import { namePart } from '../core/tool/definition-fields.ts'
import { isList, type JsonObject } from '../core/tool/json.ts'
import { anyObject, anything, check, into, list, object, optional, type Report } from '../core/tool/json-reader.ts'
import type { Checked, Problem } from '../core/tool/problem.ts'
import type { ListedDialect, ListRequest, RemoteProtocol, ServerList } from '../core/tool/remote-dialect.ts'
import type { Implementation, Requirements } from '../core/tool/tool.ts'
import { isVersion } from '../core/tool/tool-id.ts'
import { credentialNeeds } from './shared/credential-needs.ts'
import { upstreamItems } from './upstream-items.ts'

export type Upstreams = (implementation: Implementation, requirements: Requirements) => Checked<ListTools>

export type ListTools = (
  secrets: ReadonlyMap<string, Credential>,
  request: ListRequest & Pick<ImportRequest, 'asker'>,
) => Promise<Checked<ServerList>>

const CREDENTIAL = into(anyObject, ({ scopes, ...fields }) => {
  const credential: JsonObject = { in: 'header', name: 'Authorization', ...fields }
  const isBearer = credential.in === 'header' && String(credential.name).toLowerCase() === 'authorization'
  return {
    credentials: [isBearer ? { format: 'Bearer {value}', ...credential } : credential],
    scopes: isList(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
  }
})
const CREDENTIALS = list(CREDENTIAL)

const COMMON = {
  credentials: (value: unknown, report: Report) => CREDENTIALS([value ?? []].flat(), report),
  timeout_ms: anything,
}
const BESIDE = { beside: IMPORT_FIELDS }
const OF_TOOLKITS = object({ ...COMMON, pass_user: anything, upstream_toolkit: optional(namePart) }, BESIDE)
const OF_NAMES: typeof OF_TOOLKITS = object(COMMON, BESIDE)
const HAVE_NO_TOOLKITS: readonly RemoteProtocol[] = ['mcp', 'plugin']

const LISTING_MS = 60_000

/** Makes a snapshot of what a server lists. A user's id is sent where server and import say so. */
export function createUpstreamImporter(dialect: ListedDialect, upstreams: Upstreams): Importer {
  return {
    kind: dialect.protocol,
    async read(request) {
      const upstream = await readUpstream(request, dialect.protocol, upstreams)
      if (!upstream.ok) return upstream
      const { version, description: toolkitDescription } = upstream.value
      const items = upstreamItems(request, upstream.value, dialect)
      const said = version !== undefined && isVersion(version) ? { version } : {}
      return { ok: true, items, toolkitDescription, ...said }
    },
  }
}

async function readUpstream(request: ImportRequest, protocol: RemoteProtocol, upstreams: Upstreams) {
  const { source } = request
  const from = `/from/${protocol}`
  const atSource = ({ path, message }: Problem) => ({ path: path === '/url' ? from : path, message })
  if (typeof source !== 'string') return invalidSource({ path: from, message: "Must be the server's URL" })
  const options = check(HAVE_NO_TOOLKITS.includes(protocol) ? OF_NAMES : OF_TOOLKITS, request.options)
  if (!options.ok) return invalidSource(...options.problems)
  const { credentials, timeout_ms, pass_user = false, upstream_toolkit: theirToolkit } = options.value
  const { secrets: required, authorization } = credentialNeeds(credentials)
  const requirements: Requirements = {
    secrets: required,
    authorization: authorization.map(({ id, oauth2 }) => (oauth2.scopes.length === 0 ? { id } : { id, oauth2 })),
    user_id: false,
  }
  const implementation: Implementation = {
    kind: 'remote',
    protocol,
    url: source.trim(),
    credentials: credentials.flatMap((use) => use.credentials),
    ...(timeout_ms === undefined ? {} : { timeout_ms }),
    ...(pass_user === false ? {} : { pass_user }),
  }
  const upstream = upstreams(implementation, requirements)
  const problems = upstream.ok ? [] : upstream.problems.map(atSource)
  const secrets = new Map<string, Credential>()
  for (const { id } of requirements.secrets) {
    const found = request.secret(id)
    if ('value' in found) secrets.set(id, { value: found.value, from: 'deployment' })
    else problems.push({ path: '/credentials', message: found.missing })
  }
  if (!upstream.ok || problems.length > 0) return invalidSource(...problems)
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(LISTING_MS)])
  const listed = await upstream.value(secrets, {
    toolkit: theirToolkit,
    timeoutMs: LISTING_MS,
    signal,
    meter: request.meter,
    asker: request.asker,
  })
  if (!listed.ok) {
    const late = { path: from, message: `Does not list its tools within ${LISTING_MS / 1000} seconds` }
    return invalidSource(...(signal.aborted ? [late] : listed.problems.map(atSource)))
  }
  const value = { ...listed.value, implementation, requirements, passUser: pass_user === true, theirToolkit }
  return { ok: true as const, value }
}
