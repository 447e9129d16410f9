/*
 * Skills (`core/skill/skill.ts`). They have no copies in KV, because agents rarely read them. Call writes in a transaction.
 * `held` and `unreviewed` mean the same as for versions of tools.
 */
import { type ChangeRefusal, changeConflict, forbidChange, UNKNOWN } from '../../core/access/change-refusal.ts'
import { findCoverDenial, type Principal } from '../../core/access/principal.ts'
import { isAdministrator } from '../../core/access/toolkit-owner.ts'
import { findQuotaDenial, type PublishedTotals } from '../../core/publish/publisher-quota.ts'
import type { FoundSkill, PublishedSkill, SkillContent } from '../../core/skill/skill.ts'
import type { SkillName, SkillQuery, SkillRow } from '../../core/skill/skill.ts'
import { foldDashes } from '../../core/tool/tool-id.ts'
import { column, firstRow, rows } from '../rows.ts'
import { nextRevision } from './tables.ts'
import { toolkitCounts } from './toolkit-counts.ts'
import { awaitsReview, findDeletedDenial, findPublishingDenial, findStatusDenial } from './toolkit-rights.ts'
import { mayChange, type ReviewRow } from './toolkit-rights.ts'
import { claimToolkit, findOwner, findToolkitSpelling } from './toolkits.ts'
import { countPublished, publishedBy } from './write/quota.ts'

/** A row can have up to 200 kB. */
const PAGE = 20
const COLUMNS = 'toolkit, name, version, digest, state, manifest'
const HELD = 'An administrator disabled this skill: only an administrator can publish it again'
const IS_NAMED = 'toolkit = ? AND name = ?'
/** With a lock, only the versions that it names are found. */
const IS_LOCKED = `(?1 IS NULL OR toolkit || '.' || name || '@' || version || ' ' || digest IN (SELECT value FROM json_each(?1)))`

const anyTool = (toolkit: string) => ({ toolkit, tool: '*' })
const spellToolkit = (sql: SqlStorage, name: string) => findToolkitSpelling(sql, name) ?? foldDashes(name)

export function publishSkill(
  sql: SqlStorage,
  { name, ...named }: SkillName,
  { digest, manifest, files }: SkillContent,
  { principal, quota }: { readonly principal: Principal; readonly quota: PublishedTotals },
): PublishedSkill | ChangeRefusal {
  const toolkit = spellToolkit(sql, named.toolkit)
  const uncovered = findCoverDenial(principal, anyTool(toolkit), 'tools:publish')
  const denial = uncovered?.reason ?? findPublishingDenial(sql, principal, anyTool(toolkit))
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

/** A version that a reviewer disables still awaits review. Otherwise, its publisher could activate it. */
export function changeSkill(
  sql: SqlStorage,
  { name, version = 0, ...named }: SkillName,
  state: SkillRow['state'],
  principal: Principal,
): { ok: true } | ChangeRefusal {
  const toolkit = spellToolkit(sql, named.toolkit)
  const query = `SELECT held, unreviewed, publisher FROM skill WHERE ${IS_NAMED} AND version = ?`
  const row = firstRow<ReviewRow>(sql, query, toolkit, name, version)
  if (!row || !isOwn(sql, toolkit, principal)) return UNKNOWN
  const denial = findStatusDenial(principal, row, findOwner(sql, toolkit), `${toolkit}.${name}@${version}`)
  if (denial !== undefined) return forbidChange(denial)
  const isDisabled = Number(state === 'disabled')
  const isHeld = isAdministrator(principal) ? isDisabled : 0
  nextRevision(sql)
  const update = `UPDATE skill SET state = ?, held = ?, unreviewed = unreviewed AND ? WHERE ${IS_NAMED} AND version = ?`
  sql.exec(update, state, isHeld, isDisabled, toolkit, name, version)
  return { ok: true }
}

/** Lists the newest version of each skill in a state: active ones that the caller can see, others that it may change. */
export function listSkills(sql: SqlStorage, { state, after = '', ...named }: SkillQuery, principal: Principal) {
  const toolkit = named.toolkit === undefined ? null : spellToolkit(sql, named.toolkit)
  const toolkits =
    state === 'active'
      ? toolkitCounts(sql, principal).map((count) => count.toolkit)
      : column<string>(sql, 'SELECT DISTINCT toolkit FROM skill').filter((each) => isOwn(sql, each, principal))
  const query = `SELECT toolkit, name, max(version) AS version, digest, state, manifest FROM skill
    WHERE ${IS_LOCKED} AND state = ?2 AND toolkit IN (SELECT value FROM json_each(?3)) AND toolkit = coalesce(?4, toolkit)
      AND (toolkit, name) > (?5, ?6) GROUP BY toolkit, name ORDER BY toolkit, name LIMIT ${PAGE + 1}`
  const [afterToolkit = '', afterName = ''] = after.split('/')
  const values = [state, JSON.stringify(toolkits), toolkit, afterToolkit, afterName]
  const items = rows<SkillRow>(sql, query, listLocked(principal), ...values)
  const last = items[PAGE] && items[PAGE - 1]
  return { items: items.slice(0, PAGE), ...(last ? { next: `${last.toolkit}/${last.name}` } : {}) }
}

/** Callers who may change a skill find every version of it that a lock allows, even if they see no tool of its toolkit. */
export function findSkill(
  sql: SqlStorage,
  { name, version, ...named }: SkillName,
  principal: Principal,
  path?: string,
): FoundSkill | undefined {
  const toolkit = spellToolkit(sql, named.toolkit)
  const isChanger = isOwn(sql, toolkit, principal)
  if (!isChanger && !toolkitCounts(sql, principal).some((count) => count.toolkit === toolkit)) return undefined
  const state = isChanger && version !== undefined ? null : 'active'
  const query = `SELECT ${COLUMNS}, iif(?6 IS NULL, files, files -> ('$."' || ?6 || '"')) AS files FROM skill
    WHERE ${IS_LOCKED} AND toolkit = ?2 AND name = ?3 AND state = coalesce(?4, state) AND version = coalesce(?5, version)
    ORDER BY version DESC LIMIT 1`
  const values = [toolkit, name, state, version ?? null, path ?? null]
  return firstRow<FoundSkill>(sql, query, listLocked(principal), ...values)
}

/** Lists the versions that the principal's lock names. Null if it has no lock. */
function listLocked({ view }: Principal): string | null {
  const { lock } = view ?? {}
  return lock ? JSON.stringify(Object.values(lock.skills ?? {}).map(({ id, digest }) => `${id} ${digest}`)) : null
}

const isOwn = (sql: SqlStorage, toolkit: string, principal: Principal) =>
  mayChange(sql, principal, anyTool(toolkit)) && findDeletedDenial(sql, toolkit) === undefined
