import { schemaOf } from '../../core/tool/json-reader.ts'
import { isObject, type JsonObject } from '../../core/tool/json.ts'
import { type DeclaredAnswer, ref, TEXT } from '../../http/route/answers.ts'
import { operationOf, type Operation } from '../../http/route/operation.ts'
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
  { origin, version }: { origin: string; version: string },
): Promise<JsonObject> {
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const routed of routedOf(routes)) {
    if (routed.operation.summary === undefined) continue
    const path = routed.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [routed.method.toLowerCase()]: await pathItem(routed) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Switchboard',
      version,
      description: `One URL for every tool an agent calls. Guides are at ${origin}/docs. A deployment may answer without a credential (ACCESS=open).`,
    },
    servers: [{ url: origin }],
    paths,
    components: {
      schemas: COMPONENTS,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, or a JWT of an issuer of the deployment. Which scopes an operation takes stands with it.',
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

async function pathItem({ method, path, operation }: Routed): Promise<JsonObject> {
  const parameters = [
    ...pathParameters(path),
    ...queryParameters(operation),
    ...(operation.conditional ? [IF_MATCH] : []),
  ]
  const body = await requestBody(operation)
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '')}`,
    summary: operation.summary,
    tags: [tagOf(path)],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: responsesOf(operation),
    security: securityOf(path, operation),
  }
}

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The entity tags of the revisions that the change is for: where there is another, nothing is done (412)',
  schema: TEXT,
}

function pathParameters(path: string): readonly JsonObject[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({ name, in: 'path', required: true, schema: TEXT }))
}

function queryParameters({ query }: Operation<unknown>): readonly JsonObject[] {
  const { properties = {}, required } = schemaOf(query.reader)
  const needed = Array.isArray(required) ? required : []
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: needed.includes(name),
    schema: query.lists.has(name) ? { type: 'array', items: TEXT } : { ...Object(schema) },
  }))
}

async function requestBody({ body, sends }: Operation<unknown>): Promise<JsonObject | undefined> {
  if (sends !== undefined) return { required: true, content: { [sends]: {} } }
  if (!body?.reader) return undefined
  const schema = schemaOf(await body.reader())
  const required = schema.type !== 'object' || schema.required !== undefined || schema.properties === undefined
  return { required, content: { 'application/json': { schema } } }
}

function responsesOf({ answers = {}, failures = 'Error', conditional }: Operation<unknown>): JsonObject {
  const refused = { says: 'There is another revision than `If-Match` names', schema: ref(failures) }
  const stated = conditional ? { ...answers, 412: refused } : answers
  const all: [string, DeclaredAnswer][] = [
    ...Object.entries(stated),
    ['default', { says: 'Why not', schema: ref(failures) }],
  ]
  return Object.fromEntries(all.map(([status, answer]) => [status, responseOf(answer)]))
}

function responseOf({ says, schema, type, streams, note, tagged }: DeclaredAnswer): JsonObject {
  const named = {
    ...(note === undefined ? {} : { 'Switchboard-Note': headerOf(note) }),
    ...(tagged ? { ETag: headerOf('The revision, to send back in If-Match') } : {}),
  }
  const headers = Object.keys(named).length === 0 ? {} : { headers: named }
  const events = streams ? { 'text/event-stream': { schema: TEXT } } : {}
  if (schema) return { description: says, ...headers, content: { 'application/json': { schema }, ...events } }
  return { description: says, ...headers, ...(type === undefined ? {} : { content: { [type]: {} } }) }
}

const headerOf = (description: string): JsonObject => ({ description, schema: TEXT })

function securityOf(path: string, { scope, isPrivate }: Operation<unknown>): readonly JsonObject[] {
  if (scope === undefined && !isPrivate) return []
  const scopes = scope === undefined ? [] : [scope]
  if (path.startsWith('/connect/')) return [{ agent: scopes }]
  return [{ bearer: scopes }, { key: scopes }]
}

function tagOf(path: string): string {
  const [, first = ''] = path.split('/')
  return first === '.well-known' ? 'discovery' : first || 'docs'
}
