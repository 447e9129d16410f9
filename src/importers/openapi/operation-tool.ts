import type { ImportedTool } from '../../core/publish/import.ts'
import { isObject, type JsonObject } from '../../core/tool/json.ts'
import type { JsonSchema } from '../../core/tool/tool.ts'
import { type Description, listAt, type Node, textAt } from './description.ts'
import type { Draft } from './draft.ts'
import type { Operation } from './operations.ts'
import type { Options } from './options.ts'
import { draftRequest, normalise } from './draft-request.ts'
import { type Output, outputOf } from './output.ts'
import type { Converted, SchemaConverter } from './schema.ts'
import { chooseSecurity } from './security.ts'
import { serverOf } from './servers.ts'
import { standaloneSchema } from './standalone-schema.ts'

export interface ToolMaker {
  readonly description: Description
  readonly requests: SchemaConverter
  readonly responses: SchemaConverter
  readonly toolkit: string
  readonly options: Options
}

/** In characters: larger input schemas keep what they use more than once under `$defs`. */
const LARGE_INPUT = 32 * 1024
const MAX_DESCRIPTION = 4_000
const MAX_TITLE = 200
const MAX_TAGS = 32
const MAX_WARNINGS = 20

/** Makes the tool of one operation, or says precisely why there is none. */
export function toolOf(operation: Operation, maker: ToolMaker): ImportedTool | { readonly reason: string } {
  const { description, options, toolkit } = maker
  const { method, path } = operation
  if (method === 'TRACE') return { reason: 'TRACE requests cannot be sent from Workers' }
  const server = serverOf(description, operation.operation, operation.pathItem, options.base_url)
  if (!server.ok) return { reason: server.problem }
  const security = chooseSecurity(description, operation.operation, toolkit, options.credentials)
  if (!security.ok) return { reason: security.problem }
  const normal = normalise(description, operation)
  const request = draftRequest(description, maker.requests, operation, normal, security.credentials)
  if (request.problems.length > 0) return { reason: [...new Set(request.problems)].slice(0, 5).join('; ') }
  const input = inputSchema(request, maker.requests)
  if (!input.ok) return { reason: `its input schema cannot be used: ${input.problem}` }
  const described = outputOf(description, maker.responses, normal.operation, method)
  const output = outputSchema(described, maker)
  const warnings = [
    ...request.warnings,
    ...request.inputs.flatMap(({ name, schema }) => schema.warnings.map((each) => `input '${name}': ${each}`)),
    ...described.warnings,
    ...output.warnings,
  ]
  const { operationId, operation: document } = operation
  const summary = textAt(document, 'summary')?.trim()
  return {
    definition: {
      toolkit,
      tool: operation.tool,
      name: operation.tool,
      ...(summary === undefined || summary.length > MAX_TITLE ? {} : { title: summary }),
      description: descriptionOf(document, `${method} ${path}`),
      input: input.schema,
      output: output.schema,
      requirements: { ...security.requirements, user_id: false },
      annotations: annotationsOf(method),
      tags: tagsOf(document),
    },
    implementation: implementationOf(method, `${server.base}${request.path}`, request, security.credentials, described),
    document: { method, path, ...(operationId === undefined ? {} : { operationId }) },
    dialect: 'openapi',
    about: { method, path },
    warnings: [...new Set(warnings)].slice(0, MAX_WARNINGS),
  }
}

function inputSchema(request: Draft, converter: SchemaConverter) {
  const required = request.inputs.filter((each) => each.required).map(({ name }) => name)
  const properties = request.inputs.map(({ name, schema, description }): [string, JsonSchema] => [
    name,
    withDescription(schema.schema, description),
  ])
  const root: Converted = {
    schema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    },
    references: request.inputs.flatMap(({ schema }) => schema.references),
    problems: request.inputs.flatMap(({ schema }) => schema.problems),
    warnings: [],
    size: request.inputs.reduce((sum, { schema }) => sum + schema.size, 1),
  }
  const written = standaloneSchema(root, converter, 'recursive')
  const isSmall = written.ok && JSON.stringify(written.schema).length <= LARGE_INPUT
  const whole = isSmall ? written : standaloneSchema(root, converter, 'shared')
  if (!whole.ok) return whole
  return typeof whole.schema === 'boolean'
    ? ({ ok: false, problem: 'it is no object' } as const)
    : ({ ok: true, schema: whole.schema } as const)
}

/** What a parameter says of itself comes before what its schema says of all its uses. */
function withDescription(schema: JsonSchema, description: string | undefined): JsonSchema {
  if (description === undefined) return schema
  const text = cut(description.trim(), MAX_DESCRIPTION)
  return typeof schema === 'boolean' ? schema : { ...schema, description: text }
}

function outputSchema(
  { schema, isNone }: Output,
  { responses, options }: ToolMaker,
): { readonly schema: JsonSchema | null; readonly warnings: readonly string[] } {
  if (isNone) return { schema: null, warnings: [] }
  if (options.outputs === 'any') return { schema: {}, warnings: [] }
  const whole = standaloneSchema(schema, responses, 'shared')
  if (whole.ok) return { schema: whole.schema === true ? {} : whole.schema, warnings: schema.warnings }
  return { schema: {}, warnings: [`the output may be anything, since its schema cannot be used: ${whole.problem}`] }
}

function implementationOf(
  method: string,
  url: string,
  { parameters, body }: Draft,
  credentials: readonly JsonObject[],
  { response, accept }: Output,
) {
  return {
    kind: 'http',
    method,
    url,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(accept === undefined ? {} : { headers: { accept } }),
    ...(credentials.length > 0 ? { credentials } : {}),
    ...(body === undefined ? {} : { body }),
    ...(response === undefined ? {} : { response }),
  }
}

/** RFC 9110, sections 9.2.1 and 9.2.2. */
function annotationsOf(method: string): JsonObject {
  switch (method) {
    case 'GET':
    case 'HEAD':
    case 'OPTIONS':
      return { readOnlyHint: true, openWorldHint: true }
    case 'PUT':
      return { readOnlyHint: false, idempotentHint: true, openWorldHint: true }
    case 'DELETE':
      return { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true }
    default:
      return { readOnlyHint: false, openWorldHint: true }
  }
}

function descriptionOf(operation: Node, otherwise: string): string {
  const summary = textAt(operation, 'summary')?.trim()
  const text = textAt(operation, 'description')?.trim()
  const isRepeated = summary !== undefined && text?.startsWith(summary)
  const parts = [isRepeated ? undefined : summary, text].filter((part) => part !== undefined)
  const deprecated = operation.deprecated === true ? ['Deprecated.'] : []
  return cut([...deprecated, ...(parts.length > 0 ? parts : [otherwise])].join('\n\n'), MAX_DESCRIPTION)
}

function tagsOf(operation: Node): string[] {
  const tags = listAt(operation, 'tags').filter((tag) => typeof tag === 'string')
  const usable = tags.filter((tag) => tag.length > 0 && tag.length <= 64 && tag.isWellFormed())
  return [...new Set([...(operation.deprecated === true ? ['deprecated'] : []), ...usable])].slice(0, MAX_TAGS)
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const end = text.slice(0, most)
  const space = end.search(/\s\S*$/)
  return `${(space > most / 2 ? end.slice(0, space) : end).trimEnd().toWellFormed()}…`
}

export function isTool(made: ImportedTool | { readonly reason: string }): made is ImportedTool {
  return isObject(made) && 'definition' in made
}
