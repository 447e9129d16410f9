import type { StoredConnection } from '../../core/consent/connection.ts'
import { column, readField, firstRow, rows } from '../rows.ts'
import type { Tokens } from '../../oauth-client/oauth.ts'

type GrantRow = {
  readonly provider: string
  readonly account: string
  readonly generation: string
  readonly scopes: string
  readonly granted_at: number
  /** Null if the provider did not say. */
  readonly expires_at: number | null
  readonly refresh_at: number | null
  readonly refreshable: number
  /** Null once the provider no longer accepts the grant; `lost` says why. */
  readonly sealed: string | null
  readonly lost: string | null
  /** SHA-256 of the granting browser's cookie. Null if unknown, and SIGN_IN if the user's sign-in replaced their consent. */
  readonly browser: string | null
  /** Accurate to an hour. From here on, all fields are null before the first use. */
  readonly used_at: number | null
  readonly refused_at: number | null
  /** Null after the grant worked again. */
  readonly refusal: string | null
}

export type StoredGrant = Omit<GrantRow, 'scopes'> & { readonly scopes: readonly string[] }

export type GrantPlace = Pick<GrantRow, 'provider' | 'account' | 'browser'>

/** A token is refreshed this long before it ends, or half its lifetime before if that is shorter. */
const AHEAD_MS = 60_000
const SELECT = 'SELECT * FROM account_grant LEFT JOIN connection USING (provider, account)'
const FORGET = `DELETE FROM connection WHERE NOT EXISTS (SELECT 1 FROM account_grant AS kept
  WHERE kept.provider = connection.provider AND kept.account = connection.account)`

export type GrantRows = ReturnType<typeof grantRows>

export function grantRows(sql: SqlStorage, now: () => number) {
  function times({ expires_in }: Tokens): [number | null, number | null] {
    if (expires_in === undefined) return [null, null]
    const life = Math.floor(expires_in * 1_000)
    return [now() + life, now() + life - Math.min(AHEAD_MS, Math.floor(life / 2))]
  }

  function accounts(provider: string): string[] {
    const query = 'SELECT account FROM account_grant WHERE provider = ? AND lost IS NULL ORDER BY account'
    return column<string>(sql, query, provider)
  }

  /** Changes nothing if another grant has replaced this one. */
  function note(generation: string, fields: Partial<Pick<GrantRow, 'used_at' | 'refused_at' | 'refusal'>>): void {
    const names = Object.keys(fields)
    sql.exec(
      `INSERT INTO connection (provider, account, ${names.join(', ')})
        SELECT provider, account, ${names.map(() => '?').join(', ')} FROM account_grant WHERE generation = ?
        ON CONFLICT DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
      ...Object.values(fields),
      generation,
    )
  }

  return {
    accounts,
    note,

    /** Returns undefined if there are none, or several. */
    findOnlyAccount(provider: string): string | undefined {
      const [firstAccount, ...otherAccounts] = accounts(provider)
      return otherAccounts.length === 0 ? firstAccount : undefined
    },

    find(provider: string, account: string): StoredGrant | undefined {
      const row = firstRow<GrantRow>(sql, `${SELECT} WHERE provider = ? AND account = ?`, provider, account)
      return row && { ...row, scopes: JSON.parse(row.scopes) }
    },

    put({ provider, account, browser }: GrantPlace, tokens: Tokens, scopes: readonly string[], sealed: string): void {
      const [generation, refreshable] = [crypto.randomUUID(), tokens.refresh_token === undefined ? 0 : 1]
      const row = [provider, account, generation, JSON.stringify(scopes), now(), ...times(tokens), refreshable, sealed]
      sql.exec('INSERT OR REPLACE INTO account_grant VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)', ...row, browser)
      sql.exec('DELETE FROM connection WHERE provider = ? AND account = ?', provider, account)
    },

    /** Stores refreshed tokens. Returns false if another generation has replaced this one. */
    replace(generation: string, tokens: Tokens, scopes: readonly string[], sealed: string): boolean {
      const update = `UPDATE account_grant SET generation = ?, scopes = ?, expires_at = ?, refresh_at = ?, sealed = ?
        WHERE generation = ? RETURNING provider`
      const row = [crypto.randomUUID(), JSON.stringify(scopes), ...times(tokens), sealed]
      return readField(sql, update, ...row, generation) !== undefined
    },

    reseal(generation: string, sealed: string): void {
      sql.exec('UPDATE account_grant SET sealed = ? WHERE generation = ?', sealed, generation)
    },

    markLost(generation: string, reason: string): void {
      note(generation, { refused_at: now(), refusal: reason })
      sql.exec('UPDATE account_grant SET sealed = NULL, lost = ? WHERE generation = ?', reason, generation)
    },

    remove(provider: string, account: string): void {
      sql.exec('DELETE FROM account_grant WHERE provider = ? AND account = ?', provider, account)
      sql.exec(FORGET)
    },

    removeLost(): void {
      sql.exec('DELETE FROM account_grant WHERE lost IS NOT NULL')
      sql.exec(FORGET)
    },

    /** Includes lost grants. */
    list(): Omit<StoredConnection, 'toolkits'>[] {
      const query = `${SELECT} ORDER BY provider, account`
      return rows<GrantRow>(sql, query).map((row) => ({
        provider: row.provider,
        account: row.account,
        scopes: JSON.parse(row.scopes),
        granted_at: new Date(row.granted_at).toISOString(),
        ...(row.expires_at === null ? {} : { expires_at: new Date(row.expires_at).toISOString() }),
        refreshable: row.refreshable === 1,
        ...toHealth(row),
      }))
    },
  }
}

function toHealth({ lost, used_at, refused_at, refusal }: GrantRow) {
  const reason = lost ?? refusal
  const usedState = used_at === null ? 'unknown' : 'working'
  const liveState = refusal === null ? usedState : 'refused'
  return {
    state: lost === null ? liveState : 'ended',
    ...(used_at === null ? {} : { last_used_at: new Date(used_at).toISOString() }),
    ...(refused_at === null ? {} : { last_refused_at: new Date(refused_at).toISOString() }),
    ...(reason === null ? {} : { reason }),
  } as const
}
