/*
 * Checks who may publish in a toolkit and change its contents. Administrators may do what is denied to others, except in a
 * deleted toolkit.
 */
import { isTrustedWith, type Principal } from '../../core/access/principal.ts'
import { isAdministrator, mayPublish, findOwnerDenial } from '../../core/access/toolkit-owner.ts'
import type { ToolkitChange, ToolkitOwner } from '../../core/access/toolkit-owner.ts'
import { isExemptFromReview, mayReview } from '../../core/access/version-review.ts'
import type { PublisherRights, VersionChange } from '../../core/publish/registry.ts'
import { formatToolId, toolKey, type ToolName } from '../../core/tool/tool-id.ts'
import { firstRow, readField } from '../rows.ts'
import { loadPolicySet } from './policies.ts'
import { findOwner, loadSettings } from './toolkits.ts'

/** Returns why the principal may not publish the tool, or for the tool `*`, in the toolkit. Every writer checks this. */
export function findPublishingDenial(sql: SqlStorage, principal: Principal, name: ToolName): string | undefined {
  const denial = findOwnerDenial(principal, name, findOwner(sql, name.toolkit))
  if (denial !== undefined || isAdministrator(principal)) return denial
  if (loadSettings(sql, name.toolkit).isHeld) {
    return `An administrator disabled the toolkit '${name.toolkit}': only an administrator publishes in it`
  }
  const areAllHeld = readField<number | null>(sql, 'SELECT min(held) FROM version WHERE key = ?', toolKey(name)) === 1
  return areAllHeld
    ? `An administrator disabled '${formatToolId(name)}': only an administrator can publish it again`
    : undefined
}

/** An import's requests to a server contain no secrets if the imported tools would await review. */
export function getPublisherRights(sql: SqlStorage, principal: Principal, name: ToolName): PublisherRights {
  return {
    denied: findPublishingDenial(sql, principal, name),
    maySendSecrets: isTrustedWith(principal, name) && !awaitsReview(sql, principal, name),
  }
}

export function findVersionChangeDenial(
  sql: SqlStorage,
  principal: Principal,
  { name, version, change }: { readonly name: ToolName; readonly version: string; readonly change: VersionChange },
): string | undefined {
  const owner = findOwner(sql, name.toolkit)
  const denial = findOwnerDenial(principal, name, owner)
  if (denial !== undefined || isAdministrator(principal)) return denial
  const query = 'SELECT held, unreviewed, publisher FROM version WHERE key = ? AND version = ?'
  const row = firstRow<ReviewRow>(sql, query, toolKey(name), version)
  const statusDenial = row && findStatusDenial(principal, row, owner, formatToolId(name, version))
  return statusDenial ?? findReviewDenial(sql, principal, name, change)
}

export type ReviewRow = { held: number; unreviewed: number; publisher: string | null }

/** Returns why the principal may not change the status of a version of a tool or skill. */
export function findStatusDenial(
  principal: Principal,
  { held, unreviewed, publisher }: ReviewRow,
  owner: ToolkitOwner,
  id: string,
): string | undefined {
  if (isAdministrator(principal)) return undefined
  if (held === 1) return `An administrator disabled '${id}': only an administrator can enable it`
  return unreviewed === 1 && !mayReview(principal, publisher, owner)
    ? `'${id}' awaits review by an administrator, or by the owner of its toolkit if somebody else published it`
    : undefined
}

/** Does not check a transfer to another owner, because only administrators may make one. */
export function findToolkitChangeDenial(
  sql: SqlStorage,
  principal: Principal,
  toolkit: string,
  change: ToolkitChange | 'delete',
): string | undefined {
  const anyTool = { toolkit, tool: '*' }
  const denial = findOwnerDenial(principal, anyTool, findOwner(sql, toolkit))
  if (denial !== undefined || isAdministrator(principal) || change === 'delete') return denial
  return findReviewDenial(sql, principal, anyTool, change)
}

/** Anyone who may change a reviewed toolkit may set these. Agents read the texts of all other fields. */
const UNREVIEWED_FIELDS: readonly string[] = ['state', 'review', 'owner', 'trusted', 'name']

function findReviewDenial(
  sql: SqlStorage,
  principal: Principal,
  name: ToolName,
  { status, ...fields }: ToolkitChange | VersionChange,
): string | undefined {
  const changedFields = Object.entries({ ...status, ...fields }).filter(([, value]) => isSet(value))
  const field = changedFields.map(([name]) => name).find((name) => !UNREVIEWED_FIELDS.includes(name))
  if (field === undefined || !awaitsReview(sql, principal, name)) return undefined
  return `Changes in the toolkit '${name.toolkit}' are reviewed: only an administrator sets '${field}'`
}

const isSet = (value: unknown) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)

/** Whether publications of the principal there await review. For the effects, see `core/access/version-review.ts`. */
export function awaitsReview(sql: SqlStorage, publishedBy: Principal | 'bundle', name: ToolName): boolean {
  if (isExemptFromReview(publishedBy)) return false
  return loadSettings(sql, name.toolkit).isReviewed || loadPolicySet(sql).policyFor(name).review
}

export function mayChange(sql: SqlStorage, principal: Principal, name: ToolName): boolean {
  return mayPublish(principal, name, findOwner(sql, name.toolkit))
}

/** Returns why even an administrator cannot change the toolkit: it is deleted. */
export function findDeletedDenial(sql: SqlStorage, toolkit: string): string | undefined {
  const { deleted } = loadSettings(sql, toolkit)
  if (!deleted) return undefined
  const until = new Date(deleted.until).toISOString()
  return `The toolkit '${toolkit}' was deleted, and its name is kept until ${until}: an administrator brings it back with PATCH /toolkits/${toolkit} and {"status": "active"}`
}
