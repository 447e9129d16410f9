import type { ResourceList } from '../../../../core/call/runner.ts'
import type { Catalog, LineFormat } from '../../../../core/catalog/catalog.ts'
import { MAX_PAGE_CHARACTERS } from '../../../../core/page/page.ts'
import type { ReadServer } from '../../../../core/page/read-page.ts'
import { isJsonArray, isJsonObject, isObject, jsonSize, type JsonObject } from '../../../../core/tool/json.ts'
import type { McpExchange } from '../../tools-call.ts'
import { restrictToToolset } from '../../toolset.ts'
import { readThroughTool, toReadError } from '../resource.ts'

export interface ServerResourcesDeps {
  readonly readServer: ReadServer
  readonly catalog: Pick<Catalog, 'list'>
}

const MAX_SERVERS = 20
/** Tools of a server that are tried, until one is found that the caller may call. */
const MAX_TRIED = 20

const SERVER_TOOLS: LineFormat = {
  name: 'server-tools',
  write: ({ toolkit, tool, implementation: { protocol, url } = { kind: '' } }) =>
    protocol === 'mcp' ? `${toolkit}/${tool} ${String(url)}` : '',
}

/**
 * Asks the imported MCP servers of the caller's first 1,000 tools for their current lists. Servers that do not respond are
 * skipped.
 */
export async function listServerResources(
  { readServer, catalog }: ServerResourcesDeps,
  list: ResourceList,
  exchange: McpExchange,
) {
  const { principal, toolset } = exchange.context
  const query = { versions: 'newest', callable: true, limit: 1_000 } as const
  const listing = await catalog.list(query, restrictToToolset(principal, toolset), SERVER_TOOLS)
  // A line without its tool identifies a server
  const servers = Map.groupBy(listing?.lines ?? [], (line) => line.replace(/\/\S+/, ''))
  const lists = [...servers.values()].slice(0, MAX_SERVERS).map(async (lines) => {
    for (const [path = ''] of lines.slice(0, MAX_TRIED).map((line) => line.split(' '))) {
      const listResult = await readThroughTool((...request) => readServer({ list }, ...request), path, exchange)
      if (listResult) return listResult.ok ? toOwnItems(listResult.value, list, path) : []
    }
    return []
  })
  return (await Promise.all(lists)).flat()
}

/** Reads `switchboard://Toolkit/tool/<the URI on the tool's server>`. */
export async function readServerResource({ readServer }: ServerResourcesDeps, address: string, exchange: McpExchange) {
  const [, path = '', uri = ''] = /^switchboard:\/\/([^/]+\/[^/]+)\/(?!ui:)(.+)$/s.exec(address) ?? []
  const read = await readThroughTool((...request) => readServer({ uri }, ...request), path, exchange)
  if (!read?.ok) return read && toReadError(read.failure)
  if (jsonSize(read.value, MAX_PAGE_CHARACTERS) <= MAX_PAGE_CHARACTERS) return toOwnItems(read.value, 'contents', path)
  return toReadError({ type: 'tool-failed', message: 'The resource is larger than 2 MB' })
}

/** Removes icons, which would load from elsewhere, and pages, which have separate addresses. */
function toOwnItems(result: unknown, field: 'contents' | ResourceList, path: string): readonly JsonObject[] {
  const address = field === 'resourceTemplates' ? 'uriTemplate' : 'uri'
  const items = isObject(result) && isJsonArray(result[field]) ? result[field].filter(isJsonObject) : []
  return items.flatMap((item): JsonObject[] => {
    const { [address]: uri, icons: _, ...fields } = item
    if (typeof uri !== 'string' || uri.startsWith('ui:')) return []
    return [{ [address]: `switchboard://${path}/${uri}`, ...fields }]
  })
}
