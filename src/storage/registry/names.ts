import { withSuffix } from '../../core/tool/name-suffix.ts'
import { field } from '../rows.ts'

/**
 * The name a tool is exposed under where tools have names and no ids: its own, unless another tool had it first (ignoring
 * case); then its own with a suffix that stays the same. A name once given leads to its tool for ever.
 */
export function exposedName(sql: SqlStorage, wanted: string, key: string): string {
  if (claim(sql, wanted, key)) return wanted
  for (let salt = key; ; salt += '+') {
    const alias = withSuffix(wanted, salt)
    if (claim(sql, alias, key)) return alias
  }
}

/** The key of the tool that a name leads to. */
export function keyOfName(sql: SqlStorage, name: string): string | undefined {
  return field<string>(sql, 'SELECT key FROM name WHERE name = ?', name.toLowerCase())
}

function claim(sql: SqlStorage, name: string, key: string): boolean {
  const owner = keyOfName(sql, name)
  if (owner !== undefined) return owner === key
  sql.exec('INSERT INTO name VALUES (?, ?)', name.toLowerCase(), key)
  return true
}
