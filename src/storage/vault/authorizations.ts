import { type Authorization, AUTHORIZATION_LIFETIME_MS } from '../../core/consent/authorization.ts'

/** An authorization as it travels between Worker and Durable Object: the input of a call is JSON text. */
export type AuthorizationText = Omit<Authorization, 'input'> & { readonly input?: string }

/** What is asked of a person, before it has an id. */
export interface Wanted {
  readonly kind: Authorization['kind']
  readonly provider: string
  readonly userId?: string
  readonly scopes: readonly string[]
  /** The tool's id. */
  readonly tool: string
  /** Tells it from everything else that this person may be asked: while it is open, it is asked once. */
  readonly asked: string
  /** The sealed input of a call. */
  readonly input?: string
}

interface Row {
  readonly [column: string]: SqlStorageValue
  readonly id: string
  readonly kind: 'grant' | 'approval'
  readonly provider: string
  readonly user_id: string | null
  readonly scopes: string
  readonly tool: string
  readonly input: string | null
  readonly status: Authorization['status']
  readonly reason: string | null
  readonly expires: number
}

/** How long one that is over can still be looked at. */
const KEPT_MS = 3_600_000
/** What is left of an open one, at least, for it to be given out again: a person needs some time. */
const USEFUL_MS = 5 * 60_000
/** Of one vault, those that are over included: whoever asks without end must not fill it. */
const MAX_ROWS = 100

/** The authorizations of one vault. Nothing here waits, so each function is one step. */
export interface AuthorizationRows {
  /** An open one of what is asked, with time left; undefined when it has to be asked anew. */
  open(asked: string): Authorization | undefined
  insert(id: string, wanted: Wanted): Authorization
  /** With `input` as it is sealed. Those whose time is over have failed. */
  find(id: string): AuthorizationText | undefined
  /** Notes that a person has begun. */
  begin(id: string): void
  end(id: string, status: 'completed' | 'failed', reason?: string): void
  /** An approved call may be made from now on, once and for 15 minutes. */
  approve(id: string): void
  /** Uses up an approval; false when there is none. */
  claim(asked: string): boolean
  /** Why the last of these failed, if it did. */
  lastFailure(of: { readonly asked: string } | { readonly provider: string }): string | undefined
  /** Ends those whose time is over, and forgets those that ended an hour ago. */
  sweep(): void
  /** When there is next something to sweep; undefined when nothing is left. */
  nextSweep(): number | undefined
}

/** `changed` is told the id of each that has changed. */
export function authorizationRows(
  sql: SqlStorage,
  now: () => number,
  changed: (id: string) => void,
): AuthorizationRows {
  const isOpen = "status IN ('not_started', 'pending')"

  function read(where: string, ...values: SqlStorageValue[]): Authorization | undefined {
    const text = readText(where, ...values)
    if (!text) return undefined
    const { input: _, ...authorization } = text
    return authorization
  }

  function readText(where: string, ...values: SqlStorageValue[]): AuthorizationText | undefined {
    const [row] = sql.exec<Row>(`SELECT * FROM authorization WHERE ${where}`, ...values).toArray()
    return row && textOf(row)
  }

  function update(id: string, set: string, ...values: SqlStorageValue[]): void {
    sql.exec(`UPDATE authorization SET ${set} WHERE id = ?`, ...values, id)
    changed(id)
  }

  const rows: AuthorizationRows = {
    open(asked) {
      rows.sweep()
      const useful = now() + USEFUL_MS
      return read(
        `asked = ? AND ${isOpen} AND (status = 'pending' OR expires >= ?) ORDER BY expires DESC`,
        asked,
        useful,
      )
    },
    insert(id, wanted) {
      const { kind, provider, userId, scopes, tool, asked, input = null } = wanted
      const [created, expires] = [now(), now() + AUTHORIZATION_LIFETIME_MS]
      sql.exec(
        `INSERT INTO authorization VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'not_started', NULL, ?, ?, NULL)`,
        id,
        kind,
        provider,
        // As JSON, since SQLite takes lone surrogates for one another
        userId === undefined ? null : JSON.stringify(userId),
        JSON.stringify(scopes),
        tool,
        asked,
        input,
        created,
        expires,
      )
      // Those that are over go first, then those that nobody has looked at
      const dropped = sql.exec<{ id: string }>(
        `DELETE FROM authorization WHERE id IN (SELECT id FROM authorization WHERE id <> ?
         ORDER BY ended IS NOT NULL, status <> 'not_started' AND ended IS NULL DESC, created DESC, rowid DESC LIMIT -1 OFFSET ?)
         RETURNING id`,
        id,
        MAX_ROWS - 1,
      )
      for (const each of dropped.toArray()) {
        sql.exec('DELETE FROM flow WHERE authorization = ?', each.id)
        changed(each.id)
      }
      const user = userId === undefined ? {} : { userId }
      return { id, kind, provider, ...user, scopes, tool, status: 'not_started', expiresAt: expires }
    },
    find(id) {
      rows.sweep()
      return readText('id = ?', id)
    },
    begin(id) {
      update(id, "status = 'pending'")
    },
    end(id, status, reason) {
      sql.exec('DELETE FROM flow WHERE authorization = ?', id)
      update(id, 'status = ?, reason = ?, ended = ?, input = NULL', status, reason ?? null, now())
    },
    approve(id) {
      sql.exec('DELETE FROM flow WHERE authorization = ?', id)
      update(id, "status = 'completed', expires = ?", now() + AUTHORIZATION_LIFETIME_MS)
    },
    claim(asked) {
      rows.sweep()
      const approved = read("asked = ? AND status = 'completed' AND ended IS NULL ORDER BY expires", asked)
      if (!approved) return false
      rows.end(approved.id, 'completed')
      return true
    },
    lastFailure(of) {
      const [column, value] = 'asked' in of ? ['asked', of.asked] : ['provider', of.provider]
      const last = read(`${column} = ? AND NOT ${isOpen} ORDER BY created DESC, rowid DESC`, value)
      return last?.status === 'failed' ? last.reason : undefined
    },
    sweep() {
      const over = sql.exec<{ id: string }>(
        `UPDATE authorization SET ended = expires, input = NULL, reason = CASE status
           WHEN 'completed' THEN 'It was approved, and not used within 15 minutes'
           ELSE 'Nobody answered within 15 minutes' END, status = 'failed'
         WHERE ended IS NULL AND expires <= ? RETURNING id`,
        now(),
      )
      const ids = over.toArray().map(({ id }) => id)
      for (const id of ids) {
        sql.exec('DELETE FROM flow WHERE authorization = ?', id)
        changed(id)
      }
      sql.exec('DELETE FROM authorization WHERE ended <= ?', now() - KEPT_MS)
    },
    nextSweep() {
      const [row] = sql
        .exec<{ at: number | null }>('SELECT min(coalesce(ended + ?, expires)) AS at FROM authorization', KEPT_MS)
        .toArray()
      return row?.at ?? undefined
    },
  }
  return rows
}

function textOf(row: Row): AuthorizationText {
  const scopes: string[] = JSON.parse(row.scopes)
  return {
    id: row.id,
    kind: row.kind,
    provider: row.provider,
    ...(row.user_id === null ? {} : { userId: JSON.parse(row.user_id) }),
    scopes,
    status: row.status,
    ...(row.reason === null ? {} : { reason: row.reason }),
    tool: row.tool,
    ...(row.input === null ? {} : { input: row.input }),
    expiresAt: row.expires,
  }
}

/** Whether something can still come of it by a person's hand. */
export function isOpen({ status }: { readonly status: Authorization['status'] }): boolean {
  return status === 'not_started' || status === 'pending'
}
