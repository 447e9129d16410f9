import type { AuditFilter } from '../../core/access/audit-entry.ts'
import { WAITING_OUTCOMES } from '../../core/call/call-record.ts'
import type { CallFilter } from '../../core/call/recorded-calls.ts'
import { HOUR_MS } from '../../core/tool/time.ts'
import { matchesPattern } from '../../core/tool/tool-id.ts'
import { column } from '../rows.ts'

interface Condition {
  readonly text: string
  readonly values: readonly (string | number)[]
}

const WAITING = WAITING_OUTCOMES.map((outcome) => `'${outcome}'`).join()
/** SQL conditions on `outcome`, by class. */
export const OUTCOME_CLASSES = {
  failure: `outcome NOT IN ('success', ${WAITING})`,
  waiting: `outcome IN (${WAITING})`,
}

const TIMES = {
  calls: { begin: 'at', end: 'last', step: 1 },
  acts: { begin: 'at', end: 'at', step: 1 },
  figures: { begin: 'hour', end: 'hour', step: HOUR_MS },
}

/** Queries for the distinct tools. With an index on calls, the query skips from tool to tool. */
const TOOLS = {
  calls: `WITH RECURSIVE name (tool) AS (SELECT min(tool) FROM call UNION ALL
    SELECT (SELECT min(tool) FROM call WHERE call.tool > name.tool) FROM name WHERE tool IS NOT NULL)
    SELECT tool FROM name WHERE tool IS NOT NULL`,
  figures: 'SELECT DISTINCT tool FROM figure',
}

/** Builds a condition on rows. Some calls of a matching row may be outside the filter's times. */
export function buildCondition(sql: SqlStorage, filter: CallFilter & AuditFilter, rows: keyof typeof TIMES): Condition {
  const { begin, end, step } = TIMES[rows]
  const { since, until, principal, user_id: user, tool, outcome, dialect, act, own, call_id: callId } = filter
  const conditions: Condition[] = [
    { text: `${end} >= ?`, values: [since - (since % step)] },
    { text: `${begin} < ?`, values: [until] },
  ]
  const is = (column: string, value: string | undefined) => {
    if (value !== undefined) conditions.push({ text: `${column} = ?`, values: [value] })
  }
  is('principal', principal)
  is('user_id', user)
  is('dialect', dialect)
  is('act', act)
  // A row has the ids of all its calls
  if (callId !== undefined) conditions.push({ text: 'instr(record, ?)', values: [JSON.stringify(callId)] })
  if (outcome === 'failure' || outcome === 'waiting') conditions.push({ text: OUTCOME_CLASSES[outcome], values: [] })
  else is('outcome', outcome)
  if (tool !== undefined) {
    const [name = '', version] = tool.split('@', 2)
    if (/[*-]/.test(name) && rows !== 'acts') {
      // SQLite refuses patterns of more than 50 bytes here
      const recordedTools = column<string>(sql, TOOLS[rows])
      const matchingTools = recordedTools.filter((toolId) => matchesPattern(name, toolId))
      if (matchingTools.length < recordedTools.length)
        conditions.push({ text: 'tool IN (SELECT value FROM json_each(?))', values: [JSON.stringify(matchingTools)] })
    } else is('tool', name)
    is('version', version)
  }
  if (own?.user !== undefined)
    conditions.push({ text: '(principal = ? OR user_id = ?)', values: [own.principal, own.user] })
  else is('principal', own?.principal)
  return { text: conditions.map(({ text }) => text).join(' AND '), values: conditions.flatMap(({ values }) => values) }
}
