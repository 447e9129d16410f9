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

/** A row may have 200 kB. */
const PAGE = 20
const COLUMNS = 'toolkit, name, version, digest, state, manifest'
const HELD = 'An administrator disabled this skill: only an administrator can publish it again'
const IS_NAMED = 'toolkit = ? AND name = ?'
const IS_WITHIN = 'toolkit IN (SELECT value FROM json_each(?))'
const IS_LOCKED = "toolkit || '.' || name || '@' || version || ' ' || digest IN (SELECT value FROM json_each(?))"

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
  const held = isAdministrator(principal) ? isDisabled : 0
  nextRevision(sql)
  const update = `UPDATE skill SET state = ?, held = ?, unreviewed = unreviewed AND ? WHERE ${IS_NAMED} AND version = ?`
  sql.exec(update, state, held, isDisabled, toolkit, name, version)
  return { ok: true }
}

/** Lists the newest version of each skill in a state: active ones that the caller can see, others that it may change. */
export function listSkills(sql: SqlStorage, { state, after = '', ...named }: SkillQuery, principal: Principal) {
  const toolkit = named.toolkit === undefined ? null : spellToolkit(sql, named.toolkit)
  const [condition, ...values] = state === 'active' ? buildVisibleScope(sql, principal) : buildOwnScope(sql, principal)
  const query = `SELECT toolkit, name, max(version) AS version, digest, state, manifest FROM skill
    WHERE state = ? AND ${condition} AND toolkit = coalesce(?, toolkit) AND (toolkit, name) > (?, ?)
    GROUP BY toolkit, name ORDER BY toolkit, name LIMIT ${PAGE + 1}`
  const [afterToolkit = '', afterName = ''] = after.split('/')
  const items = rows<SkillRow>(sql, query, state, ...values, toolkit, afterToolkit, afterName)
  const last = items[PAGE] && items[PAGE - 1]
  return { items: items.slice(0, PAGE), ...(last ? { next: `${last.toolkit}/${last.name}` } : {}) }
}

/** Callers who may change a skill find every version of it, even if they see no tool of its toolkit. */
export function findSkill(
  sql: SqlStorage,
  { name, version, ...named }: SkillName,
  principal: Principal,
  path?: string,
): FoundSkill | undefined {
  const toolkit = spellToolkit(sql, named.toolkit)
  const ownScope: Scope = [version === undefined ? "state = 'active'" : 'TRUE']
  const [condition, ...values] = isOwn(sql, toolkit, principal) ? ownScope : buildVisibleScope(sql, principal)
  const files = path === undefined ? 'coalesce(?, files)' : `files -> ('$."' || ? || '"')`
  const query = `SELECT ${COLUMNS}, ${files} AS files FROM skill
    WHERE ${condition} AND ${IS_NAMED} AND version = coalesce(?, version) ORDER BY version DESC LIMIT 1`
  return firstRow<FoundSkill>(sql, query, path ?? null, ...values, toolkit, name, version ?? null)
}

/** An SQL condition with its values. */
type Scope = readonly [condition: string, ...values: string[]]

/** Active versions in toolkits with a tool that the caller sees. Under a lock, only the versions that it names. */
function buildVisibleScope(sql: SqlStorage, principal: Principal): Scope {
  const toolkits = JSON.stringify(toolkitCounts(sql, principal).map(({ toolkit }) => toolkit))
  const { lock } = principal.view ?? {}
  if (!lock) return [`state = 'active' AND ${IS_WITHIN}`, toolkits]
  const locked = Object.values(lock.skills ?? {}).map(({ id, digest }) => `${id} ${digest}`)
  return [`state = 'active' AND ${IS_WITHIN} AND ${IS_LOCKED}`, toolkits, JSON.stringify(locked)]
}

function buildOwnScope(sql: SqlStorage, principal: Principal): Scope {
  const toolkits = column<string>(sql, 'SELECT DISTINCT toolkit FROM skill')
  return [IS_WITHIN, JSON.stringify(toolkits.filter((toolkit) => isOwn(sql, toolkit, principal)))]
}

const isOwn = (sql: SqlStorage, toolkit: string, principal: Principal) =>
  mayChange(sql, principal, anyTool(toolkit)) && findDeletedDenial(sql, toolkit) === undefined
