import type { Grant } from '../../core/consent/authorization.ts'
import { field, firstRow } from '../rows.ts'
import type { Tokens } from './oauth.ts'

/** What the user granted at one provider, as it is stored. Times are milliseconds since the epoch. */
export interface StoredGrant {
  readonly provider: string
  /** Another one whenever its tokens change. */
  readonly generation: string
  readonly scopes: readonly string[]
  /** When the access token ends; null where the provider did not say. */
  readonly expiresAt: number | null
  /** From when on it is to be refreshed. */
  readonly refreshAt: number | null
  /** The tokens; null once the provider no longer accepts the grant, and `lost` says so. */
  readonly sealed: string | null
  readonly lost: string | null
}

type Row = {
  readonly provider: string
  readonly generation: string
  readonly scopes: string
  readonly granted_at: number
  readonly expires_at: number | null
  readonly refresh_at: number | null
  readonly refreshable: number
  readonly sealed: string | null
  readonly lost: string | null
}

/** A token is refreshed this long before it ends, or half its life where that is shorter. */
const AHEAD_MS = 60_000

/** The grants of one vault. Nothing here waits, so each function is one step. */
export interface GrantRows {
  find(provider: string): StoredGrant | undefined
  /** Keeps what a user granted, in place of what was there. */
  put(provider: string, tokens: Tokens, scopes: readonly string[], sealed: string): void
  /** Stores refreshed tokens in place of those of a generation; false when these are no longer there. */
  replace(generation: string, tokens: Tokens, scopes: readonly string[], sealed: string): boolean
  /** Stores the same tokens under another key. */
  reseal(generation: string, sealed: string): void
  /** Forgets tokens that the provider no longer accepts, and keeps why. */
  lose(generation: string, reason: string): void
  remove(provider: string): void
  list(): Grant[]
}

export function grantRows(sql: SqlStorage, now: () => number): GrantRows {
  /** When a token ends, and from when on it is refreshed. */
  function times({ expires_in }: Tokens): [number | null, number | null] {
    if (expires_in === undefined) return [null, null]
    const life = Math.floor(expires_in * 1_000)
    return [now() + life, now() + life - Math.min(AHEAD_MS, Math.floor(life / 2))]
  }

  return {
    find(provider) {
      const row = firstRow<Row>(sql, 'SELECT * FROM grant WHERE provider = ?', provider)
      if (!row) return undefined
      const { generation, scopes, expires_at, refresh_at, sealed, lost } = row
      const times = { expiresAt: expires_at, refreshAt: refresh_at }
      return { provider, generation, scopes: JSON.parse(scopes), ...times, sealed, lost }
    },
    put(provider, tokens, scopes, sealed) {
      sql.exec(
        'INSERT OR REPLACE INTO grant VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)',
        provider,
        crypto.randomUUID(),
        JSON.stringify(scopes),
        now(),
        ...times(tokens),
        tokens.refresh_token === undefined ? 0 : 1,
        sealed,
      )
    },
    replace(generation, tokens, scopes, sealed) {
      const replaced = field(
        sql,
        `UPDATE grant SET generation = ?, scopes = ?, expires_at = ?, refresh_at = ?, sealed = ? WHERE generation = ?
         RETURNING provider`,
        crypto.randomUUID(),
        JSON.stringify(scopes),
        ...times(tokens),
        sealed,
        generation,
      )
      return replaced !== undefined
    },
    reseal(generation, sealed) {
      sql.exec('UPDATE grant SET sealed = ? WHERE generation = ?', sealed, generation)
    },
    lose(generation, reason) {
      sql.exec('UPDATE grant SET sealed = NULL, lost = ? WHERE generation = ?', reason, generation)
    },
    remove(provider) {
      sql.exec('DELETE FROM grant WHERE provider = ?', provider)
    },
    list() {
      const rows = sql.exec<Row>('SELECT * FROM grant WHERE lost IS NULL ORDER BY provider').toArray()
      return rows.map((row) => ({
        provider: row.provider,
        scopes: JSON.parse(row.scopes),
        granted_at: new Date(row.granted_at).toISOString(),
        ...(row.expires_at === null ? {} : { expires_at: new Date(row.expires_at).toISOString() }),
        refreshable: row.refreshable === 1,
      }))
    },
  }
}
