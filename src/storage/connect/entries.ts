import { column, field, rows } from '../rows.ts'

interface PutOptions {
  /** In seconds from now. */
  readonly expirationTtl?: number
  /** In seconds since 1970. */
  readonly expiration?: number
  readonly metadata?: unknown
}

interface ListOptions {
  readonly prefix?: string
  readonly limit?: number
  readonly cursor?: string | null
}

type EntryRow = { readonly key: string; readonly metadata: string | null; readonly expires: number | null }

const MAX_LISTED = 1_000

export type Entries = ReturnType<typeof createEntries>

/**
 * The part of a KV namespace that the OAuth library uses of its `OAUTH_KV`, in SQLite, so that writes are visible at
 * once. A cursor is the last key of the page before.
 */
export function createEntries(sql: SqlStorage, now: () => number) {
  return {
    async get(key: string, how?: 'json' | { readonly type: 'json' }): Promise<unknown> {
      const one = 'SELECT value FROM entry WHERE key = ? AND (expires IS NULL OR expires > ?)'
      const value = field<string>(sql, one, key, now())
      if (value === undefined) return null
      return how === undefined ? value : JSON.parse(value)
    },

    async put(key: string, value: string, { expirationTtl, expiration, metadata }: PutOptions = {}): Promise<void> {
      const expires = expirationTtl === undefined ? (expiration ?? 0) * 1_000 : now() + expirationTtl * 1_000
      const more = metadata === undefined ? null : JSON.stringify(metadata)
      sql.exec('INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?)', key, value, more, expires === 0 ? null : expires)
    },

    async delete(key: string): Promise<void> {
      sql.exec('DELETE FROM entry WHERE key = ?', key)
    },

    async list({ prefix = '', limit = MAX_LISTED, cursor }: ListOptions = {}) {
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

/** The keys of the grants or tokens that an agent has. */
export function entryKeys(sql: SqlStorage, kind: 'grant' | 'token', agent: string): string[] {
  const prefix = `${kind}:${agent}:`
  return column<string>(sql, 'SELECT key FROM entry WHERE key > ? AND key < ?', prefix, `${prefix}\uffff`)
}

export function deleteEntriesOf(sql: SqlStorage, agent: string): void {
  const keys = [...entryKeys(sql, 'grant', agent), ...entryKeys(sql, 'token', agent)]
  for (const key of keys) sql.exec('DELETE FROM entry WHERE key = ?', key)
}
