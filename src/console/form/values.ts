import { bigInteger } from '../../core/tool/big-integers.ts'
import { isJsonObject, isJsonArray, isObject, type Json, type JsonObject, getJsonType } from '../../core/tool/json.ts'
import { parseJson } from '../../core/tool/json-text.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { type Field, type FieldKind, ROOT_FIELD } from './fields.ts'

/** The control for the whole input as JSON, instead of its fields. */
export const RAW_JSON_FIELD = 'whole'

/** Characters of all fields together. When escaped in a page, some take up nine times as many. */
const MAX_SHOWN = 64 * 1024

/** Returns the values of a form to show again for corrections, without those that are too long for a page. */
export function toFormValues(form: URLSearchParams): URLSearchParams {
  let remaining = MAX_SHOWN
  const measureLength = ([name, text]: [string, string]) => name.length + text.length
  const compareLength = (one: [string, string], other: [string, string]) => measureLength(one) - measureLength(other)
  return new URLSearchParams([...form].sort(compareLength).filter((field) => (remaining -= measureLength(field)) >= 0))
}

export function toRawName(name: string): string {
  return `instead:${name}`
}

/** Returns the name of the control with the type of a `mixed` field. */
export function toTypeName(name: string): string {
  return `type:${name}`
}

/** Reads a form, skipping empty fields. A text that is invalid for its field's kind is a problem. */
export function readFormInput(fields: readonly Field[], form: URLSearchParams) {
  const problems: Problem[] = []
  const reader = { form, problems }
  const rawJson = form.get(RAW_JSON_FIELD)?.trim()
  if (rawJson === '') return { input: {}, problems }
  if (rawJson !== undefined) {
    const value = readJson(rawJson, '', reader)
    if (isJsonObject(value)) return { input: value, problems }
    if (problems.length === 0) problems.push({ path: '', message: 'Must be a JSON object' })
    return { input: {}, problems }
  }
  return { input: readObject(fields, reader) ?? {}, problems }
}

interface FormReader {
  readonly form: URLSearchParams
  readonly problems: Problem[]
}

function readObject(fields: readonly Field[], reader: FormReader): JsonObject | undefined {
  const values = fields.flatMap((field): (readonly [string, Json])[] => {
    const value = readValue(field, reader)
    return value === undefined ? [] : [[field.key, value]]
  })
  return values.length === 0 ? undefined : Object.fromEntries(values)
}

function readValue({ name, isRequired, kind }: Field, reader: FormReader): Json | undefined {
  const { form } = reader
  if (kind.type === 'group') return readObject(kind.fields, reader) ?? (isRequired ? {} : undefined)
  if (kind.type === 'lines' && kind.constant !== undefined && form.has(toRawName(name))) return kind.constant
  const text = form.get(name) ?? ''
  if (text.trim() === '') return undefined
  switch (kind.type) {
    case 'text':
      // Browsers send CR LF for each line break (HTML, "constructing the form data set")
      return text.replaceAll('\r\n', '\n')
    case 'number': {
      const number = bigInteger(text.trim()) ?? Number(text)
      return typeof number === 'bigint' || Number.isFinite(number) ? number : text
    }
    case 'time':
      // Browsers leave out zero seconds
      return text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?$/, (_, start, end = ':00') => `${start}${end}Z`)
    case 'choice':
      return getChoice(kind.values, text)
    case 'flag':
      return true
    case 'several':
      return form.getAll(name).flatMap((each) => getChoice(kind.values, each) ?? [])
    case 'lines':
      return splitLines(text)
    case 'entries':
      if (text.trim().startsWith('{')) return readJson(text, name.slice(ROOT_FIELD.length), reader)
      return Object.fromEntries(splitLines(text).map(splitEntry))
    case 'json':
      return readJson(text, name.slice(ROOT_FIELD.length), reader)
    case 'mixed':
      return readMixed(kind.types, text.replaceAll('\r\n', '\n'), name, reader)
  }
}

function readMixed(types: readonly string[], text: string, name: string, { form, problems }: FormReader): Json {
  const type = form.get(toTypeName(name)) || undefined
  if (type === 'string') return text
  const result = parseJson(text)
  const textType = result.ok ? getJsonType(result.value) : undefined
  if (result.ok && (type === undefined ? types.includes(String(textType)) : type === textType)) return result.value
  if (type !== undefined) problems.push({ path: name.slice(ROOT_FIELD.length), message: `Must be of type ${type}` })
  return text
}

function getChoice(values: readonly Json[], text: string): Json | undefined {
  return /^\d{1,4}$/.test(text) ? values[Number(text)] : text
}

function splitLines(text: string): readonly string[] {
  return text.split(/\r?\n/).filter((line) => line !== '')
}

function splitEntry(line: string): readonly [string, string] {
  const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(line) ?? []
  return [name.trim(), value.trim()]
}

function readJson(text: string, path: string, { problems }: FormReader): Json | undefined {
  const result = parseJson(text)
  if (result.ok) return result.value
  const message = result.isJson ? result.message : 'Must be JSON, such as "a text", 3, true, ["a", "b"] or {"a": 1}'
  problems.push({ path, message })
  return undefined
}

/** Writes an object as form values, which `readFormInput` reads back unchanged. */
export function toForm(fields: readonly Field[], value: unknown): URLSearchParams {
  const form = new URLSearchParams()
  fillForm(form, fields, value)
  return form
}

function fillForm(form: URLSearchParams, fields: readonly Field[], object: unknown): void {
  if (!isObject(object)) return
  for (const { name, key, kind } of fields) {
    const value = object[key]
    if (value === undefined || value === null) continue
    if (kind.type === 'group') fillForm(form, kind.fields, value)
    else if (kind.type === 'lines' && value === kind.constant) form.append(toRawName(name), '1')
    else for (const text of toTexts(kind, value)) form.append(name, text)
    // Otherwise, it would be read as a number, boolean or the like
    if (kind.type === 'mixed' && typeof value === 'string' && parseJson(value).ok)
      form.append(toTypeName(name), 'string')
  }
}

function toTexts(kind: FieldKind, value: unknown): readonly string[] {
  switch (kind.type) {
    case 'flag':
      return value === true ? ['1'] : []
    case 'choice':
    case 'several':
      return (isJsonArray(value) ? value : [value]).map((item) =>
        String(kind.values.findIndex((candidate) => candidate === item)),
      )
    case 'lines':
      return isJsonArray(value) ? [value.join('\n')] : []
    case 'entries': {
      const entries = Object.entries(Object(value))
      const isPlain = entries.every(([name, text]) => !/[=\r\n]/.test(name) && !/[\r\n]/.test(String(text)))
      return [isPlain ? entries.map(([name, text]) => `${name}=${text}`).join('\n') : JSON.stringify(value)]
    }
    case 'time':
      return [String(value).slice(0, 19)]
    default:
      return [typeof value === 'string' ? value : JSON.stringify(value)]
  }
}

/** Returns the fields that differ, by key. An emptied field becomes its schema's default, or else null. */
export function diffInput(fields: readonly Field[], before: unknown, after: JsonObject): JsonObject {
  const { input } = readFormInput(fields, toForm(fields, before))
  const changedFields = fields.filter(({ key }) => JSON.stringify(input[key]) !== JSON.stringify(after[key]))
  return Object.fromEntries(
    changedFields.map(({ key, default: defaultValue = null }) => [key, after[key] ?? defaultValue]),
  )
}
