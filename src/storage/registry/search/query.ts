import type { ListQuery, OperationTool } from '../../../core/catalog/catalog.ts'
import { raiseLevel } from '../../../core/access/policy.ts'
import { loadPolicySet } from '../policies.ts'
import { maySee, type Principal } from '../../../core/access/principal.ts'
import { parseToolId, toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { createOperations } from './operations.ts'
import { rank } from './search.ts'
import { buildScope } from './visibility.ts'
import { mayChange } from '../toolkit-rights.ts'
import { addToolkitDescription, toolKeyRange, loadSettings } from '../toolkits.ts'
import { NOT_DELETED, IS_SHOWN_SQL } from '../versions.ts'

type VersionRow = Readonly<Record<'name' | 'record' | 'cursor', string>>
type FoundVersion = VersionRow & { readonly id?: string; readonly operation?: readonly OperationTool[] }

/** `next` is the cursor of the next page. */
interface QueryAnswer {
  readonly found: readonly FoundVersion[]
  readonly next?: string
  /** For searches: the number of hits, how many of them are answers, and the words that none of them has. */
  readonly total?: number
  readonly relevant?: number
  readonly sameAs?: Readonly<Record<string, string>> | undefined
  readonly unmatched?: readonly string[]
}

/** A search's cursor, `<place>.<id>@<version>`: the last tool's place in the ranking, its id in the index, and with all
 * versions its last version. If the search no longer finds the tool, the next page starts at its place. */
const CURSOR = /^(\d{1,7})\.(\d{1,15})(?:@([\x21-\x7e]{1,64}))?$/

const OF_STATUS = `left_bundle = 0 AND json_extract(status, '$.state') = ? AND ${NOT_DELETED}`
/** SQLite uses the index `version_inactive` only if the query repeats the index's condition. */
const OF_INACTIVE = `${OF_STATUS} AND json_extract(status, '$.state') <> 'active'`

/** Versions that one query reads. If more remain, the result has a cursor. */
const MAX_LOOKED_AT = 2_000
/** A message from a Durable Object can have at most 32 MiB. */
const MAX_CHARACTERS = 8_000_000

/**
 * Answers searches, and lists of all versions, because the catalog's pages have only the newest. Returns undefined if the
 * cursor is malformed. Without `namesSame`, it does not look for the same operation in other toolkits.
 */
export function searchTools(
  sql: SqlStorage,
  listQuery: ListQuery,
  principal: Principal,
  { namesSame = listQuery.versions === 'newest' }: { readonly namesSame?: boolean } = {},
): QueryAnswer | undefined {
  const { q, versions, cursor, results } = listQuery
  if (q === undefined) {
    const all = allVersions(sql, listQuery)
    return all && takeVisible(sql, all, listQuery, principal)
  }
  const isNewest = versions === 'newest'
  // The index has only the tags of newest versions, so with all versions `takeVisible` filters by tag
  const scope = buildScope(sql, isNewest ? listQuery : { ...listQuery, tag: undefined }, principal)
  const ranking = rank(sql, q, scope)
  const { ids, unmatched } = ranking
  const start = resumeAt(cursor, ids)
  if (!start) return undefined
  const { place, afterVersion } = start
  const { findOperation, nameTools, countRelevant } = createOperations(sql, ranking)
  const relevant = namesSame ? countRelevant() : ids.length
  const isRelevant = namesSame && results === 'relevant'

  function* foundVersions(): Generator<FoundVersion> {
    const statement = `SELECT coalesce(exposed, '') AS name, record,
        tool.toolkit || '.' || tool.tool || '@' || version AS id, ${isNewest ? "''" : "'@' || version"} AS suffix
      FROM indexed JOIN tool USING (key) JOIN version USING (key)
      WHERE indexed.id = ? AND ${isNewest ? 'version = listed' : IS_SHOWN_SQL} AND version > ? ORDER BY version`
    type Row = Record<'name' | 'record' | 'id' | 'suffix', string>
    for (const [index, id] of ids.entries()) {
      if (index < place) continue
      if (isRelevant && index >= relevant) return
      const sameIds = namesSame ? findOperation(id) : [id]
      if (isRelevant && sameIds[0] !== id) continue
      for (const { suffix, ...row } of sql.exec<Row>(statement, id, index === place ? afterVersion : ''))
        yield { ...row, operation: nameTools(sameIds), cursor: `${index}.${id}${suffix}` }
    }
  }

  const answer = takeVisible(sql, foundVersions(), listQuery, principal)
  return isNewest
    ? { ...answer, total: ids.length, relevant, sameAs: listSame(answer.found), unmatched }
    : { ...answer, unmatched }
}

/** Maps each tool that is not the best of its operation to the best one, by id. Undefined if there are none. */
function listSame(versions: readonly FoundVersion[]): Readonly<Record<string, string>> | undefined {
  const tools = versions.flatMap(({ id, operation: [best, ...others] = [] }) =>
    best ? [...others, { id: id ?? best.id }].map((other) => [other.id, best.id] as const) : [],
  )
  const pairs = tools.filter(([id, best]) => id !== best)
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
}

/** Returns the place in the ranking where a page starts, and the version of that tool after which it starts. */
function resumeAt(cursor: string | undefined, ids: readonly number[]) {
  if (cursor === undefined) return { place: 0, afterVersion: '' }
  const [, lastPlace, lastId, lastVersion] = CURSOR.exec(cursor) ?? []
  if (lastPlace === undefined) return undefined
  const place = ids.indexOf(Number(lastId))
  // The search no longer finds the last tool
  if (place === -1) return { place: Number(lastPlace), afterVersion: '' }
  return lastVersion === undefined ? { place: place + 1, afterVersion: '' } : { place, afterVersion: lastVersion }
}

/** Takes a page of the versions that match the query and that the principal may see, each by its own record. */
function takeVisible(
  sql: SqlStorage,
  versions: Iterable<FoundVersion>,
  listQuery: ListQuery,
  principal: Principal,
): QueryAnswer {
  const { tag, status, limit } = listQuery
  const found: FoundVersion[] = []
  let readCount = 0
  let characters = 0
  let next = ''
  const policies = loadPolicySet(sql)
  for (const version of versions) {
    if (readCount === MAX_LOOKED_AT || characters > MAX_CHARACTERS) return { found, next }
    readCount += 1
    const isFull = found.length === limit
    if (!isFull) next = version.cursor
    const record: ToolRecord = JSON.parse(version.record)
    if (tag !== undefined && !record.tags.includes(tag) && !loadSettings(sql, record.toolkit).tags.includes(tag))
      continue
    if (status !== undefined && !mayChange(sql, principal, record)) continue
    if (!maySee(principal, raiseLevel(record, policies.policyFor(record)), 'tools:read')) continue
    // There is a cursor only if the principal may see another version
    if (isFull) return { found, next }
    const { description } = loadSettings(sql, record.toolkit)
    found.push({ ...version, record: addToolkitDescription(version.record, description) })
    characters += version.record.length
  }
  return { found }
}

function allVersions(sql: SqlStorage, { cursor, status, toolkit }: ListQuery): Iterable<FoundVersion> | undefined {
  const last = cursor === undefined ? undefined : parseToolId(cursor)
  if (cursor !== undefined && last?.range === undefined) return undefined
  const toolkitCondition = toolkit === undefined ? '' : 'AND version.key >= ? AND version.key < ?'
  const statusCondition = status === undefined ? IS_SHOWN_SQL : status === 'active' ? OF_STATUS : OF_INACTIVE
  const statement = `SELECT coalesce(exposed, '') AS name, record, version.key || '@' || version AS cursor
    FROM version JOIN tool ON tool.key = version.key
    WHERE ${statusCondition} AND (version.key, version) > (?, ?) ${toolkitCondition} ORDER BY version.key, version`
  const after = last ? [toolKey(last), last.range ?? ''] : ['', '']
  const keys = toolkit === undefined ? [] : toolKeyRange(toolkit)
  return sql.exec<VersionRow>(statement, ...(status === undefined ? [] : [status]), ...after, ...keys)
}
