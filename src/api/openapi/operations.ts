import { toJsonSchema } from '../../core/tool/json-reader.ts'
import { isJsonObject, isStringArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import type { FieldWords, OperationExample, ReferenceWords } from '../../docs/docs.ts'
import { type ResponseSpec, ref, TEXT } from '../../http/route/response-specs.ts'
import { VIEW_PARAMETERS, type ViewParameter } from '../../http/request/query.ts'
import { findOperation, type Operation } from '../../http/route/operation.ts'
import { createExample } from '../../http/page/schema-example.ts'
import { describeFields, toDescription, resolveRefs, type WordsFor, getDescriptions } from './describe.ts'
import { findGroup } from './groups.ts'
import { COMPONENTS } from './schemas.ts'

export interface AppRoute {
  readonly method: string
  readonly path: string
  readonly handler: object
}

/** Everything that the routes declare, with descriptions and examples, for the OpenAPI document and the reference. */
export interface DocumentedApi {
  readonly operations: readonly DocumentedOperation[]
  readonly components: JsonObject
}

export type DocumentedOperation = Awaited<ReturnType<typeof documentOperation>>

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: JsonObject
}

export type DocumentedParameter = ReturnType<typeof describeParameter>

export interface DocumentedBody {
  readonly type: string
  readonly required: boolean
  readonly schema?: JsonObject
  readonly example: Json | undefined
}

export interface DocumentedResponse extends ResponseSpec {
  readonly status: string
  readonly example?: Json | undefined
}

/** Lists collections before their members. */
export async function documentedApi(routes: readonly AppRoute[], reference: ReferenceWords): Promise<DocumentedApi> {
  const components = Object.fromEntries(
    Object.entries(COMPONENTS).map(([name, schema]) => [
      name,
      describeFields(schema, getDescriptions(reference.fields, [name])),
    ]),
  )
  const paths = Map.groupBy(listOperations(routes), ({ path }) => path)
  const operations = [...paths]
    .toSorted(([first], [second]) => first.split('/').length - second.split('/').length)
    .flatMap(([, pathOperations]) => pathOperations.filter(({ operation }) => operation.summary !== undefined))
    .map((route) => documentOperation(route, components, reference))
  return { operations: await Promise.all(operations), components }
}

export function listOperations(routes: readonly AppRoute[]) {
  return routes.flatMap(({ method, path, handler }) => {
    const operation = findOperation(handler)
    return method === 'OPTIONS' || method === 'ALL' || !operation ? [] : [{ method, path, operation }]
  })
}

async function documentOperation(
  { method, path: pattern, operation }: ReturnType<typeof listOperations>[number],
  components: JsonObject,
  reference: ReferenceWords,
) {
  const path = pattern.replace(/:(\w+)/g, '{$1}')
  const name = `${method} ${path}`
  // Fields mean the same under the same first segment, unless the operation has its own descriptions
  const wordsFor = getDescriptions(reference.fields, [name, `/${path.split('/')[1]}`])
  const example = reference.examples[name] ?? {}
  const { summary = '', scope, isPrivate, failures = 'Error', failureType } = operation
  const isOpen = scope === undefined && !isPrivate
  const credential: 'none' | 'key' | 'agent' = isOpen ? 'none' : path.startsWith('/connect/') ? 'agent' : 'key'
  const schema = ref(failures)
  const responses: Readonly<Record<string, ResponseSpec>> = {
    ...operation.responses,
    ...(operation.supportsIfMatch ? { 412: { description: CHANGED, schema } } : {}),
    default: { description: 'Any error', schema, ...(failureType && { type: failureType }) },
  }
  // If an operation creates something, its example is a 201
  const exampleStatus = Object.hasOwn(responses, '201') ? '201' : Object.keys(responses)[0]
  return {
    id: `${method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '')}`,
    method,
    path,
    group: findGroup(path),
    summary,
    credential,
    scope,
    parameters: [
      ...pathParameters(path),
      ...queryParameters(operation),
      ...(scope === 'tools:read' || scope === 'tools:call' ? VIEW : []),
      ...(operation.supportsIfMatch ? [IF_MATCH] : []),
    ].map((parameter) => describeParameter(parameter, wordsFor(parameter.name), example)),
    body: await describeBody(operation, wordsFor, example),
    responses: Object.entries(responses).map(([status, response]): DocumentedResponse => {
      if (!response.schema) return { ...response, status }
      const schema = describeFields(response.schema, wordsFor)
      const value =
        status === exampleStatus ? (example.answer ?? createExample(resolveRefs(schema, components))) : undefined
      return { ...response, status, schema, example: value }
    }),
    /** The component that describes its errors. */
    failures,
  }
}

const CHANGED = 'The resource has changed: its ETag is not in If-Match'

const VIEW_DESCRIPTIONS: Readonly<Record<ViewParameter, string>> = {
  toolset: 'Toolset that chooses the tools',
  lock: 'Hash of the lock that limits the tools',
}
const VIEW: readonly Parameter[] = VIEW_PARAMETERS.map((name) => ({
  name,
  in: 'query',
  required: false,
  schema: { ...TEXT, description: VIEW_DESCRIPTIONS[name] },
}))

const IF_MATCH: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  schema: {
    ...TEXT,
    description: 'ETags of the revisions to change: if the resource has another one, nothing is changed (412)',
  },
}

function pathParameters(path: string): readonly Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({ name, in: 'path', required: true, schema: TEXT }))
}

function queryParameters({ query }: Operation<unknown>): readonly Parameter[] {
  const { properties, required } = toJsonSchema(query.reader)
  const requiredNames = isStringArray(required) ? required : []
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: requiredNames.includes(name),
    schema: query.listNames.has(name) ? { type: 'array', items: TEXT } : isJsonObject(schema) ? schema : {},
  }))
}

function describeParameter(
  { schema: { description, ...schema }, ...parameter }: Parameter,
  field: FieldWords,
  { parameters = {} }: OperationExample,
) {
  const example = parameters[parameter.name] ?? (parameter.required ? field.example : undefined)
  return { ...parameter, description: toDescription({ description }, field.description), schema, example }
}

async function describeBody(
  { body, requestType }: Operation<unknown>,
  wordsFor: WordsFor,
  { body: example }: OperationExample,
) {
  if (requestType !== undefined) return { type: requestType, required: true, example }
  if (!body?.reader) return undefined
  const schema = toJsonSchema(await body.reader())
  const required = schema.type !== 'object' || schema.required !== undefined || schema.properties === undefined
  return { type: 'application/json', required, schema: describeFields(schema, wordsFor), example }
}
