import type { ClientInfo } from '@cloudflare/workers-oauth-provider'
import { AUTH_METHODS, type OAuthClient } from '../../core/access/oauth-client.ts'
import { column, field } from '../rows.ts'
import { createEntries, type Entries } from './entries.ts'

export type Client = ClientInfo

/** Self-registered clients that nobody has approved yet; the oldest gives way. */
const MAX_UNUSED = 1_000
const UNUSED_MS = 86_400_000
/** Longer than any agent lives. */
const USED_MS = 100 * 86_400_000

const UNUSED = '"unused"'
const GIVEN = '"given"'

/** A self-registered client is forgotten after a day unless approved; one that an administrator gave stays. */
export function clientRows(sql: SqlStorage, now: () => number) {
  const keyOf = (id: string) => `client:${id}`

  return {
    entriesWith(document?: Client): Entries {
      const entries = createEntries(sql, now)
      if (!document) return entries
      const key = keyOf(document.clientId)
      return { ...entries, get: async (name, how) => (name === key ? document : entries.get(name, how)) }
    },

    registered(id: string): void {
      const note = 'UPDATE entry SET metadata = ?, expires = ? WHERE key = ?'
      sql.exec(note, UNUSED, now() + UNUSED_MS, keyOf(id))
      sql.exec(
        `DELETE FROM entry WHERE key IN (SELECT key FROM entry WHERE metadata = ? AND key > 'client:' AND key < 'client;'
         ORDER BY expires DESC LIMIT -1 OFFSET ?)`,
        UNUSED,
        MAX_UNUSED,
      )
    },

    used(id: string, document: Client | undefined): void {
      if (document) {
        const kept = 'INSERT OR REPLACE INTO entry VALUES (?, ?, NULL, ?)'
        sql.exec(kept, keyOf(id), JSON.stringify(document), now() + USED_MS)
      } else {
        const note = 'UPDATE entry SET metadata = NULL, expires = ? WHERE key = ? AND expires IS NOT NULL'
        sql.exec(note, now() + USED_MS, keyOf(id))
      }
    },

    isKept(id: string): boolean {
      return field(sql, 'SELECT 1 FROM entry WHERE key = ? AND expires > ?', keyOf(id), now()) !== undefined
    },

    given(id: string): void {
      sql.exec('UPDATE entry SET metadata = ?, expires = NULL WHERE key = ?', GIVEN, keyOf(id))
    },

    list(): OAuthClient[] {
      const all = "SELECT value FROM entry WHERE metadata = ? AND key > 'client:' AND key < 'client;' ORDER BY key"
      return column<string>(sql, all, GIVEN).map((text) => clientOf(JSON.parse(text)))
    },

    remove(id: string): boolean {
      const removed = 'DELETE FROM entry WHERE key = ? AND metadata = ? RETURNING key'
      return field(sql, removed, keyOf(id), GIVEN) !== undefined
    },
  }
}

export function clientOf(client: Client): OAuthClient {
  const { clientId, clientName = '', redirectUris, tokenEndpointAuthMethod, registrationDate = 0 } = client
  return {
    client_id: clientId,
    name: clientName,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: AUTH_METHODS.find((method) => method === tokenEndpointAuthMethod) ?? 'none',
    created_at: new Date(registrationDate * 1_000).toISOString(),
  }
}
