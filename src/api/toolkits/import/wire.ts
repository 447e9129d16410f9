import { type Guard, guardFields } from '../../../core/access/guard.ts'
import { type ImportedTool, IMPORT_KINDS, type ImportKind } from '../../../core/publish/import.ts'
import type { ImportResult, ImportedToolReport } from '../../../core/publish/import-tools.ts'
import type { Budget } from '../../../core/tool/budget.ts'
import { namePart, version } from '../../../core/tool/definition-fields.ts'
import { foldDashes } from '../../../core/tool/tool-id.ts'
import { createToolPatterns } from '../../../core/tool/tool-patterns.ts'
import { isJsonObject, isObject, isStringArray, type JsonObject } from '../../../core/tool/json.ts'
import {
  anyObject,
  transform,
  array,
  object,
  enumReader,
  optional,
  custom,
  type InferOutput,
} from '../../../core/tool/json-reader.ts'
import * as json from '../../../core/tool/json-reader.ts'
import { omitEmptyRequirements } from '../../../core/tool/tool.ts'
import { type Problem, encodePointerStep, quoteList } from '../../../core/tool/problem.ts'

const MAX_PATTERNS = 1_000
const MAX_PROBLEMS = 100
const MAX_EXAMPLES = 2

const SOURCE = custom('a URL, or a document as an object or a text', (value) =>
  (typeof value === 'string' && value.trim() !== '') || isJsonObject(value) ? value : undefined,
)
const PATTERN = /^[A-Za-z0-9_*-]{1,64}$/
const PATTERNS = custom(
  `a list of at most ${MAX_PATTERNS} tool names, in which '*' stands for any characters`,
  (value) =>
    isStringArray(value) && value.length <= MAX_PATTERNS && value.every((one) => PATTERN.test(one)) ? value : undefined,
  () => ({ type: 'array', items: { type: 'string' }, maxItems: MAX_PATTERNS }),
)

const MAX_RULES = 100
const METHOD = enumReader(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'])

const RULE = object(
  { tools: optional(PATTERNS), methods: optional(array(METHOD, { least: 1, most: 7 })), ...guardFields },
  {
    rule({ tools, methods, security_level, approval }, report) {
      if (tools === undefined && methods === undefined)
        json.addProblem(report, "Must say for which tools it is: 'tools' or 'methods'")
      if (security_level === undefined && approval === undefined)
        json.addProblem(report, "Must say what they ask for: 'security_level' or 'approval'")
    },
  },
)

const CALLED = { credentials: {}, timeout_ms: { type: 'integer' } }
const OF_TOOLKITS = { ...CALLED, pass_user: { type: 'boolean' }, upstream_toolkit: { type: 'string' } }
const OPTIONS: Readonly<Record<ImportKind, JsonObject>> = {
  openapi: { base_url: { type: 'string' }, credentials: { type: 'object' }, outputs: { enum: ['described', 'any'] } },
  'mcp': CALLED,
  'oxp': OF_TOOLKITS,
  'open-tool-calling': OF_TOOLKITS,
  'machine-context': OF_TOOLKITS,
  'plugin': CALLED,
}

export function importReader(known: readonly ImportKind[]) {
  const kinds = IMPORT_KINDS.filter((kind) => known.includes(kind))
  const fields = object({
    // A URL may hold a password
    from: json.hideValue(createSourceReader(kinds)),
    toolkit: namePart,
    version: optional(version),
    tools: optional(PATTERNS, ['*']),
    ...guardFields,
    rules: optional(array(RULE, { least: 1, most: MAX_RULES })),
  })
  const schema = () => {
    const { properties, ...rest } = json.toJsonSchema(fields)
    const toBodySchema = (kind: ImportKind) => {
      const from = json.toJsonSchema(createSourceReader([kind]))
      return { ...rest, properties: { ...Object(properties), from, ...OPTIONS[kind] }, additionalProperties: false }
    }
    return { anyOf: kinds.map(toBodySchema) }
  }
  const whole = transform(anyObject, (body, report) => {
    const { from, toolkit, version, tools, security_level, approval, rules, ...options } = body
    const read = fields({ from, toolkit, version, tools, security_level, approval, rules }, report)
    if (read === json.INVALID_VALUE) return json.INVALID_VALUE
    const { from: source, tools: patterns, security_level: level, approval: always, rules: some, ...named } = read
    for (const [index, { methods }] of (some ?? []).entries()) {
      if (methods === undefined || source.kind === 'openapi') continue
      json.addProblem(
        report,
        "Only operations of an OpenAPI description have methods: say 'tools'",
        `/rules/${index}/methods`,
      )
    }
    if ((some ?? []).reduce((sum, { tools = [] }) => sum + tools.length, 0) > MAX_PATTERNS)
      json.addProblem(report, `Must have at most ${MAX_PATTERNS} tool names in all rules together`, '/rules')
    const wants = covering(named.toolkit, patterns)
    const guards = readGuards(named.toolkit, { security_level: level, approval: always }, some)
    return { ...source, ...named, wants, options, ...(guards ? { guardsFor: guards } : {}) }
  })
  return json.withSchema(schema, whole)
}

function covering(toolkit: string, patterns: readonly string[]): (tool: string, meter: Budget) => boolean {
  const { covers } = createToolPatterns(patterns.map((pattern) => `${toolkit}.${pattern}`))
  // A source's name may have dashes, which the tool's will not
  return (tool, meter) => covers({ toolkit, tool: foldDashes(tool) }, meter)
}

function readGuards(toolkit: string, ofAll: Guard, rules: readonly InferOutput<typeof RULE>[] = []) {
  if (rules.length === 0 && Object.values(ofAll).every((said) => said === undefined)) return undefined
  const judged = rules.map(({ tools, methods, ...guard }) => ({
    guard,
    covers: tools ? covering(toolkit, tools) : () => true,
    sends: (method: unknown) => methods === undefined || methods.some((each) => each === method),
  }))
  return ({ definition, about }: ImportedTool, meter: Budget) => [
    ofAll,
    ...judged
      .filter(({ covers, sends }) => sends(about.method) && covers(definition.tool, meter))
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
    const [[name, given] = [], ...more] = isObject(value) ? Object.entries(value) : []
    const kind = kinds.find((known) => known === name)
    if (kind === undefined || more.length > 0)
      return json.addTypeProblem(report, `an object with one of ${quoteList(kinds)}`, value)
    const source = json.readAt(kind, SOURCE, given, report)
    return source === json.INVALID_VALUE ? json.INVALID_VALUE : { kind, source }
  })
}

export function encodeImported(result: ImportResult) {
  const { made } = result
  const unchanged = made.filter(({ state }) => state === 'unchanged').map(({ id }) => id)
  const pending = made.filter(({ isPending }) => isPending).map(({ id }) => id)
  return {
    ids: made.map(({ id }) => id),
    ...(unchanged.length > 0 ? { unchanged } : {}),
    ...(pending.length > 0 ? { pending } : {}),
    ...skippedAndWarnings(result),
  }
}

export function encodeDryRun(result: ImportResult) {
  return { tools: result.made.map(encodeMade), ...skippedAndWarnings(result) }
}

export function listProblems(kind: ImportKind, { skipped }: ImportResult): readonly Problem[] {
  if (skipped.length === 0) return [{ path: '/tools', message: 'Must choose at least one tool of the source' }]
  return skipped.slice(0, MAX_PROBLEMS).map(({ name, reason }) => ({
    path: `/from${encodePointerStep(kind)}`,
    message: `'${name}' cannot be made: ${reason}`,
  }))
}

/** Each message once, with the first tools that it is about: a server that cannot be reached is one fault, not one a tool. */
function skippedAndWarnings({ made, skipped }: ImportResult) {
  const all = made.flatMap(({ id, warnings }) => warnings.map((message) => ({ id, message })))
  const warnings = [...Map.groupBy(all, ({ message }) => message)].map(([message, about]) => {
    return { message, tools: about.length, ids: about.slice(0, MAX_EXAMPLES).map(({ id }) => id) }
  })
  return {
    skipped: skipped.map(({ name, reason, about }) => ({ name, ...about, reason })),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

function encodeMade({ id, name, state, about, requirements, missing, guard }: ImportedToolReport) {
  const needs = omitEmptyRequirements(requirements.authorization, requirements)
  return {
    id,
    name,
    ...about,
    state,
    ...(Object.keys(needs).length > 0 ? { requirements: needs } : {}),
    ...(missing.length > 0 ? { missing_requirements: { secrets: missing } } : {}),
    ...guard,
  }
}

export interface ImportAnswers {
  'POST /toolkits/import': ReturnType<typeof encodeDryRun> | ReturnType<typeof encodeImported>
}
