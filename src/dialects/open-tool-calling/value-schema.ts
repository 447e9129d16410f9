import type { JsonObject } from '../../core/tool/json.ts'
import { into, nullish, object, oneOf, type Reader, strings, wrong } from '../../core/tool/json-reader.ts'

const PRIMITIVES = ['string', 'integer', 'number', 'boolean', 'json'] as const
const FIELDS = object(
  {
    val_type: oneOf([...PRIMITIVES, 'array']),
    inner_val_type: nullish(oneOf(PRIMITIVES)),
    enum: nullish(strings),
  },
  {
    rule({ val_type }, report, { inner_val_type }) {
      if (val_type !== 'array' || inner_val_type !== undefined) return
      wrong(report, "Is required when 'val_type' is 'array'", '/inner_val_type')
    },
  },
)

/**
 * Reads a `value_schema` (Open Tool Calling RFC, `$defs.value_schema`). A list's `enum` is of its items, as the RFC's
 * engine takes it; one that JSON Schema cannot express is ignored with a warning.
 */
export const valueSchema: Reader<JsonObject> = into(
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
      ...(type === undefined ? {} : { type: type === 'json' ? 'object' : type }),
      ...(isMeant ? { enum: texts } : {}),
    }
    if (!isArray) return one
    return { type: 'array', ...(Object.keys(one).length > 0 ? { items: one } : {}) }
  },
)

export function orNull(schema: JsonObject): JsonObject {
  if (typeof schema.type !== 'string') return schema
  const { enum: allowed } = schema
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(Array.isArray(allowed) ? { enum: [...allowed, null] } : {}),
  }
}
