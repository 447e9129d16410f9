import { describe, expect, it } from 'vitest'
import { ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import { ADMIN, inRegistry, publication, publications, rowsOf, stopClock } from './set-up.ts'

stopClock()

const KEY: Principal = { ...ADMIN, kind: 'key', scopes: ['tools:read'], tools: ['Mail.*', '*.Do'] }

describe('the toolkits of the tools that a principal sees', () => {
  it('are counted by their listed tools, each once, in order of name', () =>
    inRegistry(async ({ registry }) => {
      const ids = ['Weather.Do@1.0.0', 'Weather.Today@1.0.0', 'mail.Send@1.0.0', 'mail.Send@1.1.0', 'mail.Read@1.0.0']
      await registry.publish(await Promise.all(ids.map((id) => publication(id))), ADMIN)
      await registry.publish([await publication('Alone.Do@1.0.0')], ADMIN)
      await registry.putPolicy({ pattern: 'Alone.*', security_level: 5 })
      expect(await registry.toolkitCounts(ADMIN)).toEqual([
        { toolkit: 'Alone', tools: 1, level: 5, description: null },
        { toolkit: 'mail', tools: 2, level: 0, description: null },
        { toolkit: 'Weather', tools: 2, level: 0, description: null },
      ])
      expect(await registry.toolkitCounts(KEY)).toEqual([
        { toolkit: 'Alone', tools: 1, level: 5, description: null },
        { toolkit: 'mail', tools: 2, level: 0, description: null },
        { toolkit: 'Weather', tools: 1, level: 0, description: null },
      ])
      expect((await registry.toolkitCounts(ANONYMOUS)).map(({ toolkit }) => toolkit)).toEqual(['mail', 'Weather'])
      await registry.change({ toolkit: 'alone', tool: 'do' }, '1.0.0', { status: { state: 'disabled' } }, ADMIN)
      await registry.putPolicy({ pattern: 'Weather.Today', security_level: 3 })
      expect(await registry.toolkitCounts(ADMIN)).toEqual([
        { toolkit: 'mail', tools: 2, level: 0, description: null },
        { toolkit: 'Weather', tools: 2, level: 3, description: null },
      ])
    }))

  it('are counted by their callable tools, if requested', () =>
    inRegistry(async ({ registry }) => {
      const implemented = (id: string) => publication(id, {}, { implementation: { kind: 'echo' } })
      await registry.publish([await publication('Mail.Read@1.0.0'), await implemented('Mail.Send@1.0.0')], ADMIN)
      await registry.publish([await implemented('Alone.Do@1.0.0')], ADMIN)
      const callable = { callable: true }
      const counted = [
        { toolkit: 'Alone', tools: 1, level: 0, description: null },
        { toolkit: 'Mail', tools: 1, level: 0, description: null },
      ]
      expect(await registry.toolkitCounts(ADMIN, callable)).toEqual(counted)
      expect(await registry.toolkitCounts(KEY, callable)).toEqual(counted)
      expect(await registry.toolkitCounts(ADMIN)).toEqual([
        counted[0],
        { toolkit: 'Mail', tools: 2, level: 0, description: null },
      ])
    }))

  it('are counted beyond the number of tools that a list would read', () =>
    inRegistry(async ({ registry, sql }) => {
      await registry.publish([await publication('Many.T@1.0.0')], ADMIN)
      sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
         INSERT INTO indexed (key, toolkit, plain, whole, level, callable, tags, operation, rows)
           SELECT 'many.t' || i, 'many', '', '', 0, 1, '[]', '', '[]' FROM n`,
      )
      sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
         INSERT INTO tool (key, toolkit, tool) SELECT 'many.t' || i, 'Many', 'T' || i FROM n`,
      )
      expect(await registry.toolkitCounts(ADMIN)).toEqual([
        { toolkit: 'Many', tools: 12_001, level: 0, description: null },
      ])
    }))

  it('are counted, and disabled versions found, in the same time however many tools there are', () =>
    inRegistry(async ({ registry, sql }) => {
      const disabled = { versions: 'all', status: 'disabled', limit: 30 } as const
      const toolkits = async () => registry.toolkitCounts(ADMIN)
      const anonymous = async () => registry.toolkitCounts(ANONYMOUS, { callable: true })
      const withdrawn = async () => registry.query(disabled, ADMIN)
      const search = async () => registry.query({ versions: 'newest', q: 'zebra', limit: 30 }, ADMIN)
      const costs = async () => [
        await rowsOf(sql, toolkits),
        await rowsOf(sql, anonymous),
        await rowsOf(sql, withdrawn),
        await rowsOf(sql, search),
      ]
      await registry.publish(await publications(0, 20), ADMIN)
      await registry.change({ toolkit: 'Kit0', tool: 'T0' }, '1.0.0', { status: { state: 'disabled' } }, ADMIN)
      expect((await withdrawn())?.found).toHaveLength(1)
      const few = await costs()
      await registry.publish(await publications(20, 400), ADMIN)
      expect(await costs()).toEqual(few)
      expect((await registry.toolkitCounts(ADMIN)).reduce((sum, { tools }) => sum + tools, 0)).toBe(399)
    }))
})
