import { isObject } from '../../core/tool/json.ts'
import {
  type Description,
  resolveOpenApiRef,
  followToObject,
  type OpenApiNode,
  objectAt,
  textAt,
  listTexts,
} from './description.ts'

const VALUE_KEYWORDS = (
  'type format items default enum multipleOf maximum exclusiveMaximum minimum exclusiveMinimum ' +
  'maxLength minLength pattern maxItems minItems uniqueItems x-nullable x-example readOnly'
).split(' ')

const URL_ENCODED = 'application/x-www-form-urlencoded'
const COLLECTION_FORMATS: ReadonlyMap<unknown, OpenApiNode> = new Map<unknown, OpenApiNode>([
  ['csv', { style: 'form', explode: false }],
  ['ssv', { style: 'spaceDelimited', explode: false }],
  ['pipes', { style: 'pipeDelimited', explode: false }],
  ['multi', { style: 'form', explode: true }],
])

export function convertSwaggerOperation(
  description: Description,
  operation: OpenApiNode,
  parameters: readonly unknown[],
) {
  const { root } = description
  const operationParameters: unknown[] = []
  const formParameters: OpenApiNode[] = []
  let body: OpenApiNode | undefined
  for (const source of parameters) {
    const parameter = followToObject(description, source)
    if (!parameter) operationParameters.push(source)
    else if (parameter.in === 'body') body = parameter
    else if (parameter.in === 'formData') formParameters.push(parameter)
    else operationParameters.push(convertParameter(parameter))
  }
  const consumes = listTexts(operation.consumes ?? root.consumes)
  const requestBody = body
    ? convertBody(body, consumes)
    : formParameters.length > 0
      ? convertForm(formParameters, consumes)
      : undefined
  const responses = Object.entries(objectAt(operation, 'responses')).map(([status, response]) => {
    const resolution = resolveOpenApiRef(description, response)
    return [status, resolution.ok ? convertResponse(resolution.value, operation, description) : response]
  })
  return {
    parameters: operationParameters,
    operation: { ...operation, requestBody, responses: Object.fromEntries(responses), servers: undefined },
  }
}

export function listSwaggerServers(root: OpenApiNode, operation: OpenApiNode): readonly OpenApiNode[] {
  const basePath = textAt(root, 'basePath') ?? '/'
  const host = textAt(root, 'host')
  if (host === undefined) return [{ url: basePath }]
  const schemes = listTexts(operation.schemes ?? root.schemes).filter((scheme) => /^https?$/.test(scheme))
  const scheme = schemes.includes('https') ? 'https' : (schemes[0] ?? 'https')
  return [{ url: `${scheme}://${host}${basePath}` }]
}

function convertParameter(parameter: OpenApiNode): OpenApiNode {
  const { name, in: place, required, description } = parameter
  return { name, in: place, required, description, schema: convertSchema(parameter), ...convertStyle(parameter) }
}

function convertStyle(parameter: OpenApiNode): OpenApiNode {
  if (parameter.type !== 'array') return {}
  const format = parameter.collectionFormat ?? 'csv'
  if (parameter.in !== 'query' && parameter.in !== 'formData')
    return format === 'csv' ? { style: 'simple', explode: false } : { style: `collectionFormat ${String(format)}` }
  return COLLECTION_FORMATS.get(format) ?? { style: `collectionFormat ${String(format)}` }
}

function convertSchema(parameter: OpenApiNode): OpenApiNode {
  const keywords = VALUE_KEYWORDS.filter((keyword) => parameter[keyword] !== undefined)
  const schema = Object.fromEntries(keywords.map((keyword) => [keyword, parameter[keyword]]))
  return parameter['x-example'] === undefined ? schema : { ...schema, example: parameter['x-example'] }
}

function convertBody(body: OpenApiNode, consumes: readonly string[]): OpenApiNode {
  const types = consumes.length > 0 ? consumes : ['application/json']
  return {
    required: body.required,
    description: body.description,
    content: Object.fromEntries(types.map((type) => [type, { schema: body.schema }])),
  }
}

function convertForm(form: readonly OpenApiNode[], consumes: readonly string[]): OpenApiNode {
  const hasFile = form.some((field) => field.type === 'file')
  const multipart = hasFile || (consumes.includes('multipart/form-data') && !consumes.includes(URL_ENCODED))
  const required = form.filter((field) => field.required === true).map(({ name }) => name)
  const mapFields = (convertField: (field: OpenApiNode) => OpenApiNode) =>
    Object.fromEntries(form.map((field) => [String(field.name), convertField(field)]))
  const schema = {
    type: 'object',
    properties: mapFields((field) => ({ ...convertSchema(field), description: field.description })),
    ...(required.length > 0 ? { required } : {}),
  }
  return {
    required: required.length > 0,
    content: {
      [multipart ? 'multipart/form-data' : URL_ENCODED]: { schema, encoding: mapFields(convertStyle) },
    },
  }
}

function convertResponse(response: unknown, operation: OpenApiNode, { root, budget }: Description): unknown {
  if (!isObject(response) || response.schema === undefined) return response
  const produces = listTexts(operation.produces ?? root.produces)
  budget?.spend(1 + produces.length)
  const types = produces.length > 0 ? produces : ['application/json']
  return { ...response, content: Object.fromEntries(types.map((type) => [type, { schema: response.schema }])) }
}
