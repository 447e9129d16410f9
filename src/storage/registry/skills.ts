/*
 * Skills (`core/skill/skill.ts`). They are read here, as agents read them seldom. Call writes in a transaction. `held` and
 * `unreviewed` are as in versions of tools.
 */
import { type ChangeRefusal, changeConflict, forbidChange, UNKNOWN } from '../../core/access/change-refusal.ts'
import type { Principal } from '../../core/access/principal.ts'
import { isAdministrator } from '../../core/access/toolkit-owner.ts'
import { mayReview } from '../../core/access/version-review.ts'
import { findQuotaDenial, type PublishedTotals } from '../../core/publish/publisher-quota.ts'
import type { FoundSkill, PublishedSkill, SkillContent } from '../../core/skill/skill.ts'
import type { SkillName, SkillQuery, SkillRow } from '../../core/skill/skill.ts'
import { foldDashes } from '../../core/tool/tool-id.ts'
import { column, firstRow, rows } from '../rows.ts'
import { nextRevision } from './tables.ts'
import { toolkitCounts } from './toolkit-counts.ts'
import { awaitsReview, findDeletedDenial, findPublishingDenial, mayChange } from './toolkit-rights.ts'
import { claimToolkit, findOwner, findToolkitSpelling } from './toolkits.ts'
import { countPublished, publishedBy } from './write/quota.ts'

/** A row of each may have 200 kB. */
const PAGE = 20
const COLUMNS = 'toolkit, name, version, digest, state, manifest'
const HELD = 'An administrator disabled this skill: only an administrator enables it, or publishes it again'
const IS_NAMED = 'toolkit = ? AND name = ?'

const anyTool = (toolkit: string) => ({ toolkit, tool: '*' })
const spellToolkit = (sql: SqlStorage, name: string) => findToolkitSpelling(sql, name) ?? foldDashes(name)

export function publishSkill(
  sql: SqlStorage,
  { name, ...named }: SkillName,
  { digest, manifest, files }: SkillContent,
  { principal, quota }: { readonly principal: Principal; readonly quota: PublishedTotals },
): PublishedSkill | ChangeRefusal {
  const toolkit = spellToolkit(sql, named.toolkit)
  const denial = findPublishingDenial(sql, principal, anyTool(toolkit))
  if (denial !== undefined) return forbidChange(denial)
  const deleted = findDeletedDenial(sql, toolkit)
  if (deleted !== undefined) return changeConflict(deleted)
  const query = `SELECT ${COLUMNS}, held FROM skill WHERE ${IS_NAMED} ORDER BY version DESC LIMIT 1`
  const newest = firstRow<SkillRow & { held: number }>(sql, query, toolkit, name)
  if (newest?.digest === digest) return { ...newest, ok: true, isNew: false }
  const isAdmin = isAdministrator(principal)
  if (newest?.held === 1 && !isAdmin) return forbidChange(HELD)
  const size = manifest.length + files.length
  const exceeded = findQuotaDenial(isAdmin ? undefined : quota, publishedBy(sql, principal.id), size)
  if (exceeded !== undefined) return changeConflict(exceeded)
  nextRevision(sql)
  countPublished(sql, principal.id, size)
  claimToolkit(sql, principal, toolkit)
  const state = awaitsReview(sql, principal, anyTool(toolkit)) ? 'pending' : 'active'
  const version = (newest?.version ?? 0) + 1
  const row = { toolkit, name, version, digest, state, manifest } as const
  insertSkill(sql, { ...row, files, publisher: principal.id, held: false, unreviewed: state === 'pending' })
  return { ...row, ok: true, isNew: true }
}

type StoredSkill = SkillRow & SkillContent & { publisher: string | null; held: boolean; unreviewed: boolean }

export function insertSkill(sql: SqlStorage, { held, unreviewed, ...row }: StoredSkill): void {
  const { toolkit, name, version, digest, state, manifest, files, publisher } = row
  const values = [toolkit, name, version, digest, state, manifest, files, publisher, Number(held), Number(unreviewed)]
  sql.exec('INSERT INTO skill VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', ...values)
}

/** A version that is refused still awaits review: else its publisher could activate it. */
export function changeSkill(
  sql: SqlStorage,
  { name, version = 0, ...named }: SkillName,
  state: SkillRow['state'],
  principal: Principal,
): { ok: true } | ChangeRefusal {
  const toolkit = spellToolkit(sql, named.toolkit)
  const query = `SELECT held, unreviewed, publisher FROM skill WHERE ${IS_NAMED} AND version = ?`
  type Row = { held: number; unreviewed: number; publisher: string | null }
  const row = firstRow<Row>(sql, query, toolkit, name, version)
  if (!row || !isOwn(sql, toolkit, principal)) return UNKNOWN
  const isAdmin = isAdministrator(principal)
  if (row.held === 1 && !isAdmin) return forbidChange(HELD)
  if (row.unreviewed === 1 && !mayReview(principal, row.publisher, findOwner(sql, toolkit)))
    return forbidChange('It awaits review by an administrator, or by the owner of its toolkit if another published it')
  const isDisabled = Number(state === 'disabled')
  const held = isAdmin ? isDisabled : 0
  nextRevision(sql)
  const update = `UPDATE skill SET state = ?, held = ?, unreviewed = unreviewed AND ? WHERE ${IS_NAMED} AND version = ?`
  sql.exec(update, state, held, isDisabled, toolkit, name, version)
  return { ok: true }
}

/**
 * Lists the newest active version of each skill of a toolkit that the caller sees; in another state, every version that the
 * caller may change.
 */
export function listSkills(sql: SqlStorage, { state, after = '', ...named }: SkillQuery, principal: Principal) {
  const toolkit = named.toolkit === undefined ? null : spellToolkit(sql, named.toolkit)
  const own = () =>
    column<string>(sql, 'SELECT DISTINCT toolkit FROM skill').filter((each) => isOwn(sql, each, principal))
  const toolkits = state === 'active' ? listVisible(sql, principal) : own()
  const newest = `NOT EXISTS (SELECT 1 FROM skill AS newer WHERE newer.toolkit = skill.toolkit AND newer.name = skill.name
    AND newer.version > skill.version AND newer.state = 'active')`
  const query = `SELECT ${COLUMNS} FROM skill WHERE state = ? AND toolkit IN (SELECT value FROM json_each(?))
    AND toolkit = coalesce(?, toolkit) AND (toolkit, name, version) > (?, ?, CAST(? AS INTEGER))
    AND ${state === 'active' ? newest : 'TRUE'} ORDER BY toolkit, name, version LIMIT ${PAGE + 1}`
  const [afterToolkit = '', afterName = '', afterVersion = ''] = after.split('/')
  const place = [afterToolkit, afterName, afterVersion]
  const items = rows<SkillRow>(sql, query, state, JSON.stringify(toolkits), toolkit, ...place)
  const last = items[PAGE] && items[PAGE - 1]
  return { items: items.slice(0, PAGE), ...(last ? { next: `${last.toolkit}/${last.name}/${last.version}` } : {}) }
}

export function findSkill(
  sql: SqlStorage,
  { name, version, ...named }: SkillName,
  principal: Principal,
  path?: string,
): FoundSkill | undefined {
  const toolkit = spellToolkit(sql, named.toolkit)
  const query = `SELECT version, state FROM skill WHERE ${IS_NAMED} ORDER BY version DESC`
  const all = rows<Pick<SkillRow, 'version' | 'state'>>(sql, query, toolkit, name)
  const isVisible = all.length > 0 && listVisible(sql, principal).includes(toolkit.toLowerCase())
  const isChangeable = all.length > 0 && isOwn(sql, toolkit, principal)
  const versions = all.filter(({ state }) => isChangeable || (isVisible && state === 'active'))
  const found = versions.find((each) => (version === undefined ? each.state === 'active' : each.version === version))
  const part = path ? `files -> ('$."' || ? || '"')` : "iif(? = '', files, NULL)"
  const body = `SELECT ${COLUMNS}, ${part} AS files FROM skill WHERE ${IS_NAMED} AND version = ?`
  type Row = SkillRow & { files: string | null }
  const row = found && firstRow<Row>(sql, body, path ?? null, toolkit, name, found.version)
  return row && { ...row, versions }
}

const isOwn = (sql: SqlStorage, toolkit: string, principal: Principal) =>
  mayChange(sql, principal, anyTool(toolkit)) && findDeletedDenial(sql, toolkit) === undefined

/** A lock names no skills, so its holders see none. */
function listVisible(sql: SqlStorage, principal: Principal): readonly string[] {
  return principal.view?.lock ? [] : toolkitCounts(sql, principal).map(({ toolkit }) => toolkit.toLowerCase())
}
