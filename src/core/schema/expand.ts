import { isJsonObject, isObject } from '../tool/json.ts'
import type { JsonSchema } from '../tool/tool.ts'
import { mapSubschemas } from './subschemas.ts'

const MAX_SCHEMAS = 10_000
const DEFINITION = /^#\/\$defs\/([A-Za-z0-9_.-]+)$/

/**
 * A schema with each reference to a definition under its `$defs` replaced by that definition, so that two schemas that
 * say the same can be compared part by part. Gives the schema as it is when it refers to anything else, is recursive, or
 * would grow past 10,000 schemas.
 */
export function expandSchema(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean' || !isObject(schema.$defs)) return schema
  const { $defs, ...root } = schema
  const definitions = new Map<string, unknown>(Object.entries($defs))
  const open = new Set<string>()
  let left = MAX_SCHEMAS
  let failed = false

  function expand(given: unknown): unknown {
    if (failed || !isObject(given)) return given
    if (left-- === 0) failed = true
    const { $ref, ...beside } = given
    if ($ref === undefined) return mapSubschemas(given, expand)
    const name = DEFINITION.exec(String($ref))?.[1] ?? ''
    const target = definitions.get(name)
    if (target === undefined || open.has(name)) {
      failed = true
      return given
    }
    open.add(name)
    const expanded = expand(target)
    open.delete(name)
    const own = mapSubschemas(beside, expand)
    return isObject(expanded) ? { ...expanded, ...own } : Object.keys(own).length === 0 ? expanded : { ...own }
  }

  const expanded = expand(root)
  return !failed && isJsonObject(expanded) ? expanded : schema
}
