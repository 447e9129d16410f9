import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createKeyring } from '../../../src/storage/sealing/keyring.ts'
import {
  createIdempotencyRecords,
  type IdempotencyRecordsOptions,
} from '../../../src/storage/idempotency/idempotency-records.ts'
import {
  defineIdempotencyStore,
  type IdempotencyStoreObject,
} from '../../../src/storage/idempotency/idempotency-store-object.ts'
import type { CompletedCall, IdempotentCall, OutcomeStore } from '../../../src/core/call/idempotency.ts'

/** Idempotency stores over real Durable Objects, whose clock goes only when it is set. */
function createWorld() {
  const run = crypto.randomUUID()
  const world = { time: Date.now() + 86_400_000, reachable: true, deploys: 0, hasBucket: true, hangs: false }
  const defects: unknown[] = []
  const instances = new Map<string, IdempotencyStoreObject>()
  let IdempotencyStore = defineIdempotencyStore(() => world.time)
  const stubOf = (name: string) => env.IdempotencyStore.getByName(`${name} ${run}`)
  const within = <T>(
    name: string,
    use: (idempotencyRecords: IdempotencyStoreObject, state: DurableObjectState) => T | Promise<T>,
  ) =>
    runInDurableObject(stubOf(name), (_, state) => {
      const instance = instances.get(name) ?? new IdempotencyStore(state, {})
      instances.set(name, instance)
      return use(instance, state)
    })
  const namespace = new Proxy(env.IdempotencyStore, {
    get: () => (name: string) =>
      new Proxy(stubOf(name), {
        get:
          (_, method) =>
          (...given: unknown[]) => {
            if (!world.reachable) throw new Error('The object cannot be reached')
            if (world.hangs) return new Promise(() => undefined)
            return within(name, async (idempotencyRecords) =>
              structuredClone(
                await Reflect.apply(
                  Reflect.get(idempotencyRecords, method),
                  idempotencyRecords,
                  structuredClone(given),
                ),
              ),
            )
          },
      }),
  })
  const outside = new Map<string, string>()
  const outcomes: OutcomeStore = {
    keep: async (principal, callId, sealed) =>
      Boolean(world.hasBucket && outside.set(`${principal} ${callId}`, sealed)),
    find: async (principal, callId) => outside.get(`${principal} ${callId}`),
  }
  const start = (options: Partial<IdempotencyRecordsOptions> = {}) =>
    createIdempotencyRecords({
      namespace,
      outcomes,
      sealer: createKeyring(['a secret of the deployment'], 'ledger'),
      newId: () => crypto.randomUUID(),
      defect: (error) => void defects.push(error),
      ...options,
    })
  return Object.assign(world, {
    idempotencyRecords: start(),
    start,
    defects,
    outside,
    within,
    alarm: (name: string) => runDurableObjectAlarm(stubOf(name)),
    /** All idempotency stores afresh on their storage. */
    deploy() {
      instances.clear()
      IdempotencyStore = defineIdempotencyStore(() => world.time)
    },
  })
}

const call = (given: Partial<IdempotentCall> = {}): IdempotentCall => ({
  principal: 'key:1',
  callId: 'c1',
  fingerprint: 'of what the tool is given',
  timeoutMs: 1_000,
  ...given,
})
const FINISHED: CompletedCall = { result: { ok: true, value: { paid: true } }, durationMs: 12, finishedAt: 40 }

async function settle(world: ReturnType<typeof createWorld>, finished: CompletedCall | undefined, given = {}) {
  const claimed = await world.idempotencyRecords.claim(call(given))
  if (claimed.state !== 'claimed') throw new Error(`Wanted a claim, got ${claimed.state}`)
  await claimed.settle(finished)
}

describe('the idempotency store', () => {
  it('gives a claim once, and the outcome to everyone who asks meanwhile', async () => {
    const world = createWorld()
    const claimed = await world.idempotencyRecords.claim(call())
    const others = Promise.all([1, 2, 3].map(() => world.idempotencyRecords.claim(call())))
    if (claimed.state === 'claimed') await claimed.settle(FINISHED)
    expect(await others).toEqual(Array(3).fill({ state: 'finished', finished: FINISHED }))
    world.deploy()
    expect(await world.idempotencyRecords.claim(call())).toEqual({ state: 'finished', finished: FINISHED })
  })

  it('keeps an outcome sealed for 24 hours, and nothing afterwards', async () => {
    const world = createWorld()
    await settle(world, FINISHED)
    await world.within('key:1', (_, { storage }) => {
      const rows = storage.sql.exec('SELECT * FROM call').toArray()
      expect(rows).toHaveLength(1)
      expect(JSON.stringify(rows)).not.toContain('paid')
    })
    world.time += 86_400_000 - 1
    expect((await world.idempotencyRecords.claim(call())).state).toBe('finished')
    world.time += 1
    await world.alarm('key:1')
    await world.within('key:1', async (idempotencyRecords, { storage }) => {
      await idempotencyRecords.alarm()
      expect(storage.sql.exec('SELECT * FROM call').toArray()).toEqual([])
    })
    expect((await world.idempotencyRecords.claim(call())).state).toBe('claimed')
  })

  it.each([
    ['invocation', {}, { fingerprint: 'of another' }],
    ['invocation of the same selection', { select: 'a' }, { select: 'a', fingerprint: 'of another' }],
    ['selection', {}, { select: '' }],
    ['selection than the first', { select: 'a' }, { select: 'b' }],
  ])('refuses another %s under the same id, while it runs and afterwards', async (_, first, other) => {
    const world = createWorld()
    const claimed = await world.idempotencyRecords.claim(call(first))
    expect(await world.idempotencyRecords.claim(call(other))).toEqual({ state: 'reused' })
    if (claimed.state === 'claimed') await claimed.settle(FINISHED)
    expect(await world.idempotencyRecords.claim(call(other))).toEqual({ state: 'reused' })
  })

  it('separates the ids of one principal from those of another', async () => {
    const world = createWorld()
    await settle(world, FINISHED)
    expect((await world.idempotencyRecords.claim(call({ principal: 'key:2', fingerprint: 'of another' }))).state).toBe(
      'claimed',
    )
  })

  it('lets one of the waiting callers make a call that was not run after all', async () => {
    const world = createWorld()
    const claimed = await world.idempotencyRecords.claim(call())
    const others = [1, 2].map(() => world.idempotencyRecords.claim(call()))
    if (claimed.state === 'claimed') await claimed.settle(undefined)
    const next = await Promise.race(others)
    expect(next.state).toBe('claimed')
    if (next.state === 'claimed') await next.settle(FINISHED)
    expect((await Promise.all(others)).map(({ state }) => state).toSorted()).toEqual(['claimed', 'finished'])
  })

  it('says that the outcome is unknown once a call that was never settled runs out of time', async () => {
    const world = createWorld()
    await world.idempotencyRecords.claim(call())
    world.deploy()
    world.time += 6_000
    expect(await world.idempotencyRecords.claim(call())).toEqual({ state: 'unknown' })
    expect(await world.idempotencyRecords.claim(call())).toEqual({ state: 'unknown' })
  })

  it('says so at once for a call whose process is gone, if there is only one process', async () => {
    const world = createWorld()
    const [first, second] = [world.start({ isOnlyProcess: true }), world.start({ isOnlyProcess: true })]
    const claimed = await first.claim(call())
    expect(await second.claim(call())).toEqual({ state: 'unknown' })
    expect(await second.claim(call({ fingerprint: 'of another' }))).toEqual({ state: 'reused' })
    const waiting = first.claim(call())
    if (claimed.state === 'claimed') await claimed.settle(FINISHED)
    expect(await waiting).toEqual({ state: 'finished', finished: FINISHED })
    expect(await second.claim(call())).toEqual({ state: 'finished', finished: FINISHED })
  })

  it('ignores the settlement of a claim that no longer exists', async () => {
    const world = createWorld()
    const claimed = await world.idempotencyRecords.claim(call())
    await world.within('key:1', (idempotencyRecords) => idempotencyRecords.settle('c1', 'another claim', 'forged'))
    await world.within('key:1', (idempotencyRecords) => idempotencyRecords.settle('c1', 'another claim', undefined))
    if (claimed.state === 'claimed') await claimed.settle(FINISHED)
    expect(await world.idempotencyRecords.claim(call())).toEqual({ state: 'finished', finished: FINISHED })
  })

  it('keeps the first outcome of a claim that is settled twice', async () => {
    const world = createWorld()
    const claimed = await world.idempotencyRecords.claim(call())
    if (claimed.state !== 'claimed') throw new Error(`Wanted a claim, got ${claimed.state}`)
    await claimed.settle(FINISHED)
    await claimed.settle({ ...FINISHED, result: { ok: true, value: 'another' } })
    expect(await world.idempotencyRecords.claim(call())).toEqual({ state: 'finished', finished: FINISHED })
  })

  it('runs nothing while it is unreachable, and still gives outcomes that are known', async () => {
    const world = createWorld()
    const claimed = await world.idempotencyRecords.claim(call())
    world.reachable = false
    expect(await world.idempotencyRecords.claim(call({ callId: 'c2' }))).toEqual({ state: 'unreachable' })
    if (claimed.state === 'claimed') await claimed.settle(FINISHED)
    expect(world.defects).toHaveLength(2)
  })

  it('keeps a large outcome sealed in the bucket, and says that it is unknown if it is gone', async () => {
    const world = createWorld()
    const large = { ...FINISHED, result: { ok: true, value: 'x'.repeat(60_000) } } as const
    await settle(world, large)
    expect([...world.outside.values()].map((sealed) => sealed.includes('x'.repeat(20)))).toEqual([false])
    await world.within('key:1', (_, { storage }) => {
      expect(storage.sql.exec('SELECT outcome FROM call').one()['outcome']).toBe('outside')
    })
    expect(await world.idempotencyRecords.claim(call())).toEqual({ state: 'finished', finished: large })
    world.outside.clear()
    expect(await world.idempotencyRecords.claim(call())).toEqual({ state: 'unknown' })
  })

  it('deletes the outcome of the oldest of many calls, and runs none of them again', async () => {
    const world = createWorld()
    await settle(world, FINISHED)
    await settle(world, FINISHED, { callId: 'c2' })
    await world.within('key:1', (_, { storage }) => {
      storage.sql.exec("INSERT INTO call SELECT 'later', '', '', 0, NULL, ? ", world.time + 1e9)
      storage.sql.exec("UPDATE call SET rowid = 2000 WHERE id = 'later'")
    })
    world.time += 10_000
    await settle(world, FINISHED, { callId: 'c3' })
    expect(await world.idempotencyRecords.claim(call())).toEqual({ state: 'unknown' })
    expect((await world.idempotencyRecords.claim(call({ callId: 'c2' }))).state).toBe('finished')
    expect((await world.idempotencyRecords.claim(call({ callId: 'c3' }))).state).toBe('finished')
  })

  it('deletes the oldest of a million calls, but none that is still running', async () => {
    const world = createWorld()
    await settle(world, FINISHED)
    await settle(world, FINISHED, { callId: 'c2' })
    const rows = (sql: string) => world.within('key:1', (_, { storage }) => [...storage.sql.exec(sql).raw()].flat())
    const last = async (rowid: number) => {
      await rows(`DELETE FROM call WHERE id = 'later'`)
      await rows(
        `INSERT INTO call (rowid, id, fingerprint, claim, until, expires) VALUES (${rowid}, 'later', '', '', 0, 9e15)`,
      )
    }
    await last(1_000_000 - 1)
    await settle(world, FINISHED, { callId: 'c3' })
    expect(await rows('SELECT id FROM call ORDER BY rowid')).toEqual(['c1', 'c2', 'later', 'c3'])
    await rows("DELETE FROM call WHERE id = 'c3'")
    world.time += 10_000
    await last(1_000_000)
    await settle(world, FINISHED, { callId: 'c4' })
    expect(await rows('SELECT id FROM call ORDER BY rowid')).toEqual(['c2', 'later', 'c4'])
    await rows(`UPDATE call SET until = ${world.time + 1} WHERE id = 'c2'`)
    await settle(world, FINISHED, { callId: 'c5' })
    expect(await rows('SELECT id FROM call ORDER BY rowid')).toEqual(['c2', 'later', 'c4', 'c5'])
  })

  it.each([
    ['the bucket takes nothing', {}],
    ['there is no bucket', { outcomes: undefined }],
  ])('says that an outcome was too large to keep if %s', async (_, options) => {
    const world = createWorld()
    world.hasBucket = false
    world.idempotencyRecords = world.start(options)
    await settle(world, { ...FINISHED, result: { ok: true, value: 'x'.repeat(700_000) } })
    const message = 'The call succeeded, and its answer is too large to be given a second time'
    expect(await world.idempotencyRecords.claim(call())).toEqual({
      state: 'finished',
      finished: {
        ...FINISHED,
        result: { ok: false, failure: { type: 'tool-failed', message, can_retry: false } },
      },
    })
  })

  it('says that an outcome is unknown if its bucket is gone', async () => {
    const world = createWorld()
    await settle(world, { ...FINISHED, result: { ok: true, value: 'x'.repeat(60_000) } })
    world.idempotencyRecords = world.start({ outcomes: undefined })
    expect(await world.idempotencyRecords.claim(call())).toEqual({ state: 'unknown' })
  })

  it.each([
    ['call', { callId: 'c2' }, 'key:1'],
    ['principal', { principal: 'key:2' }, 'key:2'],
    ['invocation', { callId: 'c2', fingerprint: 'of another' }, 'key:1'],
  ])('does not unseal an outcome that was moved to another %s', async (_, other, object) => {
    const world = createWorld()
    await settle(world, FINISHED)
    await settle(world, FINISHED, other)
    const outcome = await world.within(
      'key:1',
      (_, { storage }) =>
        storage.sql.exec<{ outcome: string }>("SELECT outcome FROM call WHERE id = 'c1'").one().outcome,
    )
    await world.within(object, (_, { storage }) => void storage.sql.exec('UPDATE call SET outcome = ?', outcome))
    expect(await world.idempotencyRecords.claim(call(other))).toEqual({ state: 'unknown' })
  })

  it('recognizes a repeated claim, and keeps an unsettled one for a day', async () => {
    const world = createWorld()
    const request = { callId: 'c1', fingerprint: 'f', claim: 'a', process: '', forMs: 6_000 }
    const claim = () => world.within('key:1', (idempotencyRecords) => idempotencyRecords.claim(request))
    expect([await claim(), await claim()]).toEqual([{ state: 'claimed' }, { state: 'claimed' }])
    world.time += 86_406_000 - 1
    const another = () =>
      world.within('key:1', (idempotencyRecords) => idempotencyRecords.claim({ ...request, claim: 'b' }))
    expect(await another()).toEqual({ state: 'unknown' })
    world.time += 1
    expect(await another()).toEqual({ state: 'claimed' })
  })

  it('cleans up ten minutes after its first call expires, and sets no alarm without calls', async () => {
    const world = createWorld()
    const alarm = () => world.within('key:1', (_, { storage }) => storage.getAlarm())
    const first = world.time + 86_406_000 + 600_000
    await world.idempotencyRecords.claim(call())
    world.time += 1_000
    await world.idempotencyRecords.claim(call({ callId: 'c2' }))
    expect(await alarm()).toBe(first)
    const ring = () =>
      world.within('key:1', async (idempotencyRecords, { storage }) => {
        await storage.deleteAlarm()
        await idempotencyRecords.alarm()
      })
    world.time = first - 600_000
    await ring()
    expect(await alarm()).toBe(first + 1_000)
    world.time += 1_000
    await ring()
    expect(await alarm()).toBeNull()
  })

  describe('an idempotency store that hangs', () => {
    afterEach(() => void vi.useRealTimers())

    it('is abandoned ten seconds after the deadline of the call', async () => {
      const world = createWorld()
      world.hangs = true
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const claimed = world.idempotencyRecords.claim(call())
      let answer: unknown
      void claimed.then((came) => (answer = came))
      await vi.advanceTimersByTimeAsync(10_999)
      expect([answer, world.defects]).toEqual([undefined, []])
      await vi.advanceTimersByTimeAsync(1)
      expect(answer).toEqual({ state: 'unreachable' })
      world.hangs = false
      await world.idempotencyRecords.claim(call())
      expect(vi.getTimerCount()).toBe(0)
    })
  })
})
