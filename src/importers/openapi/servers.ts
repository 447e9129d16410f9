import { isObject } from '../../core/tool/json.ts'
import { type Description, listAt, objectAt, type Possible } from './description.ts'
import type { Operation } from './operations.ts'
import { serversOfSwagger } from './swagger.ts'

/**
 * The first server of the operation, its path or the description, with its variables' defaults, relative to where the
 * description came from. `base` replaces them.
 */
export function serverOf(
  { root, edition, url: origin }: Description,
  { operation, pathItem }: Operation,
  base: string | undefined,
): Possible<string> {
  const at = (url: string) => ({ ok: true, value: url.replace(/\/+$/, '') }) as const
  if (base !== undefined) return at(base)
  const servers =
    edition === '2.0'
      ? serversOfSwagger(root, operation)
      : [operation, pathItem, root].map((each) => listAt(each, 'servers')).find((each) => each.length > 0)
  const [server = { url: '/' }] = servers ?? []
  if (!isObject(server) || typeof server.url !== 'string') return { ok: false, problem: 'its server has no URL' }
  const variables = objectAt(server, 'variables')
  const url = server.url.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const { default: value } = objectAt(variables, name)
    return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : whole
  })
  const impossible = (why: string) => ({ ok: false, problem: `the server '${url}' ${why}` }) as const
  if (/[{}]/.test(url)) return impossible("has a variable without default: give 'base_url'")
  if (/^https?:\/\//i.test(url)) return at(url)
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) return impossible('is not reached by HTTP')
  if (origin !== undefined && URL.canParse(url, origin)) return at(new URL(url, origin).href)
  return impossible("is relative and says no host: give 'base_url'")
}
