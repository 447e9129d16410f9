import { describe, expect, it } from 'vitest'
import { parsePage } from '../../../src/storage/registry/catalog/listed-tools.ts'
import type { RegistryObject } from '../../../src/storage/registry/registry-object.ts'
import { ADMIN, documentOf, inRegistry, publication, record, stopClock, textOf } from './set-up.ts'

stopClock()

const publish = async (registry: RegistryObject, ...ids: readonly string[]) =>
  registry.publish(await Promise.all(ids.map((id) => publication(id))), ADMIN)

/** The version that lists show. */
const listed = async (registry: RegistryObject, key: string) => {
  const [page] = (await registry.manifest()).pages
  const { records } = parsePage(textOf(registry, `catalogue/page/${page?.hash}`) ?? '')
  return records().find(({ id }) => id.toLowerCase().startsWith(`${key}@`))?.version
}

describe('the document of a tool', () => {
  it('has all versions, and the record for its name without a version', () =>
    inRegistry(async ({ registry }) => {
      await publish(registry, 'Kit.Tool@1.9.0', 'Kit.Tool@1.10.0', 'Kit.Tool@1.2.0')
      const { digest } = await record('Kit.Tool@1.2.0')
      const document = documentOf(registry, 'kit.tool')
      expect(document).toMatchObject({ toolkit: 'Kit', tool: 'Tool', newest: await record('Kit.Tool@1.10.0') })
      expect(document.versions).toContainEqual({
        version: '1.2.0',
        digest,
        status: { state: 'active' },
        publisher: { principal: 'x', trusted: true },
      })
      expect(document.versions).toHaveLength(3)
      expect(registry.value('tool/kit.other')).toBeUndefined()
    }))

  it.each(['disabled', 'yanked', 'deprecated'] as const)('changes when its newest version is %s', (state) =>
    inRegistry(async ({ registry }) => {
      await publish(registry, 'Kit.Tool@1.0.0', 'Kit.Tool@2.0.0')
      const answer = await registry.change({ toolkit: 'kit', tool: 'tool' }, '2.0.0', { status: { state } }, ADMIN)
      expect(answer).toMatchObject({ document: registry.value('tool/kit.tool') })
      expect(documentOf(registry, 'kit.tool').newest?.version).toBe('1.0.0')
      expect(await listed(registry, 'kit.tool')).toBe('1.0.0')
      await registry.change({ toolkit: 'kit', tool: 'tool' }, '2.0.0', { status: { state: 'active' } }, ADMIN)
      expect(documentOf(registry, 'kit.tool').newest?.version).toBe('2.0.0')
      expect(await listed(registry, 'kit.tool')).toBe('2.0.0')
    }),
  )

  it('keeps the details of a status', () =>
    inRegistry(async ({ registry }) => {
      await publish(registry, 'Kit.Tool@1.0.0')
      const status = { state: 'deprecated', message: 'Use the other', successor: 'Kit.Other@1.0.0' } as const
      await registry.change({ toolkit: 'kit', tool: 'tool' }, '1.0.0', { status }, ADMIN)
      expect(documentOf(registry, 'kit.tool').versions).toMatchObject([{ status }])
    }))

  it('refuses a status for a version that does not exist', () =>
    inRegistry(async ({ registry }) => {
      await publish(registry, 'Kit.Tool@1.0.0')
      expect(
        await registry.change({ toolkit: 'kit', tool: 'tool' }, '2.0.0', { status: { state: 'yanked' } }, ADMIN),
      ).toHaveProperty('failure.type', 'unknown')
      expect(
        await registry.change({ toolkit: 'kit', tool: 'other' }, '1.0.0', { status: { state: 'yanked' } }, ADMIN),
      ).toHaveProperty('failure.type', 'unknown')
    }))

  it('is not listed once no version is active', () =>
    inRegistry(async ({ registry }) => {
      await publish(registry, 'Kit.Tool@1.0.0', 'Kit.Tool@2.0.0')
      for (const version of ['1.0.0', '2.0.0'])
        await registry.change({ toolkit: 'kit', tool: 'tool' }, version, { status: { state: 'disabled' } }, ADMIN)
      expect(await listed(registry, 'kit.tool')).toBeUndefined()
      expect((await registry.query({ q: 'tool', versions: 'newest', limit: 9 }, ADMIN))?.found).toEqual([])
      expect(documentOf(registry, 'kit.tool').versions).toHaveLength(2)
    }))
})

describe('the record of a version', () => {
  it('can be read by its digest', () =>
    inRegistry(async ({ registry }) => {
      await publish(registry, 'Kit.Tool@1.0.0', 'Kit.Tool@2.0.0')
      const old = await record('Kit.Tool@1.0.0')
      expect(JSON.parse(textOf(registry, `record/${old.digest}`) ?? '')).toEqual(old)
      expect(registry.value(`record/${'0'.repeat(64)}`)).toBeUndefined()
    }))

  it('is written to KV once the document no longer contains it, and never for a tool with one version', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      await publish(registry, 'Kit.Tool@1.0.0')
      await drain()
      expect(kv.keys('record/')).toEqual([])
      await publish(registry, 'Kit.Tool@2.0.0')
      await drain()
      const digests = [(await record('Kit.Tool@1.0.0')).digest, (await record('Kit.Tool@2.0.0')).digest]
      expect(kv.keys('record/').toSorted()).toEqual(digests.map((digest) => `record/${digest}`).toSorted())
    }))

  it('is written to KV when a status is set, since the document may contain another one then', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      await publish(registry, 'Kit.Tool@1.0.0')
      await registry.change({ toolkit: 'kit', tool: 'tool' }, '1.0.0', { status: { state: 'yanked' } }, ADMIN)
      await drain()
      expect(kv.keys('record/')).toEqual([`record/${(await record('Kit.Tool@1.0.0')).digest}`])
      expect(JSON.parse(kv.values.get('tool/kit.tool') ?? '')).not.toHaveProperty('newest')
    }))
})
