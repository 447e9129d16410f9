import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { Access } from '../../src/storage/access/access-object.ts'
import { hasTables, openTables } from '../../src/storage/schema.ts'

const SCHEMA = {
  object: 'an IdempotencyStore',
  version: 2,
  tables: 'CREATE TABLE call (id TEXT); CREATE TABLE other (id TEXT);',
}

/** The storage of a Durable Object that has stored nothing: a vault has no tables until it is used. */
const inStorage = (use: (sql: SqlStorage) => void) =>
  runInDurableObject(env.Vault.getByName(crypto.randomUUID()), (_, { storage }) => use(storage.sql))

describe('the tables of an object', () => {
  it('are created once, and kept', () =>
    inStorage((sql) => {
      expect(hasTables(sql)).toBe(false)
      expect(openTables(sql, SCHEMA)).toBe(true)
      sql.exec("INSERT INTO call VALUES ('one')")
      expect(openTables(sql, SCHEMA)).toBe(false)
      expect(sql.exec('SELECT id FROM call').toArray()).toEqual([{ id: 'one' }])
      expect(hasTables(sql)).toBe(true)
    }))

  it.each(['__miniflare_do_name', '_of_a_later_platform', 'sqlite_stat1'])(
    "are created next to the table '%s' of the platform, which is not counted",
    (name) =>
      inStorage((sql) => {
        if (name.startsWith('_')) sql.exec(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, name TEXT)`)
        else sql.exec('CREATE TABLE gone (id TEXT); CREATE INDEX gone_id ON gone (id); ANALYZE; DROP TABLE gone')
        expect(sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'").toArray()).toContainEqual({ name })
        expect(hasTables(sql)).toBe(false)
        expect(openTables(sql, SCHEMA)).toBe(true)
        expect(openTables(sql, SCHEMA)).toBe(false)
      }),
  )

  it.each([
    ['an earlier version', 'UPDATE schema_version SET version = 1', '1'],
    ['a later version', 'UPDATE schema_version SET version = 3', '3'],
    ['no version', 'DROP TABLE schema_version', 'none'],
  ])('of %s are refused, with instructions, and stay unchanged', (_, change, version) =>
    inStorage((sql) => {
      openTables(sql, SCHEMA)
      sql.exec("INSERT INTO call VALUES ('one')")
      sql.exec(change)
      const refusal = `Cannot open the storage of an IdempotencyStore: its schema_version is ${version}, and this Switchboard reads 2. Deploy the Switchboard that wrote it`
      expect(() => openTables(sql, SCHEMA)).toThrow(refusal)
      expect(sql.exec('SELECT id FROM call').toArray()).toEqual([{ id: 'one' }])
    }),
  )
})

it.each([
  ['Registry', 9],
  ['Access', 3],
  ['IdempotencyStore', 1],
] as const)('the %s stores the version of its tables', (name, version) =>
  runInDurableObject(env[name].getByName(crypto.randomUUID()), (_: unknown, { storage }) =>
    expect(storage.sql.exec('SELECT version FROM schema_version').toArray()).toEqual([{ version }]),
  ),
)

it('an object refuses to start with tables of another version', () =>
  runInDurableObject(env.Access.getByName(crypto.randomUUID()), (_, state) => {
    state.storage.sql.exec('UPDATE schema_version SET version = 0')
    expect(() => new Access(state, env)).toThrow('Cannot open the storage of Access')
  }))
