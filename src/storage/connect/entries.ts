import { firstRow } from '../rows.ts'

/** The part of a KV namespace that the OAuth library uses of its `OAUTH_KV`. */
export interface Entries {
  get(key: string, how?: 'json' | { readonly type: 'json' }): Promise<unknown>
  put(key: string, value: string, options?: PutOptions): Promise<void>
  delete(key: string): Promise<void>
  list(options?: ListOptions): Promise<EntryList>
}

interface PutOptions {
  /** Seconds from now. */
  readonly expirationTtl?: number
  /** Seconds since 1970. */
  readonly expiration?: number
  readonly metadata?: unknown
}

interface ListOptions {
  readonly prefix?: string
  readonly limit?: number
  readonly cursor?: string | null
}

interface EntryList {
  readonly keys: readonly { readonly name: string; readonly expiration?: number; readonly metadata?: unknown }[]
  readonly list_complete: boolean
  readonly cursor?: string
}

type EntryRow = { readonly key: string; readonly metadata: string | null; readonly expires: number | null }

const MAX_LISTED = 1_000

/**
 * The OAuth library's storage in a Durable Object's SQLite: writes are visible at once, everywhere. A cursor is the
 * last key of the page before.
 */
export function createEntries(sql: SqlStorage, now: () => number): Entries {
  return {
    async get(key, how) {
      const found = firstRow<{ value: string }>(
        sql,
        'SELECT value FROM entry WHERE key = ? AND (expires IS NULL OR expires > ?)',
        key,
        now(),
      )
      if (!found) return null
      return how === undefined ? found.value : JSON.parse(found.value)
    },

    async put(key, value, { expirationTtl, expiration, metadata } = {}) {
      const expires = expirationTtl === undefined ? (expiration ?? 0) * 1_000 : now() + expirationTtl * 1_000
      sql.exec(
        'INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?)',
        key,
        value,
        metadata === undefined ? null : JSON.stringify(metadata),
        expires === 0 ? null : expires,
      )
    },

    async delete(key) {
      sql.exec('DELETE FROM entry WHERE key = ?', key)
    },

    async list({ prefix = '', limit = MAX_LISTED, cursor } = {}) {
      const rows = sql
        .exec<EntryRow>(
          `SELECT key, metadata, expires FROM entry
           WHERE key > ? AND substr(key, 1, ?) = ? AND (expires IS NULL OR expires > ?) ORDER BY key LIMIT ?`,
          // Keys with the prefix sort after it, and the prefix itself may be one of them
          cursor ?? beforeAll(prefix),
          prefix.length,
          prefix,
          now(),
          limit + 1,
        )
        .toArray()
      const keys = rows.slice(0, limit).map(({ key, metadata, expires }) => ({
        name: key,
        ...(expires === null ? {} : { expiration: Math.floor(expires / 1_000) }),
        ...(metadata === null ? {} : { metadata: JSON.parse(metadata) }),
      }))
      const last = keys.at(-1)?.name
      if (rows.length <= limit || last === undefined) return { keys, list_complete: true }
      return { keys, list_complete: false, cursor: last }
    },
  }
}

function beforeAll(prefix: string): string {
  return prefix === '' ? '' : prefix.slice(0, -1)
}

export function deleteEntriesOf(sql: SqlStorage, user: string): void {
  for (const kind of ['grant', 'token']) {
    const prefix = `${kind}:${user}:`
    sql.exec('DELETE FROM entry WHERE key > ? AND key < ?', prefix, `${prefix}\uffff`)
  }
}
