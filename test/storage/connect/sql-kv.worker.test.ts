import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { createSqlKv, deleteAgentEntries } from '../../../src/storage/connect/sql-kv.ts'
import { createTables, sweep } from '../../../src/storage/connect/tables.ts'

const START = Date.parse('2030-01-01T00:00:00Z')

/** Runs a test with entries over new tables, and a clock that moves only when it is set. */
async function inEntries(
  use: (world: { entries: ReturnType<typeof createSqlKv>; sql: SqlStorage; at: { now: number } }) => Promise<void>,
): Promise<void> {
  await runInDurableObject(env.Connect.getByName(crypto.randomUUID()), async (_, { storage: { sql } }) => {
    createTables(sql)
    const at = { now: START }
    await use({ entries: createSqlKv(sql, () => at.now), sql, at })
  })
}

it('a value can be read at once, as text or as JSON, until it expires', () =>
  inEntries(async ({ entries, sql, at }) => {
    expect(await entries.get('a')).toBeNull()
    await entries.put('a', '{"n":1}')
    await entries.put('short', '1', { expirationTtl: 60 })
    await entries.put('until', '1', { expiration: START / 1_000 + 120 })
    expect(await entries.get('a')).toBe('{"n":1}')
    expect(await entries.get('a', 'json')).toEqual({ n: 1 })
    expect(await entries.get('a', { type: 'json' })).toEqual({ n: 1 })
    await entries.put('a', '2')
    expect(await entries.get('a', 'json')).toBe(2)
    at.now += 60_000
    expect([await entries.get('short'), await entries.get('until')]).toEqual([null, '1'])
    at.now += 60_000
    expect(await entries.get('until')).toBeNull()
    expect(sql.exec('SELECT key FROM entry').toArray()).toHaveLength(3)
    sweep(sql, at.now)
    expect(sql.exec('SELECT key FROM entry').toArray()).toEqual([{ key: 'a' }])
    await entries.delete('a')
    expect(await entries.get('a')).toBeNull()
  }))

it('keys with a prefix are listed', () =>
  inEntries(async ({ entries }) => {
    for (const key of ['grant:a:1', 'grant:a:2', 'grant:ab:1', 'token:a:1', 'grant']) await entries.put(key, '1')
    const listed = await entries.list({ prefix: 'grant:a:' })
    expect(listed).toEqual({ keys: [{ name: 'grant:a:1' }, { name: 'grant:a:2' }], list_complete: true })
    // A percent sign is no pattern
    expect((await entries.list({ prefix: 'grant:%' })).keys).toEqual([])
  }))

it('deleting the entries of an agent leaves those of others', () =>
  inEntries(async ({ entries, sql }) => {
    for (const key of ['grant:a:1', 'token:a:1:x', 'grant:ab:1', 'token:b:1:x', 'client:a']) await entries.put(key, '1')
    deleteAgentEntries(sql, 'a')
    expect((await entries.list({ prefix: '' })).keys.map(({ name }) => name)).toEqual([
      'client:a',
      'grant:ab:1',
      'token:b:1:x',
    ])
  }))
