import { type ExpansionLimits, type UnexpandedRef, expandSchema } from '../../core/schema/expand.ts'
import { MAX_SCHEMA_DEPTH, MAX_SUBSCHEMAS } from '../../core/schema/subschemas.ts'
import type { EncodeResult, Loss } from '../../core/tool/codec.ts'
import { withinBudget, type Budget, createBudget } from '../../core/tool/budget.ts'
import { isJsonObject, isJsonArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import { fieldLosses, omitContextParameters, contextParameterLosses } from '../../core/tool/metadata.ts'
import { type JsonSchema, omitEmptyRequirements, toObjectSchema, type ToolRecord } from '../../core/tool/tool.ts'
import { formatToolId, isSimpleVersion } from '../../core/tool/tool-id.ts'

type Lose = (path: string, reason: string) => void

const NO_FIELD = ['OXP 1.0 has no such field', ['requirements']] as const
/** The bounds of publication, and half of the text that a definition may have. */
const BOUNDS: ExpansionLimits = {
  schemas: MAX_SUBSCHEMAS,
  depth: MAX_SCHEMA_DEPTH,
  nesting: 128,
  characters: 128 * 1024,
}
const WHY_CUT: Readonly<Record<UnexpandedRef['why'], string>> = {
  'recursive': 'OXP 1.0 has no references, and this one leads back to itself: anything is taken there',
  'too large': 'OXP 1.0 has no references, and written out they make the schema too large: anything is taken there',
  'unresolved': 'OXP 1.0 has no references, and this one leads nowhere: anything is taken there',
}

export function encode(record: ToolRecord, budget = createBudget()): EncodeResult {
  const source = findSource(record)
  if (source) return { document: source, losses: fieldLosses(record, ...NO_FIELD) }
  return written(record, wrapped, budget)
}

export function toSeedDocument(record: ToolRecord): JsonObject {
  const source = findSource(record)
  return source ? listed(source, record, wrapped) : written(record, wrapped, createBudget()).document
}

export function encodeFlat(record: ToolRecord, budget = createBudget()): EncodeResult {
  const source = findSource(record)
  if (!source) return written(record, flat, budget)
  return { document: listed(source, record, flat), losses: fieldLosses(record, ...NO_FIELD) }
}

/** Empty for a version that is no `x.y.z`, since no id of OXP leads to it, and for too much work to write. */
export function toListLine(record: ToolRecord): string {
  if (!isSimpleVersion(record.version)) return ''
  const written = withinBudget(() => JSON.stringify(toSeedDocument(record)), '')
  return written.ok ? written.value : ''
}

/** A schema with a keyword `parameters`, which means nothing, would be taken for a wrapper. */
function flat(input: JsonObject): JsonObject {
  const { parameters: _, ...schema } = input
  return schema
}

const wrapped = (input: JsonObject): JsonObject => ({ parameters: input })

/** Older documents may have parameters that are no objects, and an id in two requirements. */
function listed(source: JsonObject, record: ToolRecord, wrap: (input: JsonObject) => JsonObject): JsonObject {
  const { requirements: asked } = source
  const requirements = isJsonObject(asked) ? { requirements: withUniqueIds(asked) } : {}
  return { ...source, input_schema: wrap(withParameters(omitContextParameters(record).input)), ...requirements }
}

/** "A unique identifier": the first requirement of each id counts. */
function withUniqueIds(requirements: JsonObject): JsonObject {
  const lists = Object.entries(requirements).map(([name, list]): [string, Json | undefined] => {
    if (!isJsonArray(list)) return [name, list]
    const byId = Map.groupBy(list, (each) => (isJsonObject(each) ? each.id : each))
    return [name, [...byId.values()].flatMap(([first = null]) => [first])]
  })
  return Object.fromEntries(lists)
}

function findSource({ source }: ToolRecord): JsonObject | undefined {
  return source.dialect === 'oxp' && isJsonObject(source.document) ? source.document : undefined
}

function written(record: ToolRecord, wrap: (input: JsonObject) => JsonObject, budget: Budget) {
  const losses: Loss[] = [...contextParameterLosses(record)]
  const lose: Lose = (path, reason) => losses.push({ path, reason })
  const [simple = record.version] = record.version.split(/[-+]/)
  const name = { toolkit: plain(record.toolkit), tool: plain(record.tool), version: simple }
  for (const part of ['toolkit', 'tool'] as const) {
    if (name[part] !== record[part]) lose(`/${part}`, `Is written '${name[part]}': an OXP id has no other characters`)
  }
  if (name.version !== record.version) lose('/version', `Is written '${name.version}': OXP's versions are x.y.z`)
  const document = {
    id: formatToolId(name, name.version),
    name: record.name,
    description: record.description,
    version: name.version,
    input_schema: wrap(withParameters(expanded(omitContextParameters(record).input, '/input', lose, budget))),
    output_schema: record.output === null ? null : expanded(record.output, '/output', lose, budget),
  }
  const authorization = record.requirements.authorization.map((each) => ({ ...each }))
  const requirements = omitEmptyRequirements(authorization, record.requirements)
  return {
    document: Object.keys(requirements).length > 0 ? { ...document, requirements } : document,
    losses: [...losses, ...fieldLosses(record, ...NO_FIELD)],
  }
}

/** "Excludes $ref and nested definitions": references are written out, and a schema is an object. */
function expanded(schema: JsonSchema, path: string, lose: Lose, budget: Budget): JsonObject {
  const { schema: whole, cut } = expandSchema(schema, BOUNDS, budget)
  for (const each of cut) lose(path + each.path, WHY_CUT[each.why])
  return toObjectSchema(whole)
}

function withParameters(input: JsonObject): JsonObject {
  const { properties } = input
  if (!isJsonObject(properties) || !Object.values(properties).some((each) => typeof each === 'boolean')) return input
  const objects = Object.entries(properties).map(([name, each = {}]): [string, Json] => {
    return [name, typeof each === 'boolean' ? toObjectSchema(each) : each]
  })
  return { ...input, properties: Object.fromEntries(objects) }
}

function plain(part: string): string {
  return part.replaceAll(/[^A-Za-z0-9_]/g, '_')
}
