import { ANONYMOUS } from '../../core/access/principal.ts'

export const LIFETIME_MS = 86_400_000

/** Limits one kind of file of one principal, for all its users together. */
interface Quota {
  readonly files: number
  readonly bytes: number
}

interface StoreRequest {
  readonly principal: string
  /** Begins with a part that is unique to the principal. */
  readonly prefix: string
  readonly key: string
  readonly body: ReadableStream | ArrayBufferView | string
  readonly size: number
  readonly options?: R2PutOptions
}

interface PendingWrite {
  readonly key: string
  readonly size: number
}

export interface ByteStore {
  readonly bucket: R2Bucket
  /** Counts bytes of a principal before they are in the bucket. */
  readonly pendingWrites: (principal: string) => {
    /** Returns the principal's other pending writes whose keys begin with the prefix. */
    beginWrite(prefix: string, key: string, size: number): Promise<readonly PendingWrite[]>
    endWrite(key: string): Promise<void>
  }
}

interface StoreOptions {
  readonly store: ByteStore
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly quota: Quota
  /** If set, new files are refused when the quota is full. Otherwise, the oldest are deleted. */
  readonly refusesWhenFull?: boolean
}

/** Stores all bytes that callers send or cause, so that everything in the bucket has an owner, a quota and an age. */
export async function storeBytes(request: StoreRequest, options: StoreOptions) {
  if (request.principal === ANONYMOUS.id) return { anonymous: true }
  const { prefix, key, size } = request
  const pendingWrites = options.store.pendingWrites(request.principal)
  const otherWrites = await pendingWrites.beginWrite(prefix, key, size)
  try {
    return await putWithinQuota(request, otherWrites, options)
  } finally {
    await pendingWrites.endWrite(key)
  }
}

async function putWithinQuota(request: StoreRequest, otherWrites: readonly PendingWrite[], options: StoreOptions) {
  const { now, quota, refusesWhenFull } = options
  const { bucket } = options.store
  // Listed after the pending writes, so that no bytes are in neither list
  const { objects } = await bucket.list({ prefix: request.prefix, limit: 1_000 })
  const storedKeys = new Set(objects.map(({ key }) => key))
  const coming = otherWrites.filter(({ key }) => !storedKeys.has(key))
  const isOver = ({ uploaded }: R2Object) => now() >= uploaded.getTime() + LIFETIME_MS
  let files = 1 + coming.length
  let bytes = coming.reduce((sum, { size }) => sum + size, request.size)
  const isFull = coming.length > 0 && (files > quota.files || bytes > quota.bytes)
  const excess = objects
    .filter((each) => !isOver(each))
    .sort((a, b) => b.uploaded.getTime() - a.uploaded.getTime())
    .filter(({ size }) => ++files > quota.files || (bytes += size) > quota.bytes)
  if (isFull || (refusesWhenFull && (excess.length > 0 || bytes > quota.bytes)))
    return { full: files > quota.files ? `${quota.files} files` : `${quota.bytes} bytes of files` }
  const gone = [...objects.filter(isOver), ...excess].map(({ key }) => key)
  if (gone.length > 0) await bucket.delete(gone)
  return bucket.put(request.key, request.body, request.options)
}
