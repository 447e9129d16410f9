import { isJsonArray, isObject, isStringArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { EXTENSION } from '../../core/tool/definition-fields.ts'
import type { Loss } from '../../core/tool/codec.ts'
import { encodePointerStep } from '../../core/tool/problem.ts'

const PRIMITIVES = ['string', 'integer', 'number', 'boolean', 'json'] as const
const FIELDS = json.object(
  {
    val_type: json.enumReader([...PRIMITIVES, 'array']),
    inner_val_type: json.nullish(json.enumReader(PRIMITIVES)),
    enum: json.nullish(json.stringArray),
  },
  {
    ...EXTENSION,
    rule({ val_type }, report, { inner_val_type }) {
      if (val_type !== 'array' || inner_val_type !== undefined) return
      json.addProblem(report, "Is required when 'val_type' is 'array'", '/inner_val_type')
    },
  },
)

/** Open Tool Calling RFC, `$defs.value_schema`. The `enum` of a list applies to its items, as in the RFC's engine. */
export const valueSchema: json.Reader<JsonObject> = json.transform(
  FIELDS,
  ({ val_type, inner_val_type, enum: texts }, { warnings }) => {
    const isArray = val_type === 'array'
    const type = isArray ? inner_val_type : val_type
    const hasEnum = texts !== undefined && texts.length > 0 && type === 'string'
    if (texts && !hasEnum) {
      const message = 'Allows no value: an enum holds at least one string, and is of strings. It is passed over'
      warnings.push({ path: '/enum', message })
    }
    const itemSchema = {
      ...(type === undefined || type === 'json' ? {} : { type }),
      ...(hasEnum ? { enum: texts } : {}),
    }
    if (!isArray) return itemSchema
    return { type: 'array', ...(type === undefined ? {} : { items: itemSchema }) }
  },
)

export function allowNull(schema: JsonObject): JsonObject {
  if (typeof schema.type !== 'string') return schema
  const { enum: allowed } = schema
  return { ...schema, type: [schema.type, 'null'], ...(Array.isArray(allowed) ? { enum: [...allowed, null] } : {}) }
}

const NOT_EXPRESSIBLE = 'A value_schema of the Open Tool Calling RFC cannot say this'
const BECOMES_JSON = "Becomes 'json', which is any value: the RFC has no type for it"

export function encodeValueSchema(
  schema: Json | undefined,
  path: string,
  losses: Loss[],
  writtenElsewhere: readonly string[] = [],
): JsonObject {
  const outer = encodeInnerSchema(schema, path, losses, ['description', ...writtenElsewhere])
  if (outer.type !== 'array') return createValueSchema(outer.type, null, outer.enum)
  const items = isObject(schema) ? schema.items : undefined
  if (items === undefined) return createValueSchema('array', null, null)
  const itemsPath = `${path}/items`
  const inner = encodeInnerSchema(items, itemsPath, losses, [])
  if (inner.type !== 'array') return createValueSchema('array', inner.type, inner.enum)
  losses.push({ path: `${itemsPath}/type`, reason: `${BECOMES_JSON} within an array` })
  if (isObject(items) && items.items !== undefined) losses.push({ path: `${itemsPath}/items`, reason: NOT_EXPRESSIBLE })
  return createValueSchema('array', 'json', null)
}

function createValueSchema(
  val_type: string,
  inner_val_type: string | null,
  allowed: readonly string[] | null,
): JsonObject {
  return { val_type, inner_val_type, enum: allowed }
}

function encodeInnerSchema(schema: unknown, path: string, losses: Loss[], writtenElsewhere: readonly string[]) {
  if (!isObject(schema)) {
    if (schema === false) losses.push({ path, reason: 'The RFC cannot say that nothing is allowed' })
    return { type: 'json', enum: null }
  }
  const allowed = 'const' in schema && !('enum' in schema) ? [schema.const] : schema.enum
  const isEnum = isStringArray(allowed) && allowed.length > 0
  const type = encodeType(schema, isEnum, path, losses)
  const writtenKeywords = new Set(['type', ...writtenElsewhere])
  if (type === 'string' && isEnum) writtenKeywords.add('enum' in schema ? 'enum' : 'const')
  if (type === 'array') writtenKeywords.add('items')
  for (const keyword of Object.keys(schema)) {
    if (writtenKeywords.has(keyword) || allowsAnything(keyword, schema[keyword])) continue
    losses.push({ path: path + encodePointerStep(keyword), reason: NOT_EXPRESSIBLE })
  }
  return { type, enum: type === 'string' && isEnum ? allowed : null }
}

function encodeType(schema: Readonly<Record<string, unknown>>, isEnum: boolean, path: string, losses: Loss[]): string {
  const { type } = schema
  const types: readonly unknown[] = type === undefined ? [] : Array.isArray(type) ? type : [type]
  const [nonNullType, ...otherTypes] = types.filter((name) => name !== 'null')
  if (nonNullType !== undefined && otherTypes.length === 0) {
    if (types.length > 1) losses.push({ path: `${path}/type`, reason: 'The RFC cannot say that a value may be null' })
    if (nonNullType !== 'object') return String(nonNullType)
  }
  if (type === undefined && isEnum) return 'string'
  if (type !== undefined) losses.push({ path: `${path}/type`, reason: BECOMES_JSON })
  return 'json'
}

function allowsAnything(keyword: string, value: unknown): boolean {
  if (keyword === 'additionalProperties') return value === true
  return keyword === 'required' && Array.isArray(value) && value.length === 0
}

export function buildParametersReader() {
  const parameter = json.object(
    {
      name: json.unique(json.string()),
      required: json.boolean,
      description: json.nullish(json.string()),
      value_schema: valueSchema,
      inferrable: json.nullish(json.boolean),
    },
    EXTENSION,
  )
  const parameterList = json.array(parameter)
  const wrappedParameters = json.transform(
    json.object({ parameters: parameterList }, EXTENSION),
    ({ parameters: list }) => list,
  )
  const either: typeof parameterList = (value, report) =>
    isJsonArray(value) ? parameterList(value, report) : wrappedParameters(value, report)
  return json.transform(either, (list) => {
    const schemas = list.map(({ name, value_schema: schema, description }): [string, JsonObject] => [
      name,
      description === undefined ? schema : { ...schema, description },
    ])
    const required = list.filter((entry) => entry.required).map(({ name }) => name)
    return {
      schema: { type: 'object', properties: Object.fromEntries(schemas), ...(required.length > 0 ? { required } : {}) },
      notInferrable: list.filter(({ inferrable }) => inferrable === false).map(({ name }) => name),
    }
  })
}
