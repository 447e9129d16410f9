import { isJsonArray } from '../tool/json.ts'
import {
  boolean,
  withSchemaDescription,
  integer,
  transform,
  refine,
  array,
  nullable,
  object,
} from '../tool/json-reader.ts'
import {
  enumReader,
  optional,
  toJsonSchema,
  withSchema,
  string,
  addTypeProblem,
  addProblem,
} from '../tool/json-reader.ts'
import type { InferOutput, Reader, ReadContext } from '../tool/json-reader.ts'
import { time } from '../tool/time.ts'
import { toolPattern } from '../tool/tool-id.ts'
import { type CallLimits, callLimits } from './call-limits.ts'
import { lockHash, toolsetName } from './toolset-name.ts'
import { KNOWING_SCOPES, type Scope, SCOPES } from './principal.ts'
import type { Precondition, RemoveResult } from '../tool/precondition.ts'

/** The key itself is shown once; only its SHA-256 is stored. Times are ISO 8601 in UTC. */
export interface ApiKey extends InferOutput<ReturnType<typeof newKeyReader>> {
  readonly id: string
  readonly created_at: string
  /** The key's first characters, to recognize it. Keys of older deployments have none until they are rotated. */
  readonly prefix?: string
  /** When the text from before the last rotation stops or stopped working. */
  readonly previous_expires_at?: string
}

/** `hash` is the SHA-256 of the key's text, in lower-case hex. */
export interface KeyStore {
  create(key: ApiKey, hash: string): Promise<void>
  list(): Promise<readonly ApiKey[]>
  /** Returns the changed key; undefined if there is no such key. */
  change(
    id: string,
    change: KeyChange,
    precondition?: Precondition,
  ): Promise<ApiKey | 'precondition-failed' | undefined>
  /** The old text works until `until`, in milliseconds since 1970. Undefined if there is no such key. */
  rotate(id: string, hash: string, prefix: string, until: number): Promise<ApiKey | undefined>
  /** Lists last uses by id, accurate to ten minutes, in milliseconds since 1970. */
  listLastUses(): Promise<Readonly<Record<string, number>>>
  remove(id: string, precondition?: Precondition): Promise<RemoveResult>
  find(hash: string): Promise<ApiKey | undefined>
  findById(id: string): Promise<ApiKey | undefined>
}

const MAX_LIST = 1_000
const ANY_USER_HINT = '\'*\' would be a user of that name: for any user, write "users": "any"'
const USERS = uniqueArray(refine(string({ min: 1, max: 256 }), (user) => (user === '*' ? ANY_USER_HINT : undefined)))
export const SCOPE_MEANINGS: Readonly<Record<Scope, string>> = {
  'tools:read': 'lists and reads tools',
  'tools:call': 'calls tools',
  'tools:publish': 'publishes and changes tools',
  'users:confirm': 'confirms who a user is',
  'records:read': 'reads call records and the audit log',
  'scim': 'sends the users and groups of a directory',
  'admin': 'allows everything',
}
const SCOPE_DESCRIPTION = Object.entries(SCOPE_MEANINGS)
  .map(([scope, meaning]) => `${scope} ${meaning}`)
  .join(', ')
const FIELDS = {
  name: string({ min: 1, max: 100 }),
  scopes: withSchemaDescription(SCOPE_DESCRIPTION, uniqueArray(enumReader(SCOPES), 1)),
  tools: withSchemaDescription(
    'Tools that the key covers, as patterns such as Gmail.*; by default all below security level 4, so name those that need a secret, account or user',
    uniqueArray(toolPattern),
    ['*'],
  ),
  users: withSchemaDescription(
    'Users that the key may act for; none by default',
    withSchema<'any' | readonly string[]>(() => ({ anyOf: [{ const: 'any' }, toJsonSchema(USERS)] }), usersReader),
    [],
  ),
  toolset: optional(withSchemaDescription('Toolset that limits what the key sees and calls', toolsetName)),
  lock: optional(withSchemaDescription('Hash of the lock that limits what the key sees and calls', lockHash)),
  record_arguments: optional(withSchemaDescription('Call records include the shapes of arguments', boolean, false)),
}

/** Reports unknown fields as problems, since a misspelled restriction would not restrict anything. */
export function newKeyReader(now: () => Date) {
  const { tools, users } = FIELDS
  const otherFields = {
    expires_at: optional(withSchemaDescription('Time of expiry; never, if left empty', expiryReader(now))),
    limits: optional(withSchemaDescription('Rate and concurrency limits', callLimits)),
  }
  return object({ ...FIELDS, tools: optional(tools, ['*']), users: optional(users, []), ...otherFields })
}

export function keyChangeReader(now: () => Date) {
  const { name, scopes, tools, users, record_arguments } = FIELDS
  return object({
    name: optional(name),
    scopes: optional(scopes),
    tools: optional(tools),
    users: optional(users),
    record_arguments,
    expires_at: optional<string | null>(nullable(expiryReader(now))),
    limits: optional<CallLimits | null>(nullable(callLimits)),
    toolset: optional<string | null>(nullable(toolsetName)),
    lock: optional<string | null>(nullable(lockHash)),
  })
}

export type KeyChange = InferOutput<ReturnType<typeof keyChangeReader>>

/** Returns why a key's scopes conflict with its toolset or lock: scopes not in `KNOWING_SCOPES` would reach beyond it. */
export function findScopeProblem({ scopes, toolset, lock }: Pick<ApiKey, 'scopes' | 'toolset' | 'lock'>) {
  const isBound = toolset !== undefined || lock !== undefined
  if (!isBound || scopes.every((scope) => KNOWING_SCOPES.some((knowing) => knowing === scope))) return undefined
  const message = "A key with a toolset or a lock may only have the scopes 'tools:read' and 'tools:call'"
  return { path: '/scopes', message }
}

function expiryReader(now: () => Date): Reader<string> {
  return transform(time, (at, report) =>
    at > now().getTime()
      ? new Date(at).toISOString()
      : addProblem(report, `Must be in the future, and now is '${now().toISOString()}'`),
  )
}

const OVERLAP_SECONDS = 86_400
const MAX_OVERLAP_SECONDS = 30 * 86_400
export const ROTATION = object({ overlap_seconds: optional(integer(0, MAX_OVERLAP_SECONDS), OVERLAP_SECONDS) })

function usersReader(value: unknown, report: ReadContext) {
  if (value === 'any') return value
  return isJsonArray(value) ? USERS(value, report) : addTypeProblem(report, "'any' or an array of users", value)
}

function uniqueArray<T>(item: Reader<T>, minItems = 0): Reader<readonly T[]> {
  return transform(array(item, { min: minItems, max: MAX_LIST }), (items) => [...new Set(items)])
}
