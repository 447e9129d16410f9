import { type Authorization, AUTHORIZATION_LIFETIME_MS } from '../../core/consent/authorization.ts'
import { column, readField, firstRow } from '../rows.ts'
import { hasTables } from '../schema.ts'

/** An authorization as sent between the Worker and the Durable Object: the invocation is JSON text. */
export type StoredAuthorization = Omit<Authorization, 'invocation'> & {
  readonly invocation?: string
  /** For approvals: the principal that made the call. */
  readonly principal?: string
}

export interface NewAuthorization extends Pick<
  Authorization,
  'kind' | 'provider' | 'userId' | 'scopes' | 'tool' | 'requestedBy' | 'hosts' | 'account'
> {
  /** Identifies the request: equal requests share an open authorization. */
  readonly purpose: string
  readonly principal?: string
  readonly invocation?: string
}

type AuthorizationRow = {
  readonly id: string
  readonly status: Authorization['status']
  readonly reason: string | null
  readonly for_operator: string | null
  readonly expires: number
  readonly input: string | null
  readonly body: string
}

const IS_OPEN = "status IN ('not_started', 'pending')"
const IS_ENDED = 'ended IS NOT NULL'
const IS_STARTED = `status <> 'not_started' AND ended IS NULL`
const RETENTION_MS = 3_600_000
/** An authorization that was not started is reused only if its person has at least this much time left. */
const USEFUL_MS = 5 * 60_000
/** Limits the authorizations of one vault, including ended ones, so that endless calls do not fill the vault. */
const MAX_ROWS = 100
const MAX_REQUESTERS = 5

export type AuthorizationRows = ReturnType<typeof authorizationRows>

/** No function awaits anything, so each is one atomic step. */
export function authorizationRows(sql: SqlStorage, now: () => number) {
  function read(where: string, ...values: SqlStorageValue[]): StoredAuthorization | undefined {
    const row = firstRow<AuthorizationRow>(sql, `SELECT * FROM authorization WHERE ${where}`, ...values)
    return row && toAuthorization(row)
  }

  function update(id: string, set: string, ...values: SqlStorageValue[]): void {
    sql.exec(`UPDATE authorization SET ${set} WHERE id = ?`, ...values, id)
  }

  /** Deletes the flows of all browsers. */
  function endFlows(id: string): void {
    sql.exec('DELETE FROM flow WHERE authorization = ?', id)
  }

  function sweep(): void {
    const expiredIds = column<string>(
      sql,
      `UPDATE authorization SET ended = expires, input = NULL, reason = CASE status
         WHEN 'completed' THEN 'It was approved, and not used within 15 minutes'
         ELSE 'Nobody answered within 15 minutes' END, status = 'failed'
       WHERE ended IS NULL AND expires <= ? RETURNING id`,
      now(),
    )
    for (const id of expiredIds) endFlows(id)
    sql.exec('DELETE FROM authorization WHERE ended <= ?', now() - RETENTION_MS)
  }

  /** Administrators read `forOperator` instead of the reason. */
  function end(id: string, status: 'completed' | 'failed', reason?: string, forOperator?: string): void {
    const reasons = [reason ?? null, forOperator ?? null]
    update(id, 'status = ?, reason = ?, for_operator = ?, ended = ?, input = NULL', status, ...reasons, now())
    endFlows(id)
  }

  /** Returns undefined unless the last ended authorization failed. */
  function readLastFailure(columnName: 'asked' | 'provider', value: string) {
    const query = `SELECT * FROM authorization WHERE ${columnName} = ? AND NOT ${IS_OPEN} ORDER BY created DESC, rowid DESC`
    const row = firstRow<AuthorizationRow>(sql, query, value)
    if (row?.status !== 'failed' || row.reason === null) return undefined
    return { reason: row.reason, ...(row.for_operator === null ? {} : { forOperator: row.for_operator }) }
  }

  return {
    sweep,
    end,

    findOpen(purpose: string): StoredAuthorization | undefined {
      if (!hasTables(sql)) return undefined
      sweep()
      const where = `asked = ? AND ${IS_OPEN} AND (status = 'pending' OR expires >= ?) ORDER BY expires DESC`
      return read(where, purpose, now() + USEFUL_MS)
    },

    insert(id: string, { purpose, invocation, ...fields }: NewAuthorization): StoredAuthorization {
      const expires = now() + AUTHORIZATION_LIFETIME_MS
      const row = [id, purpose, fields.provider, JSON.stringify(fields), invocation ?? null, now(), expires]
      sql.exec(
        `INSERT INTO authorization (id, asked, provider, body, input, created, expires, status)
         VALUES (?, ?, ?, ?, ?, ?, ?, 'not_started')`,
        ...row,
      )
      // Beyond MAX_ROWS, ended authorizations are deleted first, then those that were not started, then the oldest
      const dropped = column<string>(
        sql,
        `DELETE FROM authorization WHERE id IN (SELECT id FROM authorization WHERE id <> ?
         ORDER BY ${IS_ENDED}, ${IS_STARTED} DESC, created DESC, rowid DESC LIMIT -1 OFFSET ?)
         RETURNING id`,
        id,
        MAX_ROWS - 1,
      )
      for (const droppedId of dropped) endFlows(droppedId)
      return { id, ...fields, status: 'not_started', expiresAt: expires }
    },

    /** Adds a caller that made an equal request. The authorization's page names all of them. */
    addRequester({ id, requestedBy, alsoRequestedBy = [] }: StoredAuthorization, name: string | undefined): void {
      const requesters = requestedBy === undefined ? alsoRequestedBy : [requestedBy, ...alsoRequestedBy]
      if (name === undefined || requesters.includes(name) || requesters.length >= MAX_REQUESTERS) return
      update(id, "body = json_set(body, '$.alsoRequestedBy', json(?))", JSON.stringify([...alsoRequestedBy, name]))
    },

    /** Finds an authorization, with its `invocation` still sealed. */
    find(id: string): StoredAuthorization | undefined {
      if (!hasTables(sql)) return undefined
      sweep()
      return read('id = ?', id)
    },

    /** Ends the authorizations that wait for a person, and approvals that no call has used. Returns their number. */
    endAll(reason: string): number {
      sweep()
      const ids = column<string>(sql, 'SELECT id FROM authorization WHERE ended IS NULL')
      for (const id of ids) end(id, 'failed', reason)
      return ids.length
    },

    /** Counts an attempt with entered values. Returns the number of attempts at the provider within the hour. */
    countAttempt(id: string, provider: string): number {
      update(id, "body = json_set(body, '$.attempts', coalesce(json_extract(body, '$.attempts'), 0) + 1)")
      const query = `SELECT sum(json_extract(body, '$.attempts')) FROM authorization WHERE provider = ? AND created > ?`
      return readField<number>(sql, query, provider, now() - RETENTION_MS) ?? 0
    },

    begin(id: string): void {
      update(id, "status = 'pending'")
    },

    /** Approves a call, which may be made once, within 15 minutes. Its arguments are deleted. */
    approve(id: string): void {
      update(id, "status = 'completed', input = NULL, expires = ?", now() + AUTHORIZATION_LIFETIME_MS)
      endFlows(id)
    },

    claim(purpose: string): boolean {
      sweep()
      const approval = read("asked = ? AND status = 'completed' AND ended IS NULL ORDER BY expires", purpose)
      if (approval) end(approval.id, 'completed')
      return approval !== undefined
    },

    lastFailureFor: (purpose: string) => readLastFailure('asked', purpose),

    lastFailureAt: (provider: string) => readLastFailure('provider', provider),

    nextSweep(): number | undefined {
      if (!hasTables(sql)) return undefined
      const query = 'SELECT min(coalesce(ended + ?, expires)) AS at FROM authorization'
      return readField<number | null>(sql, query, RETENTION_MS) ?? undefined
    },
  }
}

function toAuthorization({ id, status, reason, expires, input, body }: AuthorizationRow): StoredAuthorization {
  const reasonField = reason === null ? {} : { reason }
  const invocationField = input === null ? {} : { invocation: input }
  return { ...JSON.parse(body), id, status, ...reasonField, ...invocationField, expiresAt: expires }
}
