import { withinBudget, type Budget, createBudget, DEFAULT_UNITS } from '../../core/tool/budget.ts'
import type { ImportedTool, ImportItem } from '../../core/publish/import.ts'
import { toMethodAnnotations } from '../../core/tool/annotations.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import type { JsonSchema } from '../../core/tool/tool.ts'
import { credentialNeeds } from '../shared/credential-needs.ts'
import type { Description, OpenApiNode, ConvertResult } from './description.ts'
import { objectAt, OPERATION_UNITS, textAt, listTexts, unitsToRead } from './description.ts'
import type { Draft } from './draft.ts'
import { type DescribedOperation, joinPath, findServer } from './operations.ts'
import type { OpenApiOptions } from './options.ts'
import { type DraftRequest, draftRequest } from './draft-request.ts'
import { convertOutput } from './output.ts'
import { type ConversionResult, toConversionResult, type SchemaConverter, type ConversionWork } from './schema.ts'
import { chooseSecurity } from './security.ts'
import { standaloneSchema } from './standalone-schema.ts'

export interface ToolMaker {
  readonly description: Description
  readonly requests: SchemaConverter
  readonly responses: SchemaConverter
  readonly toolkit: string
  readonly options: OpenApiOptions
  readonly budget: Budget
}

const LARGE_INPUT = 32 * 1024
const MAX_DESCRIPTION = 4_000
const MAX_TITLE = 200
const MAX_TAGS = 32
const MAX_LOGO = 2_000
const MAX_WARNINGS = 20

const TOO_MUCH_WORK =
  "it takes too much work to make a tool of: it says too much, or its parts repeat each other too often, by '$ref' or 'allOf'"

const SHARED_FIELDS = ['security', 'servers', 'consumes', 'produces', 'schemes']

export function buildTool(operation: DescribedOperation, maker: ToolMaker): ImportItem {
  const { method, path, tool } = operation
  const about = { method, path }
  const skip = (reason: string): ImportItem => ({ skipped: { name: tool, reason, about } })
  if (maker.budget.isExceeded) return skip(TOO_MUCH_WORK)
  const budget = createBudget(OPERATION_UNITS, maker.budget)
  const result = withinBudget(() => {
    for (const part of [operation.operation, operation.pathItem.parameters, operation.pathItem.servers])
      budget.spend(unitsToRead(part))
    for (const part of SHARED_FIELDS) budget.spend(unitsToRead(maker.description.root[part]))
    const work = { budget, patterns: createBudget(DEFAULT_UNITS / 2, budget) }
    return buildImportedTool(operation, { ...maker, description: { ...maker.description, budget } }, work)
  }, TOO_MUCH_WORK)
  if (!result.ok) return skip(TOO_MUCH_WORK)
  return typeof result.value === 'string' ? skip(result.value) : { tool: result.value }
}

/** Returns the tool, or a string that says why it cannot be built. */
function buildImportedTool(
  operation: DescribedOperation,
  maker: ToolMaker,
  work: ConversionWork,
): ImportedTool | string {
  const { description, options, toolkit } = maker
  const { method, path, operationId, tool, operation: document } = operation
  const about = { method, path }
  if (method === 'TRACE') return 'TRACE requests cannot be sent from Workers'
  const server = findServer(description, operation, options.base_url)
  if (!server.ok) return server.problem
  const security = chooseSecurity(description, document, toolkit, options)
  if (!security.ok) return security.problem
  const credentials = security.value.flatMap((use) => use.credentials)
  let request = draftRequest(description, maker.requests, operation, credentials, work)
  if (request.problems.length > 0) return [...new Set(request.problems)].slice(0, 5).join('; ')
  let input = inputSchema(request, maker.requests)
  if (!input.ok) {
    request = withoutUnreadable(request, maker.requests)
    input = inputSchema(request, maker.requests)
  }
  if (!input.ok) return `its input schema cannot be used: ${input.problem}`
  const { response, accept, ...convertedOutput } = convertOutput(
    description,
    maker.responses,
    request.operation,
    method,
    work,
  )
  const output = outputSchema(convertedOutput.schema, maker, work)
  const warnings = [
    ...request.warnings,
    ...request.inputs.flatMap(({ name, schema }) => schema.warnings.map((warning) => `input '${name}': ${warning}`)),
    ...convertedOutput.warnings,
    ...output.warnings,
  ]
  const summary = textAt(document, 'summary')?.trim()
  const { parameters, body } = request
  return {
    definition: {
      toolkit,
      tool,
      name: tool,
      ...(summary === undefined || summary.length > MAX_TITLE ? {} : { title: summary }),
      description: buildDescription(document, `${method} ${path}`),
      input: input.value,
      output: output.schema,
      requirements: { ...credentialNeeds(security.value), user_id: false },
      annotations: toMethodAnnotations(method),
      ...findLogo(maker.description),
      tags: listTags(document),
    },
    implementation: {
      kind: 'http',
      method,
      url: joinPath(server.value, request.path),
      ...(parameters.length > 0 ? { parameters } : {}),
      ...(accept === undefined ? {} : { headers: { accept } }),
      ...(credentials.length > 0 ? { credentials } : {}),
      ...(body === undefined ? {} : { body }),
      ...(response === undefined ? {} : { response }),
    },
    document: { ...about, ...(operationId === undefined ? {} : { operationId }) },
    dialect: 'openapi',
    about,
    warnings: [...new Set(warnings)].slice(0, MAX_WARNINGS),
    providers: security.value.flatMap(({ provider }) => provider ?? []),
  }
}

function inputSchema({ inputs, work }: Draft, converter: SchemaConverter): ConvertResult<JsonObject> {
  const required = inputs.filter((input) => input.required).map(({ name }) => name)
  const properties = inputs.map(({ name, schema, description }) => [name, withDescription(schema.schema, description)])
  const root = toConversionResult(
    {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    },
    inputs.map(({ schema }) => schema),
  )
  const expandedSchema = standaloneSchema(root, converter, 'recursive', work)
  const fitsExpanded = expandedSchema.ok && JSON.stringify(expandedSchema.value).length <= LARGE_INPUT
  const standalone = fitsExpanded ? expandedSchema : standaloneSchema(root, converter, 'shared', work)
  if (!standalone.ok) return standalone
  const { value } = standalone
  return typeof value === 'boolean' ? { ok: false, problem: 'it is not an object' } : { ok: true, value }
}

/** Removes optional inputs whose schemas cannot be used, and adds a warning for each. */
function withoutUnreadable(request: DraftRequest, converter: SchemaConverter): DraftRequest {
  const warnings = [...request.warnings]
  const unreadable = new Set<unknown>()
  for (const { name, required, schema } of request.inputs) {
    const standalone = required ? undefined : standaloneSchema(schema, converter, 'shared', request.work)
    if (!standalone || standalone.ok) continue
    unreadable.add(name)
    warnings.push(`the optional input '${name}' is left out: ${standalone.problem}`)
  }
  const { body, ...requestFields } = request
  return {
    ...requestFields,
    ...(body === undefined || unreadable.has(body.input) ? {} : { body }),
    inputs: request.inputs.filter(({ name }) => !unreadable.has(name)),
    parameters: request.parameters.filter(({ input }) => !unreadable.has(input)),
    warnings,
  }
}

function withDescription(schema: JsonSchema, description: string | undefined): JsonSchema {
  if (description === undefined) return schema
  const text = truncate(description.trim(), MAX_DESCRIPTION)
  return typeof schema === 'boolean' ? schema : { ...schema, description: text }
}

function outputSchema(schema: ConversionResult | null, { responses, options }: ToolMaker, work: ConversionWork) {
  if (!schema) return { schema: null, warnings: [] }
  if (options.outputs === 'any') return { schema: {}, warnings: [] }
  const standalone = standaloneSchema(schema, responses, 'shared', work)
  if (standalone.ok) return { schema: standalone.value === true ? {} : standalone.value, warnings: schema.warnings }
  return {
    schema: {},
    warnings: [`the output may be anything, since its schema cannot be used: ${standalone.problem}`],
  }
}

function buildDescription(operation: OpenApiNode, fallback: string): string {
  const summary = textAt(operation, 'summary')?.trim()
  const text = textAt(operation, 'description')?.trim()
  const isRepeated = summary !== undefined && text?.startsWith(summary)
  const parts = [isRepeated ? undefined : summary, text].filter((part) => part !== undefined)
  const deprecated = operation.deprecated === true ? ['Deprecated.'] : []
  return truncate([...deprecated, ...(parts.length > 0 ? parts : [fallback])].join('\n\n'), MAX_DESCRIPTION)
}

/** Reads Redoc's extension, for all tools of the description. Icons must use HTTPS (MCP, `Icon`). */
function findLogo({ root }: Description): { readonly icons?: readonly JsonObject[] } {
  const { url } = objectAt(objectAt(root, 'info'), 'x-logo')
  const isUsable = typeof url === 'string' && url.length <= MAX_LOGO && /^https:\/\/[^/]/i.test(url)
  return isUsable ? { icons: [{ src: url }] } : {}
}

function listTags(operation: OpenApiNode): string[] {
  const validTags = listTexts(operation.tags).filter((tag) => tag.length > 0 && tag.length <= 64 && tag.isWellFormed())
  return [...new Set([...(operation.deprecated === true ? ['deprecated'] : []), ...validTags])].slice(0, MAX_TAGS)
}

function truncate(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  const start = text.slice(0, maxCharacters)
  const space = start.search(/\s\S*$/)
  return `${(space > maxCharacters / 2 ? start.slice(0, space) : start).trimEnd().toWellFormed()}…`
}
