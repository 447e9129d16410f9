import type { Session } from '../../core/access/session.ts'
import { column, readField } from '../rows.ts'

const MAX_SESSIONS = 50

export type SessionRows = ReturnType<typeof sessionRows>

export function sessionRows(sql: SqlStorage, now: () => number) {
  return {
    store(session: Session, hash: string): void {
      sql.exec('DELETE FROM session WHERE expires <= ?', now())
      const { id, owner, expires_at } = session
      const row = [id, hash, owner, Date.parse(expires_at), JSON.stringify(session)]
      sql.exec('INSERT OR IGNORE INTO session VALUES (?, ?, ?, ?, ?)', ...row)
      const surplus = 'SELECT id FROM session WHERE owner = ? ORDER BY expires DESC, rowid DESC LIMIT -1 OFFSET ?'
      sql.exec(`DELETE FROM session WHERE id IN (${surplus})`, owner, MAX_SESSIONS)
    },
    find(hash: string): Session | undefined {
      const body = readField<string>(sql, 'SELECT body FROM session WHERE hash = ? AND expires > ?', hash, now())
      return body === undefined ? undefined : JSON.parse(body)
    },
    list(owner?: string): Session[] {
      const query = 'SELECT body FROM session WHERE expires > ? AND (? IS NULL OR owner = ?) ORDER BY rowid'
      return column<string>(sql, query, now(), owner ?? null, owner ?? null).map((body) => JSON.parse(body))
    },
    remove(id: string, owner?: string): boolean {
      const query = 'DELETE FROM session WHERE id = ? AND (? IS NULL OR owner = ?) RETURNING id'
      return readField(sql, query, id, owner ?? null, owner ?? null) !== undefined
    },
    removeAll(owner: string, exceptId = ''): number {
      return column(sql, 'DELETE FROM session WHERE owner = ? AND id <> ? RETURNING id', owner, exceptId).length
    },
  }
}
