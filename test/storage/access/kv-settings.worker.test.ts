import { describe, expect, it } from 'vitest'
import { isProviderId, type Provider } from '../../../src/core/consent/provider.ts'
import { createKvSettings } from '../../../src/storage/access/kv-settings.ts'
import { stopClock } from '../registry/set-up.ts'
import { type Harness, inAccess, stubOf } from './set-up.ts'

const ACME: Provider = { id: 'acme', name: 'Acme', issuer: 'https://acme.example', client_id: 'c1' }
const SECOND = 1_000

stopClock()

/** One isolate's view, with its own clock, and its requests to the Durable Object. */
function isolate({ access, kv }: Pick<Harness, 'access' | 'kv'>) {
  const asked: string[] = []
  const clock = { time: 0 }
  const stub = stubOf(access, asked)
  const providers = createKvSettings<Provider>(kv.binding, stub, () => clock.time, {
    kind: 'provider',
    isId: isProviderId,
  })
  return { ...providers, asked, clock }
}

describe('a provider that is given', () => {
  it('is there at once, here and in every other isolate', () =>
    inAccess(async (harness) => {
      const [here, there] = [isolate(harness), isolate(harness)]
      expect(await here.find('acme')).toBeUndefined()
      expect(await here.put(ACME)).toBe('created')
      expect(await here.find('acme')).toEqual(ACME)
      expect(await there.find('acme')).toEqual(ACME)
      expect(await there.list()).toEqual([ACME])
    }))

  it('is replaced at once where that was done, whatever KV still says', () =>
    inAccess(async (harness) => {
      const here = isolate(harness)
      harness.kv.values.set('provider/acme', JSON.stringify(ACME))
      const changed = { ...ACME, client_id: 'c2' }
      await here.put(ACME)
      expect(await here.put(changed)).toBe('replaced')
      expect(await here.find('acme')).toEqual(changed)
      here.clock.time += 59 * SECOND
      expect(await here.find('acme')).toEqual(changed)
    }))

  it('is gone at once where it was removed, whatever KV still says', () =>
    inAccess(async (harness) => {
      const here = isolate(harness)
      harness.kv.values.set('provider/acme', JSON.stringify(ACME))
      await here.put(ACME)
      expect(await here.remove('acme')).toBe('removed')
      expect(await here.find('acme')).toBeUndefined()
      expect(await here.remove('acme')).toBe('not-found')
      expect(await here.list()).toEqual([])
    }))

  it('is the same id by its very letters only', () =>
    inAccess(async (harness) => {
      const here = isolate(harness)
      await here.put(ACME)
      expect(await here.find('Acme')).toBeUndefined()
      expect(await here.find('acme ')).toBeUndefined()
      expect(await here.find('')).toBeUndefined()
    }))

  it('is written to KV, overwritten there and deleted', () =>
    inAccess(async (harness) => {
      const here = isolate(harness)
      const id = 'a/b%'
      const stored = () => JSON.parse(harness.kv.values.get(`provider/${id}`) ?? 'null')
      await here.put({ ...ACME, id })
      await harness.drain()
      expect(stored()).toEqual({ ...ACME, id })
      await here.put({ ...ACME, id, client_id: 'c2' })
      await harness.drain()
      expect(stored()).toEqual({ ...ACME, id, client_id: 'c2' })
      await here.remove(id)
      await harness.drain()
      expect(stored()).toBeNull()
    }))
})

describe('an isolate', () => {
  it('reads KV alone for a provider that is there, and nothing for the next seconds', () =>
    inAccess(async (harness) => {
      const { kv } = harness
      const { find, asked, clock } = isolate(harness)
      kv.values.set('provider/acme', JSON.stringify(ACME))
      for (let calls = 0; calls < 3; calls++) expect(await find('acme')).toEqual(ACME)
      expect(kv.reads).toEqual(['provider/acme'])
      kv.values.delete('provider/acme')
      clock.time += 5 * SECOND
      expect(await find('acme')).toBeUndefined()
      expect(asked).toEqual(['value'])
    }))

  it('remembers for a while that there is none', () =>
    inAccess(async (harness) => {
      const { find, asked } = isolate(harness)
      for (let calls = 0; calls < 3; calls++) expect(await find('nobody')).toBeUndefined()
      expect(asked).toEqual(['value'])
      expect(harness.kv.reads).toHaveLength(1)
    }))

  it('asks the Durable Object about few unknown ids a second', () =>
    inAccess(async (harness) => {
      const { find, asked, clock } = isolate(harness)
      for (let made = 0; made < 200; made++) await find(`made-up-${made}`)
      expect(asked).toHaveLength(50)
      clock.time += SECOND
      await find('made-up-next')
      expect(asked).toHaveLength(51)
    }))

  it('keeps nothing that was looked up while it changed', () =>
    inAccess(async (harness) => {
      const here = isolate(harness)
      harness.kv.values.set('provider/acme', JSON.stringify(ACME))
      const late = here.find('acme')
      await here.put({ ...ACME, client_id: 'c2' })
      await late
      expect(await here.find('acme')).toMatchObject({ client_id: 'c2' })
    }))
})
