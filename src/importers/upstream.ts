import type { Credential } from '../core/call/invocation.ts'
import { checkReadCost, MAX_STORED_BYTES } from '../core/publish/check-definition.ts'
import type { Importer, ImportItem, ImportRequest } from '../core/publish/import.ts'
import { IMPORT_FIELDS, invalidSource } from '../core/publish/import.ts'
import { type Budget, createBudget, DEFAULT_UNITS } from '../core/tool/budget.ts'
import { namePart } from '../core/tool/definition-fields.ts'
import { isJsonObject, isJsonArray, isObject, type JsonObject, jsonSize } from '../core/tool/json.ts'
import {
  anyObject,
  anyJson,
  parseValue,
  transform,
  array,
  object,
  optional,
  type ReadContext,
} from '../core/tool/json-reader.ts'
import { type ParseResult, type Problem, formatProblems } from '../core/tool/problem.ts'
import type { ListedDialect, ListRequest, RemoteProtocol, ServerList } from '../core/tool/remote-dialect.ts'
import type { Implementation, Requirements } from '../core/tool/tool.ts'
import { isVersion } from '../core/tool/tool-id.ts'
import { credentialNeeds } from './shared/credential-needs.ts'
import { foreignJsonProblem } from './shared/foreign-json.ts'
import { toolNames } from './shared/tool-names.ts'

export type OpenUpstream = (implementation: Implementation, requirements: Requirements) => ParseResult<ListTools>

type ListTools = (
  secrets: ReadonlyMap<string, Credential>,
  request: ListRequest & Pick<ImportRequest, 'fetchCapability'>,
) => Promise<ParseResult<ServerList>>

const CREDENTIAL = transform(anyObject, ({ scopes, ...fields }) => {
  const credential: JsonObject = { in: 'header', name: 'Authorization', ...fields }
  const isBearer = credential.in === 'header' && String(credential.name).toLowerCase() === 'authorization'
  return {
    credentials: [isBearer ? { format: 'Bearer {value}', ...credential } : credential],
    scopes: isJsonArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
  }
})
const CREDENTIALS = array(CREDENTIAL)

const COMMON_OPTIONS = {
  credentials: (value: unknown, report: ReadContext) => CREDENTIALS([value ?? []].flat(), report),
  timeout_ms: anyJson,
}
const KNOWN_FIELDS = { otherFields: IMPORT_FIELDS }
const TOOLKIT_OPTIONS = object(
  { ...COMMON_OPTIONS, pass_user: anyJson, upstream_toolkit: optional(namePart) },
  KNOWN_FIELDS,
)
const NAME_OPTIONS: typeof TOOLKIT_OPTIONS = object(COMMON_OPTIONS, KNOWN_FIELDS)
const PROTOCOLS_WITHOUT_TOOLKITS: readonly RemoteProtocol[] = ['mcp', 'plugin']

const LIST_TIMEOUT_MS = 60_000

/** Imports a snapshot of a server's tools. A user's id is sent only if the server and the import both say so. */
export function createUpstreamImporter(dialect: ListedDialect, openUpstream: OpenUpstream): Importer {
  return {
    kind: dialect.protocol,
    async read(request) {
      const upstream = await readUpstream(request, dialect.protocol, openUpstream)
      if (!upstream.ok) return upstream
      const { version, description: toolkitDescription, skills } = upstream.value
      const items = upstreamItems(request, upstream.value, dialect)
      const knownVersion = version !== undefined && isVersion(version) ? { version } : {}
      return { ok: true, items, toolkitDescription, ...(skills ? { skills } : {}), ...knownVersion }
    },
  }
}

async function readUpstream(request: ImportRequest, protocol: RemoteProtocol, openUpstream: OpenUpstream) {
  const { source } = request
  const sourcePath = `/from/${protocol}`
  const atSource = ({ path, message }: Problem) => ({ path: path === '/url' ? sourcePath : path, message })
  if (typeof source !== 'string') return invalidSource({ path: sourcePath, message: "Must be the server's URL" })
  const options = parseValue(
    PROTOCOLS_WITHOUT_TOOLKITS.includes(protocol) ? NAME_OPTIONS : TOOLKIT_OPTIONS,
    request.options,
  )
  if (!options.ok) return invalidSource(...options.problems)
  const { credentials, timeout_ms, pass_user = false, upstream_toolkit: upstreamToolkit } = options.value
  const { secrets: required, authorization } = credentialNeeds(credentials)
  const requirements: Requirements = {
    secrets: required,
    authorization: authorization.map(({ id, oauth2 }) => (oauth2?.scopes.length ? { id, oauth2 } : { id })),
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
  const upstream = openUpstream(implementation, requirements)
  const problems = upstream.ok ? [] : upstream.problems.map(atSource)
  const secrets = new Map<string, Credential>()
  for (const { id } of requirements.secrets) {
    const secretResult = request.secret(id)
    if ('value' in secretResult) secrets.set(id, { value: secretResult.value, from: 'deployment' })
    else problems.push({ path: '/credentials', message: secretResult.missing })
  }
  if (!upstream.ok || problems.length > 0) return invalidSource(...problems)
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(LIST_TIMEOUT_MS)])
  const result = await upstream.value(secrets, {
    toolkit: upstreamToolkit,
    timeoutMs: LIST_TIMEOUT_MS,
    signal,
    budget: request.budget,
    wantsSkills: request.wantsSkills,
    fetchCapability: request.fetchCapability,
  })
  if (!result.ok) {
    const timeoutProblem = {
      path: sourcePath,
      message: `Does not list its tools within ${LIST_TIMEOUT_MS / 1000} seconds`,
    }
    return invalidSource(...(signal.aborted ? [timeoutProblem] : result.problems.map(atSource)))
  }
  const value = {
    ...result.value,
    implementation,
    requirements,
    passUser: pass_user === true,
    theirToolkit: upstreamToolkit,
  }
  return { ok: true as const, value }
}

type Upstream = Extract<Awaited<ReturnType<typeof readUpstream>>, { readonly ok: true }>['value']
type ListedTool = { readonly remoteName: string; readonly name: string; readonly document: JsonObject }

function* upstreamItems(request: ImportRequest, upstream: Upstream, dialect: ListedDialect): Generator<ImportItem> {
  const listedTools = new Map<string, ListedTool>()
  // The only one of the server's toolkits to import; undefined for all
  const onlyToolkit = upstream.theirToolkit?.toLowerCase()
  for (const [index, document] of upstream.tools.entries()) {
    const read = parseValue(dialect.nameReader, document)
    if (!read.ok) yield { skipped: { name: `tool ${index}`, reason: formatProblems(read.problems) } }
    if (!read.ok || !isJsonObject(document)) continue
    const { toolkit, tool, remoteName } = read.value
    // Servers that ignore the query parameter list other toolkits too
    if (onlyToolkit !== undefined && toolkit?.toLowerCase() !== onlyToolkit) continue
    const name = toolkit === undefined || onlyToolkit !== undefined ? tool : `${toolkit}_${tool}`
    const key = toolkit === undefined ? tool : `${toolkit}.${tool}`
    if (!listedTools.has(key)) listedTools.set(key, { remoteName, name, document })
    else
      yield {
        skipped: { name: remoteName, reason: `The server lists ${key === remoteName ? 'it' : `'${key}'`} twice` },
      }
  }
  const candidates = [...listedTools].map(([path, listedTool]) => ({
    ...listedTool,
    operationId: listedTool.name,
    method: '',
    path,
  }))
  for (const { tool, remoteName, document } of toolNames(candidates)) {
    if (!request.isSelected(tool)) continue
    const names = { remoteName, toolkit: request.toolkit, tool }
    yield toImportItem(document, names, upstream, dialect, createBudget(DEFAULT_UNITS, request.budget))
  }
}

function toImportItem(
  document: JsonObject,
  { remoteName, toolkit, tool }: { readonly remoteName: string; readonly toolkit: string; readonly tool: string },
  { implementation, requirements, passUser }: Upstream,
  { source: dialect, decode }: ListedDialect,
  budget: Budget,
): ImportItem {
  const about = { tool: remoteName }
  const skip = (reason: string): ImportItem => ({ skipped: { name: remoteName, reason, about } })
  // Checks the depth first, because the checks below recurse as deep
  const jsonProblem = foreignJsonProblem(document)
  if (jsonProblem !== undefined) return skip(jsonProblem)
  if (jsonSize(document, MAX_STORED_BYTES) > MAX_STORED_BYTES) return skip(`Is larger than ${MAX_STORED_BYTES} bytes`)
  const [costProblem] = checkReadCost(document, '', budget)
  if (costProblem) return skip(costProblem.message)
  const decodedTools = decode(document, tool, { budget })
  if (!decodedTools.ok) return skip(formatProblems(decodedTools.problems))
  const [definition] = decodedTools.value.definitions
  if (!definition) return skip('Is no tool')
  const { version: _, ...unversioned } = definition
  const { requirements: declaredRequirements } = document
  const user_id = passUser && isObject(declaredRequirements) && declaredRequirements['user_id'] === true
  return {
    tool: {
      definition: { ...unversioned, toolkit, tool, requirements: { ...requirements, user_id } },
      implementation: { ...implementation, tool: remoteName },
      document,
      dialect,
      about,
      warnings: decodedTools.value.warnings.map((warning) => formatProblems([warning])),
    },
  }
}
