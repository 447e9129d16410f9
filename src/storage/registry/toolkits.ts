/*
 * Toolkits: who owns a toolkit, and its settings. `toolkit-rights.ts` has the rules that depend on them.
 *
 * - Owner: the principal who published the first tool, or to whom an administrator gave the toolkit. The deployment owns
 *   toolkits with bundled tools, and tools older than owners. Nobody owns a free name.
 * - Held (`held` in `toolkit` and `version`): an administrator disabled the toolkit or version, so only an administrator
 *   enables it or publishes in it.
 * - Reviewed (`review`): publications wait until a reviewer activates them.
 * - Deleted: the toolkit's name is reserved for RETENTION_MS.
 */
import type { Principal } from '../../core/access/principal.ts'
import type { Toolkit, ToolkitOwner } from '../../core/access/toolkit-owner.ts'
import { column, readField, firstRow } from '../rows.ts'

/** Makes the principal the owner if nobody owns the toolkit. A toolkit that a document's id claims gets that owner. */
export function claimToolkit(sql: SqlStorage, { id }: Principal, toolkit: string): void {
  if (findOwnerIgnoringClaims(sql, toolkit)) return
  const owner = findOwner(sql, toolkit)
  if (owner !== 'deployment') addToolkit(sql, toolkit, owner === 'nobody' ? id : owner.principal)
}

/** Adds a row for a toolkit that has none. An existing row keeps its owner. */
function addToolkit(sql: SqlStorage, toolkit: string, principal: string | null): void {
  const row = 'INSERT OR IGNORE INTO toolkit (key, name, owner) VALUES (?, ?, ?)'
  sql.exec(row, toolkit.toLowerCase(), findName(sql, toolkit), principal)
}

export function transferToolkit(sql: SqlStorage, toolkit: string, principal: string | null): boolean {
  if (isBundled(sql, toolkit)) return false
  writeOwner(sql, toolkit, principal)
  return true
}

/** Restores a free toolkit to its former owner; null is the deployment. */
export function restoreOwner(sql: SqlStorage, toolkit: string, principal: string | null) {
  const owner = findOwner(sql, toolkit)
  if (owner !== 'nobody') return toOwnerColumn(owner) === principal ? 'unchanged' : 'taken'
  writeOwner(sql, toolkit, principal)
  return 'created'
}

/** Replaces the owner, or adds a row with it. */
function writeOwner(sql: SqlStorage, toolkit: string, principal: string | null): void {
  const row = `INSERT INTO toolkit (key, name, owner) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET name = excluded.name, owner = excluded.owner`
  sql.exec(row, toolkit.toLowerCase(), toolkit, principal)
}

/** The column is null if the deployment or nobody owns the toolkit. */
function toOwnerColumn(owner: ToolkitOwner): string | null {
  return typeof owner === 'object' ? owner.principal : null
}

type SettingsRow = {
  readonly status: string | null
  readonly held: number
  readonly tags: string | null
  readonly deleted: number | null
  readonly review: number
  readonly description: string | null
}

/** Sets columns of the toolkit's row. If there is none, it is added with the current owner. */
export function writeSettings(sql: SqlStorage, toolkit: string, values: Partial<SettingsRow>): void {
  const key = toolkit.toLowerCase()
  addToolkit(sql, toolkit, toOwnerColumn(findOwner(sql, toolkit)))
  for (const [column, value] of Object.entries(values))
    sql.exec(`UPDATE toolkit SET ${column} = ? WHERE key = ?`, value, key)
}

export function loadSettings(sql: SqlStorage, toolkit: string) {
  const query = 'SELECT status, held, tags, deleted, review, description FROM toolkit WHERE key = ?'
  const row = firstRow<SettingsRow>(sql, query, toolkit.toLowerCase())
  const { status, held, tags, deleted, review, description } = row ?? {}
  const settings: Pick<Toolkit, 'status' | 'tags' | 'description'> = {
    status: status ? JSON.parse(status) : { state: 'active' },
    tags: tags ? JSON.parse(tags) : [],
    ...(description ? { description } : {}),
  }
  const deletion = typeof deleted === 'number' ? { at: deleted, until: deleted + RETENTION_MS } : undefined
  return { ...settings, isHeld: held === 1, isReviewed: review === 1, deleted: deletion }
}

/** Adds the toolkit's description to a record's text. Stored records do not have it, so that it can change. */
export function addToolkitDescription(record: string, description: string | null | undefined): string {
  return description ? `${record.slice(0, -1)},"toolkitDescription":${JSON.stringify(description)}}` : record
}

/** How long administrators can read and restore a deleted toolkit. */
export const RETENTION_MS = 30 * 86_400_000

/** When the next deleted toolkit expires, in milliseconds since 1970. `Infinity` if there is none. */
export function nextPurgeAt(sql: SqlStorage): number {
  const query = 'SELECT deleted FROM toolkit WHERE deleted IS NOT NULL ORDER BY deleted LIMIT 1'
  return (readField<number>(sql, query) ?? Infinity) + RETENTION_MS
}

export function loadToolkit(sql: SqlStorage, toolkit: string): Toolkit | undefined {
  const owner = findOwner(sql, toolkit)
  if (owner === 'nobody') return undefined
  const query = `SELECT toolkit || '.' || tool || '@' || version FROM version JOIN tool ON tool.key = version.key
    WHERE ${WITHIN} AND trusted = 0 ORDER BY version.key, version LIMIT 1000`
  const untrusted = column<string>(sql, query, ...toolKeyRange(toolkit))
  const { isHeld: _, isReviewed: review, deleted, ...settings } = loadSettings(sql, toolkit)
  const identity = { toolkit: findName(sql, toolkit), owner, isBundled: isBundled(sql, toolkit), untrusted }
  return { ...identity, ...settings, review, ...(deleted ? { deleted } : {}) }
}

export function isToolkit(sql: SqlStorage, name: string): boolean {
  return findOwner(sql, name) !== 'nobody'
}

export function findOwner(sql: SqlStorage, toolkit: string): ToolkitOwner {
  const owner = findOwnerIgnoringClaims(sql, toolkit)
  if (owner !== undefined) return owner
  const claimant = findClaimant(sql, toolkit)
  if (claimant !== undefined) return findOwnerIgnoringClaims(sql, claimant) ?? 'deployment'
  // Tools whose toolkit has no row are the deployment's, and so is a name that differs from theirs only in `-` and `_`:
  // with tools in `my_kit`, no one can take `my-kit`
  const query = `SELECT 1 FROM tool WHERE ${NORMALIZED_KEY} >= ? AND ${NORMALIZED_KEY} < ? LIMIT 1`
  const unownedTool = readField(sql, query, ...toolKeyRange(toolkit.replaceAll('-', '_')))
  return unownedTool === undefined ? 'nobody' : 'deployment'
}

function findOwnerIgnoringClaims(sql: SqlStorage, toolkit: string): ToolkitOwner | undefined {
  if (isBundled(sql, toolkit)) return 'deployment'
  const query = 'SELECT owner FROM toolkit WHERE key = ?'
  const owner = readField<string | null>(sql, query, toolkit.toLowerCase())
  if (owner === undefined) return undefined
  return owner === null ? 'deployment' : { principal: owner }
}

/** Returns the toolkit of the document whose id claims this name. The owner of that toolkit owns the name. */
export function findClaimant(sql: SqlStorage, name: string): string | undefined {
  return readField<string>(sql, 'SELECT toolkit FROM document WHERE claim = ? LIMIT 1', name.toLowerCase())
}

/** Whether a deployment had tools in the toolkit, even if the newest has none: a later one may have them again. */
export function isBundled(sql: SqlStorage, toolkit: string): boolean {
  const query = `SELECT 1 FROM version WHERE ${WITHIN} AND bundled = 1 LIMIT 1`
  return readField(sql, query, ...toolKeyRange(toolkit)) !== undefined
}

/** Returns the name as the toolkit's first tool spells it. */
export function findToolkitSpelling(sql: SqlStorage, name: string): string | undefined {
  return readField<string>(sql, 'SELECT toolkit FROM tool WHERE key >= ? AND key < ? LIMIT 1', ...toolKeyRange(name))
}

function findName(sql: SqlStorage, toolkit: string): string {
  return (
    findToolkitSpelling(sql, toolkit) ??
    readField<string>(sql, 'SELECT name FROM toolkit WHERE key = ?', toolkit.toLowerCase()) ??
    toolkit
  )
}

/** `versions.ts` compares similar keys in the same way. */
const NORMALIZED_KEY = "replace(key, '-', '_')"
const WITHIN = 'version.key >= ? AND version.key < ?'

/** The keys of a toolkit's tools begin with its name and a dot; a slash is the next character. */
export function toolKeyRange(toolkit: string): [string, string] {
  const key = toolkit.toLowerCase()
  return [`${key}.`, `${key}/`]
}
