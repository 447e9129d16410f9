import type { StoredArtifact } from '../../core/call/artifact-store.ts'
import { encodeBase64 } from '../../outbound/base64.ts'
import { sha256OfBytes } from '../sealing/sha256.ts'

export function storedObject(bucket: R2Bucket, head: R2Object): StoredArtifact {
  const { key, httpMetadata, size, httpEtag } = head
  const bytes = async () => {
    const read = await bucket.get(key)
    if (!read) throw new Error('It was deleted meanwhile')
    return new Uint8Array(await read.arrayBuffer())
  }
  return {
    contentType: httpMetadata?.contentType ?? 'application/octet-stream',
    size,
    etag: httpEtag,
    async read(part) {
      const read = await bucket.get(key, part ? { range: part } : {})
      return read?.body
    },
    bytes,
    base64: async () => encodeBase64(await bytes()),
    sha256: async () => sha256OfBytes(await bytes()),
  }
}
