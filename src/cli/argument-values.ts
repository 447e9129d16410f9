import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { InvalidArgumentError } from 'commander'
import { isObject, type JsonRecord, parseJson } from '../client/json.ts'
import { CliError } from './cli-error.ts'
import type { TerminalIO } from './terminal.ts'

export function parseIntegerOption(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Wanted a whole number from 1.')
}

export function seconds(text: string): number {
  if (/^\d{1,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Wanted seconds, such as 0 or 86400.')
}

/** Parses an expiry: RFC 3339 and `never` are unchanged, and an offset such as 30d counts from now. */
export function expiry(text: string): string {
  return text === 'never' ? text : (relativeTime(text, 1) ?? absoluteTime(text, '30d'))
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses a time: RFC 3339 is unchanged, and an offset such as 12h counts back from now. */
export function parseTimeOption(text: string): string {
  return relativeTime(text, -1) ?? absoluteTime(text, '12h')
}

function relativeTime(text: string, direction: 1 | -1): string | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count === undefined) return undefined
  return new Date(Date.now() + direction * Number(count) * (UNITS_MS[unit] ?? 0)).toISOString()
}

/** Turns a date into its start in UTC. The deployment parses RFC 3339; this only rejects text that cannot be a time. */
function absoluteTime(text: string, example: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T00:00:00Z`
  if (/^\d{4}-\d\d-\d\dT/i.test(text)) return text
  throw new InvalidArgumentError(`Wanted a time such as 2030-01-31T12:00:00Z, or ${example}.`)
}

export function collectOption(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

export function readInputFile(file: string, { stdin }: TerminalIO): Promise<string> {
  return file === '-' ? text(stdin) : readTextFile(file)
}

/** Adds the path to errors, because Node's error for a folder does not name it. */
export function readTextFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw Object.assign(Object(error), { path: file })
  })
}

export function parseJsonArgument(text: string, label: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    const [, position = ''] = /at (position \d+)/.exec(String(error)) ?? []
    throw new CliError('usage', `${label} is not valid JSON${position === '' ? '' : ` (${position})`}`)
  }
}

export function readObject(text: string, label: string): JsonRecord {
  const value = parseJsonArgument(text, label)
  if (isObject(value)) return value
  throw new CliError('usage', `${label} is not a JSON object`)
}

/** Returns the fields that have a value. Throws if there are none. */
export function requireFields(fields: JsonRecord): JsonRecord {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  if (entries.length > 0) return Object.fromEntries(entries)
  throw new CliError('usage', 'Give at least one option', "'switchboard help COMMAND' lists them")
}
