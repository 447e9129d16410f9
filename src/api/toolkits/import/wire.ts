import { type Guard, guardFields } from '../../../core/access/guard.ts'
import { IMPORT_FIELDS, type ImportedTool } from '../../../core/publish/import.ts'
import type { ImportResult, ImportedToolReport } from '../../../core/publish/import-tools.ts'
import { type Budget, withinBudget } from '../../../core/tool/budget.ts'
import { namePart, version } from '../../../core/tool/definition-fields.ts'
import { foldDashes } from '../../../core/tool/tool-id.ts'
import { createToolPatterns } from '../../../core/tool/tool-patterns.ts'
import { isJsonObject, isObject, isStringArray, type JsonObject } from '../../../core/tool/json.ts'
import * as json from '../../../core/tool/json-reader.ts'
import { IMPORT_KINDS, type ImportKind } from '../../../core/tool/remote-dialect.ts'
import { omitEmptyRequirements } from '../../../core/tool/tool.ts'
import { type Problem, encodePointerStep, quoteList } from '../../../core/tool/problem.ts'
import type { ProviderReport } from './providers.ts'

const MAX_PATTERNS = 1_000
const MAX_PROBLEMS = 100
const MAX_EXAMPLES = 2
const MAX_REASONS = 3
const MAX_REASON_CHARACTERS = 200

const SOURCE = json.custom('a URL, or a document as an object or a text', (value) =>
  (typeof value === 'string' && value.trim() !== '') || isJsonObject(value) ? value : undefined,
)
const PATTERN = /^[A-Za-z0-9_*-]{1,64}$/
const PATTERNS = json.custom(
  `a list of at most ${MAX_PATTERNS} tool names, in which '*' stands for any characters`,
  (value) =>
    isStringArray(value) && value.length <= MAX_PATTERNS && value.every((pattern) => PATTERN.test(pattern))
      ? value
      : undefined,
  () => ({ type: 'array', items: { type: 'string' }, maxItems: MAX_PATTERNS }),
)

const MAX_RULES = 100
const METHOD = json.enumReader(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'])

const RULE = json.object(
  { tools: json.optional(PATTERNS), methods: json.optional(json.array(METHOD, { min: 1, max: 7 })), ...guardFields },
  {
    rule({ tools, methods, security_level, approval }, report) {
      if (tools === undefined && methods === undefined)
        json.addProblem(report, "Must say for which tools it is: 'tools' or 'methods'")
      if (security_level === undefined && approval === undefined)
        json.addProblem(report, "Must say what they ask for: 'security_level' or 'approval'")
    },
  },
)

const SERVER_OPTIONS = { credentials: {}, timeout_ms: { type: 'integer' } }
const TOOLKIT_SERVER_OPTIONS = {
  ...SERVER_OPTIONS,
  pass_user: { type: 'boolean' },
  upstream_toolkit: { type: 'string' },
}
const OPTIONS: Readonly<Record<ImportKind, JsonObject>> = {
  'openapi': {
    base_url: { type: 'string' },
    credentials: { anyOf: [{ enum: ['deployment', 'per-user'] }, { type: 'object' }] },
    providers: { type: 'object', additionalProperties: { type: 'string' } },
    outputs: { enum: ['described', 'any'] },
  },
  'mcp': SERVER_OPTIONS,
  'oxp': TOOLKIT_SERVER_OPTIONS,
  'open-tool-calling': TOOLKIT_SERVER_OPTIONS,
  'machine-context': TOOLKIT_SERVER_OPTIONS,
  'plugin': SERVER_OPTIONS,
}

export function importReader(importerKinds: readonly ImportKind[]) {
  const kinds = IMPORT_KINDS.filter((kind) => importerKinds.includes(kind))
  const fields = json.looseObject({
    // A URL may contain a password
    from: json.hideValue(createSourceReader(kinds)),
    toolkit: namePart,
    version: json.optional(version),
    tools: json.optional(PATTERNS, ['*']),
    ...guardFields,
    rules: json.optional(json.array(RULE, { min: 1, max: MAX_RULES })),
  })
  const schema = () => {
    const { properties, ...schemaFields } = json.toJsonSchema(fields)
    const toBodySchema = (kind: ImportKind) => {
      const from = json.toJsonSchema(createSourceReader([kind]))
      return {
        ...schemaFields,
        properties: { ...Object(properties), from, ...OPTIONS[kind] },
        additionalProperties: false,
      }
    }
    return { anyOf: kinds.map(toBodySchema) }
  }
  const reader = json.transform(json.anyObject, (body, report) => {
    const parsedBody = fields(body, report)
    if (parsedBody === json.INVALID_VALUE) return json.INVALID_VALUE
    const { from: source, tools: patterns, security_level, approval, rules = [], ...target } = parsedBody
    for (const [index, { methods }] of rules.entries()) {
      if (methods === undefined || source.kind === 'openapi') continue
      json.addProblem(
        report,
        "Only operations of an OpenAPI description have methods: say 'tools'",
        `/rules/${index}/methods`,
      )
    }
    if (rules.reduce((sum, { tools = [] }) => sum + tools.length, 0) > MAX_PATTERNS)
      json.addProblem(report, `Must have at most ${MAX_PATTERNS} tool names in all rules together`, '/rules')
    const isSelected = createNameMatcher(target.toolkit, patterns)
    const guards = readGuards(target.toolkit, { security_level, approval }, rules)
    const options = Object.fromEntries(Object.entries(body).filter(([name]) => !IMPORT_FIELDS.includes(name)))
    return { ...source, ...target, isSelected, options, ...(guards ? { guardsFor: guards } : {}) }
  })
  return json.withSchema(schema, reader)
}

function createNameMatcher(toolkit: string, patterns: readonly string[]): (tool: string, budget: Budget) => boolean {
  const { covers, compared } = createToolPatterns(patterns.map((pattern) => `${toolkit}.${pattern}`))
  return (tool, budget) => {
    // Running out of budget is reported where tools are created
    withinBudget(() => budget.spend(1 + compared), '')
    // Names in a source may have dashes, which tool names do not
    return covers({ toolkit, tool: foldDashes(tool) })
  }
}

function readGuards(toolkit: string, commonGuard: Guard, rules: readonly json.InferOutput<typeof RULE>[]) {
  if (rules.length === 0 && Object.values(commonGuard).every((value) => value === undefined)) return undefined
  const guardRules = rules.map(({ tools, methods, ...guard }) => ({
    guard,
    matchesName: tools ? createNameMatcher(toolkit, tools) : () => true,
    matchesMethod: (method: unknown) => methods === undefined || methods.some((listed) => listed === method),
  }))
  return ({ definition, about }: ImportedTool, budget: Budget) => [
    commonGuard,
    ...guardRules
      .filter(({ matchesName, matchesMethod }) => matchesMethod(about.method) && matchesName(definition.tool, budget))
      .map(({ guard }) => guard),
  ]
}

function createSourceReader(kinds: readonly ImportKind[]) {
  const schema = () => {
    const toSchemaType = (kind: ImportKind) => ({ type: kind === 'openapi' ? ['string', 'object'] : 'string' })
    const properties = Object.fromEntries(kinds.map((kind) => [kind, toSchemaType(kind)]))
    return { type: 'object', properties, minProperties: 1, maxProperties: 1, additionalProperties: false }
  }
  return json.withSchema(schema, (value, report) => {
    const [[name, field] = [], ...otherFields] = isObject(value) ? Object.entries(value) : []
    const kind = kinds.find((candidate) => candidate === name)
    if (kind === undefined || otherFields.length > 0)
      return json.addTypeProblem(report, `an object with one of ${quoteList(kinds)}`, value)
    const source = json.readAt(kind, SOURCE, field, report)
    return source === json.INVALID_VALUE ? json.INVALID_VALUE : { kind, source }
  })
}

type ToolReports = Pick<ImportResult, 'imported' | 'skipped'>

export function encodeImported(result: ToolReports) {
  const { imported: importedTools } = result
  const unchanged = importedTools.filter(({ state }) => state === 'unchanged').map(({ id }) => id)
  const pending = importedTools.filter(({ isPending }) => isPending).map(({ id }) => id)
  const missing = [
    ...new Map(importedTools.flatMap((tool) => tool.missing.map((secret) => [secret.id, secret]))).values(),
  ]
  return {
    ids: importedTools.map(({ id }) => id),
    ...(unchanged.length > 0 ? { unchanged } : {}),
    ...(pending.length > 0 ? { pending } : {}),
    ...encodeMissing(missing),
    ...skippedAndWarnings(result),
  }
}

export function encodeDryRun(result: ToolReports, gone: readonly string[] = []) {
  const tools = result.imported.map(encodeTool)
  return { tools, ...skippedAndWarnings(result), ...(gone.length > 0 ? { gone } : {}) }
}

export function listProblems(kind: ImportKind, { skipped }: Pick<ToolReports, 'skipped'>): readonly Problem[] {
  if (skipped.length === 0) return [{ path: '/tools', message: 'Must choose at least one tool of the source' }]
  return skipped.slice(0, MAX_PROBLEMS).map(({ name, reason }) => ({
    path: `/from${encodePointerStep(kind)}`,
    message: `'${name}' cannot be made: ${reason}`,
  }))
}

/** Lists each message once with its first tools: an unreachable server is one fault, not one per tool. */
function skippedAndWarnings({ imported: importedTools, skipped }: ToolReports) {
  const messages = importedTools.flatMap(({ id, warnings }) => warnings.map((message) => ({ id, message })))
  const warnings = [...Map.groupBy(messages, ({ message }) => message)].map(([message, warned]) => {
    return { message, tools: warned.length, ids: warned.slice(0, MAX_EXAMPLES).map(({ id }) => id) }
  })
  return {
    skipped: skipped.map(({ name, reason, about }) => ({ name, ...about, reason })),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

function encodeTool({ id, name, state, breaking, about, tags, requirements, missing, guard }: ImportedToolReport) {
  const needs = omitEmptyRequirements(requirements.authorization, requirements)
  return {
    id,
    name,
    ...about,
    state,
    ...(breaking ? { breaking: breaking.slice(0, MAX_REASONS).map(shortenReason) } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(Object.keys(needs).length > 0 ? { requirements: needs } : {}),
    ...encodeMissing(missing),
    ...guard,
  }
}

function shortenReason(reason: string): string {
  return reason.slice(0, MAX_REASON_CHARACTERS).toWellFormed()
}

function encodeMissing(missing: ImportedToolReport['missing']) {
  return missing.length > 0 ? { missing_requirements: { secrets: missing } } : {}
}

export interface ImportAnswers {
  'POST /toolkits/import': (ReturnType<typeof encodeDryRun> | ReturnType<typeof encodeImported>) & {
    readonly providers?: readonly ProviderReport[]
  }
}
