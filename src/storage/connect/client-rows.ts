import type { ClientInfo } from '@cloudflare/workers-oauth-provider'
import { AUTH_METHODS, type OAuthClient } from '../../core/access/oauth-client.ts'
import { column, readField } from '../rows.ts'
import { createSqlKv, type SqlKv } from './sql-kv.ts'

export type Client = ClientInfo

const MAX_UNUSED = 1_000
/** Of one principal. */
const MAX_OPENED = 10
const OPENED_MS = 10 * 60_000
/** Of one principal. */
const MAX_IDLE = 20
const UNUSED_MS = 86_400_000
/** Longer than any agent lives. */
const USED_MS = 100 * 86_400_000

const UNUSED = '"unused"'
const BY_ADMINISTRATOR = '"given"'
const IS_CLIENT = "key > 'client:' AND key < 'client;'"

/**
 * The OAuth clients of agents, by `metadata` of their entry:
 *
 * - unused: registered by itself, for a day; the oldest beyond MAX_UNUSED go.
 * - opened: a principal looks at its request, for OPENED_MS; then it is unused again. Strangers' registrations do not
 *   push it out meanwhile.
 * - used (`holder`): a principal approved it, for USED_MS; of those without an agent, the oldest beyond MAX_IDLE go.
 * - by an administrator: until an administrator removes it.
 */
export function clientRows(sql: SqlStorage, now: () => number) {
  const toKey = (id: string) => `client:${id}`

  return {
    entriesWith(document?: Client): SqlKv {
      const entries = createSqlKv(sql, now)
      if (!document) return entries
      const key = toKey(document.clientId)
      return { ...entries, get: async (name, how) => (name === key ? document : entries.get(name, how)) }
    },

    noteRegistered(id: string): void {
      const note = 'UPDATE entry SET metadata = ?, expires = ? WHERE key = ?'
      sql.exec(note, UNUSED, now() + UNUSED_MS, toKey(id))
      sql.exec(
        `DELETE FROM entry WHERE key IN (SELECT key FROM entry WHERE ${IS_CLIENT} AND (metadata = ? OR metadata ->> 'until' <= ?)
         ORDER BY expires DESC LIMIT -1 OFFSET ?)`,
        UNUSED,
        now(),
        MAX_UNUSED,
      )
    },

    /** A signed-in principal looks at a request of the client. */
    noteOpened(id: string, principal: string): void {
      const note = `UPDATE entry SET metadata = json_object('opened', ?, 'until', ?)
        WHERE key = ? AND (metadata = ? OR metadata ->> 'until' > 0)`
      sql.exec(note, principal, now() + OPENED_MS, toKey(id), UNUSED)
      const surplus = `UPDATE entry SET metadata = ? WHERE key IN (SELECT key FROM entry
        WHERE ${IS_CLIENT} AND metadata ->> 'opened' = ? ORDER BY metadata ->> 'until' DESC LIMIT -1 OFFSET ?)`
      sql.exec(surplus, UNUSED, principal, MAX_OPENED)
    },

    noteUsed(id: string, document: Client | undefined, holder: string): void {
      const metadata = JSON.stringify({ holder })
      if (document) {
        const statement = 'INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?)'
        sql.exec(statement, toKey(id), JSON.stringify(document), metadata, now() + USED_MS)
      } else {
        const note = 'UPDATE entry SET metadata = ?, expires = ? WHERE key = ? AND expires IS NOT NULL'
        sql.exec(note, metadata, now() + USED_MS, toKey(id))
      }
      const idle = `DELETE FROM entry WHERE key IN (SELECT key FROM entry WHERE ${IS_CLIENT} AND metadata ->> 'holder' = ?
        AND key NOT IN (SELECT 'client:' || json_extract(body, '$.client.id') FROM agent WHERE expires > ?)
        ORDER BY expires DESC LIMIT -1 OFFSET ?)`
      sql.exec(idle, holder, now(), MAX_IDLE)
    },

    isKept(id: string): boolean {
      return readField(sql, 'SELECT 1 FROM entry WHERE key = ? AND expires > ?', toKey(id), now()) !== undefined
    },

    noteByAdministrator(id: string): void {
      sql.exec('UPDATE entry SET metadata = ?, expires = NULL WHERE key = ?', BY_ADMINISTRATOR, toKey(id))
    },

    list(): OAuthClient[] {
      const query = `SELECT value FROM entry WHERE metadata = ? AND ${IS_CLIENT} ORDER BY key`
      return column<string>(sql, query, BY_ADMINISTRATOR).map((text) => toOAuthClient(JSON.parse(text)))
    },

    remove(id: string): boolean {
      const removed = 'DELETE FROM entry WHERE key = ? AND metadata = ? RETURNING key'
      return readField(sql, removed, toKey(id), BY_ADMINISTRATOR) !== undefined
    },
  }
}

export function toOAuthClient(client: Client): OAuthClient {
  const { clientId, clientName = '', redirectUris, tokenEndpointAuthMethod, registrationDate = 0 } = client
  return {
    client_id: clientId,
    name: clientName,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: AUTH_METHODS.find((method) => method === tokenEndpointAuthMethod) ?? 'none',
    created_at: new Date(registrationDate * 1_000).toISOString(),
  }
}
