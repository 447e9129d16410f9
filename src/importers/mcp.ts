import type { Importer, ImportItem, ImportRequest } from '../core/publish/import.ts'
import { isJsonObject, isObject, type Json, type JsonObject } from '../core/tool/json.ts'
import { isVersion } from '../core/tool/tool-id.ts'
import { mcp } from '../dialects/mcp/definition.ts'
import { withoutHeaders } from '../dialects/mcp/tool-schema.ts'
import type { McpDeps } from '../runners/remote/mcp/call.ts'
import { listMcpTools } from '../runners/remote/mcp/list.ts'
import { checked } from './openapi/document-text.ts'
import { toolNames } from './shared/tool-names.ts'
import { invalid, LISTING_MS, listingSignal, readUpstream, type Upstream } from './upstream.ts'

/** The longest name of another server's tool. */
const MAX_NAME = 256
/** Our own keys of `_meta`, which another Switchboard's tools carry too. */
const OWN_META = 'dev.switchboard/'

/**
 * Imports the tools of an MCP server of either era, as they are when it is asked: each becomes a tool whose calls go
 * there. A tool that is not valid is skipped with the reason, and takes no other along.
 */
export function createMcpImporter(deps: McpDeps): Importer {
  return {
    kind: 'mcp',
    async read(request) {
      const upstream = readUpstream(request, 'mcp')
      if (!upstream.ok) return upstream
      const signal = listingSignal(request.signal)
      const listed = await listMcpTools(upstream.value.endpoint, { signal, timeoutMs: LISTING_MS }, deps)
      if (!listed.ok) {
        const late = signal.aborted ? `Does not list its tools within ${LISTING_MS / 1000} seconds` : undefined
        return invalid({ path: '/from/mcp', message: late ?? listed.failure.message })
      }
      const { version } = listed
      const items = itemsOf(listed.tools, request, upstream.value)
      return { ok: true, items, ...(version !== undefined && isVersion(version) ? { version } : {}) }
    },
  }
}

function* itemsOf(tools: readonly unknown[], request: ImportRequest, upstream: Upstream): Generator<ImportItem> {
  const named = new Map<string, JsonObject>()
  for (const [index, tool] of tools.entries()) {
    const name: unknown = isObject(tool) ? tool['name'] : undefined
    if (!isJsonObject(tool) || typeof name !== 'string' || name === '' || name.length > MAX_NAME) {
      yield {
        skipped: { name: `tool ${index}`, reason: `Must be an object with a name of 1 to ${MAX_NAME} characters` },
      }
    } else if (named.has(name)) yield { skipped: { name, reason: 'The server lists it twice' } }
    else named.set(name, tool)
  }
  const theirs = [...named.keys()]
  const names = toolNames(theirs.map((name) => ({ operationId: name, method: '', path: name })))
  for (const [index, name] of theirs.entries()) {
    const own = names[index]
    const tool = named.get(name)
    if (own !== undefined && tool && request.wants(own)) yield itemOf(tool, name, own, request, upstream)
  }
}

function itemOf(
  document: JsonObject,
  theirs: string,
  own: string,
  request: ImportRequest,
  upstream: Upstream,
): ImportItem {
  const about = { tool: theirs }
  const fit = checked(document)
  if (!fit.ok) return { skipped: { name: theirs, reason: fit.problem, about } }
  const warnings: string[] = []
  const { inputSchema, icons, _meta, ...rest } = document
  const plain: JsonObject = {
    ...rest,
    name: own,
    inputSchema: isJsonObject(inputSchema) ? withoutHeaders(inputSchema) : inputSchema,
    ...(_meta === undefined ? {} : { _meta: withoutOwn(_meta) }),
  }
  const given = { toolkit: request.toolkit, version: '1.0.0' }
  let decoded = mcp.decode(icons === undefined ? plain : { ...plain, icons }, given)
  if (!decoded.ok && decoded.problems.every(({ path }) => path.startsWith('/icons'))) {
    warnings.push('Its icons are left out: they must be https or data URLs')
    decoded = mcp.decode(plain, given)
  }
  if (!decoded.ok) {
    const reason = decoded.problems.map(({ path, message }) => `${path}: ${message}`).join('; ')
    return { skipped: { name: theirs, reason, about } }
  }
  const [definition] = decoded.value.definitions
  if (!definition) return { skipped: { name: theirs, reason: 'Is no tool', about } }
  const { version: _, ...complete } = definition
  return {
    tool: {
      definition: { ...complete, requirements: upstream.requirements },
      implementation: { ...upstream.implementation, tool: theirs },
      document,
      dialect: mcp.dialect,
      about,
      warnings: [...warnings, ...decoded.value.warnings.map(({ path, message }) => `${path}: ${message}`)],
    },
  }
}

function withoutOwn(meta: Json): Json {
  if (!isJsonObject(meta)) return meta
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !key.startsWith(OWN_META)))
}
