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

describe('a provider that is stored', () => {
  it('is found at once in every isolate', () =>
    inAccess(async (harness) => {
      const [here, there] = [isolate(harness), isolate(harness)]
      expect(await here.find('acme')).toBeUndefined()
      expect(await here.put(ACME)).toBe('created')
      expect(await here.find('acme')).toEqual(ACME)
      expect(await there.find('acme')).toEqual(ACME)
      expect(await there.list()).toEqual([ACME])
    }))

  it('is replaced at once in the isolate that replaced it, even while KV has the old one', () =>
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

  it('is gone at once in the isolate that removed it, even while KV still has it', () =>
    inAccess(async (harness) => {
      const here = isolate(harness)
      harness.kv.values.set('provider/acme', JSON.stringify(ACME))
      await here.put(ACME)
      expect(await here.remove('acme')).toBe('removed')
      expect(await here.find('acme')).toBeUndefined()
      expect(await here.remove('acme')).toBe('not-found')
      expect(await here.list()).toEqual([])
    }))

  it('is found only by its exact id', () =>
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
  it('reads a provider that exists from KV only, and reads nothing for the next seconds', () =>
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

  it('remembers for a while that a provider does not exist', () =>
    inAccess(async (harness) => {
      const { find, asked } = isolate(harness)
      for (let calls = 0; calls < 3; calls++) expect(await find('nobody')).toBeUndefined()
      expect(asked).toEqual(['value'])
      expect(harness.kv.reads).toHaveLength(1)
    }))

  it('asks the Durable Object about a limited number of unknown ids per second', () =>
    inAccess(async (harness) => {
      const { find, asked, clock } = isolate(harness)
      for (let made = 0; made < 200; made++) await find(`made-up-${made}`)
      expect(asked).toHaveLength(50)
      clock.time += SECOND
      await find('made-up-next')
      expect(asked).toHaveLength(51)
    }))

  it('does not cache what was looked up during a change', () =>
    inAccess(async (harness) => {
      const here = isolate(harness)
      harness.kv.values.set('provider/acme', JSON.stringify(ACME))
      const late = here.find('acme')
      await here.put({ ...ACME, client_id: 'c2' })
      await late
      expect(await here.find('acme')).toMatchObject({ client_id: 'c2' })
    }))
})
