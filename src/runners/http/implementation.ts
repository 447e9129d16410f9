import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from '../../core/call/runner.ts'
import type { Json } from '../../core/tool/json.ts'
import {
  anything,
  boolean,
  integer,
  into,
  list,
  map,
  nullish,
  object,
  oneOf,
  optional,
  parsed,
  type Reader,
  readAt,
  string,
  text,
  wrong,
} from '../../core/tool/json-reader.ts'
import { pointerSteps } from '../../core/tool/problem.ts'
import { type CredentialPlacement, PLACEMENT_FIELDS, placementOf, withSource } from '../shared/credential.ts'
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
  readonly body?: HttpBody
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
  readonly default?: Json
}

export type HttpCredential = CredentialPlacement<(typeof CREDENTIAL_PLACES)[number]>

export interface HttpBody {
  readonly type: (typeof BODY_TYPES)[number]
  /** The input whose value is the whole body. */
  readonly input?: string
  readonly content_type?: string
}

export interface HttpResponseMapping {
  readonly type: (typeof RESPONSE_TYPES)[number]
  /** RFC 6901: the part of a JSON answer that is the tool's value. */
  readonly pointer: string
  /** Statuses that count as success: a status, or a class such as "2xx". */
  readonly statuses: readonly (number | string)[]
}

/** The styles each place knows, the default first (OpenAPI 3.1, "Style Values"). */
const STYLES_IN: Readonly<Record<HttpParameter['in'], readonly [Style, ...Style[]]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
  body: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
}

const PARAMETER: Reader<HttpParameter> = into(
  object(
    {
      input: string({ least: 1 }),
      in: oneOf(PARAMETER_PLACES),
      name: nullish(string({ least: 1 })),
      style: nullish(oneOf([...STYLES_IN.path, ...STYLES_IN.query])),
      explode: nullish(boolean),
      allow_reserved: nullish(boolean, false),
      content_type: optional(oneOf(['application/json'])),
      default: anything,
    },
    {
      rule({ in: place, style, allow_reserved: isReserved }, report) {
        if (place === undefined) return
        if (style !== undefined) readAt('style', oneOf(STYLES_IN[place]), style, report)
        if (!isReserved || place === 'query' || place === 'body') return
        wrong(report, `Must be false in '${place}': only a query or a form may have it`, '/allow_reserved')
      },
    },
  ),
  ({ name, style, explode, ...fields }) => {
    const used = style ?? STYLES_IN[fields.in][0]
    // "When style is form, the default value is true" (OpenAPI 3.1, "Parameter Object").
    return { ...fields, name: name ?? fields.input, style: used, explode: explode ?? used === 'form' }
  },
)

const BODY: Reader<HttpBody> = object({
  type: nullish(oneOf(BODY_TYPES), 'json'),
  input: optional(string({ least: 1 })),
  content_type: optional(string({ least: 1 })),
})

const STATUS = parsed("a status from 200 to 599, or a class such as '2xx'", (value) => {
  const isStatus = typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599
  const isClass = typeof value === 'string' && /^[2-5]xx$/.test(value)
  return isStatus || isClass ? value : undefined
})

const RESPONSE: Reader<HttpResponseMapping> = object(
  {
    type: nullish(oneOf(RESPONSE_TYPES), 'json'),
    pointer: nullish(
      text("a JSON Pointer such as '/data'", (pointer) => pointerSteps(pointer) !== undefined),
      '',
    ),
    statuses: nullish(list(STATUS, { least: 1 }), ['2xx']),
  },
  {
    rule({ type, pointer = '' }, report) {
      if (pointer === '' || type === undefined || type === 'json') return
      wrong(report, `Must be left out: only a JSON response has parts, got type '${type}'`, '/pointer')
    },
  },
)

const CREDENTIAL = object(
  { ...PLACEMENT_FIELDS, in: oneOf(CREDENTIAL_PLACES) },
  {
    rule({ in: place, name }, report) {
      if (place === 'basic' && name !== undefined) readAt('name', oneOf(['username', 'password']), name, report)
    },
  },
)

/** Reads the shape of an `http` implementation, with defaults filled in. */
export const httpImplementation: Reader<HttpImplementation> = object({
  kind: oneOf(['http']),
  method: oneOf(METHODS),
  url: string({ least: 1 }),
  parameters: optional(list(PARAMETER), []),
  headers: optional(map(string()), {}),
  credentials: optional(list(withSource(into(CREDENTIAL, placementOf))), []),
  body: optional(BODY),
  response: nullish(RESPONSE, { type: 'json', pointer: '', statuses: ['2xx'] }),
  retry: nullish(object({ attempts: nullish(integer(0, 2), 2) }), { attempts: 2 }),
  timeout_ms: nullish(integer(1, MAX_TIMEOUT_MS), DEFAULT_TIMEOUT_MS),
})
