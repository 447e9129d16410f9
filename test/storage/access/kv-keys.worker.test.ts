import { describe, expect, it } from 'vitest'
import type { ApiKey } from '../../../src/core/access/api-key.ts'
import { computeRevision } from '../../../src/core/tool/precondition.ts'
import { createKvKeys } from '../../../src/storage/access/kv-keys.ts'
import { stopClock } from '../registry/set-up.ts'
import { type Harness, inAccess, stubOf } from './set-up.ts'

const KEY: ApiKey = { id: 'k', name: 'a', scopes: ['tools:call'], tools: ['*'], users: [], created_at: '' }
const HOUR = 3_600_000
const stored = ({ kv }: Harness, hash: string) => JSON.parse(kv.values.get(`key/${hash}`) ?? 'null')
const until = (ms: number) => new Date(ms).toISOString()

stopClock()

/** One isolate's view, for which nothing gets old. */
function isolate({ access, kv }: Harness) {
  const asked: string[] = []
  const stub = stubOf(access, asked)
  return { ...createKvKeys(kv.binding, stub, () => 0), asked }
}
const ROTATED = { ...KEY, prefix: 'sb_1', previous_expires_at: until(HOUR) }

describe('a key', () => {
  it('is found by its hash and by its id in every isolate at once', () =>
    inAccess(async (harness) => {
      const [here, there] = [isolate(harness), isolate(harness)]
      await here.create(KEY, 'h')
      for (const { find, list, findById: withId } of [here, there]) {
        expect([await find('h'), await withId('k'), await list()]).toEqual([KEY, KEY, [KEY]])
        expect([await find('k'), await withId('h')]).toEqual([undefined, undefined])
      }
      await harness.drain()
      expect(stored(harness, 'h')).toEqual(KEY)
    }))

  it('is changed in storage, and the isolate that changed it sees that at once', () =>
    inAccess(async (harness) => {
      const { create, change, find, findById: withId } = isolate(harness)
      await create(KEY, 'h')
      await harness.drain()
      const changed = { ...KEY, tools: ['Mail.*'] }
      expect(await change('k', { tools: ['Mail.*'] }, [computeRevision(JSON.stringify(KEY))])).toEqual(changed)
      expect([await find('h'), stored(harness, 'h')]).toEqual([changed, KEY])
      expect(await change('k', { tools: ['*'] }, [computeRevision(JSON.stringify(KEY))])).toBe('precondition-failed')
      expect(await withId('k')).toEqual(changed)
      expect(await change('none', {}, '*')).toBeUndefined()
      await harness.drain()
      expect(stored(harness, 'h')).toEqual(changed)
    }))

  it('that is rotated has two texts until the overlap ends, and never three', () =>
    inAccess(async (harness) => {
      const { create, rotate, change, find } = isolate(harness)
      await create(KEY, 'first')
      await harness.drain()
      for (let n = 0; n < 2; n += 1) expect(await rotate('k', 'second', 'sb_1', HOUR)).toEqual(ROTATED)
      const first = { ...ROTATED, expires_at: until(HOUR) }
      expect([await find('first'), await find('second')]).toEqual([first, ROTATED])
      await harness.drain()
      expect([stored(harness, 'first'), stored(harness, 'second')]).toEqual([first, ROTATED])

      const changed = await change('k', { name: 'b', expires_at: until(HOUR / 2) })
      expect([await find('first'), await find('second')]).toEqual([changed, changed])
      await harness.drain()
      expect(stored(harness, 'first')).toEqual(changed)

      await rotate('k', 'third', 'sb_1', HOUR)
      expect(await find('first')).toBeUndefined()
      expect(await find('second')).toEqual(changed)
      await harness.drain()
      expect([...harness.kv.values.keys()].toSorted()).toEqual(['key/second', 'key/third'])
      expect(await rotate('none', 'fourth', 'sb_1', HOUR)).toBeUndefined()
    }))

  it('is removed only if it matches the precondition, with all of its texts and in every isolate', () =>
    inAccess(async (harness) => {
      const { create, rotate, remove, find, listLastUses } = isolate(harness)
      await create(KEY, 'first')
      await create({ ...KEY, id: 'other' }, 'of another')
      await rotate('k', 'second', 'sb_1', HOUR)
      harness.access.noteUse(['k', 'other'], 5)
      await harness.drain()
      expect(await remove('k', ['another revision'])).toBe('precondition-failed')
      expect(await remove('none', ['another revision'])).toBe('not-found')
      expect(await find('second')).toEqual(ROTATED)
      expect(await remove('k', '*')).toBe('removed')
      await harness.drain()
      expect([...harness.kv.values.keys()]).toEqual(['key/of another'])
      expect(harness.sql.exec('SELECT * FROM earlier_key').toArray()).toEqual([])
      expect(await listLastUses()).toEqual({ other: 5 })
    }))

  it('keeps the latest time of use, even if an earlier one is reported later', () =>
    inAccess(async (harness) => {
      const { create, listLastUses } = isolate(harness)
      await create(KEY, 'h')
      harness.access.noteUse(['k', 'none'], 7)
      harness.access.noteUse(['k'], 5)
      expect(await listLastUses()).toEqual({ k: 7 })
    }))
})

it('a provider is stored and removed only if it matches the precondition', () =>
  inAccess(async ({ access }) => {
    const provider = { id: 'p', name: '', client_id: 'c' }
    const renamed = { ...provider, name: 'b' }
    expect(await access.putSetting('provider', provider, '*')).toBe('precondition-failed')
    expect(await access.putSetting('provider', provider)).toBe('created')
    expect(await access.putSetting('provider', renamed, ['another revision'])).toBe('precondition-failed')
    expect(await access.removeSetting('provider', 'p', ['another revision'])).toBe('precondition-failed')
    expect(access.listSettings('provider')).toEqual([JSON.stringify(provider)])
    // A key's id and a provider's have nothing to do with each other
    await access.createKey({ ...KEY, id: 'p' }, 'first')
    await access.rotateKey('p', 'second', 'sb_1', HOUR)
    access.noteUse(['p'], 5)
    expect(await access.removeSetting('provider', 'p', '*')).toBe('removed')
    expect([access.listLastUses(), access.value('key/first')]).toEqual([{ p: 5 }, expect.any(String)])
  }))
