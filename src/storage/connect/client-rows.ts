import type { ClientInfo } from '@cloudflare/workers-oauth-provider'
import { AUTH_METHODS, type OAuthClient } from '../../core/access/oauth-client.ts'
import { column, readField } from '../rows.ts'
import { createSqlKv, type SqlKv } from './sql-kv.ts'

export type Client = ClientInfo

/** Registered clients that are neither approved nor protected by a pending request. */
const MAX_UNUSED = 1_000
/** Clients whose link was opened by someone who is not signed in. */
const MAX_PENDING = 500
const MAX_PENDING_PER_ADDRESS = 20
/** Clients whose requests one signed-in principal is viewing. */
const MAX_OPENED = 10
const PENDING_MS = 10 * 60_000
/** Clients that one principal approved and that have no agent. */
const MAX_IDLE = 20
const UNUSED_MS = 86_400_000
/** Longer than any agent lives. */
const APPROVED_MS = 100 * 86_400_000

const BY_ADMINISTRATOR = '"given"'
const IS_CLIENT = "key > 'client:' AND key < 'client;'"
/** Only unapproved clients have `until`. Older deployments stored `"unused"` instead of an object. */
const IS_UNAPPROVED = `${IS_CLIENT} AND (metadata = '"unused"' OR metadata ->> 'until' >= 0)`
/** A request of the client is pending. As in the next condition, the parameter ?1 must be the time now. */
const IS_PENDING = `${IS_CLIENT} AND metadata ->> 'until' > ?1`
const HAS_NO_PENDING = "coalesce(metadata ->> 'until', 0) <= ?1"
/** Ends a query that returns all rows but the first ones. Their number follows it. */
const EXCEPT_FIRST = 'LIMIT -1 OFFSET'

/**
 * The OAuth clients of agents. The `metadata` of a client's entry says which kind of client it is:
 *
 * - Unapproved (`until`, `address`, `opened`): the client registered itself, for a day. A request for its authorization is
 *   pending before `until`, and meanwhile the client cannot be evicted. If no request was made, `until` is 0. `address` is the
 *   network address that registered it or opened its link last, known only from Cloudflare's edge. `opened` is the principal
 *   that last saw the request.
 * - Approved (`holder`): a principal approved the client, for APPROVED_MS. Beyond MAX_IDLE clients of one principal that have
 *   no agent, the oldest are removed.
 * - Administrator's (BY_ADMINISTRATOR): stays until an administrator removes the client.
 *
 * Beyond MAX_UNUSED clients without a pending request, the address with the most clients loses its oldest, so a flood evicts
 * its own clients first. Pending requests are limited in total, per address and per principal, and keep their places when
 * others make later requests. Known gap: an attacker with 25 addresses, or any attacker of a self-hosted deployment, can take
 * all places. A later link is then not protected until its person signs in.
 */
export function clientRows(sql: SqlStorage, now: () => number) {
  const toKey = (id: string) => `client:${id}`

  /**
   * Evicts clients without a pending request beyond MAX_UNUSED. The newest of each address are kept first, then the second
   * newest of each, and so on.
   */
  function evictUnused(): void {
    const places = `SELECT key, expires, row_number() OVER (PARTITION BY metadata ->> 'address' ORDER BY expires DESC) AS place
      FROM entry WHERE ${IS_UNAPPROVED} AND ${HAS_NO_PENDING}`
    const query = `DELETE FROM entry WHERE key IN (SELECT key FROM (${places}) ORDER BY place, expires DESC ${EXCEPT_FIRST} ?2)`
    sql.exec(query, now(), MAX_UNUSED)
  }

  return {
    /** Returns the library's entries. If a document describes a client, the client is found without being stored. */
    entriesWith(document?: Client): SqlKv {
      const entries = createSqlKv(sql, now)
      if (!document) return entries
      const key = toKey(document.clientId)
      return { ...entries, get: async (name, how) => (name === key ? document : entries.get(name, how)) }
    },

    noteRegistered(id: string, address: string | null): void {
      const note = "UPDATE entry SET metadata = json_object('until', 0, 'address', ?), expires = ? WHERE key = ?"
      sql.exec(note, address, now() + UNUSED_MS, toKey(id))
      evictUnused()
    },

    /** Notes that someone who is not signed in opened a link of the client. If no place is free, it changes nothing. */
    noteRequested(id: string, address: string | null): void {
      sql.exec(
        `UPDATE entry SET metadata = json_object('until', ?2, 'address', ?3) WHERE key = ?4 AND ${IS_UNAPPROVED}
          AND ${HAS_NO_PENDING}
          AND (SELECT count(*) FROM entry WHERE ${IS_PENDING} AND metadata ->> 'opened' IS NULL) < ?5
          AND (?3 IS NULL OR (SELECT count(*) FROM entry WHERE ${IS_PENDING} AND metadata ->> 'address' = ?3) < ?6)`,
        now(),
        now() + PENDING_MS,
        address,
        toKey(id),
        MAX_PENDING,
        MAX_PENDING_PER_ADDRESS,
      )
    },

    /** Notes that a signed-in principal is viewing a request of the client. */
    noteOpened(id: string, principal: string): void {
      const note = `UPDATE entry SET metadata = json_object('until', ?, 'address', metadata ->> 'address', 'opened', ?)
        WHERE key = ? AND ${IS_UNAPPROVED}`
      sql.exec(note, now() + PENDING_MS, principal, toKey(id))
      // Deletes nothing: beyond MAX_OPENED of this principal, the requests seen longest ago are no longer pending
      const surplus = `UPDATE entry SET metadata = json_set(metadata, '$.until', 0) WHERE key IN (SELECT key FROM entry
        WHERE ${IS_PENDING} AND metadata ->> 'opened' = ?2 ORDER BY metadata ->> 'until' DESC ${EXCEPT_FIRST} ?3)`
      sql.exec(surplus, now(), principal, MAX_OPENED)
    },

    /** Notes that a principal approved the client, which `document` describes if its id is a URL. */
    noteApproved(id: string, document: Client | undefined, principal: string): void {
      const metadata = JSON.stringify({ holder: principal })
      if (document) {
        const statement = 'INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?)'
        sql.exec(statement, toKey(id), JSON.stringify(document), metadata, now() + APPROVED_MS)
      } else {
        // Skips clients of administrators, which never expire
        const note = 'UPDATE entry SET metadata = ?, expires = ? WHERE key = ? AND expires IS NOT NULL'
        sql.exec(note, metadata, now() + APPROVED_MS, toKey(id))
      }
      // Evicts the principal's clients without an agent beyond MAX_IDLE, those approved longest ago first
      const idle = `DELETE FROM entry WHERE key IN (SELECT key FROM entry WHERE ${IS_CLIENT} AND metadata ->> 'holder' = ?
        AND key NOT IN (SELECT 'client:' || json_extract(body, '$.client.id') FROM agent WHERE expires > ?)
        ORDER BY expires DESC ${EXCEPT_FIRST} ?)`
      sql.exec(idle, principal, now(), MAX_IDLE)
    },

    /** Whether a person approved the client that the document at the URL `id` describes. Only approved ones are stored. */
    isApprovedDocument(id: string): boolean {
      return readField(sql, 'SELECT 1 FROM entry WHERE key = ? AND expires > ?', toKey(id), now()) !== undefined
    },

    noteByAdministrator(id: string): void {
      sql.exec('UPDATE entry SET metadata = ?, expires = NULL WHERE key = ?', BY_ADMINISTRATOR, toKey(id))
    },

    /** Lists the clients of administrators. */
    list(): OAuthClient[] {
      const query = `SELECT value FROM entry WHERE metadata = ? AND ${IS_CLIENT} ORDER BY key`
      return column<string>(sql, query, BY_ADMINISTRATOR).map((text) => toOAuthClient(JSON.parse(text)))
    },

    /** Removes a client of an administrator. */
    remove(id: string): boolean {
      const deletion = 'DELETE FROM entry WHERE key = ? AND metadata = ? RETURNING key'
      return readField(sql, deletion, toKey(id), BY_ADMINISTRATOR) !== undefined
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
