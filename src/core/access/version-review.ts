/**
 * Review of versions. A tool is reviewed if its toolkit has the setting `review`, or if a policy with `review` covers it. A
 * version of it is `pending` until a reviewer activates it, unless an administrator published it. Effects and their code:
 *
 * - A new version is stored as pending, an import sends no secret to its server, and only an administrator sets texts that
 *   agents read: `awaitsReview` in `storage/registry/toolkit-rights.ts`, by `isExemptFromReview`
 * - A pending version is hidden, except from those who may change the tool: `mayPublish`
 * - Only a reviewer may change the status of a version that was never activated: `mayReview`
 * - Only an administrator ends the review of a toolkit or deletes it during review: `storage/registry/write/change-toolkit.ts`
 */
import type { Principal } from './principal.ts'
import { isAdministrator, type ToolkitOwner } from './toolkit-owner.ts'

/** Checks whether a publisher needs no review. `publishedBy` is `bundle` for the deployment's own tools. */
export function isExemptFromReview(publishedBy: Principal | 'bundle'): boolean {
  return publishedBy === 'bundle' || isAdministrator(publishedBy)
}

/** Lets administrators review everything, and owners review versions that others published in their toolkit. */
export function mayReview(principal: Principal, publisher: string | null, owner: ToolkitOwner): boolean {
  if (isAdministrator(principal)) return true
  return typeof owner === 'object' && owner.principal === principal.id && !isSamePerson(principal, publisher)
}

/** Compares ids across sign-in methods (a token's may start with its issuer), so nobody can review their own versions. */
function isSamePerson({ id, users }: Principal, publisher: string | null): boolean {
  if (publisher === null || publisher === id) return publisher === id
  const [, user] = /^(?:jwt:(?:[^|]*\|)?|person:)(.*)$/s.exec(publisher) ?? []
  const ownUsers = users === 'any' ? [] : users
  return user !== undefined && ownUsers.some((ownUser) => ownUser === user || ownUser.endsWith(`|${user}`))
}
