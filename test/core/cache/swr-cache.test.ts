import { describe, expect, it } from 'vitest'
import { type CacheAges, createSwrCache, type CacheEntry } from '../../../src/core/cache/swr-cache.ts'
import { UnreachableError } from '../../../src/core/failure/failure.ts'

const AGES = { fresh: 10, stale: 30, staleIfError: 50 }

/** Values that are kept, where `load` gives the one stored, and what it was asked for. */
function setUp(agesOf: (value: string) => CacheAges | undefined = () => AGES) {
  const store = new Map<string, CacheEntry<string>>()
  const clock = { now: 0 }
  const loads: string[] = []
  const behind: Promise<unknown>[] = []
  const stored: { value: string; error?: Error } = { value: 'one' }
  const kept = createSwrCache({ store, getAges: agesOf, now: () => clock.now })
  const load = async (key: string) => {
    loads.push(key)
    const { value, error } = stored
    await Promise.resolve()
    if (error) throw error
    return value
  }
  const background = (work: Promise<unknown>) => void behind.push(work)
  return {
    ...kept,
    get: (key = 'k') => kept.get(key, load, background),
    kept,
    load,
    store,
    clock,
    loads,
    behind,
    stored,
  }
}

it('a value is loaded once for each key, and returned at once while it is fresh', async () => {
  const { get, clock, loads, behind } = setUp()
  expect(await get()).toBe('one')
  clock.now = 9
  expect([get(), loads, behind]).toEqual(['one', ['k'], []])
  expect(await get('other')).toBe('one')
  expect(loads).toEqual(['k', 'other'])
})

it('an old value is returned, and reloaded by one request in the background', async () => {
  const { get, clock, behind, stored } = setUp()
  await get()
  stored.value = 'two'
  clock.now = 10
  expect([get(), get(), behind.length]).toEqual(['one', 'one', 1])
  await Promise.all(behind)
  clock.now = 19
  expect([get(), behind.length]).toEqual(['two', 1])
})

it('an old value is awaited by one request if there is no background', async () => {
  const { get, kept, load, clock, stored } = setUp()
  await get()
  stored.value = 'two'
  clock.now = 10
  const waits = kept.get('k', load)
  expect(kept.get('k', load)).toBe('one')
  expect(await waits).toBe('two')
})

it('a stale value is awaited by all requests', async () => {
  const { get, clock, loads, stored } = setUp()
  await get()
  stored.value = 'two'
  clock.now = 30
  expect(await Promise.all([get(), get()])).toEqual(['two', 'two'])
  expect(loads).toHaveLength(3)
})

it('a value that fails to reload in the background is tried again, and is never returned once stale', async () => {
  const { get, clock, behind, stored } = setUp()
  await get()
  stored.error = new Error('Storage')
  for (const [at, tries] of [
    [10, 1],
    [19, 1],
    [20, 2],
  ] as const) {
    clock.now = at
    expect([get(), behind.length]).toEqual(['one', tries])
  }
  for (const work of behind) await expect(work).rejects.toThrow('Storage')
  clock.now = 30
  await expect(get()).rejects.toThrow('Storage')
})

it("a value's age counts from the start of its load, and its ages may forbid caching it", async () => {
  const { kept, clock } = setUp((value) => (value === 'kept' ? { fresh: 2 } : undefined))
  const slowly = (value: string) => async () => {
    clock.now += 1
    return value
  }
  await kept.get('k', slowly('kept'))
  expect(kept.get('k', slowly('kept'))).toBe('kept')
  clock.now = 2
  expect(await kept.get('k', slowly('other'))).toBe('other')
  expect(kept.peek('k')).toBe('kept')
  expect(await kept.get('new', slowly('other'))).toBe('other')
  expect(kept.peek('new')).toBeUndefined()
})

it('a value may be undefined', async () => {
  const kept = createSwrCache<string | undefined>({ store: new Map(), getAges: () => AGES, now: () => 0 })
  expect(await kept.get('k', async () => undefined)).toBeUndefined()
  expect(kept.get('k', async () => 'other')).toBeUndefined()
})

it('the last value is returned while storage is unreachable, and reloading is rarely attempted', async () => {
  const { get, clock, loads, stored } = setUp()
  await get()
  stored.error = new UnreachableError('away')
  clock.now = 45
  expect(await get()).toBe('one')
  clock.now = 49
  expect([get(), loads.length]).toEqual(['one', 2])
  clock.now = 50
  await expect(get()).rejects.toThrow(UnreachableError)
})

it('the last value is not returned for other errors, nor if there was none', async () => {
  const { get, clock, stored } = setUp()
  stored.error = new UnreachableError('away')
  await expect(get()).rejects.toThrow(UnreachableError)
  delete stored.error
  await get()
  stored.error = new Error('Storage')
  clock.now = 30
  await expect(get()).rejects.toThrow('Storage')
})

describe.each(['invalidate', 'expire'] as const)('after %s', (how) => {
  it(`after ${how} the next request waits for the new value`, async () => {
    const { get, stored, ...kept } = setUp()
    await get()
    stored.value = 'two'
    kept[how]()
    expect(kept.peek('k')).toBe(how === 'expire' ? 'one' : undefined)
    expect(await get()).toBe('two')
    expect(get()).toBe('two')
  })

  it(`after ${how} a value whose load started before is returned once, and not cached`, async () => {
    const { get, stored, ...kept } = setUp()
    const begun = get()
    stored.value = 'two'
    kept[how]()
    expect(await begun).toBe('one')
    expect(kept.peek('k')).toBeUndefined()
    expect(await get()).toBe('two')
  })

  it(`after ${how} a load that started before and fails returns no last value`, async () => {
    const { get, clock, stored, ...kept } = setUp()
    await get()
    clock.now = 30
    stored.error = new UnreachableError('away')
    const begun = get()
    kept[how]()
    await expect(begun).rejects.toThrow(UnreachableError)
    // What was so before the change is the last resort after `expire` alone
    if (how === 'expire') expect(await get()).toBe('one')
    else await expect(get()).rejects.toThrow(UnreachableError)
  })
})

it('invalidating some values by value or key removes those, and no running load is cached', async () => {
  const { get, kept, stored } = setUp()
  await get('a')
  stored.value = 'two'
  await get('b')
  const begun = get('c')
  kept.invalidate((value, key) => value === 'one' || key === 'x')
  await begun
  expect(['a', 'b', 'c'].map((key) => kept.peek(key))).toEqual([undefined, 'two', undefined])
})
