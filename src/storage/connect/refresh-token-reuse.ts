import { field } from '../rows.ts'
import { sha256 } from '../sealing/sha256.ts'
import { entryKeys } from './entries.ts'

/**
 * The library accepts the token before the newest once more. Beyond that (OAuth 2.1, section 4.3.1), a token that comes
 * back after its successor was used ends the agent.
 */
export function refreshTokens(sql: SqlStorage) {
  return {
    /** Called before a refresh; the function it gives, called after, says whether to end the agent. */
    async presented(agent: string, token: string): Promise<(isGiven: boolean, expires: number) => boolean> {
      const hash = await sha256(token)
      const isSpent = field(sql, 'SELECT 1 FROM spent WHERE hash = ? AND agent = ?', hash, agent) !== undefined
      const given = isSpent ? entryKeys(sql, 'token', agent) : []
      return (isGiven, expires) => {
        if (!isGiven) return isSpent
        for (const key of given) sql.exec('DELETE FROM entry WHERE key = ?', key)
        sql.exec('INSERT OR IGNORE INTO spent VALUES (?, ?, ?)', hash, agent, expires)
        return false
      }
    },
  }
}
