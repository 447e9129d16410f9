import type { Loss } from '../../core/tool/codec.ts'
import { isObject, isTexts, type Json, type JsonObject } from '../../core/tool/json.ts'
import { pointerStep } from '../../core/tool/problem.ts'

const UNSAID = 'A value_schema of the Open Tool Calling RFC cannot say this'
const AS_JSON = "Becomes 'json', which is an object: the RFC has no type for it"

/**
 * Writes a JSON Schema as a `value_schema`. Keywords that it cannot say join `losses` under `path`, but for
 * `description` and `said`, which the caller says elsewhere.
 */
export function encodeValueSchema(
  schema: Json | undefined,
  path: string,
  losses: Loss[],
  said: readonly string[] = [],
): JsonObject {
  const whole = innerSchema(schema, path, losses, ['description', ...said])
  if (whole.type !== 'array') return valueSchema(whole.type, null, whole.enum)
  const items = isObject(schema) ? schema.items : undefined
  if (items === undefined) return valueSchema('array', null, null)
  const at = `${path}/items`
  const inner = innerSchema(items, at, losses, [])
  if (inner.type !== 'array') return valueSchema('array', inner.type, inner.enum)
  losses.push({ path: `${at}/type`, reason: `${AS_JSON} within an array` })
  if (isObject(items) && items.items !== undefined) losses.push({ path: `${at}/items`, reason: UNSAID })
  return valueSchema('array', 'json', null)
}

function valueSchema(val_type: string, inner_val_type: string | null, allowed: readonly string[] | null): JsonObject {
  return { val_type, inner_val_type, enum: allowed }
}

interface Inner {
  readonly type: string
  readonly enum: readonly string[] | null
}

function innerSchema(schema: unknown, path: string, losses: Loss[], said: readonly string[]): Inner {
  if (!isObject(schema)) {
    losses.push({ path, reason: schema === false ? 'The RFC cannot say that nothing is allowed' : AS_JSON })
    return { type: 'json', enum: null }
  }
  const allowed = 'const' in schema && !('enum' in schema) ? [schema.const] : schema.enum
  const isEnum = isTexts(allowed) && allowed.length > 0
  const type = typeOf(schema, isEnum, path, losses)
  const saidHere = new Set(['type', ...said])
  if (type === 'string' && isEnum) saidHere.add('enum' in schema ? 'enum' : 'const')
  if (type === 'array') saidHere.add('items')
  for (const keyword of Object.keys(schema)) {
    if (saidHere.has(keyword) || isIdle(keyword, schema[keyword])) continue
    losses.push({ path: path + pointerStep(keyword), reason: UNSAID })
  }
  return { type, enum: type === 'string' && isEnum ? allowed : null }
}

function typeOf(schema: Readonly<Record<string, unknown>>, isEnum: boolean, path: string, losses: Loss[]): string {
  const { type } = schema
  const types: readonly unknown[] = type === undefined ? [] : Array.isArray(type) ? type : [type]
  const [only, ...others] = types.filter((each) => each !== 'null')
  if (only !== undefined && others.length === 0) {
    if (types.length > 1) losses.push({ path: `${path}/type`, reason: 'The RFC cannot say that a value may be null' })
    return only === 'object' ? 'json' : String(only)
  }
  // Strings and nothing else, though no type says so
  if (type === undefined && isEnum) return 'string'
  losses.push({ path: type === undefined ? path : `${path}/type`, reason: AS_JSON })
  return 'json'
}

/** True for a keyword that allows the same as its absence. */
function isIdle(keyword: string, value: unknown): boolean {
  if (keyword === 'additionalProperties') return value === true
  return keyword === 'required' && Array.isArray(value) && value.length === 0
}
