import { type Principal, type Scope, SCOPES } from './principal.ts'
import { isToolPattern } from '../tool/tool-pattern.ts'
import { isObject } from '../tool/json.ts'
import { type Checked, pointerStep, type Problem } from '../tool/problem.ts'

/** What is kept of an API key. The key itself is shown once, when it is made; only its SHA-256 is stored. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Tool patterns, as `isToolPattern` has them. An empty list covers no tool. */
  readonly tools: readonly string[]
  /** The users it may act for. */
  readonly users: 'any' | readonly string[]
  /** ISO 8601, UTC. */
  readonly created_at: string
  /** ISO 8601, UTC. Absent: it does not expire. */
  readonly expires_at?: string
}

/** What whoever makes a key says of it. */
export type NewKey = Omit<ApiKey, 'id' | 'created_at'>

/** Where keys are kept. `hash` is the SHA-256 of the key's text, in lower-case hex. */
export interface KeyStore {
  create(key: ApiKey, hash: string): Promise<void>
  list(): Promise<readonly ApiKey[]>
  /** Whether there was such a key. */
  remove(id: string): Promise<boolean>
  find(hash: string): Promise<ApiKey | undefined>
}

const FIELDS = ['name', 'scopes', 'tools', 'users', 'expires_at']
const MAX_LIST = 1_000
const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/**
 * Reads the body of `POST /keys`: `{name, scopes, tools?, users?, expires_at?}`. Tools default to all (`*`), users to
 * none. Gives the key with `expires_at` in UTC, or everything that is wrong with the body at once; a field it does not
 * know is a problem, since a misspelt restriction would be no restriction.
 */
export function decodeNewKey(body: unknown, now: Date): Checked<NewKey> {
  if (!isObject(body)) return { ok: false, problems: [{ path: '', message: 'Wanted an object' }] }
  const problems: Problem[] = []
  for (const field of Object.keys(body)) {
    if (!FIELDS.includes(field)) problems.push({ path: pointerStep(field), message: `Wanted only ${quoted(FIELDS)}` })
  }
  const name = decodeName(body['name'], problems)
  const scopes = decodeScopes(body['scopes'], problems)
  const tools = decodeTools(body['tools'], problems)
  const users = decodeUsers(body['users'], problems)
  const expiry = decodeExpiry(body['expires_at'], now, problems)
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, value: { name, scopes, tools, users, ...(expiry !== undefined && { expires_at: expiry }) } }
}

/** Whoever presents a key: `key:<id>`, with the scopes, tools and users of the key. */
export function principalOf(key: ApiKey): Principal {
  return { id: `key:${key.id}`, kind: 'key', scopes: key.scopes, tools: key.tools, users: key.users }
}

function decodeName(value: unknown, problems: Problem[]): string {
  if (typeof value === 'string' && value.length >= 1 && value.length <= 100) return value
  problems.push({ path: '/name', message: `Wanted a string of 1 to 100 characters, got ${kindOf(value)}` })
  return ''
}

function decodeScopes(value: unknown, problems: Problem[]): readonly Scope[] {
  const wanted = `Wanted a non-empty list of ${quoted(SCOPES)}`
  if (!Array.isArray(value) || value.length === 0) {
    problems.push({ path: '/scopes', message: `${wanted}, got ${kindOf(value)}` })
    return []
  }
  return uniqueItems(value, '/scopes', problems, (item) => SCOPES.find((scope) => scope === item), wanted)
}

function decodeTools(value: unknown, problems: Problem[]): readonly string[] {
  if (value === undefined) return ['*']
  const wanted = "Wanted a list of tool patterns such as '*', 'Gmail.*' or 'Gmail.GetEmails'"
  if (!Array.isArray(value)) {
    problems.push({ path: '/tools', message: `${wanted}, got ${kindOf(value)}` })
    return []
  }
  const pattern = (item: unknown) => (typeof item === 'string' && isToolPattern(item) ? item : undefined)
  return uniqueItems(value, '/tools', problems, pattern, wanted)
}

function decodeUsers(value: unknown, problems: Problem[]): 'any' | readonly string[] {
  if (value === undefined) return []
  if (value === 'any') return value
  const wanted = "Wanted 'any' or a list of strings of 1 to 256 characters"
  if (!Array.isArray(value)) {
    problems.push({ path: '/users', message: `${wanted}, got ${kindOf(value)}` })
    return []
  }
  const user = (item: unknown) =>
    typeof item === 'string' && item.length >= 1 && item.length <= 256 ? item : undefined
  return uniqueItems(value, '/users', problems, user, wanted)
}

function decodeExpiry(value: unknown, now: Date, problems: Problem[]): string | undefined {
  if (value === undefined) return undefined
  const time = typeof value === 'string' ? parseTime(value) : undefined
  if (time === undefined) {
    const wanted = "Wanted an RFC 3339 time such as '2030-01-31T12:00:00Z'"
    problems.push({ path: '/expires_at', message: `${wanted}, got ${kindOf(value)}` })
    return undefined
  }
  if (time <= now.getTime()) {
    problems.push({ path: '/expires_at', message: `Wanted a time in the future, now is '${now.toISOString()}'` })
  }
  return new Date(time).toISOString()
}

/** A list's items without repetition; each that `read` cannot read is a problem at its own place. */
function uniqueItems<T>(
  list: readonly unknown[],
  path: string,
  problems: Problem[],
  read: (item: unknown) => T | undefined,
  wanted: string,
): readonly T[] {
  if (list.length > MAX_LIST) {
    problems.push({ path, message: `Wanted at most ${MAX_LIST} items, got ${list.length}` })
    return []
  }
  const items = new Set<T>()
  for (const [index, item] of list.entries()) {
    const value = read(item)
    if (value !== undefined) items.add(value)
    else problems.push({ path: path + pointerStep(index), message: `${wanted}, got ${kindOf(item)}` })
  }
  return [...items]
}

/** Milliseconds since 1970, or undefined. `Date.parse` alone would take 30 February for a day of March. */
function parseTime(text: string): number | undefined {
  const match = RFC_3339.exec(text)
  if (!match) return undefined
  const [, year, month, day] = match
  const date = new Date(`${year}-${month}-01T00:00:00Z`)
  date.setUTCDate(Number(day))
  if (date.getUTCMonth() + 1 !== Number(month)) return undefined
  const time = Date.parse(text.toUpperCase())
  return Number.isNaN(time) ? undefined : time
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ')
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'string') return value.length <= 100 ? `'${value}'` : `a string of ${value.length} characters`
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
