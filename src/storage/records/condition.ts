import type { ActFilter } from '../../core/access/act.ts'
import type { CallFilter } from '../../core/call/records.ts'

interface Condition {
  readonly text: string
  readonly values: readonly (string | number)[]
}

/** What a filter comes to, for rows whose time is in the column `time`, which counts in steps of so many milliseconds. */
export function conditionOf(filter: CallFilter & ActFilter, time: 'at' | 'hour', step: number): Condition {
  const { since, until, principal, user_id: user, tool, outcome, dialect, act, own } = filter
  const all: Condition[] = [
    { text: `${time} >= ?`, values: [since - (since % step)] },
    { text: `${time} < ?`, values: [until] },
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
