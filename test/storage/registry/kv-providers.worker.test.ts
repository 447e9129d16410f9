import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createKvProviders, eitherProvider } from '../../../src/storage/registry/kv-providers.ts'
import type { RegistryObject } from '../../../src/storage/registry/registry-object.ts'
import type { Provider } from '../../../src/core/consent/provider.ts'

const ACME: Provider = { id: 'acme', name: 'Acme', issuer: 'https://acme.example', client_id: 'c1' }
const SECOND = 1_000

let registry: DurableObjectStub<RegistryObject>
let time = 0

beforeEach(() => {
  // A day ahead, so that no alarm of the outbox comes due by itself: `drain` runs them
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 })
  registry = env.Registry.getByName(crypto.randomUUID())
  time = 0
})
afterEach(() => vi.useRealTimers())

/** Publishes to KV what the registry holds. */
async function drain(): Promise<void> {
  while (await runDurableObjectAlarm(registry)) vi.setSystemTime(Date.now() + 2 * SECOND)
}

/** KV in memory and without caches, as far as it is read here. */
function memoryKv() {
  const values = new Map<string, string>()
  const reads: string[] = []
  const binding = new Proxy(env.REGISTRY, {
    get: () => async (key: string) => {
      reads.push(key)
      return values.get(key) ?? null
    },
  })
  return { values, reads, binding }
}

/** One isolate's view, and what it asked the Durable Object for. */
function isolate(kv = memoryKv()) {
  const asked: string[] = []
  const providers = createKvProviders({
    kv: kv.binding,
    registry: () =>
      new Proxy(registry, {
        get(stub, method) {
          const real: unknown = Reflect.get(stub, method)
          if (typeof real !== 'function') return real
          return (...given: unknown[]) => {
            asked.push(String(method))
            return Reflect.apply(real, stub, given)
          }
        },
      }),
    now: () => time,
  })
  return { ...providers, asked, kv }
}

describe('a provider that is given', () => {
  it('is there at once, here and in every other isolate', async () => {
    const [here, there] = [isolate(), isolate()]
    expect(await here.find('acme')).toBeUndefined()
    expect(await here.put(ACME)).toBe(true)
    expect(await here.find('acme')).toEqual(ACME)
    expect(await there.find('acme')).toEqual(ACME)
    expect(await there.list()).toEqual([ACME])
  })

  it('is replaced at once where that was done, whatever KV still says', async () => {
    const here = isolate()
    here.kv.values.set('provider/acme', JSON.stringify(ACME))
    const changed = { ...ACME, client_id: 'c2' }
    await here.put(ACME)
    expect(await here.put(changed)).toBe(false)
    expect(await here.find('acme')).toEqual(changed)
    time += 59 * SECOND
    expect(await here.find('acme')).toEqual(changed)
  })

  it('is gone at once where it was removed, whatever KV still says', async () => {
    const here = isolate()
    here.kv.values.set('provider/acme', JSON.stringify(ACME))
    await here.put(ACME)
    expect(await here.remove('acme')).toBe(true)
    expect(await here.find('acme')).toBeUndefined()
    expect(await here.remove('acme')).toBe(false)
    expect(await here.list()).toEqual([])
  })

  it('is the same id by its very letters only', async () => {
    const here = isolate()
    await here.put(ACME)
    expect(await here.find('Acme')).toBeUndefined()
    expect(await here.find('acme ')).toBeUndefined()
    expect(await here.find('')).toBeUndefined()
  })

  it('is written to KV, overwritten there and deleted', async () => {
    const here = isolate()
    const id = `a/${crypto.randomUUID()}%`
    const stored = () => env.REGISTRY.get(`provider/${id}`, 'json')
    await here.put({ ...ACME, id })
    await drain()
    expect(await stored()).toEqual({ ...ACME, id })
    await here.put({ ...ACME, id, client_id: 'c2' })
    await drain()
    expect(await stored()).toEqual({ ...ACME, id, client_id: 'c2' })
    await here.remove(id)
    await drain()
    expect(await stored()).toBeNull()
  })
})

describe('an isolate', () => {
  it('reads KV alone for a provider that is there, and nothing for the next seconds', async () => {
    const { find, asked, kv } = isolate()
    kv.values.set('provider/acme', JSON.stringify(ACME))
    for (let calls = 0; calls < 3; calls++) expect(await find('acme')).toEqual(ACME)
    expect(kv.reads).toEqual(['provider/acme'])
    kv.values.delete('provider/acme')
    time += 5 * SECOND
    expect(await find('acme')).toBeUndefined()
    expect(asked).toEqual(['provider'])
  })

  it('remembers for a while that there is none', async () => {
    const { find, asked, kv } = isolate()
    for (let calls = 0; calls < 3; calls++) expect(await find('nobody')).toBeUndefined()
    expect(asked).toEqual(['provider'])
    expect(kv.reads).toHaveLength(1)
  })

  it('asks the registry about few unknown ids a second', async () => {
    const { find, asked } = isolate()
    for (let made = 0; made < 200; made++) await find(`made-up-${made}`)
    expect(asked).toHaveLength(50)
    time += SECOND
    await find('made-up-next')
    expect(asked).toHaveLength(51)
  })

  it('keeps nothing that was looked up while it changed', async () => {
    const here = isolate()
    here.kv.values.set('provider/acme', JSON.stringify(ACME))
    const late = here.find('acme')
    await here.put({ ...ACME, client_id: 'c2' })
    await late
    expect(await here.find('acme')).toMatchObject({ client_id: 'c2' })
  })
})

it('what was given comes before what is connected by variables', async () => {
  const given = isolate()
  const builtIn = { ...ACME, client_id: 'by-variable' }
  const { find } = eitherProvider(given, (id) => (id === 'acme' ? builtIn : undefined))
  expect(await find('acme')).toEqual(builtIn)
  await given.put(ACME)
  expect(await find('acme')).toEqual(ACME)
  expect(await find('other')).toBeUndefined()
})
