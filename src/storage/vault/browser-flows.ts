import { AUTHORIZATION_LIFETIME_MS, type Visit } from '../../core/consent/authorization.ts'
import { firstRow } from '../rows.ts'

/** A visit as vaults see it, with the SHA-256 of the browser's cookie instead of the cookie. */
export interface VaultVisit extends Omit<Visit, 'browserCookie'> {
  readonly browserHash: string
}

export type BrowserFlow = {
  readonly authorization: string
  /** SHA-256 of the browser's cookie. */
  readonly browser: string
  /** Sent to the verifier of users; confirmed there; back from there with the proof; sent to the provider. */
  readonly stage: 'verifying' | 'confirmed' | 'proven' | 'at-provider'
  /**
   * SHA-256 of the text that identifies the flow. While `verifying`: the `flow` parameter of the verifier's URL. When
   * `confirmed` or `proven`: the `proof` parameter of the link back from the verifier. While `at-provider`: the `state` of
   * the authorization request.
   */
  readonly secret: string
  readonly callback: string
  /** While `at-provider`: the provider's configuration as JSON, which must not change, and the sealed PKCE verifier. */
  readonly provider: string | null
  readonly sealed: string | null
  readonly account: string
}

/** Browsers per authorization. Beyond that, the oldest is removed. */
const MAX_BROWSERS = 8

export type BrowserFlows = ReturnType<typeof browserFlows>

export function browserFlows(sql: SqlStorage, now: () => number) {
  function read(where: string, ...values: string[]): BrowserFlow | undefined {
    const columns = 'authorization, browser, stage, secret, callback, provider, sealed, account'
    const query = `SELECT ${columns} FROM flow WHERE ${where} AND created > ?`
    return firstRow<BrowserFlow>(sql, query, ...values, now() - AUTHORIZATION_LIFETIME_MS)
  }

  return {
    put({ authorization, browser, stage, secret, callback, provider, sealed, account }: BrowserFlow): void {
      const row = [authorization, browser, stage, secret, callback, provider, sealed, now(), account]
      sql.exec('INSERT OR REPLACE INTO flow VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', ...row)
      sql.exec(
        `DELETE FROM flow WHERE rowid IN (SELECT rowid FROM flow WHERE authorization = ?
         ORDER BY created DESC, rowid DESC LIMIT -1 OFFSET ?)`,
        authorization,
        MAX_BROWSERS,
      )
    },
    find: (authorization: string, browser: string) => read('authorization = ? AND browser = ?', authorization, browser),
    findBySecret: (secret: string) => read('secret = ?', secret),
    remove({ authorization, browser }: BrowserFlow): void {
      sql.exec('DELETE FROM flow WHERE authorization = ? AND browser = ?', authorization, browser)
    },
  }
}
