import { isJsonObject, isJsonArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import type { FieldWords, ReferenceWords } from '../../docs/docs.ts'

const COMPONENT = '#/components/schemas/'
/** References are followed so deep, since one may lead back to itself. */
const MAX_DEPTH = 6

export type WordsFor = (name: string) => FieldWords

/** Those of the first owner that has some come before those of the name alone. */
export function getDescriptions(fields: ReferenceWords['fields'], owners: readonly string[]): WordsFor {
  return (name) => {
    const keys = [...owners.map((owner) => `${owner} ${name}`), name]
    return fields[keys.find((key) => Object.hasOwn(fields, key)) ?? ''] ?? { description: '' }
  }
}

/** Adds descriptions and examples to the fields of a schema, wherever the declaration has none of its own. */
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
      const declared = isJsonObject(property) ? property : {}
      const { description, example } = wordsFor(name)
      const examples = example === undefined ? {} : { examples: [example] }
      return [name, { ...declared, description: toDescription(declared, description), ...examples }]
    }),
  )
}

/** A description that begins with "Must be" follows the words of the field's name; any other replaces them. */
export function toDescription({ description: declared }: JsonObject, fieldDescription: string): string {
  if (typeof declared !== 'string') return fieldDescription
  return declared.startsWith('Must be ') && fieldDescription !== '' ? `${fieldDescription}. ${declared}` : declared
}

/** Puts the components of a document in place of the references to them. */
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
