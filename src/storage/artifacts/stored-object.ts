import type { StoredArtifact } from '../../core/call/artifact-store.ts'
import { sha256OfBytes } from '../sealing/sha256.ts'

export interface ObjectReader {
  readonly bucket: R2Bucket
  readonly base64Of: (bytes: Uint8Array) => string
}

export function storedObject({ bucket, base64Of }: ObjectReader, head: R2Object): StoredArtifact {
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
    base64: async () => base64Of(await bytes()),
    sha256: async () => sha256OfBytes(await bytes()),
  }
}
