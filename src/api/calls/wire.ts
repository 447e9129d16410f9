import { AUDIT_ACTIONS, type AuditEvent } from '../../core/access/audit-entry.ts'
import { hasScope, type Principal } from '../../core/access/principal.ts'
import { identifier, integerStringReader, malformedRequestFailure } from '../../core/call/call-options.ts'
import { HTTP_STATUS, OUTCOME_STATUS, UNCALLED_STATUS } from '../../http/response/failure-status.ts'
import { defineQuery, WAIT } from '../../http/request/query.ts'
import type { CallContent } from '../../core/call/call-content.ts'
import type { CallRecord } from '../../core/call/call-record.ts'
import { ok, type Result } from '../../core/failure/failure.ts'
import type { CallFilter, RecordPage, UsageKey, UsageReport } from '../../core/call/recorded-calls.ts'
import { USAGE_KEYS } from '../../core/call/recorded-calls.ts'
import { transform, enumReader, optional, string, stringMatching, addProblem } from '../../core/tool/json-reader.ts'
import { REMOTE_PROTOCOLS } from '../../core/tool/remote-dialect.ts'
import { DAY_MS, HOUR_MS, time } from '../../core/tool/time.ts'
import { isToolPattern } from '../../core/tool/tool-id.ts'

const RETENTION_MS = 31 * DAY_MS
const MAX_LIMIT = 1_000

const TOOL = stringMatching("a tool such as 'Gmail.Send', 'Gmail.Send@1.0.0' or 'Gmail.*'", (toolFilter) => {
  const [pattern = '', ...versions] = toolFilter.split('@')
  return isToolPattern(pattern) && versions.length <= 1 && !(pattern === '*' && versions.length > 0)
})
const BY = transform(
  string({ min: 1, max: 200 }),
  (list, report): readonly UsageKey[] | ReturnType<typeof addProblem> => {
    const names = [...new Set(list.split(','))]
    const keys = names.flatMap((name) => USAGE_KEYS.filter((key) => key === name))
    if (keys.length === names.length) return keys
    return addProblem(report, `Must be one or several of ${USAGE_KEYS.join(', ')}, separated by commas`)
  },
)

const OUTCOMES = ['success', 'failure', ...Object.keys({ ...HTTP_STATUS, ...OUTCOME_STATUS, ...UNCALLED_STATUS })]
const CALL_OUTCOMES = [...OUTCOMES, 'waiting', 'consent-required']
const SHARED = {
  since: optional(time),
  until: optional(time),
  principal: optional(identifier),
  user_id: optional(identifier),
}
const PAGE = {
  limit: optional(integerStringReader(1, MAX_LIMIT), 100),
  cursor: optional(string({ min: 1, max: 1_000 })),
}
const CALLS = {
  ...SHARED,
  outcome: optional(enumReader(CALL_OUTCOMES)),
  tool: optional(TOOL),
  dialect: optional(enumReader(REMOTE_PROTOCOLS)),
}
export const callsQuery = defineQuery({ ...CALLS, ...PAGE })
export const callQuery = defineQuery({ at: optional(time), updated_at: optional(string({ max: 64 })), ...WAIT })
export const auditQuery = defineQuery({
  ...SHARED,
  outcome: optional(enumReader([...OUTCOMES, 'refused'])),
  act: optional(enumReader(AUDIT_ACTIONS)),
  ...PAGE,
})
export const usageQuery = defineQuery({ ...CALLS, by: optional(BY, ['tool']) })

export function toCallFilter<F extends Partial<Times>>(
  query: F,
  now: number,
  defaultMs = RETENTION_MS,
): Result<F & Times> {
  const until = query.until ?? now + HOUR_MS
  const since = query.since ?? until - defaultMs
  if (since >= until)
    return malformedRequestFailure([{ path: '/since', message: "Must be before 'until'" }], 'the query')
  return ok({ ...query, since: Math.max(since, now - RETENTION_MS), until: Math.min(until, now + HOUR_MS) })
}

type Times = Pick<CallFilter, 'since' | 'until'>

export function toOwnFilter(principal: Principal): Pick<CallFilter, 'own'> {
  if (hasScope(principal, 'records:read')) return {}
  const { id, kind, users } = principal
  const [user] = kind === 'person' && users !== 'any' ? users : []
  return { own: { principal: id, ...(user === undefined ? {} : { user }) } }
}

export function encodeTime<T extends { readonly at: number }>({ at, ...record }: T) {
  return { ...record, at: new Date(at).toISOString() }
}

export function encodePage<T extends { readonly at: number }>({ items, nextCursor }: RecordPage<T>) {
  const encoded = items.map((record) => encodeTime(record))
  return { items: encoded, ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }) }
}

export interface RecordAnswers {
  'GET /calls': ReturnType<typeof encodePage<CallRecord>>
  'GET /calls/:id': ReturnType<typeof encodeTime<CallRecord>> & { readonly content?: CallContent }
  'GET /audit': ReturnType<typeof encodePage<AuditEvent>>
  'GET /usage': UsageReport & { readonly since: string; readonly until: string; readonly by: readonly UsageKey[] }
}
