import { type ExpansionLimits, type UnexpandedRef, expandSchema } from '../../core/schema/expand.ts'
import { MAX_SCHEMA_DEPTH, MAX_SUBSCHEMAS } from '../../core/schema/subschemas.ts'
import type { EncodeResult, Loss } from '../../core/tool/codec.ts'
import { withinBudget, type Budget, createBudget } from '../../core/tool/budget.ts'
import { isJsonObject, isJsonArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import { fieldLosses, omitContextParameters, contextParameterLosses } from '../../core/tool/metadata.ts'
import { type JsonSchema, omitEmptyRequirements, toObjectSchema, type ToolRecord } from '../../core/tool/tool.ts'
import { formatToolId, isSimpleVersion } from '../../core/tool/tool-id.ts'

type AddLoss = (path: string, reason: string) => void

const NO_FIELD = ['OXP 1.0 has no such field', ['requirements']] as const
/** The limits of publication, and half of the maximum text of a definition. */
const EXPANSION_LIMITS: ExpansionLimits = {
  schemas: MAX_SUBSCHEMAS,
  depth: MAX_SCHEMA_DEPTH,
  nesting: 128,
  characters: 128 * 1024,
}
const UNEXPANDED_REASONS: Readonly<Record<UnexpandedRef['why'], string>> = {
  'recursive': 'OXP 1.0 has no references, and this one leads back to itself: anything is taken there',
  'too large': 'OXP 1.0 has no references, and written out they make the schema too large: anything is taken there',
  'unresolved': 'OXP 1.0 has no references, and this one leads nowhere: anything is taken there',
}

export function encode(record: ToolRecord, budget = createBudget()): EncodeResult {
  const source = findSource(record)
  if (source) return { document: source, losses: fieldLosses(record, ...NO_FIELD) }
  return encodeDefinition(record, toWrappedInput, budget)
}

export function toSeedDocument(record: ToolRecord): JsonObject {
  const source = findSource(record)
  return source
    ? encodeListed(source, record, toWrappedInput)
    : encodeDefinition(record, toWrappedInput, createBudget()).document
}

export function encodeFlat(record: ToolRecord, budget = createBudget()): EncodeResult {
  const source = findSource(record)
  if (!source) return encodeDefinition(record, toFlatInput, budget)
  return { document: encodeListed(source, record, toFlatInput), losses: fieldLosses(record, ...NO_FIELD) }
}

/** Returns '' if the version is not `x.y.z`, because no OXP id leads to it, or if encoding takes too much work. */
export function toListLine(record: ToolRecord): string {
  if (!isSimpleVersion(record.version)) return ''
  const line = withinBudget(() => JSON.stringify(toSeedDocument(record)), '')
  return line.ok ? line.value : ''
}

/** Drops the keyword `parameters`, which means nothing, so that the schema is not taken for a wrapper. */
function toFlatInput(input: JsonObject): JsonObject {
  const { parameters: _, ...schema } = input
  return schema
}

const toWrappedInput = (input: JsonObject): JsonObject => ({ parameters: input })

/** Fixes older documents: parameters may be boolean schemas, and two requirements may have the same id. */
function encodeListed(source: JsonObject, record: ToolRecord, wrap: (input: JsonObject) => JsonObject): JsonObject {
  const { requirements: sourceRequirements } = source
  const requirements = isJsonObject(sourceRequirements) ? { requirements: withUniqueIds(sourceRequirements) } : {}
  return { ...source, input_schema: wrap(withParameters(omitContextParameters(record).input)), ...requirements }
}

/** Keeps the first requirement of each id ("A unique identifier"). */
function withUniqueIds(requirements: JsonObject): JsonObject {
  const lists = Object.entries(requirements).map(([name, list]): [string, Json | undefined] => {
    if (!isJsonArray(list)) return [name, list]
    const byId = Map.groupBy(list, (entry) => (isJsonObject(entry) ? entry.id : entry))
    return [name, [...byId.values()].flatMap(([first = null]) => [first])]
  })
  return Object.fromEntries(lists)
}

function findSource({ source }: ToolRecord): JsonObject | undefined {
  return source.dialect === 'oxp' && isJsonObject(source.document) ? source.document : undefined
}

function encodeDefinition(record: ToolRecord, wrap: (input: JsonObject) => JsonObject, budget: Budget) {
  const losses: Loss[] = [...contextParameterLosses(record)]
  const addLoss: AddLoss = (path, reason) => losses.push({ path, reason })
  const [simpleVersion = record.version] = record.version.split(/[-+]/)
  const name = { toolkit: sanitizeIdPart(record.toolkit), tool: sanitizeIdPart(record.tool), version: simpleVersion }
  for (const part of ['toolkit', 'tool'] as const) {
    if (name[part] !== record[part])
      addLoss(`/${part}`, `Is written '${name[part]}': an OXP id has no other characters`)
  }
  if (name.version !== record.version) addLoss('/version', `Is written '${name.version}': OXP's versions are x.y.z`)
  const document = {
    id: formatToolId(name, name.version),
    name: record.name,
    description: record.description,
    version: name.version,
    input_schema: wrap(withParameters(expandRefs(omitContextParameters(record).input, '/input', addLoss, budget))),
    output_schema: record.output === null ? null : expandRefs(record.output, '/output', addLoss, budget),
  }
  const authorization = record.requirements.authorization.map((requirement) => ({ ...requirement }))
  const requirements = omitEmptyRequirements(authorization, record.requirements)
  return {
    document: Object.keys(requirements).length > 0 ? { ...document, requirements } : document,
    losses: [...losses, ...fieldLosses(record, ...NO_FIELD)],
  }
}

/** "Excludes $ref and nested definitions": inlines references, and returns an object. */
function expandRefs(schema: JsonSchema, path: string, addLoss: AddLoss, budget: Budget): JsonObject {
  const { schema: expandedSchema, cut } = expandSchema(schema, EXPANSION_LIMITS, budget)
  for (const unexpandedRef of cut) addLoss(path + unexpandedRef.path, UNEXPANDED_REASONS[unexpandedRef.why])
  return toObjectSchema(expandedSchema)
}

function withParameters(input: JsonObject): JsonObject {
  const { properties } = input
  if (!isJsonObject(properties) || !Object.values(properties).some((each) => typeof each === 'boolean')) return input
  const objects = Object.entries(properties).map(([name, parameter = {}]): [string, Json] => {
    return [name, typeof parameter === 'boolean' ? toObjectSchema(parameter) : parameter]
  })
  return { ...input, properties: Object.fromEntries(objects) }
}

function sanitizeIdPart(part: string): string {
  return part.replaceAll(/[^A-Za-z0-9_]/g, '_')
}
