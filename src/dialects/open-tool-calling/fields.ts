import { isJsonObject, isTexts, type Json, type JsonObject } from '../../core/tool/json.ts'
import { pointerStep, type Problem } from '../../core/tool/problem.ts'

/** What is asked of a field: nothing beyond its name, or also that it be there. */
export type Presence = 'required' | 'optional'

/**
 * An object of a document with the fields that its schema names and no other (`additionalProperties: false`). Every
 * breach joins `problems`; gives undefined only for what is no object.
 */
export function objectAt(
  value: Json | undefined,
  path: string,
  fields: Readonly<Record<string, Presence>>,
  problems: Problem[],
): JsonObject | undefined {
  if (!isJsonObject(value)) {
    problems.push({ path, message: 'Must be an object' })
    return undefined
  }
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(fields, key)) continue
    const known = Object.keys(fields).join(', ')
    problems.push({ path: path + pointerStep(key), message: `Unknown field '${key}': wanted one of ${known}` })
  }
  for (const [key, presence] of Object.entries(fields)) {
    if (presence === 'required' && value[key] === undefined) {
      problems.push({ path: path + pointerStep(key), message: 'Is required' })
    }
  }
  return value
}

/** A text, or undefined when it is absent or, which joins `problems`, something else. */
export function textAt(value: Json | undefined, path: string, problems: Problem[]): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  problems.push({ path, message: 'Must be a string' })
  return undefined
}

/** A list of texts, or undefined when it is absent or, which joins `problems`, something else. */
export function textsAt(value: Json | undefined, path: string, problems: Problem[]): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (isTexts(value)) return value
  problems.push({ path, message: 'Must be an array of strings' })
  return undefined
}
