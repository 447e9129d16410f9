import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { storeBytes } from '../../../src/storage/artifacts/store-bytes.ts'
import { createR2Artifacts } from '../../../src/storage/artifacts/r2-artifacts.ts'
import { createR2Outcomes } from '../../../src/storage/artifacts/r2-outcomes.ts'
import { createDeploymentKeys } from '../../../src/storage/sealing/deployment-keys.ts'

const QUOTA = { files: 5, bytes: 100 }
const bucket = env.ARTIFACTS
const storeIn = (bucket: R2Bucket) => ({
  bucket,
  pendingWrites: (principal: string) => env.IdempotencyStore.getByName(principal),
})

/** Stores bytes of a new principal, with given sizes and times. */
function createOwner(refusesWhenFull = false) {
  const principal = `key:${crypto.randomUUID()}`
  const prefix = `test/${principal}/`
  let at = 0
  return {
    async keep(size: number, now = Date.now()) {
      // Of two that are stored in the same millisecond, neither is older
      await new Promise((done) => setTimeout(done, 5))
      const kept = { principal, prefix, key: `${prefix}${at++}`, body: 'x'.repeat(size), size }
      const stored = await storeBytes(kept, { store: storeIn(bucket), now: () => now, quota: QUOTA, refusesWhenFull })
      return 'size' in stored ? stored.size : stored
    },
    async sizes() {
      const { objects } = await bucket.list({ prefix })
      return objects.map(({ size }) => size)
    },
  }
}

describe('a principal at its limit of bytes', () => {
  it('loses as many of the oldest objects as a new one needs', async () => {
    const [own, other] = [createOwner(), createOwner()]
    for (const owner of [own, other]) for (const size of [20, 30, 40]) await owner.keep(size)
    expect(await own.keep(10)).toBe(10)
    expect(await own.sizes()).toEqual([20, 30, 40, 10])
    expect(await own.keep(25)).toBe(25)
    expect(await own.sizes()).toEqual([40, 10, 25])
    expect(await own.keep(100)).toBe(100)
    expect(await own.sizes()).toEqual([100])
    expect(await other.sizes()).toEqual([20, 30, 40])
  })

  it('is refused a new object, to the byte, if stored ones must not be lost', async () => {
    const own = createOwner(true)
    for (const size of [60, 30]) await own.keep(size)
    expect(await own.keep(11)).toEqual({ full: '100 bytes of files' })
    expect(await own.keep(10)).toBe(10)
    expect(await own.keep(1)).toEqual({ full: '100 bytes of files' })
    expect(await own.sizes()).toEqual([60, 30, 10])
    // After a day all of it is over
    expect(await own.keep(100, Date.now() + 86_400_000)).toBe(100)
    expect(await own.sizes()).toEqual([100])
  })

  it.each([true, false])('stores no more if objects arrive at the same time (refuses: %s)', async (refuses) => {
    const own = createOwner(refuses)
    const kept = await Promise.all(Array.from({ length: 20 }, () => own.keep(1)))
    expect(kept.filter((each) => each === 1).length).toBeGreaterThan(0)
    expect((await own.sizes()).length).toBeLessThanOrEqual(5)
    const large = createOwner(refuses)
    await Promise.all(Array.from({ length: 5 }, () => large.keep(60)))
    expect(await large.sizes()).toEqual([60])
    // Nothing stays reserved of what was refused
    const [size] = await large.sizes()
    expect([size, await createOwner(refuses).keep(100)]).toEqual([60, 100])
    expect(await large.keep(40)).toBe(40)
  })

  it('is refused an object that exceeds the whole limit', async () => {
    expect(await createOwner(true).keep(101)).toEqual({ full: '100 bytes of files' })
  })
})

describe('a principal may store at most', () => {
  /** Creates a bucket with this many files of 64 MiB, which accepts more. */
  function createFull(count: number) {
    const deleted: string[] = []
    const uploaded = new Date()
    const objects = Array.from({ length: count }, (_, at) => ({ key: `${at}`, size: 2 ** 26, uploaded }))
    const full = new Proxy(bucket, {
      get: (target, name) =>
        ({ list: async () => ({ objects }), delete: async (keys: string[]) => void deleted.push(...keys) })[
          String(name)
        ] ?? Reflect.get(target, name).bind(target),
    })
    return { full, deleted }
  }

  const now = () => Date.now()
  const { signer } = createDeploymentKeys({ deploymentSecret: async () => 'a secret' })
  const owner = {
    callId: 'c',
    tool: 'A.B@1.0.0',
    principal: 'key:k',
    userId: undefined,
    requestUrl: () => 'https://a.test/',
  }

  it.each([
    [7, []],
    [8, ['7']],
    [10, ['7', '8', '9']],
  ])('512 MiB of artifacts: %i of 64 MiB, and one byte', async (count, gone) => {
    const { full, deleted } = createFull(count)
    const kept = await createR2Artifacts(storeIn(full), signer('artifact'), now).put(
      { content: { text: 'x' }, contentType: 'text/plain' },
      owner,
    )
    expect([kept.ok, deleted]).toEqual([true, gone])
  })

  it.each([
    [1, []],
    [2, ['1']],
    [4, ['1', '2', '3']],
  ])('128 MiB of outcomes: %i of 64 MiB, and one byte', async (count, gone) => {
    const { full, deleted } = createFull(count)
    expect([await createR2Outcomes(storeIn(full), now).keep('key:k', 'c', 'x'), deleted]).toEqual([true, gone])
  })
})
