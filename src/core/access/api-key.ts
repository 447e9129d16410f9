import { isList } from '../tool/json.ts'
import { boolean, described, integer, into, judged, list, nullable, object } from '../tool/json-reader.ts'
import { oneOf, optional, schemaOf, stating, string, unfit, wrong } from '../tool/json-reader.ts'
import type { ReadBy, Reader, Report } from '../tool/json-reader.ts'
import { time } from '../tool/time.ts'
import { toolPattern } from '../tool/tool-id.ts'
import { type CallLimits, callLimits } from './call-limits.ts'
import { type Principal, SCOPES } from './principal.ts'
import type { Expected } from '../tool/revision.ts'

/** The key itself is shown once; only its SHA-256 is stored. Times are ISO 8601 in UTC. */
export interface ApiKey extends ReadBy<ReturnType<typeof newKey>> {
  readonly id: string
  readonly created_at: string
}

/** `hash` is the SHA-256 of the key's text, in lower-case hex. */
export interface KeyStore {
  create(key: ApiKey, hash: string): Promise<void>
  list(): Promise<readonly ApiKey[]>
  /** Gives the key as it is then; undefined where there is none, `stale` where it is not as expected. */
  change(id: string, change: KeyChange, expected?: Expected): Promise<ApiKey | 'stale' | undefined>
  /** The old text works until a time in milliseconds since 1970. Undefined where there is no such key. */
  rotate(id: string, hash: string, until: number): Promise<ApiKey | undefined>
  /** By id, to within ten minutes, in milliseconds since 1970. */
  lastUses(): Promise<Readonly<Record<string, number>>>
  /** False where there was none, `stale` where it is not as expected. */
  remove(id: string, expected?: Expected): Promise<boolean | 'stale'>
  find(hash: string): Promise<ApiKey | undefined>
  withId(id: string): Promise<ApiKey | undefined>
}

const MAX_LIST = 1_000
const ANY_USER = '\'*\' would be a user of that name: for any user, write "users": "any"'
const USERS = distinct(judged(string({ least: 1, most: 256 }), (user) => (user === '*' ? ANY_USER : undefined)))
const SCOPE_WORDS =
  'tools:read lists and reads tools, tools:call calls them, tools:publish publishes and changes them, users:confirm confirms ' +
  'who a user is, records:read reads call records and the audit log, and admin allows everything'
const FIELDS = {
  name: string({ least: 1, most: 100 }),
  scopes: described(SCOPE_WORDS, distinct(oneOf(SCOPES), 1)),
  tools: described(
    'Tools that the key covers, as patterns such as Gmail.*; by default all below security level 4, so name those that need a secret, account or user',
    distinct(toolPattern),
    ['*'],
  ),
  users: described(
    'Users that the key may act for; none by default',
    stating<'any' | readonly string[]>(() => ({ anyOf: [{ const: 'any' }, schemaOf(USERS)] }), anyOrThese),
    [],
  ),
  record_arguments: optional(described('Call records include the shapes of arguments', boolean, false)),
}

/** An unknown field is a problem, since a misspelt restriction would be no restriction. */
export function newKey(now: () => Date) {
  const { tools, users } = FIELDS
  const more = {
    expires_at: optional(described('Time of expiry; never, if left empty', expiry(now))),
    limits: optional(described('Rate and concurrency limits', callLimits)),
  }
  return object({ ...FIELDS, tools: optional(tools, ['*']), users: optional(users, []), ...more })
}

export function keyChange(now: () => Date) {
  const { name, scopes, tools, users, record_arguments } = FIELDS
  return object({
    name: optional(name),
    scopes: optional(scopes),
    tools: optional(tools),
    users: optional(users),
    record_arguments,
    expires_at: optional<string | null>(nullable(expiry(now))),
    limits: optional<CallLimits | null>(nullable(callLimits)),
  })
}

export type KeyChange = ReadBy<ReturnType<typeof keyChange>>

/** Applied where keys are stored, or one of two changes at once would undo the other. */
export function changedKey({ expires_at: expiry, limits: before, ...key }: ApiKey, change: KeyChange): ApiKey {
  const { expires_at = expiry, limits = before, ...others } = change
  return { ...key, ...others, ...(expires_at ? { expires_at } : {}), ...(limits ? { limits } : {}) }
}

function expiry(now: () => Date): Reader<string> {
  return into(time, (at, report) =>
    at > now().getTime()
      ? new Date(at).toISOString()
      : wrong(report, `Must be in the future, and now is '${now().toISOString()}'`),
  )
}

const OVERLAP_SECONDS = 86_400
const MAX_OVERLAP_SECONDS = 30 * 86_400
export const ROTATION = object({ overlap_seconds: optional(integer(0, MAX_OVERLAP_SECONDS), OVERLAP_SECONDS) })

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

function distinct<T>(item: Reader<T>, least = 0): Reader<readonly T[]> {
  return into(list(item, { least, most: MAX_LIST }), (items) => [...new Set(items)])
}
