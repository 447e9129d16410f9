import { isJsonObject, isJsonArray, type Json, type JsonObject } from '../tool/json.ts'
import { REDACTED, type Redactor } from './redact.ts'

export const SENSITIVE_NAME =
  /pass(?:word|phrase|code)|secret|token|credential|authorization|api[_-]?key|private[_-]?key|cookie|^(?:pin|otp|cvv|cvc|ssn|iban)$/i
/** A longer text is cut to this many characters. */
const MAX_TEXT = 200
/** Secrets are redacted in this many characters of a text, before the text is cut. */
const MAX_SEARCHED = 8_192
/** All recorded arguments of a call have about this many characters. */
const MAX_ALL = 4_000
/** Counted for each value, in addition to the characters of texts and names. */
const CHARACTERS_PER_VALUE = 4
const MAX_DEPTH = 20

/**
 * Redacts arguments for a call record. A record has the shape of the arguments, the names of declared parameters and of
 * fields beside them, numbers, booleans, values of enums, and texts whose schema has `x-record`. Any other text may hold a
 * secret, so only its length is recorded. A `…` stands for omitted parts, with their length or number.
 */
export function redactArguments(input: JsonObject, schema: JsonObject, redactor: Redactor | undefined): JsonObject {
  let remainingCharacters = MAX_ALL

  function redactText(text: string): string {
    const redactedText = redactor ? redactor.text(text.slice(0, MAX_SEARCHED)) : text
    const cutText = redactedText.slice(0, MAX_TEXT)
    remainingCharacters -= cutText.length
    return redactedText.length === cutText.length && text.length <= MAX_SEARCHED
      ? cutText
      : `${cutText}… (${text.length} characters)`
  }

  /** `isMarked`: the schema of this value or an enclosing one has `x-record`. */
  function redactValue(value: Json, schema: JsonObject, isMarked: boolean, depth: number): Json {
    if (depth > MAX_DEPTH) return '…'
    if (typeof value === 'string')
      return isMarked || isEnumMember(value, schema) ? redactText(value) : `<${value.length} characters>`
    if (isJsonArray(value)) {
      const itemSchema = toObjectSchema(schema['items'])
      const items = mapWhileRoom(value, (item) => redactValue(item, itemSchema, isMarked, depth + 1))
      const omittedCount = value.length - items.length
      return omittedCount === 0 ? items : [...items, `… (${omittedCount} more)`]
    }
    if (isJsonObject(value)) return redactObject(value, schema, isMarked, depth)
    return redactor ? redactor.value(value) : value
  }

  function redactObject(fields: JsonObject, schema: JsonObject, isMarked: boolean, depth: number): JsonObject {
    const properties = toObjectSchema(schema['properties'])
    // The names in an object without declared properties are data too, and may hold a secret
    const isMap = !isMarked && Object.keys(properties).length === 0
    const entries = mapWhileRoom(isMap ? [] : Object.entries(fields), ([name, field]): [string, Json] => {
      const property = Object.hasOwn(properties, name) ? toObjectSchema(properties[name]) : {}
      const isSecret = SENSITIVE_NAME.test(name) || property['writeOnly'] === true || property['format'] === 'password'
      const isRecorded = isMarked || property['x-record'] === true
      return [redactText(name), isSecret ? REDACTED : redactValue(field ?? null, property, isRecorded, depth + 1)]
    })
    const omittedCount = Object.keys(fields).length - entries.length
    return Object.fromEntries(omittedCount === 0 ? entries : [...entries, ['…', `${omittedCount} more`]])
  }

  function mapWhileRoom<Item, Mapped>(items: readonly Item[], map: (item: Item) => Mapped): Mapped[] {
    const mapped: Mapped[] = []
    for (const item of items) {
      remainingCharacters -= CHARACTERS_PER_VALUE
      if (remainingCharacters < 0) break
      mapped.push(map(item))
    }
    return mapped
  }

  return redactObject(input, schema, false, 0)
}

function toObjectSchema(schema: Json | undefined): JsonObject {
  return isJsonObject(schema) ? schema : {}
}

function isEnumMember(input: string, { enum: values, const: only }: JsonObject): boolean {
  return input === only || (isJsonArray(values) && values.includes(input))
}
