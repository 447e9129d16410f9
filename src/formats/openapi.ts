import { toRefPath, mapSubschemas } from '../core/schema/subschemas.ts'
import { createBudget } from '../core/tool/budget.ts'
import type { EncodeResult } from '../core/tool/codec.ts'
import { isJsonObject, isObject, type Json, type JsonObject } from '../core/tool/json.ts'
import { getDisplayTitle, type ToolRecord } from '../core/tool/tool.ts'
import { current, recordLosses } from './declaration.ts'
import { type SchemaObject, visit, type FormatContext } from './writing.ts'

const NO_FIELD = 'An OpenAPI description has no such field'
const TEXT = { type: 'string' }
const REFERS = ['$ref', '$dynamicRef'] as const

const FAILURE = {
  type: 'object',
  properties: {
    message: TEXT,
    developer_message: TEXT,
    parameter_errors: { type: 'object', additionalProperties: TEXT },
    missing_requirements: { type: 'object' },
    can_retry: { type: 'boolean' },
    retry_after_ms: { type: 'integer' },
  },
  required: ['message'],
}

export function openapi(record: ToolRecord, name: string, budget = createBudget()): EncodeResult {
  const losses = recordLosses(record, NO_FIELD, ['title', 'output'])
  const component = (schema: Json, as: string, path: string): Json => {
    if (!isJsonObject(schema)) return schema
    const writing = { root: schema, losses, budget }
    return rebased(current(schema, path, writing), path, `/components/schemas/${as}`, writing)
  }
  const { id, toolkit, description, version, output } = record
  const schemas = {
    Input: component(record.input, 'Input', '/input'),
    Output: output === null ? { type: 'null' } : component(output, 'Output', '/output'),
    Failure: FAILURE,
  }
  const failed = (why: string) => ({ description: why, ...content({ $ref: '#/components/schemas/Failure' }) })
  const operation = {
    operationId: name,
    tags: [toolkit],
    description,
    requestBody: { required: true, ...content(buildRequestBody(id)) },
    responses: {
      200: { description: 'The tool ran: with a value or, where `success` is false, an error', ...content(ANSWER) },
      400: failed('Something is missing before the tool can run, or it cannot be called'),
      401: failed('There is no credential, or it is not known'),
      403: failed('The credential is not for this tool'),
      422: failed('The input does not fit'),
      429: failed('Too many calls'),
    },
  }
  const document = {
    openapi: '3.1.0',
    info: { title: getDisplayTitle(record) ?? name, version, description },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    paths: { '/tools/call': { post: operation } },
    components: { schemas, securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  }
  return { document, losses }
}

function content(schema: JsonObject): JsonObject {
  return { content: { 'application/json': { schema } } }
}

function buildRequestBody(id: string): JsonObject {
  const properties = {
    tool_id: { type: 'string', const: id, description: 'Which tool is called.' },
    call_id: { type: 'string', description: 'Your own id of the call: made again under it, it runs once.' },
    input: { $ref: '#/components/schemas/Input' },
    context: { type: 'object', properties: { user_id: { type: 'string', description: 'For whom it is called.' } } },
  }
  return { type: 'object', properties, required: ['tool_id', 'input'] }
}

const ANSWER: JsonObject = {
  type: 'object',
  properties: {
    result: {
      type: 'object',
      properties: {
        call_id: TEXT,
        success: { type: 'boolean' },
        duration: { type: 'number', description: 'Milliseconds.' },
        value: { $ref: '#/components/schemas/Output' },
        error: { $ref: '#/components/schemas/Failure' },
      },
      required: ['call_id', 'success'],
    },
  },
  required: ['result'],
}

function rebased(schema: SchemaObject, path: string, base: string, writing: FormatContext): JsonObject {
  visit(schema, path, writing)
  const copy = mapSubschemas(schema, (below, _, step) =>
    isObject(below) ? rebased(below, path + step, base, writing) : below,
  )
  for (const keyword of REFERS) {
    const reference = copy[keyword]
    const place = typeof reference === 'string' ? toRefPath(reference) : undefined
    if (place !== undefined && !place.startsWith('#')) copy[keyword] = `#${base}${fragment(place)}`
  }
  return isJsonObject(copy) ? copy : {}
}

/** A JSON Pointer as a URI fragment (RFC 6901, section 6). */
function fragment(pointer: string): string {
  return encodeURI(pointer.toWellFormed()).replaceAll('#', '%23')
}
