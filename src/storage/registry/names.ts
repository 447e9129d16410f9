import { field } from '../rows.ts'

const MAX_NAME = 64

/**
 * The name a tool is exposed under where tools have names and no ids: its own, unless another tool had it first (ignoring
 * case); then its own with a suffix that stays the same. A name once given leads to its tool for ever.
 */
export function exposedName(sql: SqlStorage, wanted: string, key: string): string {
  if (claim(sql, wanted, key)) return wanted
  for (let salt = key; ; salt += '+') {
    const suffix = `_${fnv1a(salt)}`
    const alias = `${wanted.slice(0, MAX_NAME - suffix.length)}${suffix}`
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

/** FNV-1a, 32 bits, as eight hex digits: stable, and no more than that is wanted of it. */
function fnv1a(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(16).padStart(8, '0')
}
