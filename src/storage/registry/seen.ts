import { maySee, type Principal } from '../../core/access/principal.ts'
import type { ListQuery } from '../../core/access/catalogue.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'

/** Which rows of the search index are meant: a condition of SQL, and what it is bound to. */
export interface Scope {
  readonly condition: string
  readonly bindings: readonly SqlStorageValue[]
}

type Row = { readonly id: number; readonly key: string; readonly level: number }

/** The rows of the search index that a principal may see, and that a query's filters let through. */
export function scopeOf(
  sql: SqlStorage,
  { toolkit, tag, callable }: Pick<ListQuery, 'toolkit' | 'tag' | 'callable'>,
  principal: Principal,
): Scope {
  const seen = seenBy(sql, principal)
  const parts: readonly (Scope | undefined)[] = [
    seen,
    toolkit === undefined ? undefined : { condition: 'indexed.toolkit = ?', bindings: [toolkit.toLowerCase()] },
    tag === undefined
      ? undefined
      : { condition: 'EXISTS (SELECT 1 FROM json_each(indexed.tags) WHERE value = ?)', bindings: [tag] },
    callable ? { condition: 'indexed.callable = 1', bindings: [] } : undefined,
  ]
  const all = parts.filter((part) => part !== undefined)
  return {
    condition: all.length === 0 ? 'TRUE' : all.map(({ condition }) => condition).join(' AND '),
    bindings: all.flatMap(({ bindings }) => bindings),
  }
}

/** The tools that a principal may see; undefined where that is all. */
function seenBy(sql: SqlStorage, principal: Principal): Scope | undefined {
  const patterns = narrowest(principal)
  // What `maySee` says where the patterns leave nothing out, without a look at every tool
  if (!patterns) return principal.kind === 'anonymous' ? { condition: 'indexed.level = 0', bindings: [] } : undefined
  const rows = patterns.flatMap((pattern) => {
    const [begins = ''] = pattern.toLowerCase().split('*', 1)
    return sql
      .exec<Row>('SELECT id, key, level FROM indexed WHERE key >= ? AND key < ?', begins, `${begins}\u{10ffff}`)
      .toArray()
  })
  const ids = rows.flatMap(({ id, key, level }) => {
    const name = parseToolId(key)
    return name && maySee(principal, { ...name, securityLevel: level }) ? [id] : []
  })
  return { condition: 'indexed.id IN (SELECT value FROM json_each(?))', bindings: [JSON.stringify([...new Set(ids)])] }
}

/** Patterns of which one covers each tool that the principal may see, and that say the most of how it begins; undefined for all. */
function narrowest({ tools, within }: Principal): readonly string[] | undefined {
  const lists = [tools, ...(within ? [within] : [])].filter((patterns) => !patterns.includes('*'))
  const beginsAnyhow = (patterns: readonly string[]) => patterns.some((pattern) => pattern.startsWith('*'))
  return lists.find((patterns) => !beginsAnyhow(patterns)) ?? lists[0]
}
