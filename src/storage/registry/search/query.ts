import type { ListQuery, ToolkitCount } from '../../../core/catalogue/catalogue.ts'
import { levelled } from '../../../core/access/policy.ts'
import { policiesOf } from '../policies.ts'
import { maySee, type Principal } from '../../../core/access/principal.ts'
import { parseToolId, toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { field } from '../../rows.ts'
import { type Behind, rank, type Ranked } from './search.ts'
import { beginningsOf, scopeOf } from './visibility.ts'
import { described, mayChange, settingsOf } from '../toolkits.ts'

export type FoundVersion = {
  readonly name: string
  readonly record: string
  readonly cursor: string
}

export interface QueryAnswer {
  readonly found: readonly FoundVersion[]
  readonly next?: string
  /** For searches: the number of hits, and the words that none of them has. */
  readonly total?: number
  readonly unmatched?: readonly string[]
}

export const SHOWN = "left_bundle = 0 AND json_extract(status, '$.state') IN ('active', 'deprecated')"

export const NOT_DELETED =
  'NOT EXISTS (SELECT 1 FROM toolkit WHERE toolkit.key = lower(tool.toolkit) AND deleted IS NOT NULL)'
const OF_STATUS = `left_bundle = 0 AND json_extract(status, '$.state') = ? AND ${NOT_DELETED}`
/** Said apart, since SQLite uses the index `version_inactive` only where its condition stands in the query. */
const OF_INACTIVE = `${OF_STATUS} AND json_extract(status, '$.state') <> 'active'`

/** Tools read by one query; it goes on from its cursor. */
const MAX_LOOKED_AT = 2_000
/** A message from a Durable Object is at most 32 MiB. */
const MAX_CHARACTERS = 8_000_000

/** Answers searches and lists of all versions, which pages cannot. Undefined for a cursor of neither. */
export function query(
  sql: SqlStorage,
  listQuery: ListQuery,
  limit: number,
  principal: Principal,
): QueryAnswer | undefined {
  const { q, versions, cursor, status } = listQuery
  if (q === undefined) {
    const rows = allVersions(sql, cursor, status)
    return rows && pageOf(sql, rows, listQuery, limit, principal)
  }
  const from = behindOf(cursor)
  if (!from) return undefined
  const isNewest = versions === 'newest'
  // The index knows the tags of newest versions alone
  const scope = scopeOf(sql, isNewest ? listQuery : { ...listQuery, tag: undefined }, principal)
  const { page, total, unmatched } = rank(sql, q, scope, (isNewest ? limit : MAX_LOOKED_AT) + 1, from)
  const answer = pageOf(sql, versionsOf(sql, page, from, versions), listQuery, limit, principal)
  return isNewest ? { ...answer, total, unmatched } : { ...answer, unmatched }
}

type Place = Behind & { readonly version?: string }

function behindOf(cursor = '0.0'): Place | undefined {
  const [, place, id, version] = /^(\d{1,7})\.(\d{1,15})(?:@([\x21-\x7e]{1,64}))?$/.exec(cursor) ?? []
  if (place === undefined) return undefined
  return { place: Number(place), id: Number(id), ...(version === undefined ? {} : { version }) }
}

function* versionsOf(
  sql: SqlStorage,
  ranked: readonly Ranked[],
  { version, ...begun }: Place,
  versions: ListQuery['versions'],
): Generator<FoundVersion> {
  const key = version === undefined ? undefined : field<string>(sql, 'SELECT key FROM indexed WHERE id = ?', begun.id)
  const query = `SELECT coalesce(exposed, '') AS name, record, version FROM version JOIN tool USING (key)
    WHERE version.key = ? AND ${versions === 'newest' ? 'version = listed' : SHOWN} AND version > ? ORDER BY version`
  for (const { id, place, ...tool } of [...(key === undefined ? [] : [{ ...begun, key }]), ...ranked]) {
    const from = id === begun.id ? (version ?? '') : ''
    for (const row of sql.exec<Omit<FoundVersion, 'cursor'> & { version: string }>(query, tool.key, from)) {
      const cursor = versions === 'newest' ? `${place}.${id}` : `${place}.${id}@${row.version}`
      yield { name: row.name, record: row.record, cursor }
    }
  }
}

/** Each version is judged by its own record. */
function pageOf(
  sql: SqlStorage,
  rows: Iterable<FoundVersion>,
  { toolkit, tag, status }: ListQuery,
  limit: number,
  principal: Principal,
): QueryAnswer {
  const found: FoundVersion[] = []
  let looked = 0
  let characters = 0
  let last: string | undefined
  let lookedTo: string | undefined
  const policies = policiesOf(sql)
  for (const row of rows) {
    if (looked === MAX_LOOKED_AT || characters > MAX_CHARACTERS) {
      const next = found.length === limit ? last : lookedTo
      return next === undefined ? { found } : { found, next }
    }
    looked += 1
    lookedTo = row.cursor
    const record: ToolRecord = JSON.parse(row.record)
    if (toolkit !== undefined && record.toolkit.toLowerCase() !== toolkit.toLowerCase()) continue
    if (tag !== undefined && !record.tags.includes(tag) && !settingsOf(sql, record.toolkit).tags.includes(tag)) continue
    if (status !== undefined && !mayChange(sql, principal, record)) continue
    if (!maySee(principal, levelled(record, policies.ruleOf(record)))) continue
    // Only of versions that the principal may see
    if (found.length === limit) return last === undefined ? { found } : { found, next: last }
    const { description } = settingsOf(sql, record.toolkit)
    found.push({ ...row, record: described(row.record, description) })
    last = row.cursor
    characters += row.record.length
  }
  return { found }
}

function allVersions(
  sql: SqlStorage,
  cursor: string | undefined,
  status: ListQuery['status'],
): Iterable<FoundVersion> | undefined {
  const last = cursor === undefined ? undefined : parseToolId(cursor)
  if (cursor !== undefined && last?.selector === undefined) return undefined
  const which = status === undefined ? SHOWN : status === 'active' ? OF_STATUS : OF_INACTIVE
  return sql.exec<FoundVersion>(
    `SELECT coalesce(exposed, '') AS name, record, version.key || '@' || version AS cursor
     FROM version JOIN tool ON tool.key = version.key
     WHERE ${which} AND (version.key, version) > (?, ?) ORDER BY version.key, version`,
    ...(status === undefined ? [] : [status]),
    last ? toolKey(last) : '',
    last?.selector ?? '',
  )
}

export function toolkitCounts(
  sql: SqlStorage,
  principal: Principal,
  query: Pick<ListQuery, 'callable'> = {},
): ToolkitCount[] {
  const { condition, bindings } = scopeOf(sql, query, principal)
  // Counted only for a principal whose patterns may leave tools out: else the columns of the counts decide
  const [table, count] = beginningsOf(principal) ? ['indexed', 'count(*)'] : ['toolkit_count', 'sum(tools)']
  const counts = `SELECT
      (SELECT toolkit FROM tool WHERE key >= indexed.toolkit || '.' AND key < indexed.toolkit || '/' LIMIT 1) AS toolkit,
      (SELECT description FROM toolkit WHERE key = indexed.toolkit) AS description,
      ${count} AS tools, max(level) AS level
    FROM ${table} AS indexed WHERE ${condition} GROUP BY indexed.toolkit ORDER BY indexed.toolkit`
  return sql.exec<ToolkitCount>(counts, ...bindings).toArray()
}
