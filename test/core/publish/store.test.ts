import { expect, it } from 'vitest'
import { createToolRecord } from '../../../src/core/tool/digest.ts'
import type { PublicationResult } from '../../../src/core/publish/registry.ts'
import { storePublications } from '../../../src/core/publish/publish.ts'
import type { PreparedSubmission } from '../../../src/core/publish/prepare.ts'
import { definitionOf, principal, sha256, worldOf } from './fakes.ts'

const NOTHING = { outcome: 'unchanged', ids: [] } as const

async function prepared(tool: string, more: Partial<PreparedSubmission> = {}): Promise<PreparedSubmission> {
  const record = await createToolRecord(
    { definition: definitionOf({ tool }), dialect: 'plain', document: tool },
    sha256,
  )
  const publication = { records: [record], specified: { implementation: true, tags: false }, allowBreaking: false }
  return { publication, implementationPaths: [], warnings: [], ...more }
}

it('prepared submissions stores prepared submissions together and in order, and reports each at its place', async () => {
  const conflict = (ids: readonly string[]): PublicationResult => ({ outcome: 'conflict', ids, message: 'Exists' })
  const { deps, stored } = worldOf({ outcomes: { 'Kit.B@1.0.0': conflict } })
  const refused = { ok: false, ids: [], failure: { type: 'forbidden', reason: 'No' } } as const
  const unchanged = { ok: true, ...NOTHING, warnings: [] } as const
  const warnings = [{ path: '/w', message: 'Is odd' }]
  const [a, b, c] = [await prepared('A', { warnings }), await prepared('B'), await prepared('C', { state: 'new' })]
  expect(await storePublications([refused, a, b, unchanged, c], deps.writer, principal('*'))).toEqual([
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

it('prepared submissions does not call the registry when there is nothing to store', async () => {
  const { deps, asked } = worldOf()
  const refused = { ok: false, ids: [], failure: { type: 'forbidden', reason: 'No' } } as const
  expect(await storePublications([refused], deps.writer, principal('*'))).toEqual([refused])
  expect(await storePublications([], deps.writer, principal('*'))).toEqual([])
  expect(asked).toEqual([])
})

it('prepared submissions throws when the registry returns no result for a publication', async () => {
  const writer = {
    publish: async () => [],
    change: async () => undefined,
    rights: async () => ({ denied: undefined, maySendSecrets: true }),
  }
  await expect(storePublications([await prepared('A')], writer, principal('*'))).rejects.toThrow(
    'A publication came to nothing',
  )
})
