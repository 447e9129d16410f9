import { isObject, type Json } from '../../core/tool/json.ts'
import { pointerStep, pointerSteps } from '../../core/tool/problem.ts'
import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from '../../core/call/runner.ts'
import type { DocumentReader } from '../../core/tool/json-reader.ts'
import { type CredentialPlacement, readCredential } from '../shared/credential.ts'
import type { Serialisation, Style } from './serialisation.ts'

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export const PARAMETER_PLACES = ['path', 'query', 'header', 'cookie', 'body'] as const
export const CREDENTIAL_PLACES = ['header', 'query', 'path', 'basic', 'cookie'] as const
export const BODY_TYPES = ['json', 'form', 'multipart', 'raw', 'none'] as const
export const RESPONSE_TYPES = ['json', 'text', 'binary', 'auto', 'none'] as const

/** An `http` implementation with its defaults filled in. Every name is the document's own. */
export interface HttpImplementation {
  readonly kind: 'http'
  readonly method: (typeof METHODS)[number]
  readonly url: string
  readonly parameters: readonly HttpParameter[]
  /** Headers that are the same in every request. */
  readonly headers: Readonly<Record<string, string>>
  readonly credentials: readonly HttpCredential[]
  /** Absent: JSON, when there is anything to send. */
  readonly body: HttpBody | undefined
  readonly response: HttpResponseMapping
  /** How often an idempotent request is tried again. */
  readonly retry: { readonly attempts: number }
  readonly timeout_ms: number
}

/** Where one input goes, and as what (OpenAPI 3.1, "Parameter Object"). */
export interface HttpParameter extends Serialisation {
  readonly input: string
  readonly in: (typeof PARAMETER_PLACES)[number]
  readonly name: string
  /** Sends the value as JSON text, whatever it is (OpenAPI 3.1, "Parameter Object", `content`). */
  readonly content_type?: 'application/json'
  /** What is sent when the input is absent or null. */
  readonly default: Json | undefined
}

export type HttpCredential = CredentialPlacement<(typeof CREDENTIAL_PLACES)[number]>

export interface HttpBody {
  readonly type: (typeof BODY_TYPES)[number]
  /** The input whose value is the whole body. */
  readonly input: string | undefined
  readonly content_type: string | undefined
}

export interface HttpResponseMapping {
  readonly type: (typeof RESPONSE_TYPES)[number]
  /** RFC 6901: the part of a JSON answer that is the tool's value. */
  readonly pointer: string
  /** Statuses that count as success: a status, or a class such as "2xx". */
  readonly statuses: readonly (number | string)[]
}

/** Reads the shape of an `http` implementation, with defaults filled in; what is wrong with it is noted in `reader`. */
export function readHttpImplementation(document: Json, reader: DocumentReader): HttpImplementation | undefined {
  const known = [
    'kind',
    'method',
    'url',
    'parameters',
    'headers',
    'credentials',
    'body',
    'response',
    'retry',
    'timeout_ms',
  ]
  const fields = reader.object(document, '', known)
  if (!fields) return undefined
  reader.oneOf(fields['kind'], '/kind', ['http'])
  const method = reader.oneOf(fields['method'], '/method', METHODS)
  const url = reader.string(fields['url'], '/url')
  const parameters = reader.list(fields['parameters'], '/parameters', (each, path) => readParameter(each, path, reader))
  const headers = readHeaders(fields['headers'], reader)
  const credentials = reader.list(fields['credentials'], '/credentials', (each, path) =>
    readCredential(each, path, CREDENTIAL_PLACES, reader),
  )
  const body = readBody(fields['body'], reader)
  const response = readResponse(fields['response'], reader)
  const retry = reader.object(fields['retry'] ?? {}, '/retry', ['attempts'])
  const attempts = reader.integer(retry?.['attempts'] ?? 2, '/retry/attempts', 0, 2)
  const timeout = reader.integer(fields['timeout_ms'] ?? DEFAULT_TIMEOUT_MS, '/timeout_ms', 1, MAX_TIMEOUT_MS)
  if (method === undefined || url === undefined) return undefined
  return {
    kind: 'http',
    method,
    url,
    parameters,
    headers,
    credentials,
    body,
    response,
    retry: { attempts },
    timeout_ms: timeout,
  }
}

function readParameter(document: Json | undefined, path: string, reader: DocumentReader): HttpParameter | undefined {
  const known = ['input', 'in', 'name', 'style', 'explode', 'allow_reserved', 'content_type', 'default']
  const fields = reader.object(document, path, known)
  if (!fields) return undefined
  const input = reader.string(fields['input'], `${path}/input`)
  const place = reader.oneOf(fields['in'], `${path}/in`, PARAMETER_PLACES)
  if (input === undefined || place === undefined) return undefined
  const name = reader.string(fields['name'] ?? input, `${path}/name`) ?? input
  const style = reader.oneOf(fields['style'] ?? STYLES_IN[place][0], `${path}/style`, STYLES_IN[place])
  // "When style is form, the default value is true" (OpenAPI 3.1, "Parameter Object").
  const explode = reader.boolean(fields['explode'] ?? style === 'form', `${path}/explode`)
  const allowReserved = reader.boolean(fields['allow_reserved'] ?? false, `${path}/allow_reserved`)
  if (allowReserved && place !== 'query' && place !== 'body') {
    reader.problem(`${path}/allow_reserved`, `only a query or form parameter may have it, got in "${place}"`)
  }
  const { content_type: contentType } = fields
  if (contentType !== undefined) reader.oneOf(contentType, `${path}/content_type`, ['application/json'])
  return {
    input,
    in: place,
    name,
    ...(contentType === undefined ? {} : { content_type: 'application/json' }),
    style: style ?? 'simple',
    explode,
    allow_reserved: allowReserved,
    default: fields['default'],
  }
}

/** The styles each place knows, the default first (OpenAPI 3.1, "Style Values"). */
const STYLES_IN: Readonly<Record<HttpParameter['in'], readonly [Style, ...Style[]]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
  body: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
}

function readHeaders(document: Json | undefined, reader: DocumentReader): Record<string, string> {
  if (document === undefined) return {}
  if (!isObject(document)) {
    reader.problem('/headers', 'wanted an object')
    return {}
  }
  const entries = Object.entries(document).map(([name, value]) => {
    const text = reader.text(value, `/headers${pointerStep(name)}`)
    return [name, text ?? ''] as const
  })
  return Object.fromEntries(entries)
}

function readBody(document: Json | undefined, reader: DocumentReader): HttpBody | undefined {
  if (document === undefined) return undefined
  const fields = reader.object(document, '/body', ['type', 'input', 'content_type'])
  if (!fields) return undefined
  return {
    type: reader.oneOf(fields['type'] ?? 'json', '/body/type', BODY_TYPES) ?? 'json',
    input: reader.optionalString(fields['input'], '/body/input'),
    content_type: reader.optionalString(fields['content_type'], '/body/content_type'),
  }
}

function readResponse(document: Json | undefined, reader: DocumentReader): HttpResponseMapping {
  const fields = reader.object(document ?? {}, '/response', ['type', 'pointer', 'statuses']) ?? {}
  const type = reader.oneOf(fields['type'] ?? 'json', '/response/type', RESPONSE_TYPES) ?? 'json'
  const pointer = reader.text(fields['pointer'] ?? '', '/response/pointer') ?? ''
  if (pointerSteps(pointer) === undefined) {
    reader.problem('/response/pointer', `wanted a JSON Pointer such as "/data", got "${pointer}"`)
  }
  if (pointer !== '' && type !== 'json') {
    reader.problem('/response/pointer', `only a JSON response has parts, got type "${type}"`)
  }
  const listed = fields['statuses'] ?? ['2xx']
  if (Array.isArray(listed) && listed.length === 0) reader.problem('/response/statuses', 'wanted at least one status')
  const statuses = reader.list(listed, '/response/statuses', (each, path) => readStatus(each, path, reader))
  return { type, pointer, statuses }
}

function readStatus(value: Json, path: string, reader: DocumentReader): number | string | undefined {
  const isStatus = typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599
  const isClass = typeof value === 'string' && /^[2-5]xx$/.test(value)
  if (isStatus || isClass) return value
  reader.problem(path, 'wanted a status from 200 to 599, or a class such as "2xx"')
  return undefined
}
