import * as base64url from 'jose/base64url'
import type { ArtifactLink, ArtifactOwner, ArtifactStore } from '../../core/call/artifact-store.ts'
import { decodeBase64 } from '../../outbound/base64.ts'
import type { Signer } from '../sealing/deployment-keys.ts'
import { artifactKey, OWNER_LENGTH } from '../keys.ts'
import { type ByteStore, storeBytes, LIFETIME_MS } from './store-bytes.ts'
import { storedObject } from './stored-object.ts'

const ID_BYTES = 16
const ID = /^[\w-]{32}$/
const QUOTA = { files: 500, bytes: 536_870_912 }
const SECONDS = /^\d{1,12}$/

/** The link itself grants access: its HMAC signature binds the id to the expiry time. */
export function createR2Artifacts(store: ByteStore, signer: Signer, now: () => number): ArtifactStore {
  const { bucket } = store
  return {
    async put({ content, contentType }, owner) {
      const bytes = 'text' in content ? content.text : decodeBase64(content.base64)
      if (bytes === undefined) return { ok: false, why: 'its bytes are no Base64' }
      const isWords = 'text' in content && contentType.startsWith('text/')
      const { principal } = owner
      const tag = (await signer.sign(`owner ${principal}`)).slice(0, OWNER_LENGTH)
      const id = tag + base64url.encode(crypto.getRandomValues(new Uint8Array(ID_BYTES)))
      const expires = String(Math.floor((now() + LIFETIME_MS) / 1000))
      const options = {
        httpMetadata: { contentType: isWords ? `${contentType}; charset=utf-8` : contentType },
        customMetadata: buildMetadata(owner, expires),
      }
      const place = { principal, prefix: artifactKey(tag), key: artifactKey(id) }
      const storeResult = await storeBytes(
        { ...place, body: bytes, size: bytes.length, options },
        { store, now, quota: QUOTA },
      )
      if ('full' in storeResult) return { ok: false, why: `more than ${storeResult.full} are being kept at once` }
      if (!('size' in storeResult)) return { ok: false, why: 'nothing is kept for callers without a credential' }
      const query = new URLSearchParams({ expires, signature: await signer.sign(formatSignedText(id, expires)) })
      const url = `${new URL(owner.requestUrl()).origin}/artifacts/${id}?${query}`
      return { ok: true, url, size: storeResult.size, expiresAt: new Date(Number(expires) * 1000).toISOString() }
    },
    async open({ id, expires, signature }: ArtifactLink) {
      const isOurs =
        ID.test(id) && SECONDS.test(expires) && (await signer.verify(formatSignedText(id, expires), signature))
      if (!isOurs) return 'forged'
      if (now() >= Number(expires) * 1000) return 'expired'
      const stored = await bucket.head(artifactKey(id))
      if (!stored) return 'missing'
      return storedObject(bucket, stored)
    },
  }
}

export const noArtifacts: ArtifactStore = {
  put: async () => ({
    ok: false,
    why: 'this deployment has no place to keep it',
    forOperator:
      'to keep it, this deployment needs the binding ARTIFACTS (an R2 bucket): add [[r2_buckets]] with binding = "ARTIFACTS" to wrangler.toml',
  }),
  open: async () => 'missing',
}

function formatSignedText(id: string, expires: string): string {
  return `${id} ${expires}`
}

/** Percent-encoded, because metadata is sent in headers. */
function buildMetadata(
  { callId, tool, principal, userId = '' }: ArtifactOwner,
  expires: string,
): Record<string, string> {
  const metadataFields = Object.entries({ call: callId, tool, principal, user: userId, expires })
  return Object.fromEntries(metadataFields.map(([name, value]) => [name, encodeURIComponent(value.toWellFormed())]))
}
