import { describe, expect, it } from 'vitest'
import { recordOf } from '../../../src/core/tool/digest.ts'
import type { PublicationOutcome } from '../../../src/core/publish/registry.ts'
import { type Admitted, store } from '../../../src/core/publish/publish.ts'
import { definitionOf, principal, sha256, worldOf } from './fakes.ts'

const NOTHING = { outcome: 'unchanged', ids: [] } as const

async function admitted(tool: string, more: Partial<Admitted> = {}): Promise<Admitted> {
  const record = await recordOf({ definition: definitionOf({ tool }), dialect: 'plain', document: tool }, sha256)
  const publication = { records: [record], given: { implementation: true, tags: false }, allowBreaking: false }
  return { publication, warnings: [], ...more }
}

describe('what was admitted', () => {
  it('is stored in one go and in order, and reported on at its place', async () => {
    const conflict = (ids: readonly string[]): PublicationOutcome => ({ outcome: 'conflict', ids, message: 'Exists' })
    const { deps, stored } = worldOf({ outcomes: { 'Kit.B@1.0.0': conflict } })
    const refused = { ok: false, ids: [], failure: { type: 'forbidden', reason: 'No' } } as const
    const unchanged = { ok: true, ...NOTHING, warnings: [] } as const
    const warnings = [{ path: '/w', message: 'Is odd' }]
    const [a, b, c] = [await admitted('A', { warnings }), await admitted('B'), await admitted('C', { state: 'new' })]
    expect(await store([refused, a, b, unchanged, c], deps.writer, principal('*'))).toEqual([
      refused,
      { ok: true, outcome: 'created', ids: ['Kit.A@1.0.0'], warnings, uncallable: ['Kit.A@1.0.0'] },
      { ok: false, ids: ['Kit.B@1.0.0'], failure: { type: 'conflict', message: 'Exists' } },
      unchanged,
      {
        ok: true,
        outcome: 'created',
        ids: ['Kit.C@1.0.0'],
        warnings: [],
        uncallable: ['Kit.C@1.0.0'],
        imported: { state: 'new', record: expect.objectContaining({ name: 'Kit_Do' }) },
      },
    ])
    expect(stored).toEqual([[a.publication, b.publication, c.publication]])
  })

  it('may be nothing, of which the registry is not told', async () => {
    const { deps, asked } = worldOf()
    const refused = { ok: false, ids: [], failure: { type: 'forbidden', reason: 'No' } } as const
    expect(await store([refused], deps.writer, principal('*'))).toEqual([refused])
    expect(await store([], deps.writer, principal('*'))).toEqual([])
    expect(asked).toEqual([])
  })

  it('comes to something', async () => {
    const writer = {
      publish: async () => [],
      change: async () => undefined,
      rights: async () => ({ denied: undefined, maySendSecrets: true }),
    }
    await expect(store([await admitted('A')], writer, principal('*'))).rejects.toThrow('A publication came to nothing')
  })
})
