import * as json from '../../core/tool/json-reader.ts'
import { parsePointer } from '../../core/tool/problem.ts'
import { PLACEMENT_FIELDS, toPlacement, requireOneSource } from '../shared/credential.ts'
import { timeoutMs } from '../shared/checked-runner.ts'
import { parseUrlTemplate, variableNames } from '../shared/url-template.ts'
import type { ParameterStyle } from './serialization.ts'

export type HttpImplementation = json.InferOutput<typeof httpImplementation>
export type HttpParameter = json.InferOutput<typeof PARAMETER>
export type HttpBody = json.InferOutput<typeof BODY>
export type HttpResponseMapping = json.InferOutput<typeof RESPONSE>

export const TOOL_VARIABLES: readonly string[] = ['tool', 'called']

const PLACES = ['path', 'query', 'header', 'cookie', 'body'] as const
/** The styles that each place supports, the default first (OpenAPI 3.1, "Style Values"). */
const STYLES_IN: Readonly<Record<(typeof PLACES)[number], readonly [ParameterStyle, ...ParameterStyle[]]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
  body: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
}

const JSON_TYPE = 'application/json'
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:;[ -~]*)?$/
/** OpenAPI 3.1, "Encoding Object". A file in a multipart body may have any content type. */
const ENCODING_FIELDS = {
  style: json.nullish(json.enumReader([...STYLES_IN.path, ...STYLES_IN.query])),
  explode: json.nullish(json.boolean),
  allow_reserved: json.nullish(json.boolean, false),
  content_type: json.optional(json.stringMatching("a media type such as 'image/png'", (type) => MEDIA_TYPE.test(type))),
}

const PARAMETER = json.transform(
  json.object(
    {
      input: json.string({ min: 1 }),
      in: json.enumReader(PLACES),
      name: json.nullish(json.string({ min: 1 })),
      ...ENCODING_FIELDS,
      default: json.anyJson,
    },
    {
      rule({ in: place, style, allow_reserved: isReserved, content_type: type }, report) {
        if (place === undefined) return
        if (type !== undefined && type !== JSON_TYPE && place !== 'body')
          json.addProblem(report, `Must be '${JSON_TYPE}' outside a body, got '${type}'`, '/content_type')
        if (style !== undefined) json.readAt('style', json.enumReader(STYLES_IN[place]), style, report)
        if (!isReserved || place === 'query' || place === 'body') return
        json.addProblem(report, `Must be false in '${place}': only a query or a form may have it`, '/allow_reserved')
      },
    },
  ),
  ({ name, style, explode, ...fields }) => {
    const usedStyle = style ?? STYLES_IN[fields.in][0]
    return { ...fields, name: name ?? fields.input, style: usedStyle, explode: explode ?? isExploded(usedStyle) }
  },
)

const ENCODING = json.transform(
  json.object({ ...ENCODING_FIELDS, style: json.nullish(json.enumReader(STYLES_IN.body), 'form') }),
  ({ explode, ...fields }) => ({ ...fields, explode: explode ?? isExploded(fields.style) }),
)

/** "When style is form, the default value is true" (OpenAPI 3.1, "Parameter Object"). */
function isExploded(style: ParameterStyle): boolean {
  return style === 'form'
}

const BODY = json.object({
  type: json.nullish(json.enumReader(['json', 'form', 'multipart', 'raw', 'none']), 'json'),
  input: json.optional(json.string({ min: 1 })),
  content_type: json.optional(json.string({ min: 1 })),
  encoding: json.optional(json.map(ENCODING), {}),
})

const STATUS = json.custom("a status from 200 to 599, or a class such as '2xx'", (value) => {
  const isStatus = typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599
  const isClass = typeof value === 'string' && /^[2-5]xx$/.test(value)
  return isStatus || isClass ? value : undefined
})

const POINTER = json.stringMatching("a JSON Pointer such as '/data'", (pointer) => parsePointer(pointer) !== undefined)

const ERROR = json.object({
  message: json.optional(POINTER),
  developer_message: json.optional(POINTER),
  can_retry: json.optional(POINTER),
  additional_prompt_content: json.optional(POINTER),
  retry_after_ms: json.optional(POINTER),
})

const RESPONSE = json.object(
  {
    type: json.nullish(json.enumReader(['json', 'text', 'binary', 'auto', 'none'])),
    pointer: json.nullish(POINTER, ''),
    statuses: json.nullish(json.array(STATUS, { min: 1 }), ['2xx']),
    error: json.optional(ERROR),
  },
  {
    rule({ type, pointer = '' }, report) {
      if (pointer === '' || type === undefined || type === 'json') return
      json.addProblem(report, `Must be left out: only a JSON response has parts, got type '${type}'`, '/pointer')
    },
  },
)

const CREDENTIAL = json.object(
  { ...PLACEMENT_FIELDS, in: json.enumReader(['header', 'query', 'path', 'basic', 'cookie']) },
  {
    rule({ in: place, name }, report) {
      if (place === 'basic' && name !== undefined)
        json.readAt('name', json.enumReader(['username', 'password']), name, report)
    },
  },
)

export const httpImplementation = json.object({
  kind: json.enumReader(['http']),
  method: json.enumReader(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
  url: json.string({ min: 1 }),
  parameters: json.optional(json.array(PARAMETER), []),
  headers: json.optional(json.map(json.string()), {}),
  credentials: json.optional(json.array(requireOneSource(json.transform(CREDENTIAL, toPlacement))), []),
  body: json.optional(BODY),
  response: json.nullish(RESPONSE, { pointer: '', statuses: ['2xx'] }),
  retry: json.nullish(json.object({ attempts: json.nullish(json.integer(0, 2), 2) }), { attempts: 2 }),
  timeout_ms: timeoutMs,
})

/** An input without a parameter fills the URL's free variable of that name, or else the query or body, by the method. */
export function unplacedInputs(implementation: HttpImplementation) {
  const { method, parameters, body } = implementation
  const placedInputs = new Set(parameters.map((each) => each.input))
  if (body?.input !== undefined) placedInputs.add(body.input)
  const unfilled = unfilledVariables(implementation)
  const rest = method === 'GET' || method === 'HEAD' || method === 'DELETE' ? 'query' : 'body'
  return (input: string) => {
    if (placedInputs.has(input)) return undefined
    return unfilled.has(input) ? 'path' : rest
  }
}

export function bodyHasFields({ method, body }: HttpImplementation): boolean {
  return method !== 'GET' && method !== 'HEAD' && body?.type !== 'none' && body?.input === undefined
}

/** A name that starts with `/` is a JSON Pointer into a JSON body (RFC 6901). */
export function bodyFieldSteps({ body }: HttpImplementation, name: string): readonly string[] {
  const isJson = body === undefined || body.type === 'json'
  const steps = isJson && name.startsWith('/') ? parsePointer(name) : undefined
  return steps ?? [name]
}

function unfilledVariables({ url, parameters, credentials }: HttpImplementation): Set<string> {
  const template = parseUrlTemplate(url)
  if ('problem' in template) return new Set()
  const filledNames = new Set(
    [...parameters, ...credentials].flatMap((each) => (each.in === 'path' ? [each.name] : [])),
  )
  const names = [...variableNames(template.path), ...variableNames(template.query ?? [])]
  return new Set(names.filter((name) => !filledNames.has(name)))
}
