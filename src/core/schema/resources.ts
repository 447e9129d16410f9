import { MAX_POINTER, toRefPath } from './subschemas.ts'

export interface ResourceScope {
  readonly base: string
  readonly uris: readonly string[]
}

export const ROOT_SCOPE: ResourceScope = { base: '', uris: ['#'] }

export function enterScope(schema: Readonly<Record<string, unknown>>, scope: ResourceScope): ResourceScope {
  if (typeof schema['$id'] !== 'string') return scope
  const base = resolve(schema['$id'].split('#')[0] ?? '', scope.base)
  return { base, uris: [...scope.uris, `${base}#`] }
}

export function scopeBelow({ base, uris }: ResourceScope, path: string): ResourceScope {
  return { base, uris: uris.map((uri) => uri + path) }
}

/** Stores values for the schemas of one document, by URI (JSON Schema 2020-12 Core section 8.2). */
export function createResources<T>() {
  const valueByUri = new Map<string, T>()
  return {
    set(schema: Readonly<Record<string, unknown>>, { base, uris }: ResourceScope, value: T): void {
      for (const uri of uris) {
        if (uri.length - uri.indexOf('#') > MAX_POINTER)
          throw new TypeError('Cannot use a schema below such long names')
        valueByUri.set(uri, value)
      }
      for (const anchor of [schema['$anchor'], schema['$dynamicAnchor']]) {
        if (typeof anchor === 'string') valueByUri.set(`${base}#${anchor}`, value)
      }
    },
    find(reference: string, { base }: ResourceScope): T {
      const [uri = '', fragment = ''] = reference.split('#')
      const pointer = toRefPath(`#${fragment}`)?.replace(/^#/, '')
      const value = valueByUri.get(`${resolve(uri, base)}#${pointer}`)
      if (value === undefined) throw new TypeError('Cannot use a schema with a reference that leads nowhere')
      return value
    },
  }
}

/** RFC 3986 section 5.2, except for steps up. */
function resolve(uri: string, base: string): string {
  if (uri === '' || /^[a-z][a-z\d+.-]*:/i.test(uri)) return uri || base
  const [, origin = '', path = ''] = /^((?:[a-z][a-z\d+.-]*:)?(?:\/\/[^/]*)?)([^]*)$/i.exec(base) ?? []
  const folder = uri.startsWith('/') ? '' : path.slice(0, path.lastIndexOf('/') + 1) || '/'
  return origin + folder + uri.replace(/^(?:\.\/)+/, '')
}
