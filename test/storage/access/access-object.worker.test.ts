import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { Access } from '../../../src/storage/access/access-object.ts'
import { stopClock } from '../registry/set-up.ts'
import { inAccess } from './set-up.ts'

const KEY = { id: 'k', name: '', scopes: [], tools: [], users: [], created_at: '' } as const
const PROVIDER = { id: 'p', name: '', client_id: 'c' }

stopClock()

describe('the secret of a deployment', () => {
  it('is random, is created once and is kept', async () => {
    const fresh = () => env.Access.getByName(crypto.randomUUID())
    const access = fresh()
    const secret = await access.deploymentSecret()
    expect(secret).toMatch(/^[\w-]{43}$/)
    expect(await access.deploymentSecret()).toBe(secret)
    await runInDurableObject(access, (_, state) => {
      expect(new Access(state, env).deploymentSecret()).toBe(secret)
    })
    expect(await fresh().deploymentSecret()).not.toBe(secret)
  })
})

describe('a key or a provider', () => {
  it('is deleted from KV after it is removed, whether or not KV had it yet', () =>
    inAccess(async ({ access, kv, drain }) => {
      for (const isLanded of [true, false]) {
        await access.createKey(KEY, 'hash')
        await access.putSetting('provider', PROVIDER)
        if (isLanded) {
          await drain()
          expect(JSON.parse(kv.values.get('key/hash') ?? '')).toEqual(KEY)
          expect(JSON.parse(kv.values.get('provider/p') ?? '')).toEqual(PROVIDER)
        }
        expect(await access.removeSetting('apiKey', 'k')).toBe('removed')
        expect(await access.removeSetting('provider', 'p')).toBe('removed')
        expect(await access.value('key/hash')).toBeUndefined()
        await drain()
        expect([...kv.values.keys()]).toEqual([])
      }
      expect(await access.removeSetting('apiKey', 'k')).toBe('not-found')
      expect(await access.removeSetting('provider', 'p')).toBe('not-found')
    }))

  it('is stored once if the request is repeated because its response was lost', () =>
    inAccess(async ({ access, kv, drain }) => {
      for (let n = 0; n < 2; n += 1) {
        await access.createKey(KEY, 'hash')
        await access.putSetting('provider', PROVIDER)
      }
      expect(await access.listSettings('apiKey')).toEqual([JSON.stringify(KEY)])
      expect(await access.listSettings('provider')).toHaveLength(1)
      await drain()
      expect(kv.values.has('key/hash')).toBe(true)
    }))

  it('that is removed while KV refuses writes is deleted from KV once KV accepts them', () =>
    inAccess(async ({ access, kv, runAlarm, drain }) => {
      await access.createKey(KEY, 'hash')
      await drain()
      kv.refuse = () => true
      await access.removeSetting('apiKey', 'k')
      for (let n = 0; n < 3; n += 1) await runAlarm()
      expect(kv.values.has('key/hash')).toBe(true)
      expect(await access.value('key/hash')).toBeUndefined()
      kv.refuse = () => false
      await drain()
      expect(kv.values.has('key/hash')).toBe(false)
    }))

  it('that is removed is deleted from KV before a thousand others are written', () =>
    inAccess(async ({ access, kv, drain, runAlarm }) => {
      await access.createKey(KEY, 'hash')
      await drain()
      for (let n = 0; n < 1_000; n += 1) await access.createKey({ ...KEY, id: `k${n}` }, `hash-${n}`)
      await access.removeSetting('apiKey', 'k')
      await runAlarm()
      expect(kv.values.has('key/hash')).toBe(false)
      expect(kv.values.has('key/hash-999')).toBe(false)
      await drain()
      expect(kv.values.size).toBe(1_000)
    }))

  it('that is removed and created again during a write ends up in KV as it is now', () =>
    inAccess(async ({ access, kv, drain }) => {
      await access.createKey(KEY, 'hash')
      let changed = false
      kv.meanwhile = async () => {
        if (changed) return
        changed = true
        await access.removeSetting('apiKey', 'k')
      }
      await drain()
      expect(kv.values.has('key/hash')).toBe(false)
    }))

  it('is still there after a restart, in order of creation', () =>
    inAccess(async ({ access, restart, kv }) => {
      for (const id of ['b', 'a']) await access.createKey({ ...KEY, id }, `hash of ${id}`)
      kv.values.clear()
      const ids = (await restart().listSettings('apiKey')).map((text) => JSON.parse(text).id)
      expect(ids).toEqual(['b', 'a'])
    }))
})
