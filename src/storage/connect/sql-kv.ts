import { column, readField } from '../rows.ts'

interface PutOptions {
  /** In seconds from now. */
  readonly expirationTtl?: number
  /** In seconds since 1970. */
  readonly expiration?: number
}

export type SqlKv = ReturnType<typeof createSqlKv>

/** Implements in SQLite the part of a KV namespace that the OAuth library uses, so that writes are visible at once. */
export function createSqlKv(sql: SqlStorage, now: () => number) {
  return {
    async get(key: string, how?: 'json' | { readonly type: 'json' }): Promise<unknown> {
      const query = 'SELECT value FROM entry WHERE key = ? AND (expires IS NULL OR expires > ?)'
      const value = readField<string>(sql, query, key, now())
      if (value === undefined) return null
      return how === undefined ? value : JSON.parse(value)
    },

    async put(key: string, value: string, { expirationTtl, expiration }: PutOptions = {}): Promise<void> {
      const expires = expirationTtl === undefined ? (expiration ?? 0) * 1_000 : now() + expirationTtl * 1_000
      sql.exec('INSERT OR REPLACE INTO entry VALUES (?, ?, NULL, ?)', key, value, expires === 0 ? null : expires)
    },

    async delete(key: string): Promise<void> {
      sql.exec('DELETE FROM entry WHERE key = ?', key)
    },

    /** One page has all keys: the library lists only the tokens of one grant, which are few. */
    async list({ prefix }: { readonly prefix: string }) {
      return { keys: keysWith(sql, prefix).map((name) => ({ name })), list_complete: true }
    },
  }
}

function keysWith(sql: SqlStorage, prefix: string): string[] {
  return column<string>(sql, 'SELECT key FROM entry WHERE key >= ? AND key < ?', prefix, `${prefix}\uffff`)
}

/** Lists the keys of an agent's grants or tokens. */
export function entryKeys(sql: SqlStorage, kind: 'grant' | 'token', agent: string): string[] {
  return keysWith(sql, `${kind}:${agent}:`)
}

export function deleteAgentEntries(sql: SqlStorage, agent: string): void {
  const keys = [...entryKeys(sql, 'grant', agent), ...entryKeys(sql, 'token', agent)]
  for (const key of keys) sql.exec('DELETE FROM entry WHERE key = ?', key)
}
