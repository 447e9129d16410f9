import { isJsonObject, isList, type Json, type JsonObject } from '../tool/json.ts'
import type { Redactor } from './redact.ts'

const REDACTED = '[redacted]'
/** Names of what nobody wants in a record, whatever its tool says of it. */
const SENSITIVE =
  /pass(?:word|phrase|code)|secret|token|credential|authorization|api[_-]?key|private[_-]?key|cookie|^(?:pin|otp|cvv|cvc|ssn|iban)$/i
/** Characters of a text that are kept, and that are looked through for secrets before it is cut. */
const MAX_TEXT = 200
const MAX_SEARCHED = 8_192
/** Characters of all arguments that are kept. */
const MAX_ALL = 4_000
const MAX_DEPTH = 20

/**
 * The arguments of a call as they may be recorded: without the secrets that its tool was given, without what is named like a
 * secret or is one by its schema (`writeOnly`, or the `format` `password`), and cut to some 4,000 characters, which is said
 * where it is done.
 */
export function recordedArguments(input: JsonObject, schema: JsonObject, redactor: Redactor | undefined): JsonObject {
  let room = MAX_ALL

  function text(given: string): string {
    const safe = redactor ? redactor.text(given.slice(0, MAX_SEARCHED)) : given
    const kept = safe.slice(0, MAX_TEXT)
    room -= kept.length
    return safe.length === kept.length && given.length <= MAX_SEARCHED ? kept : `${kept}… (${given.length} characters)`
  }

  function value(given: Json, of: Json | undefined, depth: number): Json {
    room -= 4
    if (room < 0 || depth > MAX_DEPTH) return '…'
    if (typeof given === 'string') return text(given)
    if (isList(given)) {
      const items = isJsonObject(of) ? of['items'] : undefined
      return some(given, (item) => value(item, items, depth + 1)).kept
    }
    if (isJsonObject(given)) return object(given, of, depth)
    return redactor ? redactor.value(given) : given
  }

  function object(given: JsonObject, of: Json | undefined, depth: number): JsonObject {
    const properties = isJsonObject(of) && isJsonObject(of['properties']) ? of['properties'] : {}
    const { kept, left } = some(Object.entries(given), ([name, item]): [string, Json] => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      const isHidden = SENSITIVE.test(name) || isSecret(property)
      return [text(name), isHidden ? REDACTED : value(item ?? null, property, depth + 1)]
    })
    return Object.fromEntries(left === 0 ? kept : [...kept, ['…', `${left} more`]])
  }

  /** As many as there is room for. */
  function some<Item, Kept>(items: readonly Item[], keep: (item: Item) => Kept) {
    const kept: Kept[] = []
    for (const item of items) {
      if (room < 0) break
      kept.push(keep(item))
    }
    return { kept, left: items.length - kept.length }
  }

  return object(input, schema, 0)
}

function isSecret(schema: Json | undefined): boolean {
  return isJsonObject(schema) && (schema['writeOnly'] === true || schema['format'] === 'password')
}
