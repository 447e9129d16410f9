import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { stopClock } from '../registry/set-up.ts'
import { type Harness, inAccess } from './set-up.ts'

const key = (id: string) => ({ id, hash: `hash of ${id}`, body: JSON.stringify({ id }) })
const LEFT = {
  keys: ['one', 'two', 'three'].map(key),
  providers: [{ id: 'acme', body: '{"id":"acme"}' }],
  waiting: ['key/hash of two', 'key/hash of one that was deleted', 'provider/acme'],
}
const idsOf = (texts: readonly string[]): string[] => texts.map((text) => JSON.parse(text).id)

async function all({ access }: Pick<Harness, 'access'>) {
  return { keys: idsOf(await access.given('apiKey')), providers: idsOf(await access.given('provider')) }
}
const ALL = { keys: ['one', 'two', 'three'], providers: ['acme'] }

stopClock()

describe('what an earlier version kept in the registry', () => {
  it('is taken over once, and forgotten there', () =>
    inAccess(async (harness) => {
      const { earlier, restart } = harness
      earlier.left = LEFT
      expect(await all(harness)).toEqual(ALL)
      expect(await harness.access.value('key/hash of three')).toBe('{"id":"three"}')
      earlier.left = { ...LEFT, keys: [key('from nowhere')] }
      restart()
      expect(await all(harness)).toEqual(ALL)
      expect(earlier.asked).toEqual(['leftBehind', 'forgetLeftBehind'])
    }))

  it('goes on to KV where it had not come there yet, and stays where it had', () =>
    inAccess(async ({ earlier, access, kv, drain }) => {
      earlier.left = LEFT
      kv.values.set('key/hash of one that was deleted', '{"id":"deleted"}')
      await access.given('apiKey')
      await drain()
      expect(kv.log.map(({ key: written }) => written).sort()).toEqual([...LEFT.waiting].sort())
      expect(Object.fromEntries(kv.values)).toEqual({
        'key/hash of two': '{"id":"two"}',
        'provider/acme': '{"id":"acme"}',
      })
    }))

  it.each(['leftBehind', 'forgetLeftBehind'] as const)('is taken over whole when %s fails, or all stops there', (at) =>
    inAccess(async (harness) => {
      const { earlier, restart } = harness
      earlier.left = LEFT
      earlier.meanwhile = (asked) => {
        if (asked === at) throw new Error('overloaded')
      }
      const first = await all(harness).catch(String)
      expect(first).toEqual(at === 'leftBehind' ? 'Error: Switchboard cannot reach its registry right now' : ALL)
      restart()
      earlier.meanwhile = () => undefined
      expect(await all(harness)).toEqual(ALL)
      expect(earlier.left.keys).toEqual([])
    }),
  )

  it('never brings back what was deleted here since, though it was not forgotten there', () =>
    inAccess(async (harness) => {
      const { earlier, restart } = harness
      earlier.left = LEFT
      earlier.meanwhile = (asked) => {
        if (asked === 'forgetLeftBehind') throw new Error('overloaded')
      }
      expect(await harness.access.removeGiven('apiKey', 'two')).toBe(true)
      expect(await harness.access.removeGiven('provider', 'acme')).toBe(true)
      restart()
      expect(await all(harness)).toEqual({ keys: ['one', 'three'], providers: [] })
      expect(await harness.access.value('key/hash of two')).toBeUndefined()
    }))

  it('never comes back with a second request that asked before the first had stored it', () =>
    inAccess(async (harness) => {
      const { access, earlier } = harness
      earlier.left = LEFT
      let answerLate = () => {}
      const late = new Promise<void>((done) => (answerLate = done))
      earlier.meanwhile = (asked) => (asked === 'leftBehind' ? late : undefined)
      const second = access.given('apiKey')
      earlier.meanwhile = () => undefined
      expect(await access.removeGiven('apiKey', 'one')).toBe(true)
      answerLate()
      await second
      expect((await all(harness)).keys).toEqual(['two', 'three'])
    }))

  it('comes from the tables as they were, with what waited in their outbox', async () => {
    const registry = env.Registry.getByName('registry')
    await runInDurableObject(registry, (_, { storage: { sql } }) => {
      sql.exec(`CREATE TABLE api_key (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, body TEXT NOT NULL);
        CREATE TABLE provider (id TEXT PRIMARY KEY, body TEXT NOT NULL)`)
      for (const { id, hash, body } of LEFT.keys) sql.exec('INSERT INTO api_key VALUES (?, ?, ?)', id, hash, body)
      for (const { id, body } of LEFT.providers) sql.exec('INSERT INTO provider VALUES (?, ?)', id, body)
      for (const target of LEFT.waiting) sql.exec('INSERT INTO outbox VALUES (?, 1, 1, 0)', target)
    })
    const access = env.Access.getByName('access')
    expect(idsOf(await access.given('apiKey'))).toEqual(ALL.keys)
    expect(idsOf(await access.given('provider'))).toEqual(ALL.providers)
    expect(await registry.leftBehind()).toEqual({ keys: [], providers: [], waiting: [] })
    await runInDurableObject(registry, (_, { storage: { sql } }) => {
      const targets = sql
        .exec<{ target: string }>('SELECT target FROM outbox')
        .toArray()
        .map(({ target }) => target)
      expect(targets.filter((target) => LEFT.waiting.includes(target))).toEqual([])
      const tables = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray()
      expect(tables.map(({ name }) => name)).not.toContain('api_key')
    })
    await runInDurableObject(access, (_, { storage: { sql } }) => {
      const waiting = sql.exec<{ target: string }>('SELECT target FROM outbox').toArray()
      expect(waiting.map(({ target }) => target).sort()).toEqual([...LEFT.waiting].sort())
    })
  })
})
