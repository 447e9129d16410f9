import type { ActFilter } from '../../core/access/act.ts'
import type { CallFilter } from '../../core/call/records.ts'
import { HOUR_MS } from '../../core/tool/time.ts'

interface Condition {
  readonly text: string
  readonly values: readonly (string | number)[]
}

/** For each kind of row the columns of the time that it begins and ends with, in steps of so many milliseconds. */
const TIMES = {
  // What an earlier version stored is of one time
  calls: { begin: 'at', end: 'coalesce(last, at)', step: 1 },
  acts: { begin: 'at', end: 'at', step: 1 },
  figures: { begin: 'hour', end: 'hour', step: HOUR_MS },
}

/** What a filter comes to: rows of which some may be meant. Of a row of several calls not all need be within its time. */
export function conditionOf(filter: CallFilter & ActFilter, rows: keyof typeof TIMES): Condition {
  const { begin, end, step } = TIMES[rows]
  const { since, until, principal, user_id: user, tool, outcome, dialect, act, own } = filter
  const all: Condition[] = [
    { text: `${end} >= ?`, values: [since - (since % step)] },
    { text: `${begin} < ?`, values: [until] },
  ]
  const is = (column: string, value: string | undefined) => {
    if (value !== undefined) all.push({ text: `${column} = ?`, values: [value] })
  }
  is('principal', principal)
  is('user_id', user)
  is('dialect', dialect)
  is('act', act)
  if (outcome === 'failure') all.push({ text: "outcome <> 'success'", values: [] })
  else is('outcome', outcome)
  if (tool !== undefined) {
    const [name = '', version] = tool.split('@', 2)
    // The only sign of a pattern that means anything is `*`, as GLOB has it
    if (name.includes('*')) all.push({ text: 'lower(tool) GLOB ?', values: [name.toLowerCase()] })
    else is('tool', name)
    is('version', version)
  }
  if (own?.user !== undefined) all.push({ text: '(principal = ? OR user_id = ?)', values: [own.principal, own.user] })
  else is('principal', own?.principal)
  return { text: all.map((each) => each.text).join(' AND '), values: all.flatMap((each) => each.values) }
}
