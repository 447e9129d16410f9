import { randomUUID } from 'node:crypto'

/** Creates an in-memory R2 bucket without conditions, pages or checksums. */
export function createBucket(): R2Bucket {
  const objects = new Map<string, { readonly head: object; readonly bytes: Uint8Array<ArrayBuffer> }>()
  const bucket: R2Bucket = Object.assign(Object.create(null), {
    async put(key: string, value: BodyInit, { httpMetadata, customMetadata }: R2PutOptions = {}) {
      const bytes = new Uint8Array(await new Response(value).arrayBuffer())
      const etag = randomUUID()
      const head = { key, size: bytes.length, etag, httpEtag: `"${etag}"`, uploaded: new Date() }
      objects.set(key, { head: { ...head, httpMetadata, customMetadata }, bytes })
      return head
    },
    head: async (key: string) => objects.get(key)?.head ?? null,
    async get(key: string, { range }: { readonly range?: { offset?: number; length?: number; suffix?: number } } = {}) {
      const found = objects.get(key)
      if (!found) return null
      const { offset = 0, length = Infinity, suffix } = range ?? {}
      const part = suffix === undefined ? found.bytes.subarray(offset, offset + length) : found.bytes.subarray(-suffix)
      const { body } = new Response(part)
      return { ...found.head, body, arrayBuffer: async () => part.slice().buffer }
    },
    list: async ({ prefix = '' }: R2ListOptions) => ({
      objects: [...objects].filter(([key]) => key.startsWith(prefix)).map(([, { head }]) => head),
    }),
    delete: async (keys: string | readonly string[]) => void [keys].flat().forEach((key) => objects.delete(key)),
  })
  return bucket
}
