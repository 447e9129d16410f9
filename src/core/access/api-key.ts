import { isList, type JsonObject } from '../tool/json.ts'
import {
  anyObject,
  boolean,
  check,
  integer,
  into,
  judged,
  list,
  object,
  oneOf,
  optional,
  schemaOf,
  stating,
  string,
  unfit,
  wrong,
} from '../tool/json-reader.ts'
import type { Report, Reader } from '../tool/json-reader.ts'
import type { Checked } from '../tool/problem.ts'
import { time } from '../tool/time.ts'
import { toolPattern } from '../tool/tool-id.ts'
import { type CallLimits, callLimits } from './limits.ts'
import { type Principal, type Scope, SCOPES } from './principal.ts'

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
  /** How often it may call, and how many calls at once. Absent: as often as the deployment answers anybody. */
  readonly limits?: CallLimits
  /** Whether records of its calls hold their arguments. Absent: they do not. */
  readonly record_arguments?: boolean
}

/** What whoever makes a key says of it. */
export type NewKey = Omit<ApiKey, 'id' | 'created_at'>

/** Where keys are kept. `hash` is the SHA-256 of the key's text, in lower-case hex. */
export interface KeyStore {
  create(key: ApiKey, hash: string): Promise<void>
  list(): Promise<readonly ApiKey[]>
  /** Puts a key in place of the one of its id; whether there is one. */
  change(key: ApiKey): Promise<boolean>
  /** Gives a key another text; the one it has works until a time, in milliseconds since 1970. Whether there is one. */
  rotate(id: string, hash: string, until: number): Promise<boolean>
  /** When each key was last used, to within ten minutes, by id, in milliseconds since 1970. */
  lastUses(): Promise<Readonly<Record<string, number>>>
  /** Whether there was such a key. */
  remove(id: string): Promise<boolean>
  find(hash: string): Promise<ApiKey | undefined>
  /** The key of an id, never stale. */
  withId(id: string): Promise<ApiKey | undefined>
}

const MAX_LIST = 1_000
const ANY_USER = '\'*\' would be a user of that name: for any user, write "users": "any"'
const USERS = distinct(judged(string({ least: 1, most: 256 }), (user) => (user === '*' ? ANY_USER : undefined)))
const FIELDS = {
  name: string({ least: 1, most: 100 }),
  scopes: distinct(oneOf(SCOPES), 1),
  tools: optional(distinct(toolPattern), ['*']),
  users: optional(
    stating<NewKey['users']>(() => ({ anyOf: [{ const: 'any' }, schemaOf(USERS)] }), anyOrThese),
    [],
  ),
  record_arguments: optional(boolean),
}

/**
 * Reads the body of `POST /keys`: `{name, scopes, tools?, users?, expires_at?, limits?, record_arguments?}`. Tools default to all (`*`), users to
 * none. Gives the key with `expires_at` in UTC, or everything that is wrong with the body at once; a field it does not
 * know is a problem, since a misspelt restriction would be no restriction.
 */
export function decodeNewKey(body: unknown, now: Date): Checked<NewKey> {
  const expiry = into(time, (at, report) =>
    at > now.getTime()
      ? new Date(at).toISOString()
      : wrong(report, `Must be in the future, and now is '${now.toISOString()}'`),
  )
  return check(newKey(expiry), body)
}

function newKey<T>(expiry: Reader<T>) {
  return object({ ...FIELDS, expires_at: optional(expiry), limits: optional(callLimits) })
}

/** What a new key may say, whatever the time is. */
export const NEW_KEY = newKey(time)

/** What the body of `PATCH /keys/{id}` says. */
export const KEY_CHANGE: Reader<JsonObject> = stating(() => {
  const { required: _, properties, ...rest } = schemaOf(NEW_KEY)
  const { expires_at, limits, ...others } = Object(properties)
  const removable = [expires_at, limits].map((each) => ({ anyOf: [each, { type: 'null' }] }))
  return { ...rest, properties: { ...others, expires_at: removable[0], limits: removable[1] } }
}, anyObject)

/**
 * Reads the body of `PATCH /keys/{id}`: the fields of a new key that change; null takes an expiry or limits away. Gives the key as
 * it is then, or everything that is wrong with it.
 */
export function decodeKeyChange(body: unknown, key: ApiKey, now: Date): Checked<ApiKey> {
  const change = check(anyObject, body)
  if (!change.ok) return change
  const { id, created_at, expires_at, limits, ...before } = key
  const given = Object.entries({ expires_at, limits, ...before, ...change.value })
  const kept = given.filter(([name, value]) => value !== undefined && !(value === null && REMOVABLE.has(name)))
  const decoded = decodeNewKey(Object.fromEntries(kept), now)
  return decoded.ok ? { ok: true, value: { id, created_at, ...decoded.value } } : decoded
}

const REMOVABLE: ReadonlySet<string> = new Set(['expires_at', 'limits'])

/** A text that is rotated away works on for a day where nothing else is said, and for 30 at most. */
const OVERLAP_SECONDS = 86_400
const MAX_OVERLAP_SECONDS = 30 * 86_400
/** What the body of `POST /keys/{id}/rotate` says. */
export const ROTATION = object({ overlap_seconds: optional(integer(0, MAX_OVERLAP_SECONDS), OVERLAP_SECONDS) })

/** Reads the body of `POST /keys/{id}/rotate`: until when the text that there is works, in milliseconds since 1970. */
export function decodeRotation(body: unknown, now: Date): Checked<number> {
  const read = check(ROTATION, body)
  return read.ok ? { ok: true, value: now.getTime() + read.value.overlap_seconds * 1_000 } : read
}

/** Whoever presents a key: `key:<id>`, with the scopes, tools and users of the key. */
export function principalOf(key: ApiKey): Principal {
  const { id, name, scopes, tools, users, limits, record_arguments: recordsArguments } = key
  return {
    id: `key:${id}`,
    name,
    kind: 'key',
    scopes,
    tools,
    users,
    ...(limits ? { limits } : {}),
    ...(recordsArguments ? { recordsArguments } : {}),
  }
}

function anyOrThese(value: unknown, report: Report) {
  if (value === 'any') return value
  return isList(value) ? USERS(value, report) : unfit(report, "'any' or an array of users", value)
}

/** Reads a list, and gives its items without repetition. */
function distinct<T>(item: Reader<T>, least = 0): Reader<readonly T[]> {
  return into(list(item, { least, most: MAX_LIST }), (items) => [...new Set(items)])
}
