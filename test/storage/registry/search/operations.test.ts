import { expect, it } from 'vitest'
import { ADMIN, type Principal } from '../../../../src/core/access/principal.ts'
import type { ListQuery } from '../../../../src/core/catalog/catalog.ts'
import { searchTools } from '../../../../src/storage/registry/search/query.ts'
import { levelIndex } from '../../../../src/storage/registry/search/search-index.ts'
import { loadPolicySet, storePolicy } from '../../../../src/storage/registry/policies.ts'
import { definition } from '../../../e2e/definition.ts'
import { titledRecords, tablesOf } from '../../../search/registry.ts'

const CREATE = { title: 'Create an issue', description: 'Create an issue. Any user with access to a repository can.' }
const CLOSE = { title: 'Close an issue', description: 'Close an issue. Any user who may write to a repository can.' }
const TOOLKITS = ['GitHub', 'GHES', 'GHEC']
const records = await titledRecords([
  ...TOOLKITS.map((toolkit) => ({ ...definition(`${toolkit}.issues_create@1.0.0`), ...CREATE })),
  ...TOOLKITS.map((toolkit) => ({ ...definition(`${toolkit}.issues_close@1.0.0`), ...CLOSE })),
  ...Array.from({ length: 12 }, (_, n) => ({
    ...definition(`Other.Tool${n}@1.0.0`),
    title: '',
    description: `Counts the ${'many '.repeat(n)}visits to an issue`,
  })),
])
const KEY: Principal = { id: 'key:1', kind: 'key', scopes: ['tools:read'], tools: ['*'], users: [] }
const CREATE_IDS = TOOLKITS.map((toolkit) => `${toolkit}.issues_create@1.0.0`)

function search(sql: SqlStorage, query: Partial<ListQuery>, principal: Principal = ADMIN) {
  const answer = searchTools(sql, { q: 'create an issue', versions: 'newest', limit: 100, ...query }, principal)
  if (!answer) throw new Error('The cursor is refused')
  const found = answer.found.map(({ record, operation = [] }) => {
    const { id }: { readonly id: string } = JSON.parse(record)
    return { id, same: operation.map((tool) => tool.id) }
  })
  return { ...answer, found }
}

it('a search finds all results, the best first, each with the tools that are the same operation', () => {
  const { found, total, relevant = 0 } = search(tablesOf(records), {})
  expect(found).toHaveLength(18)
  expect({ total, isCut: relevant < 18, relevant }).toMatchObject({ total: 18, isCut: true })
  expect(found.slice(0, 3)).toEqual(CREATE_IDS.map((id) => ({ id, same: CREATE_IDS })))
  const [best = '', ...others] = CREATE_IDS
  expect(search(tablesOf(records), { limit: 1 }).sameAs).toEqual(Object.fromEntries(others.map((id) => [id, best])))
  expect(found.filter(({ id }) => id.startsWith('Other.')).every(({ same }) => same.length === 0)).toBe(true)
})

it('a search for relevant results finds each operation once, and at least five', () => {
  const { found, total } = search(tablesOf(records), { results: 'relevant' })
  expect(total).toBe(18)
  expect(found.length).toBeGreaterThanOrEqual(5)
  expect(found[0]).toEqual({ id: CREATE_IDS[0], same: CREATE_IDS })
  expect(found.filter(({ id }) => id.endsWith('.issues_create@1.0.0'))).toHaveLength(1)
  expect(found.filter(({ id }) => id.endsWith('.issues_close@1.0.0'))).toHaveLength(1)
})

it.each([1, 2, 4])('a search for relevant results gives the same results in pages of %d', (limit) => {
  const sql = tablesOf(records)
  const whole = search(sql, { results: 'relevant' }).found
  const paged: (typeof whole)[number][] = []
  let cursor: string | undefined
  do {
    const page = search(sql, { results: 'relevant', limit, cursor })
    expect(page.found.length).toBeLessThanOrEqual(limit)
    expect(page.found.length).toBeGreaterThan(0)
    paged.push(...page.found)
    cursor = page.next
  } while (cursor !== undefined)
  expect(paged).toEqual(whole)
})

it('a search lists the toolkit that the query names first, and folds nothing if a filter leaves only one tool', () => {
  const sql = tablesOf(records)
  expect(search(sql, { q: 'create an issue GHES', results: 'relevant' }).found[0]).toEqual({
    id: CREATE_IDS[1],
    same: [CREATE_IDS[1], CREATE_IDS[0], CREATE_IDS[2]],
  })
  expect(search(sql, { toolkit: 'GHES' }).found.every(({ same }) => same.length === 0)).toBe(true)
})

it('a search over all versions folds nothing', () => {
  const { found, relevant } = search(tablesOf(records), { versions: 'all' })
  expect({ count: found.length, relevant }).toEqual({ count: 18, relevant: undefined })
  expect(found.every(({ same }) => same.length === 0)).toBe(true)
})

const only = (ids: readonly string[]) => ids.filter((id) => !id.startsWith('GitHub.'))

it.each<[string, Principal]>([
  ["by a key's patterns", { ...KEY, tools: ['GHES.*', 'GHEC.*', 'Other.*'] }],
  [
    'by patterns for reading',
    { ...KEY, tools: { 'tools:read': ['GHES.*', 'GHEC.*', 'Other.*'], 'tools:call': ['*'] } },
  ],
  ['by a restriction', { ...KEY, restrictedTo: ['GHES.*', 'GHEC.*', 'Other.*'] }],
])('a search does not reveal the same operation in a toolkit that is hidden %s', (_name, principal) => {
  const without = tablesOf(records.filter(({ toolkit }) => toolkit !== 'GitHub'))
  for (const results of ['all', 'relevant'] as const) {
    const answer = search(tablesOf(records), { results }, principal)
    expect(JSON.stringify(answer.found)).not.toContain('GitHub')
    expect(answer.found[0]?.same).toEqual(only(CREATE_IDS))
    const { total, relevant, found } = search(without, { results })
    expect({ ...answer, next: undefined }).toMatchObject({ total, relevant, found })
  }
})

it('a search reveals to anonymous callers no same operation in a toolkit that needs a key, by itself or by a policy', () => {
  const anonymous: Principal = { ...KEY, kind: 'anonymous' }
  const restricted = records.map((record) => (record.toolkit === 'GitHub' ? { ...record, securityLevel: 1 } : record))
  const byItself = search(tablesOf(restricted), { results: 'relevant' }, anonymous)
  expect(byItself.found[0]).toEqual({ id: CREATE_IDS[1], same: only(CREATE_IDS) })
  const sql = tablesOf(records)
  expect(search(sql, {}, anonymous).found[0]?.same).toEqual(CREATE_IDS)
  storePolicy(sql, { pattern: 'GitHub.*', security_level: 1 })
  levelIndex(sql, loadPolicySet(sql))
  expect(search(sql, {}, anonymous).found[0]?.same).toEqual(only(CREATE_IDS))
})
