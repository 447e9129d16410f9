import { type Budget, createBudget } from '../../core/tool/budget.ts'
import { bigInteger } from '../../core/tool/big-integers.ts'
import { isJsonObject, isJsonArray, isObject, type Json, type JsonObject, getJsonType } from '../../core/tool/json.ts'
import { parseJson } from '../../core/tool/json-text.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { type Field, type FieldKind, ROOT_FIELD } from './fields.ts'

/** The name of the control in which somebody may write the whole input as JSON instead. */
export const RAW_JSON_FIELD = 'whole'

/** In characters, for all fields together: of some, a page has nine times as many to show them as they are. */
const MAX_SHOWN = 64 * 1024

/** A form as it comes back to be corrected, without the fields that are too long for a page. */
export function toFormValues(form: URLSearchParams): URLSearchParams {
  let left = MAX_SHOWN
  const measureLength = ([name, text]: [string, string]) => name.length + text.length
  const shortFirst = (one: [string, string], other: [string, string]) => measureLength(one) - measureLength(other)
  return new URLSearchParams([...form].sort(shortFirst).filter((field) => (left -= measureLength(field)) >= 0))
}

export function toRawName(name: string): string {
  return `instead:${name}`
}

/** Reads a form without its empty fields; problems are texts that are no value of their kind. */
export function readFormInput(fields: readonly Field[], form: URLSearchParams, meter: Budget) {
  const problems: Problem[] = []
  const reading = { form, meter, problems }
  const whole = form.get(RAW_JSON_FIELD)?.trim()
  if (whole === '') return { input: {}, problems }
  if (whole !== undefined) {
    const read = readJson(whole, '', reading)
    if (isJsonObject(read)) return { input: read, problems }
    if (problems.length === 0) problems.push({ path: '', message: 'Must be a JSON object' })
    return { input: {}, problems }
  }
  return { input: readObject(fields, reading) ?? {}, problems }
}

interface FormReading {
  readonly form: URLSearchParams
  readonly meter: Budget
  readonly problems: Problem[]
}

function readObject(fields: readonly Field[], reading: FormReading): JsonObject | undefined {
  const values = fields.flatMap((field): (readonly [string, Json])[] => {
    const value = readValue(field, reading)
    return value === undefined ? [] : [[field.key, value]]
  })
  return values.length === 0 ? undefined : Object.fromEntries(values)
}

function readValue({ name, isRequired, kind }: Field, reading: FormReading): Json | undefined {
  const { form } = reading
  if (kind.type === 'group') return readObject(kind.fields, reading) ?? (isRequired ? {} : undefined)
  if (kind.type === 'lines' && kind.instead !== undefined && form.has(toRawName(name))) return kind.instead
  const text = form.get(name) ?? ''
  if (text.trim() === '') return undefined
  switch (kind.type) {
    case 'text':
      // Browsers send CR LF for each end of a line (HTML, "constructing the form data set")
      return text.replaceAll('\r\n', '\n')
    case 'number': {
      const number = bigInteger(text.trim()) ?? Number(text)
      return typeof number === 'bigint' || Number.isFinite(number) ? number : text
    }
    case 'time':
      // Browsers leave seconds out that are zero
      return text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?$/, (_, start, end = ':00') => `${start}${end}Z`)
    case 'choice':
      return chosen(kind.values, text)
    case 'flag':
      return true
    case 'several':
      return form.getAll(name).flatMap((each) => chosen(kind.values, each) ?? [])
    case 'lines':
      return splitLines(text)
    case 'entries':
      if (text.trim().startsWith('{')) return readJson(text, name.slice(ROOT_FIELD.length), reading)
      return Object.fromEntries(splitLines(text).map(splitEntry))
    case 'json':
      return readJson(text, name.slice(ROOT_FIELD.length), reading)
    case 'mixed': {
      const read = parseJson(text, reading.meter)
      return read.ok && kind.types.includes(getJsonType(read.value)) ? read.value : text
    }
  }
}

function chosen(values: readonly Json[], text: string): Json | undefined {
  return /^\d{1,4}$/.test(text) ? values[Number(text)] : text
}

function splitLines(text: string): readonly string[] {
  return text.split(/\r?\n/).filter((line) => line !== '')
}

function splitEntry(line: string): readonly [string, string] {
  const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(line) ?? []
  return [name.trim(), value.trim()]
}

function readJson(text: string, path: string, { meter, problems }: FormReading): Json | undefined {
  const read = parseJson(text, meter)
  if (read.ok) return read.value
  const message = read.isJson ? read.message : 'Must be JSON, such as "a text", 3, true, ["a", "b"] or {"a": 1}'
  problems.push({ path, message })
  return undefined
}

/** An object as a form has it: `readInput` reads its fields as the same. */
export function toForm(fields: readonly Field[], value: unknown): URLSearchParams {
  const form = new URLSearchParams()
  fill(form, fields, value)
  return form
}

function fill(form: URLSearchParams, fields: readonly Field[], object: unknown): void {
  if (!isObject(object)) return
  for (const { name, key, kind } of fields) {
    const value = object[key]
    if (value === undefined || value === null) continue
    if (kind.type === 'group') fill(form, kind.fields, value)
    else if (kind.type === 'lines' && value === kind.instead) form.append(toRawName(name), '1')
    else for (const text of toTexts(kind, value)) form.append(name, text)
  }
}

function toTexts(kind: FieldKind, value: unknown): readonly string[] {
  switch (kind.type) {
    case 'flag':
      return value === true ? ['1'] : []
    case 'choice':
    case 'several':
      return (isJsonArray(value) ? value : [value]).map((each) => String(kind.values.findIndex((one) => one === each)))
    case 'lines':
      return isJsonArray(value) ? [value.join('\n')] : []
    case 'entries': {
      const entries = Object.entries(Object(value))
      const isPlain = entries.every(([name, text]) => !/[=\r\n]/.test(name) && !/[\r\n]/.test(String(text)))
      return [isPlain ? entries.map(([name, text]) => `${name}=${text}`).join('\n') : JSON.stringify(value)]
    }
    case 'time':
      return [String(value).slice(0, 19)]
    case 'mixed':
      // A text that would be read as a number or the like is quoted
      return [
        typeof value === 'string' && !/^\s*(?:["[{\d-]|true|false|null)/.test(value) ? value : JSON.stringify(value),
      ]
    default:
      return [typeof value === 'string' ? value : JSON.stringify(value)]
  }
}

/** The fields that differ, by key: one that was emptied has the default of its schema, else null. */
export function changesIn(fields: readonly Field[], before: unknown, after: JsonObject): JsonObject {
  const { input } = readFormInput(fields, toForm(fields, before), createBudget())
  const changed = fields.filter(({ key }) => JSON.stringify(input[key]) !== JSON.stringify(after[key]))
  return Object.fromEntries(changed.map(({ key, default: otherwise = null }) => [key, after[key] ?? otherwise]))
}
