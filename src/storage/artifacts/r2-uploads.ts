import * as base64url from 'jose/base64url'
import { fail } from '../../core/failure/failure.ts'
import type { UploadOwner, UploadStore } from '../../core/call/artifact-store.ts'
import { uploadKey } from '../keys.ts'
import { type ByteStore, storeBytes, LIFETIME_MS } from './store-bytes.ts'
import { sha256 } from '../sealing/sha256.ts'
import { storedObject } from './stored-object.ts'

const ID_BYTES = 16
const ID = /^[\w-]{22}$/
const QUOTA = { files: 200, bytes: 536_870_912 }

/** Keys begin with their owner, so a caller cannot reach the files of another. */
export function createR2Uploads(store: ByteStore, now: () => number): UploadStore {
  const { bucket } = store
  async function toKey(id: string, { principal, userId }: UploadOwner): Promise<string> {
    return uploadKey(await sha256(principal), userId === undefined ? '' : await sha256(userId), id)
  }
  const loadMetadata = async (id: string, owner: UploadOwner) =>
    ID.test(id) ? bucket.head(await toKey(id, owner)) : null

  return {
    async keep({ body, size, contentType, filename }, owner) {
      const { principal } = owner
      const id = base64url.encode(crypto.getRandomValues(new Uint8Array(ID_BYTES)))
      const expires = Math.floor((now() + LIFETIME_MS) / 1000)
      const filenameField = filename === undefined ? {} : { filename: encodeURIComponent(filename.toWellFormed()) }
      const prefix = uploadKey(await sha256(principal))
      const key = await toKey(id, owner)
      const options = { httpMetadata: { contentType }, customMetadata: { expires: String(expires), ...filenameField } }
      // Earlier uploads are not evicted: the sender of the new one gets an error
      const door = { store, now, quota: QUOTA, refusesWhenFull: true }
      const storeResult = await storeBytes({ principal, prefix, key, body: body ?? '', size, options }, door)
      if ('full' in storeResult) {
        const message = `Cannot keep more than ${storeResult.full} at once: DELETE /artifacts/{id} removes one, and each expires after a day`
        return fail({ type: 'conflict', message })
      }
      if ('anonymous' in storeResult)
        return fail({ type: 'unauthenticated', reason: 'Files are kept only for callers with a credential' })
      return { ok: true, id, expires }
    },
    async find(id, owner) {
      const stored = await loadMetadata(id, owner)
      if (!stored || isOver(stored.customMetadata, now())) return undefined
      const { filename } = stored.customMetadata ?? {}
      return {
        ...storedObject(bucket, stored),
        filename: filename === undefined ? undefined : decodeURIComponent(filename),
        expires: readExpiry(stored.customMetadata),
      }
    },
    async remove(id, owner) {
      const stored = await loadMetadata(id, owner)
      if (stored) await bucket.delete(stored.key)
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

function readExpiry(metadata: Readonly<Record<string, string>> | undefined): number {
  return Number(metadata?.expires ?? 0)
}

function isOver(metadata: Readonly<Record<string, string>> | undefined, now: number): boolean {
  // Negated, so that an unreadable time counts as expired
  return !(now < readExpiry(metadata) * 1000)
}
