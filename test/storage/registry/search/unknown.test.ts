import { expect, it } from 'vitest'
import { nearestNames } from '../../../../src/storage/registry/search/unknown.ts'
import { createDatabase, sqlOf } from '../../../simulation/sql.ts'
import { effortOf, MOST_EFFORT } from '../../../effort.ts'

/** A registry's table of tools, and how many rows of it were read. */
function registryOf(tools: readonly (readonly [toolkit: string, tool: string])[]) {
  const database = createDatabase()
  const sql = sqlOf(database, () => undefined)
  sql.exec('CREATE TABLE tool (key TEXT PRIMARY KEY, toolkit TEXT, tool TEXT, listed TEXT)')
  sql.exec('CREATE INDEX tool_name ON tool (lower(tool))')
  for (const [toolkit, tool] of tools) {
    sql.exec('INSERT INTO tool VALUES (?, ?, ?, ?)', `${toolkit}.${tool}`.toLowerCase(), toolkit, tool, '1.0.0')
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
])('the worst unknown name is compared with no more names than the bounds say: %s', (_, tools, toolkit, tool) => {
  const { sql, read } = registryOf(tools)
  expect(nearestNames(sql, { toolkit, tool }).length).toBeLessThanOrEqual(20)
  // 500 on each of four sides
  expect(read.rows).toBeLessThanOrEqual(4 * 500)
  expect(effortOf(() => nearestNames(sql, { toolkit, tool }))).toBeLessThan(MOST_EFFORT)
})
