import type { JsonObject } from '../../core/tool/json.ts'
import { TEXT } from '../../http/route/response-specs.ts'
import { GROUP_NAMES } from './groups.ts'
import type { DocumentedApi, DocumentedOperation, DocumentedResponse } from './operations.ts'

/** Describes the API as an OpenAPI 3.1 document. */
export function openApiDocument(
  { operations, components }: DocumentedApi,
  { origin, version }: { readonly origin: string; readonly version: string },
): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const operation of operations) {
    const { method, path } = operation
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(operation) }
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
      schemas: components,
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

function operationObject(operation: DocumentedOperation): JsonObject {
  const { id, summary, group, parameters, body, responses, credential, scope } = operation
  const schemes = { none: [], key: ['bearer', 'key'], agent: ['agent'] }[credential]
  return {
    operationId: id,
    summary,
    tags: [group],
    ...(parameters.length > 0 ? { parameters: parameters.map((parameter) => ({ ...parameter })) } : {}),
    ...(body ? { requestBody: { required: body.required, content: { [body.type]: toContent(body) } } } : {}),
    responses: Object.fromEntries(responses.map((response) => [response.status, responseObject(response)])),
    security: schemes.map((scheme) => ({ [scheme]: scope === undefined ? [] : [scope] })),
  }
}

function responseObject({
  description,
  schema,
  example,
  type,
  streams,
  note,
  hasEtag,
}: DocumentedResponse): JsonObject {
  const headers = {
    ...(note === undefined ? {} : { 'Switchboard-Note': toHeader(note) }),
    ...(hasEtag ? { ETag: toHeader('The revision, to send back in If-Match') } : {}),
  }
  const content = {
    ...(schema
      ? { [type ?? 'application/json']: toContent({ schema, example }) }
      : type === undefined
        ? {}
        : { [type]: {} }),
    ...(streams ? { 'text/event-stream': { schema: TEXT } } : {}),
  }
  return {
    description,
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(Object.keys(content).length > 0 ? { content } : {}),
  }
}

const toContent = ({ schema, example }: Pick<DocumentedResponse, 'schema' | 'example'>): JsonObject =>
  schema ? { schema, example } : {}

const toHeader = (description: string): JsonObject => ({ description, schema: TEXT })
