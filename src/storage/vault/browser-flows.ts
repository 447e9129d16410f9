import { AUTHORIZATION_LIFETIME_MS } from '../../core/consent/authorization.ts'
import { firstRow } from '../rows.ts'

/**
 * How far one browser is: it was sent to the deployment's verifier of users; somebody was confirmed there; that person
 * proved to be in front of this browser; it was sent to the provider.
 */
export type Stage = 'verifying' | 'confirmed' | 'proven' | 'at-provider'

/** One browser on its way through one authorization. */
export interface BrowserFlow {
  readonly authorization: string
  /** SHA-256 of what only this browser has. */
  readonly browser: string
  readonly stage: Stage
  /** SHA-256 of what the browser was sent with: the verifier's `flow`, the proof that it was confirmed, or `state`. */
  readonly secret: string
  /** The redirect URI. */
  readonly callback: string
  /** At the provider: its configuration as JSON, by which the answer is read. */
  readonly provider?: string
  /** At the provider: the PKCE verifier, sealed. */
  readonly sealed?: string
}

type Row = Omit<Required<BrowserFlow>, 'provider' | 'sealed'> & {
  readonly provider: string | null
  readonly sealed: string | null
}

/** Browsers that may be on their way for one authorization at once; the oldest gives way. */
const MAX_BROWSERS = 8

/** The browsers that are on their way, each with one flow an authorization. Nothing here waits. */
export interface BrowserFlows {
  put(flow: BrowserFlow): void
  find(authorization: string, browser: string): BrowserFlow | undefined
  /** Of whichever authorization. */
  findBySecret(secret: string): BrowserFlow | undefined
  /** Takes a flow away, so that it is used once. */
  remove(flow: BrowserFlow): void
}

export function createBrowserFlows(sql: SqlStorage, now: () => number): BrowserFlows {
  function read(where: string, ...values: string[]): BrowserFlow | undefined {
    const columns = 'authorization, browser, stage, secret, callback, provider, sealed'
    const query = `SELECT ${columns} FROM flow WHERE ${where} AND created > ?`
    const row = firstRow<Row>(sql, query, ...values, now() - AUTHORIZATION_LIFETIME_MS)
    if (!row) return undefined
    const { provider, sealed, ...flow } = row
    return { ...flow, ...(provider === null ? {} : { provider }), ...(sealed === null ? {} : { sealed }) }
  }

  return {
    put({ authorization, browser, stage, secret, callback, provider = null, sealed = null }) {
      sql.exec(
        'INSERT OR REPLACE INTO flow VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        authorization,
        browser,
        stage,
        secret,
        callback,
        provider,
        sealed,
        now(),
      )
      sql.exec(
        `DELETE FROM flow WHERE rowid IN (SELECT rowid FROM flow WHERE authorization = ?
         ORDER BY created DESC, rowid DESC LIMIT -1 OFFSET ?)`,
        authorization,
        MAX_BROWSERS,
      )
    },
    find: (authorization, browser) => read('authorization = ? AND browser = ?', authorization, browser),
    findBySecret: (secret) => read('secret = ?', secret),
    remove({ authorization, browser }) {
      sql.exec('DELETE FROM flow WHERE authorization = ? AND browser = ?', authorization, browser)
    },
  }
}
