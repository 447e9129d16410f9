import type { SkippedTool } from '../../core/publish/import.ts'
import { isObject, getJsonType } from '../../core/tool/json.ts'
import { trimEnd } from '../../core/tool/trim.ts'
import { toolNames } from '../shared/tool-names.ts'
import {
  type Description,
  resolveOpenApiRef,
  listAt,
  type OpenApiNode,
  objectAt,
  type ConvertResult,
  textAt,
} from './description.ts'
import { listSwaggerServers } from './swagger.ts'

export interface DescribedOperation {
  readonly tool: string
  readonly method: string
  readonly path: string
  readonly operationId?: string
  readonly pathItem: OpenApiNode
  readonly operation: OpenApiNode
}

const MAX_OPERATIONS = 20_000

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

/** The limit counts unreadable operations too, because a path with `$ref` takes only a few bytes. */
export function listDescribedOperations(
  description: Description,
): ConvertResult<{ readonly operations: readonly DescribedOperation[]; readonly unreadable: readonly SkippedTool[] }> {
  const operations: Omit<DescribedOperation, 'tool'>[] = []
  const unreadable: SkippedTool[] = []
  for (const [path, source] of Object.entries(objectAt(description.root, 'paths'))) {
    if (path.startsWith('x-')) continue
    if (operations.length + unreadable.length > MAX_OPERATIONS)
      return { ok: false, problem: `Must describe at most ${MAX_OPERATIONS} operations` }
    const resolution = resolveOpenApiRef(description, source)
    if (!resolution.ok || !isObject(resolution.value)) {
      unreadable.push({ name: path, reason: resolution.ok ? 'Its path item is not an object' : resolution.problem })
      continue
    }
    // Fields beside a path item's `$ref` apply too. OpenAPI does not define conflicts
    const { $ref, ...siblings } = isObject(source) ? source : {}
    const parameters = [...listAt(resolution.value, 'parameters'), ...listAt(siblings, 'parameters')]
    const pathItem: OpenApiNode =
      $ref === undefined ? resolution.value : { ...resolution.value, ...siblings, parameters }
    for (const method of METHODS) {
      const operation = pathItem[method]
      if (operation === undefined) continue
      if (!isObject(operation)) {
        unreadable.push({ name: path, reason: `Its '${method}' is not an object` })
        continue
      }
      const operationId = textAt(operation, 'operationId')
      const described = { method: method.toUpperCase(), path, pathItem, operation }
      operations.push(operationId === undefined ? described : { ...described, operationId })
    }
  }
  return { ok: true, value: { operations: toolNames(operations), unreadable } }
}

/** Joins a server's URL and a path. The server's own query, which Azure's descriptions have, comes first. */
export function joinPath(server: string, path: string): string {
  const [base = '', query] = server.split('?', 2)
  const url = `${base.replace(/\/$/, '')}${path}`
  if (!query) return url
  const [pathPart, queryPart] = url.split('?', 2)
  return `${pathPart}?${queryPart ? `${query}&${queryPart}` : query}`
}

/** Fills variables with their defaults, and resolves URLs against the description's. `baseUrl` replaces all servers. */
export function findServer(
  { root, edition, url: origin }: Description,
  { operation, pathItem }: DescribedOperation,
  baseUrl: string | undefined,
): ConvertResult<string> {
  const withoutSlash = (url: string) => ({ ok: true, value: trimEnd(url, '/') }) as const
  if (baseUrl !== undefined) return withoutSlash(baseUrl)
  const servers =
    edition === '2.0'
      ? listSwaggerServers(root, operation)
      : [operation, pathItem, root].map((node) => listAt(node, 'servers')).find((node) => node.length > 0)
  const [server = { url: '/' }] = servers ?? []
  if (!isObject(server) || typeof server.url !== 'string') return { ok: false, problem: 'its server has no URL' }
  const variables = objectAt(server, 'variables')
  const url = server.url.replace(/\{([^{}]*)\}/g, (placeholder, name: string) => {
    const { default: value } = objectAt(variables, name)
    return ['string', 'number', 'boolean'].includes(getJsonType(value)) ? String(value) : placeholder
  })
  const toProblem = (why: string) => ({ ok: false, problem: `the server '${url}' ${why}` }) as const
  if (/[{}]/.test(url)) return toProblem("has a variable without default: give 'base_url'")
  if (/^https?:\/\//i.test(url)) return withoutSlash(url)
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) return toProblem('is not reached by HTTP')
  if (origin !== undefined && URL.canParse(url, origin)) return withoutSlash(new URL(url, origin).href)
  return toProblem("is relative and says no host: give 'base_url'")
}
