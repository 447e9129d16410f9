import { resolveBranch, join, type SchemaObject, visit, type FormatContext } from './writing.ts'
import { mapSubschemas } from '../core/schema/subschemas.ts'
import { encodePointerStep } from '../core/tool/problem.ts'
import { isJsonObject, isObject, type JsonObject } from '../core/tool/json.ts'
import type { Loss } from '../core/tool/codec.ts'
import { MAX_NAME } from '../core/tool/tool-id.ts'
import { fieldLosses } from '../core/tool/metadata.ts'
import { deriveSecurityLevel, type ToolRecord } from '../core/tool/tool.ts'

const NO_FIELD = 'A function declaration has no such field'

export function recordLosses(record: ToolRecord, reason = NO_FIELD, written: readonly string[] = []): Loss[] {
  const { output, requirements } = record
  const isAny = output === true || (isObject(output) && Object.keys(output).length === 0)
  return [
    ...fieldLosses(record, reason, [...written, 'tags', 'requirements'], 0),
    ...(isAny || written.includes('output') ? [] : [{ path: '/output', reason }]),
    ...(deriveSecurityLevel(requirements) > 0 ? [{ path: '/requirements', reason }] : []),
  ]
}

export function providerName(name: string, losses: Loss[], beginsWith: 'any' | 'letter' = 'any'): string {
  const allowed = name.replace(/[^A-Za-z0-9_-]/g, '_')
  const begun = allowed === '' || (beginsWith === 'letter' && !/^[A-Za-z_]/.test(allowed)) ? `_${allowed}` : allowed
  const accepted = begun.slice(0, MAX_NAME)
  if (accepted !== name) losses.push({ path: '/name', reason: `Becomes '${accepted}', as the provider wants names` })
  return accepted
}

const REFUSED = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$dynamicRef'] as const

export function rootObject(input: SchemaObject, path: string, writing: FormatContext): SchemaObject {
  const { losses } = writing
  const merged = 'allOf' in input || '$ref' in input ? (resolveBranch(input, path, writing) ?? {}) : input
  const rest = new Map(Object.entries(merged))
  let properties = isObject(merged.properties) ? merged.properties : {}
  for (const keyword of REFUSED) {
    if (!rest.delete(keyword)) continue
    const alternatives = merged[keyword]
    const at = path + encodePointerStep(keyword)
    losses.push({ path: at, reason: 'The provider takes it below the root only' })
    if ((keyword !== 'anyOf' && keyword !== 'oneOf') || !Array.isArray(alternatives)) continue
    for (const [index, each] of alternatives.entries()) {
      const found = resolveBranch(each, `${at}/${index}`, writing)
      if (isObject(found?.properties)) properties = join(properties, found.properties, at, writing, false)
    }
  }
  if (merged.type !== 'object') losses.push({ path: `${path}/type`, reason: "Becomes 'object'" })
  return { ...Object.fromEntries(rest), type: 'object', properties }
}

/** JSON Schema 2020-12 alone: tuples as `prefixItems`, and `items` in every array schema, which OpenAI wants. */
export function current(schema: SchemaObject, path: string, writing: FormatContext): JsonObject {
  visit(schema, path, writing)
  const lose = (keyword: string, reason: string) => writing.losses.push({ path: `${path}/${keyword}`, reason })
  const words = new Map(Object.entries(schema))
  const { items, additionalItems = {}, type } = schema
  if (words.delete('$schema')) lose('$schema', 'The provider takes JSON Schema 2020-12')
  if (Array.isArray(items)) {
    lose('items', "Becomes 'prefixItems', as JSON Schema 2020-12 calls it")
    words.delete('items')
    words.delete('additionalItems')
    if (items.length > 0) words.set('prefixItems', items)
    words.set('items', additionalItems)
  } else if (items === undefined && [type].flat().includes('array')) {
    lose('items', 'Is added, since the provider wants one: any')
    words.set('items', {})
  }
  const changed = mapSubschemas(Object.fromEntries(words), (below, _, step) =>
    isObject(below) ? current(below, path + step, writing) : below,
  )
  return isJsonObject(changed) ? changed : {}
}
