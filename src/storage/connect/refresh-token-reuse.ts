import { readField } from '../rows.ts'
import { sha256 } from '../sealing/sha256.ts'
import { entryKeys } from './sql-kv.ts'

/**
 * Detects a refresh token that is used again (OAuth 2.1, section 4.3.1). Call this function before the library refreshes,
 * and the returned function with the result. It returns true if a spent token was refused. The agent must then end, unless
 * the library refused for a reason other than the token (`invalid_grant`).
 *
 * - The first use succeeds, and the token is recorded as spent.
 * - A client that missed the response may use the token again until its successor is used. The library refreshes again,
 *   and the access tokens of the earlier refresh end.
 * - A use after the successor's: the library refuses the token. The token is spent, so it or its successor was stolen, and
 *   the agent must end.
 */
export async function presentRefreshToken(sql: SqlStorage, agent: string, token: string) {
  const hash = await sha256(token)
  const isSpent = readField(sql, 'SELECT 1 FROM spent WHERE hash = ? AND agent = ?', hash, agent) !== undefined
  const tokenKeys = isSpent ? entryKeys(sql, 'token', agent) : []
  return (wasRefreshed: boolean, expires: number): boolean => {
    if (!wasRefreshed) return isSpent
    for (const key of tokenKeys) sql.exec('DELETE FROM entry WHERE key = ?', key)
    sql.exec('INSERT OR IGNORE INTO spent VALUES (?, ?, ?)', hash, agent, expires)
    return false
  }
}
