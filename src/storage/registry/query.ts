import type { ListQuery } from '../../core/access/catalogue.ts'
import { parseToolId, toolKey } from '../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { tagsOfToolkit } from './toolkits.ts'
import { BEST, EXACT_FIRST, exactName, matchExpression } from './search.ts'

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
/** So many of what a search finds are joined and ordered at once. */
const WINDOW = 2_000
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
    if (tag !== undefined && !isTagged(sql, record, tag)) continue
    if (!isVisible(record)) continue
    // That there is more is said of what the principal may see
    if (found.length === limit) return last === undefined ? { found } : { found, next: last }
    found.push(row)
    last = row.cursor
    characters += row.record.length
  }
  return { found }
}

function isTagged(sql: SqlStorage, { tags, toolkit }: ToolRecord, tag: string): boolean {
  return tags.includes(tag) || tagsOfToolkit(sql, toolkit).includes(tag)
}

/**
 * Goes through what a search finds, the best `WINDOW` first, and then the next. Within one, the tool that was asked for by its
 * very name comes first. A cursor is a window and the place in it.
 */
function ranked(
  sql: SqlStorage,
  q: string,
  versions: ListQuery['versions'],
  cursor = '0.0',
): Iterable<Found> | undefined {
  const place = /^(\d{1,6})\.(\d{1,7})$/.exec(cursor)
  if (!place) return undefined
  const match = matchExpression(q)
  if (match === undefined) return []
  // Ranked before they are joined, and read when they are their turn: both would take as long as the registry is large
  const rows = (window: number, offset: number) =>
    sql.exec<Omit<Found, 'cursor'>>(
      `SELECT name, (SELECT record FROM version WHERE key = found.key AND version = found.version) AS record
       FROM (
         SELECT exposed AS name, version.key, version.version
         FROM (${BEST}) AS hit JOIN tool ON tool.key = hit.key JOIN version ON version.key = tool.key AND ${
           versions === 'all' ? SHOWN : 'version.version = tool.listed'
         }
         ORDER BY ${EXACT_FIRST}, score, tool.key, version.version LIMIT -1 OFFSET ?
       ) AS found`,
      match,
      WINDOW,
      window * WINDOW,
      exactName(q),
      offset,
    )
  return inWindows(rows, Number(place[1]), Number(place[2]))
}

function* inWindows(
  rows: (window: number, offset: number) => Iterable<Omit<Found, 'cursor'>>,
  window: number,
  offset: number,
): Generator<Found> {
  let at = offset
  for (const row of rows(window, offset)) {
    at += 1
    yield { ...row, cursor: `${window}.${at}` }
  }
  // An empty one is beyond the last
  if (at > 0) yield* inWindows(rows, window + 1, 0)
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
