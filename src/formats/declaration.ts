import { resolveBranch, mergeSchemas, type SchemaObject, chargeVisit, type FormatContext } from './writing.ts'
import { mapSubschemas } from '../core/schema/subschemas.ts'
import { encodePointerStep } from '../core/tool/problem.ts'
import { isJsonObject, isObject, type JsonObject } from '../core/tool/json.ts'
import type { Loss } from '../core/tool/codec.ts'
import { MAX_NAME } from '../core/tool/tool-id.ts'
import { fieldLosses } from '../core/tool/metadata.ts'
import { deriveSecurityLevel, type ToolRecord } from '../core/tool/tool.ts'

const NO_DECLARATION_FIELD = 'A function declaration has no such field'

export function recordLosses(
  record: ToolRecord,
  reason = NO_DECLARATION_FIELD,
  writtenFields: readonly string[] = [],
): Loss[] {
  const { output, requirements } = record
  const allowsAnything = output === true || (isObject(output) && Object.keys(output).length === 0)
  return [
    ...fieldLosses(record, reason, [...writtenFields, 'tags', 'requirements'], 0),
    ...(allowsAnything || writtenFields.includes('output') ? [] : [{ path: '/output', reason }]),
    ...(deriveSecurityLevel(requirements) > 0 ? [{ path: '/requirements', reason }] : []),
  ]
}

export function toProviderName(name: string, losses: Loss[], beginsWith: 'any' | 'letter' = 'any'): string {
  const allowedName = name.replace(/[^A-Za-z0-9_-]/g, '_')
  const prefixed =
    allowedName === '' || (beginsWith === 'letter' && !/^[A-Za-z_]/.test(allowedName)) ? `_${allowedName}` : allowedName
  const acceptedName = prefixed.slice(0, MAX_NAME)
  if (acceptedName !== name)
    losses.push({ path: '/name', reason: `Becomes '${acceptedName}', as the provider wants names` })
  return acceptedName
}

const REFUSED_AT_ROOT = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$dynamicRef'] as const

export function toRootObject(input: SchemaObject, path: string, context: FormatContext): SchemaObject {
  const { losses } = context
  const mergedInput = 'allOf' in input || '$ref' in input ? (resolveBranch(input, path, context) ?? {}) : input
  const keywords = new Map(Object.entries(mergedInput))
  let properties = isObject(mergedInput.properties) ? mergedInput.properties : {}
  for (const keyword of REFUSED_AT_ROOT) {
    if (!keywords.delete(keyword)) continue
    const alternatives = mergedInput[keyword]
    const keywordPath = path + encodePointerStep(keyword)
    losses.push({ path: keywordPath, reason: 'The provider takes it below the root only' })
    if ((keyword !== 'anyOf' && keyword !== 'oneOf') || !Array.isArray(alternatives)) continue
    for (const [index, alternative] of alternatives.entries()) {
      const branch = resolveBranch(alternative, `${keywordPath}/${index}`, context)
      if (isObject(branch?.properties))
        properties = mergeSchemas(properties, branch.properties, keywordPath, context, false)
    }
  }
  if (mergedInput.type !== 'object') losses.push({ path: `${path}/type`, reason: "Becomes 'object'" })
  return { ...Object.fromEntries(keywords), type: 'object', properties }
}

/** Uses only JSON Schema 2020-12: tuples as `prefixItems`, and `items` in every array schema, which OpenAI requires. */
export function toCurrentSchema(schema: SchemaObject, path: string, context: FormatContext): JsonObject {
  chargeVisit(schema, path, context)
  const addLoss = (keyword: string, reason: string) => context.losses.push({ path: `${path}/${keyword}`, reason })
  const keywords = new Map(Object.entries(schema))
  const { items, additionalItems = {}, type } = schema
  if (keywords.delete('$schema')) addLoss('$schema', 'The provider takes JSON Schema 2020-12')
  if (Array.isArray(items)) {
    addLoss('items', "Becomes 'prefixItems', as JSON Schema 2020-12 calls it")
    keywords.delete('items')
    keywords.delete('additionalItems')
    if (items.length > 0) keywords.set('prefixItems', items)
    keywords.set('items', additionalItems)
  } else if (items === undefined && [type].flat().includes('array')) {
    addLoss('items', 'Is added, since the provider wants one: any')
    keywords.set('items', {})
  }
  const changedSchema = mapSubschemas(Object.fromEntries(keywords), (below, _, step) =>
    isObject(below) ? toCurrentSchema(below, path + step, context) : below,
  )
  return isJsonObject(changedSchema) ? changedSchema : {}
}
