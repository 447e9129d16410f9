import { field, rows } from '../rows.ts'

/** The part of a KV namespace that the OAuth library uses of its `OAUTH_KV`. */
export interface Entries {
  get(key: string, how?: 'json' | { readonly type: 'json' }): Promise<unknown>
  /** `expirationTtl` is in seconds from now, `expiration` in seconds since 1970. */
  put(
    key: string,
    value: string,
    options?: { readonly expirationTtl?: number; readonly expiration?: number; readonly metadata?: unknown },
  ): Promise<void>
  delete(key: string): Promise<void>
  list(options?: {
    readonly prefix?: string
    readonly limit?: number
    readonly cursor?: string | null
  }): Promise<EntryList>
}

interface EntryList {
  readonly keys: readonly { readonly name: string; readonly expiration?: number; readonly metadata?: unknown }[]
  readonly list_complete: boolean
  readonly cursor?: string
}

type EntryRow = { readonly key: string; readonly metadata: string | null; readonly expires: number | null }

const MAX_LISTED = 1_000

/** In SQLite, so that writes are visible at once. A cursor is the last key of the page before. */
export function createEntries(sql: SqlStorage, now: () => number): Entries {
  return {
    async get(key, how) {
      const one = 'SELECT value FROM entry WHERE key = ? AND (expires IS NULL OR expires > ?)'
      const value = field<string>(sql, one, key, now())
      if (value === undefined) return null
      return how === undefined ? value : JSON.parse(value)
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
      const page = `SELECT key, metadata, expires FROM entry
        WHERE key > ? AND substr(key, 1, ?) = ? AND (expires IS NULL OR expires > ?) ORDER BY key LIMIT ?`
      // Keys with the prefix sort after it, and the prefix itself may be one of them
      const behind = cursor ?? prefix.slice(0, -1)
      const found = rows<EntryRow>(sql, page, behind, prefix.length, prefix, now(), limit + 1)
      const keys = found.slice(0, limit).map(({ key, metadata, expires }) => ({
        name: key,
        ...(expires === null ? {} : { expiration: Math.floor(expires / 1_000) }),
        ...(metadata === null ? {} : { metadata: JSON.parse(metadata) }),
      }))
      const last = keys.at(-1)?.name
      if (found.length <= limit || last === undefined) return { keys, list_complete: true }
      return { keys, list_complete: false, cursor: last }
    },
  }
}

export function deleteEntriesOf(sql: SqlStorage, user: string): void {
  for (const kind of ['grant', 'token']) {
    const prefix = `${kind}:${user}:`
    sql.exec('DELETE FROM entry WHERE key > ? AND key < ?', prefix, `${prefix}\uffff`)
  }
}
