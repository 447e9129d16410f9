import * as base64url from 'jose/base64url'
import { fail } from '../../core/failure/failure.ts'
import type { UploadOwner, UploadStore } from '../../core/call/artifact-store.ts'
import { uploadKey } from '../keys.ts'
import { sha256 } from '../sealing/sha256.ts'
import { type ObjectReader, storedObject } from './stored-object.ts'

const LIFETIME_MS = 86_400_000
const ID_BYTES = 16
const ID = /^[\w-]{22}$/
/** Per principal, over all users it sends files for. */
const MAX_FILES = 200
const MAX_TOTAL = 536_870_912

/** Keys begin with their owner, so nobody reaches another's. The quota may be exceeded by simultaneous uploads. */
export function createR2Uploads({ bucket, base64Of, now }: ObjectReader & { readonly now: () => number }): UploadStore {
  async function keyOf(id: string, { principal, userId }: UploadOwner): Promise<string> {
    return uploadKey(await sha256(principal), userId === undefined ? '' : await sha256(userId), id)
  }

  async function noRoomFor(size: number, principal: string): Promise<string | undefined> {
    const prefix = uploadKey(await sha256(principal))
    const { objects } = await bucket.list({ prefix, limit: 1_000 })
    const over = objects.filter(({ uploaded }) => now() >= uploaded.getTime() + LIFETIME_MS)
    if (over.length > 0) await bucket.delete(over.map(({ key }) => key))
    const rest = objects.filter((each) => !over.includes(each))
    const total = rest.reduce((sum, each) => sum + each.size, size)
    if (rest.length >= MAX_FILES) return `${MAX_FILES} files`
    return total > MAX_TOTAL ? `${MAX_TOTAL} bytes of files` : undefined
  }

  return {
    async keep({ body, size, contentType, filename }, owner) {
      const full = await noRoomFor(size, owner.principal)
      if (full !== undefined) {
        const message = `Cannot keep more than ${full} at once: DELETE /artifacts/{id} forgets one, as a day does`
        return fail({ type: 'conflict', message })
      }
      const id = base64url.encode(crypto.getRandomValues(new Uint8Array(ID_BYTES)))
      const expires = Math.floor((now() + LIFETIME_MS) / 1000)
      const name = filename === undefined ? {} : { filename: encodeURIComponent(filename.toWellFormed()) }
      await bucket.put(await keyOf(id, owner), body ?? '', {
        httpMetadata: { contentType },
        customMetadata: { expires: String(expires), ...name },
      })
      return { ok: true, id, expires }
    },
    async find(id, owner) {
      if (!ID.test(id)) return undefined
      const key = await keyOf(id, owner)
      const stored = await bucket.head(key)
      if (!stored || isOver(stored.customMetadata, now())) return undefined
      const { filename } = stored.customMetadata ?? {}
      return {
        ...storedObject({ bucket, base64Of }, stored),
        filename: filename === undefined ? undefined : decodeURIComponent(filename),
        expires: expiryOf(stored.customMetadata),
      }
    },
    async remove(id, owner) {
      if (!ID.test(id)) return false
      const key = await keyOf(id, owner)
      const stored = await bucket.head(key)
      if (stored) await bucket.delete(key)
      return stored !== null && !isOver(stored.customMetadata, now())
    },
  }
}

export const noUploads: UploadStore = {
  keep: async () =>
    fail({
      type: 'unavailable',
      message: 'This deployment has no place to keep files: its operator must set that up',
      forOperator:
        'To keep files, this deployment needs the binding ARTIFACTS (an R2 bucket): add [[r2_buckets]] with binding = "ARTIFACTS" to wrangler.toml',
    }),
  find: async () => undefined,
  remove: async () => false,
}

function expiryOf(metadata: Readonly<Record<string, string>> | undefined): number {
  return Number(metadata?.expires ?? 0)
}

function isOver(metadata: Readonly<Record<string, string>> | undefined, now: number): boolean {
  // Written so that a time that cannot be read counts as over
  return !(now < expiryOf(metadata) * 1000)
}
