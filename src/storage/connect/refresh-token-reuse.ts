import { readField } from '../rows.ts'
import { sha256 } from '../sealing/sha256.ts'
import { entryKeys } from './sql-kv.ts'

/**
 * Detects a refresh token that is used again (OAuth 2.1, section 4.3.1). Call before a refresh; call the returned
 * function after it: true means that the agent must end.
 *
 * - First use: the token is recorded as spent.
 * - Second use before its successor was used: the library refreshes it once more, and the access tokens before that end.
 * - Later use: the library refuses it, and since it is recorded as spent, the agent must end.
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
