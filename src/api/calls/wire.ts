import type { ActFilter } from '../../core/access/act.ts'
import { hasScope, type Principal } from '../../core/access/principal.ts'
import { identifier } from '../../core/call/call-fields.ts'
import { query, type ReadOf } from '../../http/request/query.ts'
import { type CallFilter, type RecordPage, USAGE_KEYS, type UsageKey } from '../../core/call/records.ts'
import { into, oneOf, optional, parsed, string, text, wrong } from '../../core/tool/json-reader.ts'
import type { Checked } from '../../core/tool/problem.ts'
import { DAY_MS, HOUR_MS, time } from '../../core/tool/time.ts'
import { isToolPattern } from '../../core/tool/tool-id.ts'

/** For so long records can be read, and so long is the time that is meant where a query does not say. */
const KEPT_MS = 31 * DAY_MS
const MAX_LIMIT = 1_000

const TOOL = text("a tool such as 'Gmail.Send', 'Gmail.Send@1.0.0' or 'Gmail.*'", (asked) => {
  const [pattern = '', ...versions] = asked.split('@')
  return isToolPattern(pattern) && versions.length <= 1 && !(pattern === '*' && versions.length > 0)
})
const LIMIT = parsed(`an integer from 1 to ${MAX_LIMIT}`, (value) => {
  const count = typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : 0
  return count >= 1 && count <= MAX_LIMIT ? count : undefined
})
const BY = into(string({ least: 1, most: 200 }), (list, report): readonly UsageKey[] | ReturnType<typeof wrong> => {
  const asked = [...new Set(list.split(','))]
  const known = asked.flatMap((name) => USAGE_KEYS.filter((key) => key === name))
  if (known.length === asked.length) return known
  return wrong(report, `Must be one or several of ${USAGE_KEYS.join(', ')}, separated by commas`)
})

/** What calls and acts alike are asked for by. */
const SHARED = {
  since: optional(time),
  until: optional(time),
  principal: optional(identifier),
  user_id: optional(identifier),
  outcome: optional(text("'success', 'failure' or the type of a failure", /^[a-z][a-z-]{0,63}$/)),
}
const PAGE = { limit: optional(LIMIT, 100), cursor: optional(string({ least: 1, most: 1_000 })) }
const CALLS = {
  ...SHARED,
  tool: optional(TOOL),
  dialect: optional(oneOf(['oxp', 'open-tool-calling', 'machine-context', 'plugin', 'mcp'])),
}
export const callsQuery = query({ ...CALLS, ...PAGE })
export const auditQuery = query({
  ...SHARED,
  act: optional(text("an act such as 'key.create', or 'refusal'", /^[a-z]+(?:\.[a-z]+)?$/)),
  ...PAGE,
})
export const usageQuery = query({ ...CALLS, by: optional(BY, ['tool']) })

/** A page of records that is asked for. */
interface Asked<Filter> {
  readonly filter: Filter
  readonly limit: number
  readonly cursor: string | undefined
}

/** What a caller asks `GET /calls` for: whoever may not read all sees their own. */
export function decodeCallsQuery(
  { limit, cursor, ...filter }: ReadOf<typeof callsQuery>,
  principal: Principal,
  now: number,
): Checked<Asked<CallFilter>> {
  const times = timesOf(filter, now, KEPT_MS)
  if (!times.ok) return times
  return { ok: true, value: { filter: { ...filter, ...times.value, ...ownOf(principal) }, limit, cursor } }
}

/** What an auditor asks `GET /audit` for. */
export function decodeAuditQuery(
  { limit, cursor, ...filter }: ReadOf<typeof auditQuery>,
  now: number,
): Checked<Asked<ActFilter>> {
  const times = timesOf(filter, now, KEPT_MS)
  return times.ok ? { ok: true, value: { filter: { ...filter, ...times.value }, limit, cursor } } : times
}

/** What a caller asks `GET /usage` for: of the last day, where they do not say. */
export function decodeUsageQuery(
  { by, ...filter }: ReadOf<typeof usageQuery>,
  principal: Principal,
  now: number,
): Checked<{ readonly filter: CallFilter; readonly by: readonly UsageKey[] }> {
  const times = timesOf(filter, now, DAY_MS)
  return times.ok ? { ok: true, value: { filter: { ...filter, ...times.value, ...ownOf(principal) }, by } } : times
}

interface Times {
  readonly since: number
  readonly until: number
}

/** The time that a query means; so long until now, where it does not say. */
function timesOf({ since, until }: Partial<Times>, now: number, usual: number): Checked<Times> {
  const last = until ?? now + HOUR_MS
  const first = since ?? last - usual
  if (first >= last) return { ok: false, problems: [{ path: '/since', message: "Must be before 'until'" }] }
  // What is older is gone, and what is yet to come is nobody's
  return { ok: true, value: { since: Math.max(first, now - KEPT_MS), until: Math.min(last, now + HOUR_MS) } }
}

/** Whose calls a principal may see, where it may not see all: those it made, and for a person those made in their name. */
function ownOf(principal: Principal): Pick<CallFilter, 'own'> {
  if (hasScope(principal, 'records:read')) return {}
  const { id, kind, users } = principal
  const [user] = kind === 'person' && users !== 'any' ? users : []
  return { own: { principal: id, ...(user === undefined ? {} : { user }) } }
}

/** A page of calls or acts, as `GET /calls` and `GET /audit` show it. */
export function encodePage({ items, nextCursor }: RecordPage<{ readonly at: number }>) {
  const shown = items.map(({ at, ...rest }) => ({ at: new Date(at).toISOString(), ...rest }))
  return { items: shown, ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }) }
}
