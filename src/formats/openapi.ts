import type { FormatWriter } from '../core/tool/codec.ts'
import { toRefPath, mapSubschemas } from '../core/schema/subschemas.ts'
import { isJsonObject, isObject, type Json, type JsonObject } from '../core/tool/json.ts'
import { getDisplayTitle } from '../core/tool/tool.ts'
import { toCurrentSchema, recordLosses } from './declaration.ts'
import { type SchemaObject, chargeVisit, type FormatContext } from './writing.ts'

const NO_FIELD = 'An OpenAPI description has no such field'
const TEXT_SCHEMA = { type: 'string' }
const REF_KEYWORDS = ['$ref', '$dynamicRef'] as const

const FAILURE_SCHEMA = {
  type: 'object',
  properties: {
    message: TEXT_SCHEMA,
    developer_message: TEXT_SCHEMA,
    parameter_errors: { type: 'object', additionalProperties: TEXT_SCHEMA },
    missing_requirements: { type: 'object' },
    can_retry: { type: 'boolean' },
    retry_after_ms: { type: 'integer' },
  },
  required: ['message'],
}

export const openapi: FormatWriter = (record, name, budget) => {
  const losses = recordLosses(record, NO_FIELD, ['title', 'output'])
  const encodeComponent = (schema: Json, componentName: string, path: string): Json => {
    if (!isJsonObject(schema)) return schema
    const context = { root: schema, losses, budget }
    return rebaseRefs(toCurrentSchema(schema, path, context), path, `/components/schemas/${componentName}`, context)
  }
  const { id, toolkit, description, version, output } = record
  const schemas = {
    Input: encodeComponent(record.input, 'Input', '/input'),
    Output: output === null ? { type: 'null' } : encodeComponent(output, 'Output', '/output'),
    Failure: FAILURE_SCHEMA,
  }
  const createFailureResponse = (reason: string) => ({
    description: reason,
    ...toJsonContent({ $ref: '#/components/schemas/Failure' }),
  })
  const operation = {
    operationId: name,
    tags: [toolkit],
    description,
    requestBody: { required: true, ...toJsonContent(buildRequestBody(id)) },
    responses: {
      200: {
        description: 'The tool ran: with a value or, where `success` is false, an error',
        ...toJsonContent(RESULT_SCHEMA),
      },
      400: createFailureResponse('Something is missing before the tool can run, or it cannot be called'),
      401: createFailureResponse('There is no credential, or it is not known'),
      403: createFailureResponse('The credential is not for this tool'),
      422: createFailureResponse('The input does not fit'),
      429: createFailureResponse('Too many calls'),
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

function toJsonContent(schema: JsonObject): JsonObject {
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

const RESULT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    result: {
      type: 'object',
      properties: {
        call_id: TEXT_SCHEMA,
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

function rebaseRefs(schema: SchemaObject, path: string, base: string, context: FormatContext): JsonObject {
  chargeVisit(schema, path, context)
  const copy = mapSubschemas(schema, (below, _, step) =>
    isObject(below) ? rebaseRefs(below, path + step, base, context) : below,
  )
  for (const keyword of REF_KEYWORDS) {
    const reference = copy[keyword]
    const refPath = typeof reference === 'string' ? toRefPath(reference) : undefined
    if (refPath !== undefined && !refPath.startsWith('#')) copy[keyword] = `#${base}${toFragment(refPath)}`
  }
  return isJsonObject(copy) ? copy : {}
}

/** Converts a JSON Pointer to a URI fragment (RFC 6901, section 6). */
function toFragment(pointer: string): string {
  return encodeURI(pointer.toWellFormed()).replaceAll('#', '%23')
}
