import { readField } from '../rows.ts'
import { sha256 } from '../sealing/sha256.ts'
import { entryKeys } from './sql-kv.ts'

/**
 * The library accepts the token before the newest once more. Beyond that (OAuth 2.1, section 4.3.1), a token that comes
 * back after its successor was used ends the agent. The function that this gives, called after the refresh, says whether
 * it does.
 */
export async function presentRefreshToken(sql: SqlStorage, agent: string, token: string) {
  const hash = await sha256(token)
  const isExceeded = readField(sql, 'SELECT 1 FROM spent WHERE hash = ? AND agent = ?', hash, agent) !== undefined
  const tokenKeys = isExceeded ? entryKeys(sql, 'token', agent) : []
  return (isGiven: boolean, expires: number): boolean => {
    if (!isGiven) return isExceeded
    for (const key of tokenKeys) sql.exec('DELETE FROM entry WHERE key = ?', key)
    sql.exec('INSERT OR IGNORE INTO spent VALUES (?, ?, ?)', hash, agent, expires)
    return false
  }
}
