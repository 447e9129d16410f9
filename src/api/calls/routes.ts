import { type Context, Hono } from 'hono'
import type { Principal } from '../../core/access/principal.ts'
import { malformed } from '../../core/call/call-fields.ts'
import { type Failing, fail } from '../../core/failure/failure.ts'
import type { Records } from '../../core/call/records.ts'
import { NO_QUERY, type ReadOf } from '../../http/request/query.ts'
import { createPrivateRoute, type Note, type RouteDeps } from '../../http/route/route.ts'
import {
  auditQuery,
  callsQuery,
  encodePage,
  decodeAuditQuery,
  decodeCallsQuery,
  decodeUsageQuery,
  usageQuery,
} from './wire.ts'

export interface CallsFaceDeps extends RouteDeps {
  readonly records: Records
  readonly version: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const CURSOR_UNKNOWN = "Cannot read the query: 'cursor' must be the 'next_cursor' of an answer to the same query"
const TOO_MANY = "There are more groups than one answer holds: ask for less time, or for fewer things with 'by'"

/**
 * `GET /calls`, `GET /usage` and `GET /metrics`: who called what, how often, and how long it took, in the last 30 days; and
 * `GET /audit`: what was administered, and who was refused.
 * Whoever has the scope `records:read` sees all; others see the calls they made and, people, those that were made for them.
 */
export function callsFace({ records, version, now, ...deps }: CallsFaceDeps): Hono {
  const route = createPrivateRoute(deps)
  const face = new Hono()
  face.get('/calls', route({ query: callsQuery }, list))
  face.get('/audit', route({ scope: 'records:read', query: auditQuery }, audit))
  face.get('/usage', route({ query: usageQuery }, usage))
  face.get('/metrics', route({ scope: 'records:read', query: NO_QUERY }, metrics))

  async function list(
    c: Context,
    principal: Principal,
    _: Note,
    asked: ReadOf<typeof callsQuery>,
  ): Promise<Response | Failing> {
    const query = decodeCallsQuery(asked, principal, now())
    if (!query.ok) return malformed(query.problems, 'the query')
    const { filter, limit, cursor } = query.value
    const found = await records.calls(filter, limit, cursor)
    return found ? c.json(encodePage(found)) : fail({ type: 'request-malformed', message: CURSOR_UNKNOWN })
  }

  async function audit(
    c: Context,
    _: Principal,
    __: Note,
    asked: ReadOf<typeof auditQuery>,
  ): Promise<Response | Failing> {
    const query = decodeAuditQuery(asked, now())
    if (!query.ok) return malformed(query.problems, 'the query')
    const { filter, limit, cursor } = query.value
    const found = await records.acts(filter, limit, cursor)
    return found ? c.json(encodePage(found)) : fail({ type: 'request-malformed', message: CURSOR_UNKNOWN })
  }

  async function usage(
    c: Context,
    principal: Principal,
    _: Note,
    asked: ReadOf<typeof usageQuery>,
  ): Promise<Response | Failing> {
    const query = decodeUsageQuery(asked, principal, now())
    if (!query.ok) return malformed(query.problems, 'the query')
    const { filter, by } = query.value
    const report = await records.usage(filter, by)
    if (!report) return fail({ type: 'request-malformed', message: TOO_MANY })
    const times = { since: new Date(filter.since).toISOString(), until: new Date(filter.until).toISOString() }
    return c.json({ ...times, by, items: report.items, lost: report.lost })
  }

  async function metrics(c: Context): Promise<Response> {
    // Few isolates are asked for it
    const { encodeMetrics, OPEN_METRICS } = await import('./metrics.ts')
    const text = encodeMetrics(await records.counted(), version)
    return c.body(text, 200, { 'content-type': OPEN_METRICS })
  }

  return face
}
