import { mapSubschemas } from '../../core/schema/subschemas.ts'
import { isJson, isJsonObject, isObject, type JsonObject } from '../../core/tool/json.ts'
import type { JsonSchema } from '../../core/tool/tool.ts'

/**
 * An output schema as MCP sees it: `any` allows everything and is not listed; `value` is no object, which only
 * revisions from 2026-07-28 on can say.
 */
export type OutputKind = 'none' | 'any' | 'object' | 'value'

export function outputKind(output: JsonSchema | null): OutputKind {
  if (output === null) return 'none'
  if (output === true) return 'any'
  if (output === false) return 'value'
  if (output.type === 'object') return 'object'
  for (const _ in output) return 'value'
  return 'any'
}

/** MCP has no boolean schemas. */
export function asObjectSchema(schema: JsonSchema): JsonObject {
  return schema === true ? {} : schema === false ? { not: {} } : schema
}

/** The schema of `{"result": <value>}`, its internal references rewritten, for revisions whose outputs are objects. */
export function wrappedSchema(schema: JsonObject): JsonObject {
  const result = moved(schema)
  return { type: 'object', properties: isJson(result) ? { result } : {}, required: ['result'] }
}

function moved(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  // A schema with an identity of its own is a document of its own
  if (typeof schema.$id === 'string' && !schema.$id.startsWith('#')) return schema
  const copy = mapSubschemas(schema, moved)
  for (const keyword of ['$ref', '$dynamicRef']) {
    const reference = copy[keyword]
    if (typeof reference !== 'string' || (reference !== '#' && !reference.startsWith('#/'))) continue
    copy[keyword] = `#/properties/result${reference.slice(1)}`
  }
  return copy
}

/** Drops `x-mcp-header` (MCP 2026-07-28, "custom headers"), which this server does not check. */
export function withoutHeaders(schema: JsonObject): JsonObject {
  const clean = JSON.stringify(schema).includes('"x-mcp-header"') ? cleaned(schema) : schema
  return isJsonObject(clean) ? clean : schema
}

function cleaned(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const { 'x-mcp-header': _, ...rest } = mapSubschemas(schema, cleaned)
  return rest
}
