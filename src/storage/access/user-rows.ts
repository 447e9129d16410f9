import type { UserPageRequest, UserSummary } from '../../core/access/user.ts'
import { rows } from '../rows.ts'

/** Separate from the other tables, because an Access object that an older deployment created lacks it. */
const TABLE = 'CREATE TABLE IF NOT EXISTS grant_holder (user TEXT PRIMARY KEY, at INTEGER NOT NULL)'

/** A key with exactly one user signs that user in; `users` of a key may also be the text "any". */
const USERS = `
  SELECT substr(owner, ${'person:'.length + 1}) AS user, 1 AS sessions, 0 AS agents, 0 AS keys, 0 AS holder
    FROM session WHERE owner GLOB 'person:*' AND expires > ?1
  UNION ALL SELECT json_extract(api_key.body, '$.users[0]'), 1, 0, 0, 0 FROM session JOIN api_key ON owner = 'key:' || api_key.id
    WHERE json_array_length(api_key.body, '$.users') = 1 AND expires > ?1
  UNION ALL SELECT value, 0, 0, 1, 0 FROM api_key, json_each(api_key.body, '$.users')
    WHERE json_type(api_key.body, '$.users') = 'array'
  UNION ALL SELECT user, 0, 0, 0, 1 FROM grant_holder
  UNION ALL SELECT json_extract(value, '$.user'), 0, json_extract(value, '$.agents'), 0, 0 FROM json_each(?2)`

type UserRow = { user: string; sessions: number; agents: number; keys: number; holder: number }

export type UserRows = ReturnType<typeof userRows>

export function userRows(sql: SqlStorage, now: () => number) {
  sql.exec(TABLE)
  return {
    noteGrantHolder(user: string, at: number): number {
      const note = 'INSERT INTO grant_holder VALUES (?, ?) ON CONFLICT DO UPDATE SET at = max(at, excluded.at)'
      sql.exec(note, user, at)
      return at
    },

    /** Keeps users who were noted after `until`, because a grant is stored some time after its user was noted. */
    forgetGrantHolder(user: string, until: number): void {
      sql.exec('DELETE FROM grant_holder WHERE user = ? AND at <= ?', user, until)
    },

    /** `agents` has the agents of this page's users, which another object stores. */
    list({ after, text, limit }: UserPageRequest, agents: readonly UserAgents[]): UserSummary[] {
      const query = `SELECT user, sum(sessions) AS sessions, sum(agents) AS agents, sum(keys) AS keys, max(holder) AS holder
        FROM (${USERS}) WHERE user > ?3 AND instr(lower(user), lower(?4)) > 0 GROUP BY user ORDER BY user LIMIT ?5`
      const summaryRows = rows<UserRow>(sql, query, now(), JSON.stringify(agents), after, text, limit)
      return summaryRows.map(({ holder, ...summary }) => ({ ...summary, mayHaveGrants: holder === 1 }))
    },
  }
}

export interface UserAgents {
  readonly user: string
  readonly agents: number
}
