import type { Toolkit } from '../../core/access/toolkit.ts'
import type { ToolkitCount } from '../../core/catalogue/catalogue.ts'
import { readStatus, statusBody } from '../../core/publish/status.ts'
import { tags } from '../../core/tool/definition-fields.ts'
import { boolean, check, nullable, object, optional, string } from '../../core/tool/json-reader.ts'
import type { Checked } from '../../core/tool/problem.ts'
import type { ToolStatus } from '../../core/tool/version.ts'

const PRINCIPAL = string({ least: 1, most: 300 })
const OWNER = nullable(PRINCIPAL)
/** What the body of `PUT /toolkits/{toolkit}` says. */
export const OWNED = object({ owner: OWNER })
const BESIDE = object({ owner: optional<string | null>(OWNER), tags: optional(tags), review: optional(boolean) })
/** What the body of `PATCH /toolkits/{toolkit}` says. */
export const CHANGE = statusBody(BESIDE)
const KEY = 'key:'

/** What is asked to be changed of a toolkit, its owner as `principalNamed` reads it. */
export interface AskedChange {
  readonly status?: ToolStatus
  readonly owner?: string | null
  readonly tags?: readonly string[]
  readonly review?: boolean
}

/** Reads what is to change of a toolkit: its status, as `readStatus` does, `owner`, `tags` and `review`. */
export function decodeToolkitChange(body: unknown): Checked<AskedChange> {
  return readStatus(body, BESIDE, ['owner', 'tags', 'review'])
}

/** Reads `{"owner": …}`: the id of a key, `admin`, or `jwt:` and a subject; null gives the toolkit to the deployment. */
export function decodeOwner(body: unknown): Checked<{ readonly owner: string | null }> {
  return check(OWNED, body)
}

/** The id of the principal that `owner` names: a key goes by its own id. */
export function principalNamed(owner: string): { readonly principal: string; readonly key?: string } {
  if (owner === 'admin' || owner.startsWith('jwt:')) return { principal: owner }
  const key = owner.startsWith(KEY) ? owner.slice(KEY.length) : owner
  return { principal: KEY + key, key }
}

/**
 * `{toolkit, owner, bundled, untrusted, status, tags, review}`, and when it was deleted; an owner of null is the deployment. `message` and
 * `successor` stand beside a status that has them.
 */
export function encodeToolkit({ toolkit, owner, isBundled, untrusted, status, tags: all, review, deleted }: Toolkit) {
  const principal = typeof owner === 'string' ? null : owner.principal
  const named = principal?.startsWith(KEY) ? principal.slice(KEY.length) : principal
  const { state, ...details } = status
  return {
    toolkit,
    owner: named,
    bundled: isBundled,
    untrusted,
    status: state,
    ...details,
    tags: all,
    review,
    ...(deleted
      ? { deleted_at: new Date(deleted.at).toISOString(), kept_until: new Date(deleted.until).toISOString() }
      : {}),
  }
}

/** `{toolkit, tools, security_level}`: how many tools, and the highest level among them. */
export function encodeSummary({ toolkit, tools, level }: ToolkitCount) {
  return { toolkit, tools, security_level: level }
}
