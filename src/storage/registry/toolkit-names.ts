import { distance } from 'fastest-levenshtein'
import type { UnknownToolkit } from '../../core/access/catalogue.ts'
import { levelled } from '../../core/access/policy.ts'
import { policiesOf } from './policies.ts'
import { maySee, type Principal } from '../../core/access/principal.ts'
import { field } from '../rows.ts'
import { SHOWN } from './query.ts'
import { keysOf } from './toolkits.ts'

/** So many toolkits are named to whoever asked for another. */
const MAX_NAMED = 5
const MAX_LISTED = 10

type Row = { readonly toolkit: string; readonly tool: string; readonly securityLevel: number }

/** Whether a principal sees tools of a toolkit, in any version. */
export function seesToolkit(sql: SqlStorage, toolkit: string, principal: Principal): boolean {
  const rows = sql.exec<Row>(
    `SELECT toolkit, tool, json_extract(record, '$.securityLevel') AS securityLevel
     FROM version JOIN tool USING (key) WHERE version.key >= ? AND version.key < ? AND ${SHOWN}`,
    ...keysOf(toolkit),
  )
  const policies = policiesOf(sql)
  for (const row of rows) if (maySee(principal, levelled(row, policies.ruleOf(row)))) return true
  return false
}

/** The toolkits that are called much like one of which the principal sees nothing, or else some of all that it sees. */
export function toolkitsNear(sql: SqlStorage, asked: string, principal: Principal): Omit<UnknownToolkit, 'name'> {
  const names = toolkitNames(sql)
  const isSeen = (name: string) => seesToolkit(sql, name, principal)
  const near = names
    .map((name) => ({ name, far: farFrom(asked.toLowerCase(), name.toLowerCase()) }))
    .filter(({ far }) => far <= Math.max(2, asked.length / 3))
    .sort((one, other) => one.far - other.far)
  const known = firstOf(
    near.map(({ name }) => name),
    MAX_NAMED,
    isSeen,
  )
  if (known.length > 0) return { known, isNear: true }
  return { known: firstOf(names, MAX_LISTED, isSeen), isNear: false }
}

/** All toolkits that have or had tools, bundled ones too, in the order of their names: one step of the index each. */
function toolkitNames(sql: SqlStorage): string[] {
  const names: string[] = []
  for (let from = ''; ;) {
    const name = field<string>(sql, 'SELECT toolkit FROM tool WHERE key >= ? ORDER BY key LIMIT 1', from)
    if (name === undefined) return names
    names.push(name)
    from = keysOf(name)[1]
  }
}

/** How many letters two names differ in; one that begins with the other is near it. */
function farFrom(asked: string, name: string): number {
  const isBeginning = asked.length > 2 && (name.startsWith(asked) || asked.startsWith(name))
  return isBeginning ? 1 : distance(asked, name)
}

function firstOf(names: readonly string[], most: number, isMeant: (name: string) => boolean): readonly string[] {
  const found: string[] = []
  for (const name of names) {
    if (found.length === most) break
    if (isMeant(name)) found.push(name)
  }
  return found
}
