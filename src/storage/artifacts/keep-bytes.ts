import { ANONYMOUS } from '../../core/access/principal.ts'

export const LIFETIME_MS = 86_400_000

/** For one kind of file and one principal, over all its users. Simultaneous calls may exceed it. */
interface Quota {
  readonly files: number
  readonly bytes: number
}

interface Kept {
  readonly principal: string
  /** Begins with what is the principal's alone. */
  readonly prefix: string
  readonly key: string
  readonly body: ReadableStream | ArrayBufferView | string
  readonly size: number
  readonly options?: R2PutOptions
}

interface Door {
  readonly bucket: R2Bucket
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly quota: Quota
  /** Where it is refused that the oldest go for what is new. */
  readonly refusesWhenFull?: boolean
}

/** The one way into the bucket for what a caller sends or causes: whatever is kept has an owner, a quota and an age. */
export async function keepBytes(kept: Kept, { bucket, now, quota, refusesWhenFull }: Door) {
  if (kept.principal === ANONYMOUS.id) return { anonymous: true }
  const { objects } = await bucket.list({ prefix: kept.prefix, limit: 1_000 })
  const isOver = ({ uploaded }: R2Object) => now() >= uploaded.getTime() + LIFETIME_MS
  let files = 1
  let bytes = kept.size
  const excess = objects
    .filter((each) => !isOver(each))
    .sort((a, b) => b.uploaded.getTime() - a.uploaded.getTime())
    .filter(({ size }) => ++files > quota.files || (bytes += size) > quota.bytes)
  if (refusesWhenFull && (excess.length > 0 || bytes > quota.bytes))
    return { full: files > quota.files ? `${quota.files} files` : `${quota.bytes} bytes of files` }
  const gone = [...objects.filter(isOver), ...excess].map(({ key }) => key)
  if (gone.length > 0) await bucket.delete(gone)
  return bucket.put(kept.key, kept.body, kept.options)
}
