import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'

const MAX_DEPTH = 4
/** Limits the parts that are read, because references can repeat the same parts. */
const MAX_SUBSCHEMAS = 1_000
const MAX_VALUES = 6

/**
 * Summarizes a schema as a TypeScript type, as deep as fits into `maxCharacters`. It takes a tenth of the tokens, but leaves
 * out descriptions and bounds, so it cannot be used for validation.
 */
export function summarizeSchema(schema: JsonObject, maxCharacters: number): string {
  for (let depth = MAX_DEPTH; depth > 1; depth -= 1) {
    const text = summarizeToDepth(schema, depth)
    if (text.length <= maxCharacters) return text
  }
  const text = summarizeToDepth(schema, 1)
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`
}

function summarizeToDepth(root: JsonObject, maxDepth: number): string {
  let parts = 0

  function summarizeType(schema: Json | undefined, depth: number): string {
    if (!isJsonObject(schema)) return 'any'
    if (++parts > MAX_SUBSCHEMAS) return '…'
    if (typeof schema.$ref === 'string')
      return depth === 0 ? '{…}' : summarizeType(findDefinition(schema.$ref), depth - 1)
    if (schema.const !== undefined) return JSON.stringify(schema.const)
    if (Array.isArray(schema.enum)) return joinValues(schema.enum.map((value) => JSON.stringify(value)))
    const choices = schema.anyOf ?? schema.oneOf
    if (Array.isArray(choices)) return joinValues([...new Set(choices.map((choice) => summarizeType(choice, depth)))])
    const types = [schema.type ?? (schema.properties === undefined ? 'any' : 'object')].flat()
    return types.map((type) => summarizeNamedType(type, schema, depth)).join(' | ')
  }

  function summarizeNamedType(type: Json, schema: JsonObject, depth: number): string {
    if (type === 'array') {
      const items = summarizeType(schema.items, depth)
      return items.includes(' | ') ? `(${items})[]` : `${items}[]`
    }
    if (type !== 'object') return String(type)
    const properties = Object.entries(isJsonObject(schema.properties) ? schema.properties : {})
    if (depth === 0 || properties.length === 0) return '{…}'
    const required = new Set(Array.isArray(schema.required) ? schema.required : [])
    const optionalMark = (name: string) => (required.has(name) ? '' : '?')
    return `{ ${properties.map(([name, inner]) => `${name}${optionalMark(name)}: ${summarizeType(inner, depth - 1)}`).join(', ')} }`
  }

  function findDefinition(reference: string): Json | undefined {
    const name = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1]
    const { $defs } = root
    return name !== undefined && isJsonObject($defs) && Object.hasOwn($defs, name) ? $defs[name] : undefined
  }

  return summarizeType(root, maxDepth)
}

function joinValues(values: readonly string[]): string {
  return values.length <= MAX_VALUES ? values.join(' | ') : `${values.slice(0, MAX_VALUES).join(' | ')} | …`
}
