import { keywordsWhere } from '../../core/schema/keywords.ts'
import { isJsonObject, isList, type Json, type JsonObject } from '../../core/tool/json.ts'
import type { JsonSchema } from '../../core/tool/tool.ts'

/**
 * What an output schema means to MCP: `none`, there is no output; `any`, it says nothing and is not listed; `object`, it
 * is of an object; `value`, it is of any other value, which only revisions from 2026-07-28 on can say.
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

/** A schema as an object: MCP has no schemas that are booleans. */
export function asObjectSchema(schema: JsonSchema): JsonObject {
  return schema === true ? {} : schema === false ? { not: {} } : schema
}

/** Keywords whose values hold no references, whatever they look like. */
const DATA = keywordsWhere(({ holds }) => holds === 'data' || holds === 'list of data')
/** Keywords whose values have names for keys. */
const NAMED = keywordsWhere(({ holds }) => holds.endsWith('by name'))

/**
 * The schema of `{"result": <value>}` for revisions whose outputs are objects. References into the document are rewritten
 * to where their targets then stand.
 */
export function wrappedSchema(schema: JsonObject): JsonObject {
  return { type: 'object', properties: { result: moved(schema, false) }, required: ['result'] }
}

function moved(value: Json | undefined, named: boolean): Json {
  if (value === undefined) return null
  if (isList(value)) return value.map((each) => moved(each, false))
  if (!isJsonObject(value)) return value
  // A schema with an identity of its own is a document of its own
  if (!named && typeof value.$id === 'string' && !value.$id.startsWith('#')) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (named) return [key, moved(each, false)]
      if ((key === '$ref' || key === '$dynamicRef') && typeof each === 'string') return [key, movedReference(each)]
      return [key, DATA.has(key) ? each : moved(each, NAMED.has(key))]
    }),
  )
}

function movedReference(reference: string): string {
  return reference === '#' || reference.startsWith('#/') ? `#/properties/result${reference.slice(1)}` : reference
}

/** The schema without `x-mcp-header` (MCP 2026-07-28, "custom headers"), which this server does not check. */
export function withoutHeaders(schema: JsonObject): JsonObject {
  return isJsonObject(schema) && JSON.stringify(schema).includes('"x-mcp-header"') ? cleaned(schema, false) : schema
}

function cleaned(schema: JsonObject, named: boolean): JsonObject {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => named || key !== 'x-mcp-header')
      .map(([key, each]) => {
        if (!named && DATA.has(key)) return [key, each]
        const isMap = !named && NAMED.has(key)
        if (isList(each)) return [key, each.map((one) => (isJsonObject(one) ? cleaned(one, false) : one))]
        return [key, isJsonObject(each) ? cleaned(each, isMap) : each]
      }),
  )
}
