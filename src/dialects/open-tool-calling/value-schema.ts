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

/** Open Tool Calling RFC, `$defs.value_schema`. A list's `enum` is of its items, as the RFC's engine takes it. */
export const valueSchema: json.Reader<JsonObject> = json.transform(
  FIELDS,
  ({ val_type, inner_val_type, enum: texts }, { warnings }) => {
    const isArray = val_type === 'array'
    const type = isArray ? inner_val_type : val_type
    const isMeant = texts !== undefined && texts.length > 0 && type === 'string'
    if (texts && !isMeant) {
      const message = 'Allows no value: an enum holds at least one string, and is of strings. It is passed over'
      warnings.push({ path: '/enum', message })
    }
    const one = {
      ...(type === undefined || type === 'json' ? {} : { type }),
      ...(isMeant ? { enum: texts } : {}),
    }
    if (!isArray) return one
    return { type: 'array', ...(type === undefined ? {} : { items: one }) }
  },
)

export function orNull(schema: JsonObject): JsonObject {
  if (typeof schema.type !== 'string') return schema
  const { enum: allowed } = schema
  return { ...schema, type: [schema.type, 'null'], ...(Array.isArray(allowed) ? { enum: [...allowed, null] } : {}) }
}

const UNSAID = 'A value_schema of the Open Tool Calling RFC cannot say this'
const AS_JSON = "Becomes 'json', which is any value: the RFC has no type for it"

export function encodeValueSchema(
  schema: Json | undefined,
  path: string,
  losses: Loss[],
  said: readonly string[] = [],
): JsonObject {
  const whole = innerSchema(schema, path, losses, ['description', ...said])
  if (whole.type !== 'array') return asValueSchema(whole.type, null, whole.enum)
  const items = isObject(schema) ? schema.items : undefined
  if (items === undefined) return asValueSchema('array', null, null)
  const at = `${path}/items`
  const inner = innerSchema(items, at, losses, [])
  if (inner.type !== 'array') return asValueSchema('array', inner.type, inner.enum)
  losses.push({ path: `${at}/type`, reason: `${AS_JSON} within an array` })
  if (isObject(items) && items.items !== undefined) losses.push({ path: `${at}/items`, reason: UNSAID })
  return asValueSchema('array', 'json', null)
}

function asValueSchema(val_type: string, inner_val_type: string | null, allowed: readonly string[] | null): JsonObject {
  return { val_type, inner_val_type, enum: allowed }
}

function innerSchema(schema: unknown, path: string, losses: Loss[], said: readonly string[]) {
  if (!isObject(schema)) {
    if (schema === false) losses.push({ path, reason: 'The RFC cannot say that nothing is allowed' })
    return { type: 'json', enum: null }
  }
  const allowed = 'const' in schema && !('enum' in schema) ? [schema.const] : schema.enum
  const isEnum = isStringArray(allowed) && allowed.length > 0
  const type = encodeType(schema, isEnum, path, losses)
  const saidHere = new Set(['type', ...said])
  if (type === 'string' && isEnum) saidHere.add('enum' in schema ? 'enum' : 'const')
  if (type === 'array') saidHere.add('items')
  for (const keyword of Object.keys(schema)) {
    if (saidHere.has(keyword) || isIdle(keyword, schema[keyword])) continue
    losses.push({ path: path + encodePointerStep(keyword), reason: UNSAID })
  }
  return { type, enum: type === 'string' && isEnum ? allowed : null }
}

function encodeType(schema: Readonly<Record<string, unknown>>, isEnum: boolean, path: string, losses: Loss[]): string {
  const { type } = schema
  const types: readonly unknown[] = type === undefined ? [] : Array.isArray(type) ? type : [type]
  const [only, ...others] = types.filter((each) => each !== 'null')
  if (only !== undefined && others.length === 0) {
    if (types.length > 1) losses.push({ path: `${path}/type`, reason: 'The RFC cannot say that a value may be null' })
    if (only !== 'object') return String(only)
  }
  if (type === undefined && isEnum) return 'string'
  if (type !== undefined) losses.push({ path: `${path}/type`, reason: AS_JSON })
  return 'json'
}

function isIdle(keyword: string, value: unknown): boolean {
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
  const all = json.array(parameter)
  const wrapped = json.transform(json.object({ parameters: all }, EXTENSION), ({ parameters: each }) => each)
  const either: typeof all = (value, report) => (isJsonArray(value) ? all(value, report) : wrapped(value, report))
  return json.transform(either, (all) => {
    const schemas = all.map(({ name, value_schema: schema, description }): [string, JsonObject] => [
      name,
      description === undefined ? schema : { ...schema, description },
    ])
    const required = all.filter((each) => each.required).map(({ name }) => name)
    return {
      schema: { type: 'object', properties: Object.fromEntries(schemas), ...(required.length > 0 ? { required } : {}) },
      notInferrable: all.filter(({ inferrable }) => inferrable === false).map(({ name }) => name),
    }
  })
}
