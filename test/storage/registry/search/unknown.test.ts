import { expect, it } from 'vitest'
import { toolsNear } from '../../../../src/storage/registry/search/unknown.ts'
import { createDatabase, sqlOf } from '../../../simulation/sql.ts'
import { effortOf, MOST_EFFORT } from '../../../effort.ts'

/** A registry's tables of tools, and how many rows were read. */
function registryOf(tools: readonly (readonly [toolkit: string, tool: string])[]) {
  const database = createDatabase()
  const sql = sqlOf(database, () => undefined)
  sql.exec('CREATE TABLE tool (key TEXT PRIMARY KEY, toolkit TEXT, tool TEXT, exposed TEXT)')
  sql.exec('CREATE TABLE indexed (id INTEGER PRIMARY KEY, key TEXT, whole TEXT, plain TEXT, callable INTEGER)')
  sql.exec('CREATE INDEX indexed_whole ON indexed (whole)')
  sql.exec('CREATE INDEX indexed_plain ON indexed (plain)')
  for (const [toolkit, tool] of tools) {
    const key = `${toolkit}.${tool}`.toLowerCase()
    sql.exec('INSERT INTO tool VALUES (?, ?, ?, ?)', key, toolkit, tool, `${toolkit}_${tool}`)
    sql.exec('INSERT INTO indexed (key, whole, plain) VALUES (?, ?, ?)', key, key.replace('.', ''), tool.toLowerCase())
  }
  const read = { rows: 0 }
  const counted: typeof sql.exec = (query, ...bindings) => {
    const rows = sql.exec<any>(query, ...bindings)
    read.rows += rows.toArray().length
    return rows
  }
  return { sql: Object.assign(Object.create(null), { exec: counted }), read }
}

const many = (count: number) => Array.from({ length: count }, (_, index) => String(index).padStart(6, '0'))

it.each<[string, readonly (readonly [string, string])[], string, string]>([
  [
    'a few long names',
    many(2_000).map((each) => ['a'.repeat(64), 'b'.repeat(58) + each]),
    'a'.repeat(64),
    'b'.repeat(64),
  ],
  [
    'many long names of one toolkit',
    many(6_000).map((each) => ['a'.repeat(64), 'b'.repeat(58) + each]),
    'a'.repeat(64),
    'c'.repeat(64),
  ],
  [
    'many of one name',
    many(6_000).map((each) => ['a'.repeat(58) + each, 'b'.repeat(64)]),
    'a'.repeat(64),
    'b'.repeat(64),
  ],
  ['many that are all alike', many(6_000).map((each) => [`T${each}`, `t${each}`]), 'T000000', 't999999'],
])('even the worst unknown name is compared with a limited number of names: %s', (_, tools, toolkit, tool) => {
  const { sql, read } = registryOf(tools)
  for (const asked of [`${toolkit}.${tool}`, toolkit + tool, toolkit.repeat(1_000)]) {
    read.rows = 0
    expect(toolsNear(sql, asked).length).toBeLessThanOrEqual(20)
    // 250 on each of four sides
    expect(read.rows).toBeLessThanOrEqual(4 * 250)
    expect(effortOf(() => toolsNear(sql, asked))).toBeLessThan(MOST_EFFORT)
  }
})
