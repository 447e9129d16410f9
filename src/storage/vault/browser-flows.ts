import { AUTHORIZATION_LIFETIME_MS } from '../../core/consent/authorization.ts'
import { firstRow } from '../rows.ts'

/** One browser on its way through one authorization. */
export type BrowserFlow = {
  readonly authorization: string
  /** SHA-256 of what only this browser has. */
  readonly browser: string
  /**
   * How far it is: it was sent to the deployment's verifier of users; somebody was confirmed there; that person proved to
   * be in front of this browser; it was sent to the provider.
   */
  readonly stage: 'verifying' | 'confirmed' | 'proven' | 'at-provider'
  /** SHA-256 of what the browser was sent with: the verifier's `flow`, the proof that it was confirmed, or `state`. */
  readonly secret: string
  /** The redirect URI. */
  readonly callback: string
  /** At the provider: its configuration as JSON, by which the answer is read, and the PKCE verifier, sealed. */
  readonly provider: string | null
  readonly sealed: string | null
  /** Which of the user's accounts at the provider the person chose. */
  readonly account: string
}

/** Browsers that may be on their way for one authorization at once; the oldest gives way. */
const MAX_BROWSERS = 8

export type BrowserFlows = ReturnType<typeof browserFlows>

/** The browsers that are on their way, each with one flow an authorization. Nothing here waits. */
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
    /** Of whichever authorization. */
    findBySecret: (secret: string) => read('secret = ?', secret),
    /** Takes a flow away, so that it is used once. */
    remove({ authorization, browser }: BrowserFlow): void {
      sql.exec('DELETE FROM flow WHERE authorization = ? AND browser = ?', authorization, browser)
    },
  }
}
