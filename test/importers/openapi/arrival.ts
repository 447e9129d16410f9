import { expect } from 'vitest'
import type { Arrived } from '../../upstream.ts'
import { type Any, type Described, resolve } from './sample.ts'

/** The values sent to an operation, by its own names. */
export interface Sent {
  readonly parameters: readonly { readonly parameter: Any; readonly value: Any }[]
  /** Undefined: no body. */
  readonly body?: Any
}

/**
 * Expects that a request contains the sent values, read as by a server that knows the description: each parameter from its
 * location in its style (OpenAPI 3.1, "Style Values"), and the body by its content type.
 */
export function expectArrived(arrived: Arrived, described: Described, sent: Sent): void {
  expect(arrived.method).toBe(described.method)
  const [rawPath = '', ...rest] = arrived.url.split('?')
  const rawQuery = rest.join('?')
  const [template = ''] = described.path.split(/[?#]/)
  const pieces = template.split(/\{([^{}]+)\}/)
  const pattern = pieces.map((each, index) =>
    index % 2 === 1 ? '([^/]*)' : each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  )
  const match = new RegExp(`^${pattern.join('')}$`).exec(decodeUnreserved(rawPath))
  expect(match, `${rawPath} is not ${template}`).not.toBeNull()
  const path = new Map(
    pieces.filter((_, index) => index % 2 === 1).map((name, index) => [name, match?.[index + 1] ?? '']),
  )
  const query = pairs(rawQuery, '&')
  const cookies = pairs((arrived.headers.cookie ?? '').replaceAll('; ', '&'), '&')

  for (const { parameter, value } of sent.parameters) {
    const type = typeOf(value)
    const isJson = parameter.content !== undefined
    let got: Any
    if (parameter.in === 'path') got = fromPath(path.get(parameter.name) ?? '', parameter, type, isJson)
    else if (parameter.in === 'header') {
      const text = String(arrived.headers[parameter.name.toLowerCase()])
      got = isJson ? JSON.parse(text) : fromList(text, ',', type, parameter.explode === true, (each) => each)
    } else got = fromQuery(parameter.in === 'query' ? query : cookies, parameter, type, value, isJson)
    expect(typed(got, value), `${parameter.in} '${parameter.name}' of ${arrived.url}`).toEqual(value)
  }
  const known = sent.parameters.filter(({ parameter }) => parameter.in === 'query')
  const allowed = known.flatMap(({ parameter, value }) =>
    parameter.content === undefined && typeof value === 'object'
      ? [parameter.name, ...Object.keys(value)]
      : [parameter.name],
  )
  const fixed = new URLSearchParams(described.path.split('#')[0]?.split('?')[1] ?? '')
  const schemes = Object.values<Any>(
    described.root.components?.securitySchemes ?? described.root.securityDefinitions ?? {},
  )
  allowed.push(...schemes.filter((scheme) => scheme.in === 'query').map(({ name }) => name))
  for (const [name] of query) {
    const isKnown = fixed.has(name) || allowed.some((each) => name === each || name.startsWith(`${each}[`))
    expect(isKnown, `'${name}' was never sent`).toBe(true)
  }
  expectBody(arrived, described, sent.body)
}

function expectBody({ headers, body }: Arrived, { body: declared, root, method }: Described, sent: Any): void {
  if (sent === undefined || !declared || method === 'GET' || method === 'HEAD') return expect(body).toBe('')
  const contentType = String(headers['content-type'])
  if (declared.type.includes('json') || declared.type.includes('*')) {
    expect(contentType).toContain('json')
    return expect(JSON.parse(body)).toEqual(sent)
  }
  if (declared.type.includes('urlencoded')) {
    expect(contentType).toBe('application/x-www-form-urlencoded')
    const fields = pairs(body, '&')
    const properties = resolve(root, declared.schema).properties ?? {}
    for (const [name, value] of Object.entries<Any>(sent)) {
      const encoding = declared.encoding[name] ?? properties[name]?.['x'] ?? {}
      const parameter = { name, explode: true, ...encoding }
      expect(typed(fromQuery(fields, parameter, typeOf(value), value, false), value), name).toEqual(value)
    }
    return
  }
  if (declared.type.includes('multipart')) {
    expect(contentType).toMatch(/^multipart\/form-data;\s*boundary=/)
    for (const [name, value] of Object.entries<Any>(sent)) {
      for (const each of Array.isArray(value) ? value : [value]) {
        expect(body).toContain(`name="${name}"`)
        if (each?.filename !== undefined) {
          expect(body).toContain(`filename="${each.filename}"`)
          expect(body).toContain(atob(each.data))
        } else expect(body).toContain(typeof each === 'string' ? each : JSON.stringify(each))
      }
    }
    return
  }
  expect(body).toBe(sent?.filename === undefined ? sent : atob(sent.data))
}

type Type = 'array' | 'object' | 'primitive'

function typeOf(value: Any): Type {
  return Array.isArray(value) ? 'array' : typeof value === 'object' && value !== null ? 'object' : 'primitive'
}

function fromPath(raw: string, { name, style = 'simple', explode = false }: Any, type: Type, isJson: boolean): Any {
  if (isJson) return JSON.parse(decodeURIComponent(raw))
  if (style === 'label') return fromList(raw.slice(1), explode ? '.' : ',', type, explode, decodeURIComponent)
  if (style !== 'matrix') return fromList(raw, ',', type, explode, decodeURIComponent)
  const parts = raw.slice(1).split(';')
  if (explode && type === 'object') return Object.fromEntries(parts.map((part) => cut(part).map(decodeURIComponent)))
  const values = parts.map((part) => {
    const [key = '', value = ''] = cut(part)
    expect(decodeURIComponent(key)).toBe(name)
    return value
  })
  if (explode && type === 'array') return values.map(decodeURIComponent)
  return fromList(values[0] ?? '', ',', type, false, decodeURIComponent)
}

function fromQuery(fields: [string, string][], parameter: Any, type: Type, value: Any, isJson: boolean): Any {
  const { name, style = 'form' } = parameter
  const explode = parameter.explode ?? style === 'form'
  const own = fields.filter(([key]) => key === name).map(([, each]) => each)
  if (isJson) return JSON.parse(decodeURIComponent(own[0] ?? 'null'))
  if (style === 'deepObject') {
    const inner = fields.filter(([key]) => key.startsWith(`${name}[`))
    return Object.fromEntries(inner.map(([key, each]) => [key.slice(name.length + 1, -1), decodeURIComponent(each)]))
  }
  if (type === 'primitive') return decodeURIComponent(own[0] ?? '')
  if (explode && type === 'array') return own.map(decodeURIComponent)
  if (explode) {
    const keys = Object.keys(value)
    return Object.fromEntries(
      fields.filter(([key]) => keys.includes(key)).map(([key, each]) => [key, decodeURIComponent(each)]),
    )
  }
  const separator = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ','
  return fromList(own[0] ?? '', separator, type, false, decodeURIComponent)
}

function fromList(
  text: string,
  separator: string,
  type: Type,
  explode: boolean,
  decode: (text: string) => string,
): Any {
  if (type === 'primitive') return decode(text)
  const items = text.split(separator)
  if (type === 'array') return items.map(decode)
  if (explode) return Object.fromEntries(items.map((item) => cut(item).map(decode)))
  return Object.fromEntries(
    items.flatMap((key, index) => (index % 2 === 0 ? [[decode(key), decode(items[index + 1] ?? '')]] : [])),
  )
}

/** Converts a text to the type that was sent, which the request does not contain. */
function typed(got: Any, sent: Any): Any {
  if (typeof sent === 'number') return Number(got)
  if (typeof sent === 'boolean') return got === 'true'
  if (sent === null) return null
  if (Array.isArray(sent) && Array.isArray(got)) return got.map((each, index) => typed(each, sent[index]))
  if (typeof sent === 'object' && typeof got === 'object') {
    return Object.fromEntries(Object.entries(got).map(([key, each]) => [key, typed(each, sent[key])]))
  }
  if (typeof sent === 'object' && typeof got === 'string') return JSON.parse(got)
  return got
}

function pairs(text: string, separator: string): [string, string][] {
  return text === ''
    ? []
    : text.split(separator).map((piece) => [decodeURIComponent(cut(piece)[0] ?? ''), cut(piece)[1] ?? ''])
}

function cut(text: string): [string, string] {
  const at = text.indexOf('=')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Decodes brackets, which a literal path may contain encoded or not. An encoded space stays encoded. */
function decodeUnreserved(path: string): string {
  return path.replace(/%(?:5B|5D|20)/gi, (code) => (code.toLowerCase() === '%20' ? '%20' : decodeURIComponent(code)))
}
