import type { ListQuery } from '../../core/access/catalogue.ts'
import { parseToolId, toolKey } from '../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { exactName, matchExpression, RANK } from './search.ts'

/** A tool found by a query: its record, serialised. */
export type Found = {
  /** Under which the tool is exposed. */
  readonly name: string
  readonly record: string
  /** Where to go on after this one. */
  readonly cursor: string
}

/** One page of what a query finds; `next` is where to go on. */
export interface QueryAnswer {
  readonly found: readonly Found[]
  readonly next?: string
}

/** The versions that `versions=all` lists. */
const SHOWN = "left_bundle = 0 AND json_extract(status, '$.state') IN ('active', 'deprecated')"

/** No query looks at more tools than this in one go; it goes on from its cursor. */
const MAX_LOOKED_AT = 2_000
/** A message from a Durable Object is at most 32 MiB. */
const MAX_CHARACTERS = 8_000_000

/**
 * Answers what the catalogue's pages cannot: ranked search, and listings of all versions. Cursors are an offset into the
 * ranking, or the last key and version. Gives undefined for a cursor that is none of these.
 */
export function query(
  sql: SqlStorage,
  { q, toolkit, tag, versions, cursor }: ListQuery,
  limit: number,
  isVisible: (record: ToolRecord) => boolean,
): QueryAnswer | undefined {
  const rows = q === undefined ? allVersions(sql, cursor) : ranked(sql, q, versions, cursor)
  if (!rows) return undefined
  const found: Found[] = []
  let looked = 0
  let characters = 0
  /** After the last that was found, and after the last that was looked at, which may be hidden. */
  let last: string | undefined
  let lookedTo: string | undefined
  for (const row of rows) {
    if (looked === MAX_LOOKED_AT || characters > MAX_CHARACTERS) {
      const next = found.length === limit ? last : lookedTo
      return next === undefined ? { found } : { found, next }
    }
    looked += 1
    lookedTo = row.cursor
    const record: ToolRecord = JSON.parse(row.record)
    if (toolkit !== undefined && record.toolkit.toLowerCase() !== toolkit.toLowerCase()) continue
    if (tag !== undefined && !record.tags.includes(tag)) continue
    if (!isVisible(record)) continue
    // That there is more is said of what the principal may see
    if (found.length === limit) return last === undefined ? { found } : { found, next: last }
    found.push(row)
    last = row.cursor
    characters += row.record.length
  }
  return { found }
}

function ranked(
  sql: SqlStorage,
  q: string,
  versions: ListQuery['versions'],
  cursor = '0',
): Iterable<Found> | undefined {
  if (!/^\d{1,9}$/.test(cursor)) return undefined
  const match = matchExpression(q)
  if (match === undefined) return []
  const join =
    versions === 'all'
      ? `version.key = search.key AND ${SHOWN}`
      : 'version.key = tool.key AND version.version = tool.listed'
  const rows = sql.exec<Omit<Found, 'cursor'>>(
    `SELECT exposed AS name, record FROM search JOIN tool ON tool.key = search.key JOIN version ON ${join}
     WHERE search MATCH ? ORDER BY ${RANK}, tool.key, version.version LIMIT -1 OFFSET ?`,
    match,
    exactName(q),
    Number(cursor),
  )
  return numbered(rows, Number(cursor))
}

function* numbered(rows: Iterable<Omit<Found, 'cursor'>>, offset: number): Generator<Found> {
  let at = offset
  for (const row of rows) {
    at += 1
    yield { ...row, cursor: String(at) }
  }
}

function allVersions(sql: SqlStorage, cursor: string | undefined): Iterable<Found> | undefined {
  const last = cursor === undefined ? undefined : parseToolId(cursor)
  if (cursor !== undefined && last?.selector === undefined) return undefined
  return sql.exec<Found>(
    `SELECT coalesce(exposed, '') AS name, record, version.key || '@' || version AS cursor
     FROM version JOIN tool ON tool.key = version.key
     WHERE ${SHOWN} AND (version.key, version) > (?, ?) ORDER BY version.key, version`,
    last ? toolKey(last) : '',
    last?.selector ?? '',
  )
}
