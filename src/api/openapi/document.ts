import { schemaOf } from '../../core/tool/json-reader.ts'
import { isObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import { type DeclaredAnswer, ref, TEXT } from '../../http/route/answers.ts'
import { operationOf, type Operation } from '../../http/route/operation.ts'
import type { ReferenceWords } from '../../docs/docs.ts'
import { describeField, describeFields, exampleOf, resolved, type WordsFor, wordsOf } from './describe.ts'
import { GROUP_NAMES, groupOf } from './groups.ts'
import { COMPONENTS } from './schemas.ts'

export interface AppRoute {
  readonly method: string
  readonly path: string
  readonly handler: object
}

interface Routed {
  readonly method: string
  readonly path: string
  readonly operation: Operation<unknown>
}

export async function openApiDocument(
  routes: readonly AppRoute[],
  { origin, version, words }: { origin: string; version: string; words: ReferenceWords },
): Promise<JsonObject> {
  const paths: Record<string, Record<string, JsonObject>> = {}
  const schemas = describedComponents(words)
  for (const routed of routedOf(routes)) {
    if (routed.operation.summary === undefined) continue
    const path = routed.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [routed.method.toLowerCase()]: await pathItem(path, routed, schemas, words) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Switchboard',
      version,
      description: `One URL for every tool an agent calls. Guides are at ${origin}/docs. A deployment may answer without a credential (ACCESS=open).`,
    },
    servers: [{ url: origin }],
    tags: GROUP_NAMES.map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, or a JWT of an issuer of the deployment. Each operation names its scopes.',
        },
        key: { type: 'apiKey', in: 'header', name: 'OXP-API-Key', description: 'An API key' },
        agent: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of the authorization server at /connect, or of CONNECT_ISSUER',
        },
      },
    },
  }
}

export function routedOf(routes: readonly AppRoute[]): readonly Routed[] {
  return routes.flatMap(({ method, path, handler }) => {
    const operation = operationOf(handler)
    return method === 'OPTIONS' || method === 'ALL' || !operation ? [] : [{ method, path, operation }]
  })
}

function describedComponents({ fields }: ReferenceWords): JsonObject {
  const described = Object.entries(COMPONENTS).map(([name, schema]) => [
    name,
    describeFields(schema, wordsOf(fields, [name])),
  ])
  return Object.fromEntries(described)
}

async function pathItem(
  path: string,
  { method, operation }: Routed,
  schemas: JsonObject,
  words: ReferenceWords,
): Promise<JsonObject> {
  const name = `${method} ${path}`
  // Fields mean the same below the same first segment, where nothing nearer says more
  const wordsFor = wordsOf(words.fields, [name, `/${path.split('/')[1]}`])
  const { parameters: wanted = {}, body: sent, answer } = words.examples[name] ?? {}
  const declared = [
    ...pathParameters(path),
    ...queryParameters(operation),
    ...(operation.conditional ? [IF_MATCH] : []),
  ]
  const parameters = declared.map(({ name: parameter, schema, description, ...rest }): JsonObject => {
    const { description: said, examples, ...described } = describeField(schema, wordsFor(parameter))
    const example = wanted[parameter] ?? (rest.required && Array.isArray(examples) ? examples[0] : undefined)
    const shown = { schema: described, ...(example === undefined ? {} : { example }) }
    return { name: parameter, ...rest, description: description ?? said ?? '', ...shown }
  })
  const body = await requestBody(operation, wordsFor, sent)
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '')}`,
    summary: operation.summary,
    tags: [groupOf(path)],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: responsesOf(operation, (schema, isShown) => {
      const described = describeFields(schema, wordsFor)
      const example = isShown ? (answer ?? exampleOf(resolved(described, schemas))) : undefined
      return { schema: described, ...(example === undefined ? {} : { example }) }
    }),
    security: securityOf(path, operation),
  }
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonObject
}

const IF_MATCH: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'ETags of the revisions to change: if the resource has another one, nothing is changed (412)',
  schema: TEXT,
}

function pathParameters(path: string): readonly Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({ name, in: 'path', required: true, schema: TEXT }))
}

function queryParameters({ query }: Operation<unknown>): readonly Parameter[] {
  const { properties = {}, required } = schemaOf(query.reader)
  const needed = Array.isArray(required) ? required : []
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: needed.includes(name),
    schema: query.lists.has(name) ? { type: 'array', items: TEXT } : { ...Object(schema) },
  }))
}

async function requestBody(
  { body, sends }: Operation<unknown>,
  wordsFor: WordsFor,
  sent: Json | undefined,
): Promise<JsonObject | undefined> {
  if (sends !== undefined) return { required: true, content: { [sends]: {} } }
  if (!body?.reader) return undefined
  const schema = schemaOf(await body.reader())
  const required = schema.type !== 'object' || schema.required !== undefined || schema.properties === undefined
  const example = sent === undefined ? {} : { example: sent }
  return { required, content: { 'application/json': { schema: describeFields(schema, wordsFor), ...example } } }
}

type Describe = (schema: JsonObject, isShown: boolean) => JsonObject

function responsesOf({ answers = {}, failures = 'Error', conditional }: Operation<unknown>, describe: Describe) {
  const refused = { says: 'The resource has changed: its ETag is not in If-Match', schema: ref(failures) }
  const stated = conditional ? { ...answers, 412: refused } : answers
  const all: [string, DeclaredAnswer][] = [
    ...Object.entries(stated),
    ['default', { says: 'The error', schema: ref(failures) }],
  ]
  // An example of what makes something says that it was made
  const shown = all.find(([status]) => status === '201') ?? all[0]
  return Object.fromEntries(
    all.map((each) => [each[0], responseOf(each[1], (schema) => describe(schema, each === shown))]),
  )
}

function responseOf(
  { says, schema, type, streams, note, tagged }: DeclaredAnswer,
  describe: (schema: JsonObject) => JsonObject,
): JsonObject {
  const named = {
    ...(note === undefined ? {} : { 'Switchboard-Note': headerOf(note) }),
    ...(tagged ? { ETag: headerOf('The revision, to send back in If-Match') } : {}),
  }
  const headers = Object.keys(named).length === 0 ? {} : { headers: named }
  const events = streams ? { 'text/event-stream': { schema: TEXT } } : {}
  const content = schema ? { 'application/json': describe(schema), ...events } : type && { [type]: {} }
  return { description: says, ...headers, ...(content ? { content } : {}) }
}

const headerOf = (description: string): JsonObject => ({ description, schema: TEXT })

function securityOf(path: string, { scope, isPrivate }: Operation<unknown>): readonly JsonObject[] {
  if (scope === undefined && !isPrivate) return []
  const scopes = scope === undefined ? [] : [scope]
  if (path.startsWith('/connect/')) return [{ agent: scopes }]
  return [{ bearer: scopes }, { key: scopes }]
}
