import { findScopeDenial } from '../../../../core/access/principal.ts'
import type { ResourceList } from '../../../../core/call/runner.ts'
import type { JsonObject } from '../../../../core/tool/json.ts'
import { MEMORY_FULL } from '../../../../http/request/request-memory.ts'
import { toMcpFailure } from '../../failure-response.ts'
import type { McpExchange } from '../../tools-call.ts'
import { invalid, type McpResult } from '../../wire.ts'
import type { McpExtension } from '../extension.ts'
import { toCacheable } from '../resource.ts'

const MAX_URI_CHARACTERS = 2_048

/** Returns one page: each extension limits its list, and current clients read only the first page. */
export async function listResources(
  extensions: readonly McpExtension[],
  list: ResourceList,
  exchange: McpExchange,
): Promise<McpResult> {
  const { revision, context } = exchange
  const denied = findScopeDenial(context.principal, 'tools:read')
  if (denied) return toMcpFailure(denied, revision)
  const lists = await Promise.all(extensions.map(({ resources }) => resources?.list?.(list, exchange) ?? []))
  const items = JSON.stringify(lists.flat())
  if (!(await context.memory.growAnswer(items.length))) return toMcpFailure(MEMORY_FULL.failure, revision)
  return { kind: 'tool-list', json: revision.formatToolList(`"${list}":${items}`) }
}

/** A hidden resource gets the same response as a missing one. */
export async function readResource(
  extensions: readonly McpExtension[],
  { uri }: JsonObject,
  exchange: McpExchange,
): Promise<McpResult> {
  if (typeof uri !== 'string' || uri.length > MAX_URI_CHARACTERS)
    return invalid(`'uri' must be a string of at most ${MAX_URI_CHARACTERS} characters`)
  const source = extensions.find(({ resources }) => resources && uri.startsWith(resources.scheme))?.resources
  const contents = await source?.read(uri, exchange)
  if (contents && 'kind' in contents) return contents
  if (contents) return toCacheable({ contents }, exchange)
  const code = exchange.revision.resourceNotFound
  return { kind: 'error', code, message: `There is no resource '${uri}'`, data: { uri }, status: 200 }
}
