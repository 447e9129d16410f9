/**
 * Locks: the version of each tool and skill that a model sees, with a digest of everything that the model sees of it. The
 * digests follow SEP-2636, an open proposal to the Model Context Protocol: SHA-256 over RFC 8785 of the whole tool, as the
 * newest revision of `tools/list` returns it.
 */
import { canonicalJson, type Sha256 } from '../tool/digest.ts'
import type { JsonObject } from '../tool/json.ts'
import * as json from '../tool/json-reader.ts'
import type { WaitUntil } from '../tool/platform.ts'
import { PUBLISHED_NAME } from '../tool/sanitize-name.ts'
import { isVersion, parseToolId } from '../tool/tool-id.ts'
import { lockHash } from './toolset-name.ts'

export const DIGEST_FORM = 'sep-2636/2026-09'

const MAX_TOOLS = 5_000
const isLockedId = (text: string) => isVersion(parseToolId(text)?.range ?? '')
const isLockedSkill = (text: string) => /^[1-9]\d{0,9}$/.test(parseToolId(text)?.range ?? '')
const lockedVersion = (example: string, isId: (text: string) => boolean) =>
  json.object({ id: json.stringMatching(`an id with its version, such as '${example}'`, isId), digest: lockHash })
const checkName = (name: string) =>
  PUBLISHED_NAME.test(name) ? undefined : 'Must be the name of a tool as MCP lists it'

const checkUri = (uri: string) => (uri.startsWith('skill:') ? undefined : 'Must be the URI of a SKILL.md')

export const lockReader = json.object({
  version: json.typeGuard<1>(
    '1',
    (value) => value === 1,
    () => ({ const: 1 }),
  ),
  digest_form: json.enumReader([DIGEST_FORM]),
  tools: json.map(lockedVersion('Gmail.GetEmails@1.2.0', isLockedId), MAX_TOOLS, checkName),
  skills: json.optional(json.map(lockedVersion('Gmail.write-mail@2', isLockedSkill), MAX_TOOLS, checkUri)),
})

/** The content of `tools.lock`, by the names and URIs that MCP lists. */
export type ToolLock = json.InferOutput<typeof lockReader>

export const MAX_LOCKS = 1_000
/** The canonical JSON of a lock must fit in a table row. */
export const MAX_LOCK_BYTES = 1_900_000

/** `denied`: why the publisher's quota does not allow the lock. */
export type PutLockStatus = 'created' | 'unchanged' | 'limit-reached' | 'too-large' | { readonly denied: string }
export interface PutLockResult {
  readonly hash: string
  readonly status: PutLockStatus
}

/** `id` is a principal's. Administrators have no quota. */
export interface LockPublisher {
  readonly id: string
  readonly hasQuota: boolean
}

export interface LockStore {
  put(lock: ToolLock, publisher: LockPublisher): Promise<PutLockResult>
  /** Finds by hash; locks never change. Throws `UnreachableError` if the lock cannot be read. */
  find(hash: string, background?: WaitUntil): ToolLock | undefined | Promise<ToolLock | undefined>
  /** Returns whether there was one. */
  remove(hash: string): Promise<boolean>
}

/** Returns the text whose digest a lock contains. */
export function formatLockedTool(mcpTool: JsonObject): string {
  return canonicalJson(mcpTool)
}

export async function hashLocked(text: string, sha256: Sha256): Promise<string> {
  return `sha256:${await sha256(text)}`
}

export function formatLock(lock: ToolLock): string {
  return canonicalJson(lock)
}

export function hashLock(lock: ToolLock, sha256: Sha256): Promise<string> {
  return hashLocked(formatLock(lock), sha256)
}
