import { expect, it } from 'vitest'
import type { Principal } from '../../../../src/core/access/principal.ts'
import { searchTools } from '../../../../src/storage/registry/search/query.ts'
import { definition } from '../../../e2e/definition.ts'
import { recordsOf, tablesOf } from '../../../search/registry.ts'

const MANY = 2_600

it('reads a common word where it has the most weight, and only for tools that the caller can see', async () => {
  const hidden = { requirements: { user_id: true } }
  const records = await recordsOf([
    definition('A.Mentions@1.0.0', { description: 'Paints a wall' }),
    definition('A.Hidden@1.0.0', { description: 'Paints a wall', ...hidden }),
    definition('A.Paint@1.0.0', { description: 'Colours a fence' }),
  ])
  const [mentions, other, named] = records
  if (!mentions || !other || !named) throw new Error('There are three')
  const copies = (count: number, record = mentions) =>
    Array.from({ length: count }, (_, at) => {
      const tool = `${record.tool}${at}`
      return { ...record, tool, id: `${record.toolkit}.${tool}@1.0.0` }
    })
  const ask = (sql: SqlStorage, q: string, principal: Principal) => {
    const answer = searchTools(sql, { q, versions: 'newest', limit: 1 }, principal)
    return { ...answer, found: answer?.found.map(({ record }) => JSON.parse(record).id) }
  }
  const admin: Principal = { id: 'x', kind: 'admin', scopes: ['admin'], tools: ['*'], users: 'any' }
  const anonymous: Principal = { ...admin, kind: 'anonymous', scopes: ['tools:read'] }
  const large = tablesOf([...copies(MANY), named])
  expect(ask(large, 'paint', admin)).toMatchObject({ found: [named.id], total: 2_498, unmatched: [] })
  expect(ask(large, 'paint a fence', admin)).toMatchObject({ found: [named.id] })
  const few = [...copies(20), named]
  const seen = (sql: SqlStorage) => ['paint', 'wall', 'paint a fence'].map((q) => ask(sql, q, anonymous))
  const among = tablesOf([...copies(MANY, { ...other, securityLevel: 1 }), ...few])
  expect(ask(among, 'wall', admin)).toMatchObject({ total: 2_500 })
  const without = seen(tablesOf(few))
  const plain = (answers: ReturnType<typeof seen>) =>
    answers.map(({ found, total, unmatched }) => ({ found, total, unmatched }))
  expect(plain(seen(among))).toEqual(plain(without))
  expect(without[0]).toMatchObject({ total: 21 })
})
