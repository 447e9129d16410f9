import type { Agent, ListedAgent } from '../../core/access/agent.ts'
import { formatHolder, type Holder } from '../../core/access/holder.ts'
import type { UserPageRequest } from '../../core/access/user.ts'
import { column, readField, rows } from '../rows.ts'

/** Agents of one holder. Beyond that, the oldest agent is removed. */
const MAX_AGENTS = 100
const CODE_MS = 10 * 60_000
const USED_EVERY_MS = 3_600_000

export type AgentRows = ReturnType<typeof agentRows>

export function agentRows(sql: SqlStorage, now: () => number) {
  function find(id: string): Agent | undefined {
    const body = readField<string>(sql, 'SELECT body FROM agent WHERE id = ? AND expires > ?', id, now())
    return body === undefined ? undefined : JSON.parse(body)
  }

  return {
    find,

    /** Stores an agent, which is listed once its code is redeemed. Returns the ids of agents to remove. */
    store(agent: Agent): string[] {
      const row = [agent.id, formatHolder(agent.holder), now() + CODE_MS, JSON.stringify(agent)]
      sql.exec('INSERT INTO agent VALUES (?, ?, ?, NULL, NULL, ?)', ...row)
      const surplus = 'SELECT id FROM agent WHERE user = ? ORDER BY rowid DESC LIMIT -1 OFFSET ?'
      return column<string>(sql, surplus, formatHolder(agent.holder), MAX_AGENTS)
    },

    /** Returns the milliseconds until the agent expires. The first token marks the agent as connected. */
    redeem(id: string, isFirst: boolean): number | undefined {
      const agent = find(id)
      if (!agent) return undefined
      const expires = Date.parse(agent.expires_at)
      const connect = 'UPDATE agent SET expires = ?, connected = coalesce(connected, ?) WHERE id = ?'
      if (isFirst) sql.exec(connect, expires, now(), id)
      return expires - now()
    },

    use(id: string): void {
      const usedBefore = now() - USED_EVERY_MS
      sql.exec('UPDATE agent SET used = ? WHERE id = ? AND (used IS NULL OR used < ?)', now(), id, usedBefore)
    },

    list(holder: Holder): ListedAgent[] {
      const query =
        'SELECT used, body FROM agent WHERE user = ? AND expires > ? AND connected IS NOT NULL ORDER BY rowid'
      return rows<{ used: number | null; body: string }>(sql, query, formatHolder(holder), now()).map(
        ({ used, body }) => {
          const agent: Agent = JSON.parse(body)
          return used === null ? agent : { ...agent, used_at: new Date(used).toISOString() }
        },
      )
    },

    /** Includes agents whose code is not redeemed yet. */
    listIds(holder: Holder): string[] {
      return column<string>(sql, 'SELECT id FROM agent WHERE user = ?', formatHolder(holder))
    },

    /** Counts the listed agents of users. */
    countByUser({ after, text, limit }: UserPageRequest): { user: string; agents: number }[] {
      const query = `SELECT json_extract(user, '$[1]') AS name, count(*) AS agents FROM agent
        WHERE json_extract(user, '$[0]') = 'user' AND expires > ? AND connected IS NOT NULL
        GROUP BY name HAVING name > ? AND instr(lower(name), lower(?)) > 0 ORDER BY name LIMIT ?`
      const counts = rows<{ name: string; agents: number }>(sql, query, now(), after, text, limit)
      return counts.map(({ name, agents }) => ({ user: name, agents }))
    },

    remove(id: string, holder?: Holder): boolean {
      const user = holder ? formatHolder(holder) : null
      const query = 'DELETE FROM agent WHERE id = ? AND (? IS NULL OR user = ?) RETURNING id'
      return readField(sql, query, id, user, user) !== undefined
    },
  }
}
