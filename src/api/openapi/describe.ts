import { isJsonObject, isJsonArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import type { FieldWords, ReferenceWords } from '../../docs/docs.ts'

const COMPONENT = '#/components/schemas/'
/** The depth limit for references, which may be circular. */
const MAX_DEPTH = 6

export type WordsFor = (name: string) => FieldWords

/** Returns the description of the first owner that has one, or else the one for the name alone. */
export function getDescriptions(fields: ReferenceWords['fields'], owners: readonly string[]): WordsFor {
  return (name) => {
    const keys = [...owners.map((owner) => `${owner} ${name}`), name]
    return fields[keys.find((key) => Object.hasOwn(fields, key)) ?? ''] ?? { description: '' }
  }
}

/** Adds descriptions and examples to fields of a schema whose declarations have none. */
export function describeFields(schema: JsonObject, wordsFor: WordsFor): JsonObject {
  const describe = (value: Json): Json => {
    if (isJsonArray(value)) return value.map(describe)
    return isJsonObject(value) ? describeFields(value, wordsFor) : value
  }
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value = null]) => {
      const inner = describe(value)
      return [keyword, keyword === 'properties' && isJsonObject(inner) ? describeEach(inner, wordsFor) : inner]
    }),
  )
}

function describeEach(properties: JsonObject, wordsFor: WordsFor): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const declaredProperty = isJsonObject(property) ? property : {}
      const { description, example } = wordsFor(name)
      const examples = example === undefined ? {} : { examples: [example] }
      return [name, { ...declaredProperty, description: toDescription(declaredProperty, description), ...examples }]
    }),
  )
}

/** A declared description that starts with "Must be" is appended to the field's; any other replaces it. */
export function toDescription({ description: declared }: JsonObject, fieldDescription: string): string {
  if (typeof declared !== 'string') return fieldDescription
  return declared.startsWith('Must be ') && fieldDescription !== '' ? `${fieldDescription}. ${declared}` : declared
}

/** Replaces references with the components that they refer to. */
export function resolveRefs(schema: Json, components: JsonObject, depth = MAX_DEPTH): Json {
  if (isJsonArray(schema)) return schema.map((item) => resolveRefs(item, components, depth))
  if (!isJsonObject(schema)) return schema
  const name = findComponentName(schema)
  if (name !== undefined) return depth === 0 ? {} : resolveRefs(components[name] ?? {}, components, depth - 1)
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value = null]) => [keyword, resolveRefs(value, components, depth)]),
  )
}

export function findComponentName({ $ref: reference }: JsonObject): string | undefined {
  return typeof reference === 'string' && reference.startsWith(COMPONENT)
    ? reference.slice(COMPONENT.length)
    : undefined
}
