import {
  isAdministrator,
  mayReview,
  type Toolkit,
  toolkitDenial,
  type ToolkitOwner,
} from '../../core/access/toolkit.ts'
import { coverDenial, isTrustedWith, type Principal } from '../../core/access/principal.ts'
import { formatToolId, toolKey, type ToolName } from '../../core/tool/tool-id.ts'
import type { Publisher } from '../../core/tool/tool.ts'
import type { ToolStatus } from '../../core/tool/version.ts'
import { column, field, firstRow } from '../rows.ts'
import { policiesOf } from './policies.ts'

/** Who publishes what is stored: a principal, or a deployment that brings it along. */
export type Source = Principal | 'bundle'

/** What the record of a version says of who published it. */
export function publisherOf(source: Source, name: ToolName): Publisher {
  if (source === 'bundle') return { principal: 'bundle', trusted: true }
  return { principal: source.id, trusted: isTrustedWith(source, name) }
}

/** Why a principal may not publish a tool, or anything of a toolkit where the tool is `*`. Every writer asks this. */
export function publishDenial(sql: SqlStorage, principal: Principal, name: ToolName): string | undefined {
  const denied = toolkitDenial(principal, name, ownerOf(sql, name.toolkit))
  if (denied !== undefined || isAdministrator(principal)) return denied
  if (isHeld(sql, name.toolkit)) {
    return `An administrator disabled the toolkit '${name.toolkit}': only an administrator publishes in it`
  }
  const [stands] = column<number>(sql, 'SELECT min(held) FROM version WHERE key = ?', toolKey(name))
  if (stands !== 1) return undefined
  return `An administrator disabled '${formatToolId(name)}': only an administrator publishes it again`
}

/** Why a principal may not change what is published of a tool's version. */
export function changeDenial(
  sql: SqlStorage,
  principal: Principal,
  name: ToolName,
  version: string,
): string | undefined {
  const denied = toolkitDenial(principal, name, ownerOf(sql, name.toolkit))
  if (denied !== undefined || isAdministrator(principal)) return denied
  const query = 'SELECT held, unreviewed, publisher FROM version WHERE key = ? AND version = ?'
  const row = firstRow<{ held: number; unreviewed: number; publisher: string | null }>(
    sql,
    query,
    toolKey(name),
    version,
  )
  if (row?.held === 1) {
    return `An administrator disabled '${formatToolId(name, version)}': only an administrator enables it`
  }
  if (row?.unreviewed !== 1 || mayReview(principal, row.publisher, ownerOf(sql, name.toolkit))) return undefined
  return `'${formatToolId(name, version)}' awaits review: an administrator says what it is, or the owner of its toolkit where somebody else published it`
}

/** Whether what a source publishes of a tool is pending until it was reviewed. */
export function awaitsReview(sql: SqlStorage, source: Source, name: ToolName): boolean {
  if (source === 'bundle' || isAdministrator(source)) return false
  return isReviewed(sql, name.toolkit) || policiesOf(sql).ruleOf(name).review
}

/** Whether a principal may change what is published of a tool, as far as that is its toolkit's. */
export function mayChange(sql: SqlStorage, principal: Principal, name: ToolName): boolean {
  if (coverDenial(principal, name, 'tools:publish')) return false
  return toolkitDenial(principal, name, ownerOf(sql, name.toolkit)) === undefined
}

/** Whether a toolkit is a principal's own, or the deployment's and the principal an administrator of that. */
export function ownsToolkit(sql: SqlStorage, principal: Principal, toolkit: string): boolean {
  const owner = ownerOf(sql, toolkit)
  if (!isAdministrator(principal)) return toolkitDenial(principal, { toolkit, tool: '*' }, owner) === undefined
  return owner === 'deployment' || (owner !== 'nobody' && owner.principal === principal.id)
}

/** Makes a toolkit that is nobody's the principal's who publishes in it. */
export function claimToolkit(sql: SqlStorage, source: Source, toolkit: string): void {
  if (source === 'bundle' || ownerOf(sql, toolkit) !== 'nobody') return
  sql.exec('INSERT INTO toolkit (key, name, owner) VALUES (?, ?, ?)', toolkit.toLowerCase(), toolkit, source.id)
}

/** Gives a toolkit to a principal, or to the deployment: whether it could be given. */
export function giveToolkit(sql: SqlStorage, toolkit: string, principal: string | null): boolean {
  if (isBundled(sql, toolkit)) return false
  sql.exec(
    'INSERT INTO toolkit (key, name, owner) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET name = excluded.name, owner = excluded.owner',
    toolkit.toLowerCase(),
    toolkit,
    principal,
  )
  return true
}

/** What was said of a toolkit beside who owns it. */
type ToolkitRow = {
  readonly status: string | null
  readonly held: number
  readonly tags: string | null
  readonly deleted: number | null
  readonly review: number
}

function rowOf(sql: SqlStorage, toolkit: string): ToolkitRow | undefined {
  const query = 'SELECT status, held, tags, deleted, review FROM toolkit WHERE key = ?'
  return firstRow<ToolkitRow>(sql, query, toolkit.toLowerCase())
}

/** Sets something of a toolkit that there is; one of the deployment's may have no row yet. */
export function writeToolkit(sql: SqlStorage, toolkit: string, values: Partial<ToolkitRow>): void {
  const key = toolkit.toLowerCase()
  sql.exec('INSERT OR IGNORE INTO toolkit (key, name) VALUES (?, ?)', key, nameOf(sql, toolkit))
  for (const [column, value] of Object.entries(values))
    sql.exec(`UPDATE toolkit SET ${column} = ? WHERE key = ?`, value, key)
}

/** What is said of all tools of a toolkit. */
export function statusOfToolkit(sql: SqlStorage, toolkit: string): ToolStatus {
  const status = rowOf(sql, toolkit)?.status
  return status ? JSON.parse(status) : { state: 'active' }
}

/** The tags of a toolkit, by which its tools are found. */
export function tagsOfToolkit(sql: SqlStorage, toolkit: string): readonly string[] {
  const tags = rowOf(sql, toolkit)?.tags
  return tags ? JSON.parse(tags) : []
}

/** Whether a toolkit asks for review of what is published in it. */
export function isReviewed(sql: SqlStorage, toolkit: string): boolean {
  return rowOf(sql, toolkit)?.review === 1
}

/** Whether an administrator disabled a toolkit as a whole. */
export function isHeld(sql: SqlStorage, toolkit: string): boolean {
  return rowOf(sql, toolkit)?.held === 1
}

/** For so long what a deleted toolkit held can be read by administrators, and brought back. */
export const KEPT_MS = 30 * 86_400_000

/** When the first of the deleted toolkits goes for good; undefined while none is deleted. */
export function nextToGo(sql: SqlStorage): number | undefined {
  const oldest = field<number>(sql, 'SELECT deleted FROM toolkit WHERE deleted IS NOT NULL ORDER BY deleted LIMIT 1')
  return oldest === undefined ? undefined : oldest + KEPT_MS
}

/** When a toolkit was deleted, and until when it can be brought back; undefined for one that was not. */
export function deletionOf(sql: SqlStorage, toolkit: string): Toolkit['deleted'] {
  const at = rowOf(sql, toolkit)?.deleted
  return typeof at === 'number' ? { at, until: at + KEPT_MS } : undefined
}

/** Why nothing can be published in a toolkit, or changed of what is there, whoever asks: it was deleted. */
export function deletedDenial(sql: SqlStorage, toolkit: string): string | undefined {
  const deleted = deletionOf(sql, toolkit)
  if (!deleted) return undefined
  const until = new Date(deleted.until).toISOString()
  return `The toolkit '${toolkit}' was deleted, and its name is kept until ${until}: an administrator brings it back with PATCH /toolkits/${toolkit} and {"status": "active"}`
}

/** Gives a toolkit that is nobody's here to whom it was another registry's; null is the deployment. */
export function restoreOwner(
  sql: SqlStorage,
  toolkit: string,
  principal: string | null,
): 'created' | 'unchanged' | 'taken' {
  const owner = ownerOf(sql, toolkit)
  if (owner === 'nobody') {
    sql.exec('INSERT INTO toolkit (key, name, owner) VALUES (?, ?, ?)', toolkit.toLowerCase(), toolkit, principal)
    return 'created'
  }
  const isSame = owner === 'deployment' ? principal === null : owner.principal === principal
  return isSame ? 'unchanged' : 'taken'
}

/** Undefined where nothing is published in a toolkit and nobody was given it. */
export function toolkitOf(sql: SqlStorage, toolkit: string): Toolkit | undefined {
  const owner = ownerOf(sql, toolkit)
  if (owner === 'nobody') return undefined
  const untrusted = sql
    .exec<{ toolkit: string; tool: string; version: string }>(
      `SELECT toolkit, tool, version FROM version JOIN tool ON tool.key = version.key
       WHERE ${WITHIN} AND trusted = 0 ORDER BY version.key, version LIMIT 1000`,
      ...keysOf(toolkit),
    )
    .toArray()
    .map(({ version, ...name }) => formatToolId(name, version))
  const deleted = deletionOf(sql, toolkit)
  return {
    toolkit: nameOf(sql, toolkit),
    owner,
    isBundled: isBundled(sql, toolkit),
    untrusted,
    status: statusOfToolkit(sql, toolkit),
    tags: tagsOfToolkit(sql, toolkit),
    review: isReviewed(sql, toolkit),
    ...(deleted ? { deleted } : {}),
  }
}

/** Whether there is a toolkit of a name, or an administrator gave one of that name to somebody. */
export function isToolkit(sql: SqlStorage, name: string): boolean {
  return ownerOf(sql, name) !== 'nobody'
}

function ownerOf(sql: SqlStorage, toolkit: string): ToolkitOwner {
  if (isBundled(sql, toolkit)) return 'deployment'
  const query = 'SELECT owner FROM toolkit WHERE key = ?'
  const given = firstRow<{ owner: string | null }>(sql, query, toolkit.toLowerCase())
  if (given) return given.owner === null ? 'deployment' : { principal: given.owner }
  // What was published before toolkits had owners is the deployment's, until an administrator gives it to somebody; so is a
  // name that differs from such a one in `-` and `_` alone
  const plain = keysOf(toolkit.replaceAll('-', '_'))
  const older = field(sql, `SELECT 1 FROM tool WHERE ${ALIKE} >= ? AND ${ALIKE} < ? LIMIT 1`, ...plain)
  return older === undefined ? 'nobody' : 'deployment'
}

/** Also while the newest deployment does not carry its tools: it may carry them again. */
export function isBundled(sql: SqlStorage, toolkit: string): boolean {
  const query = `SELECT 1 FROM version WHERE ${WITHIN} AND bundled = 1 LIMIT 1`
  return field(sql, query, ...keysOf(toolkit)) !== undefined
}

/** A toolkit's name as it was first written. */
function nameOf(sql: SqlStorage, toolkit: string): string {
  const published = field<string>(
    sql,
    'SELECT toolkit FROM tool WHERE key >= ? AND key < ? LIMIT 1',
    ...keysOf(toolkit),
  )
  return published ?? field<string>(sql, 'SELECT name FROM toolkit WHERE key = ?', toolkit.toLowerCase()) ?? toolkit
}

/** As `versions.ts` compares keys that are alike. */
const ALIKE = "replace(key, '-', '_')"
const WITHIN = 'version.key >= ? AND version.key < ?'

/** From which key, and up to which, a toolkit's tools are: they begin with its name and a dot, and a slash is the next character. */
export function keysOf(toolkit: string): [string, string] {
  const key = toolkit.toLowerCase()
  return [`${key}.`, `${key}/`]
}
