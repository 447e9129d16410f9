import { describe, expect, it } from 'vitest'
import type { ToolRecord } from '../../../../src/core/tool/tool.ts'
import type { RegistryObject } from '../../../../src/storage/registry/registry-object.ts'
import { ADMIN, documentOf, inRegistry, publication, record, stopClock } from '../set-up.ts'

stopClock()

describe('the bundle', () => {
  const HOUR = 3_600_000
  const bundleOf = (...records: ToolRecord[]) => records

  const stateOf = (registry: RegistryObject, key: string) =>
    documentOf(registry, key).versions.map(({ version, status }) => `${version} ${status.state}`)

  it('is installed once, from the newest deployment, and never from an older one', () =>
    inRegistry(async ({ registry }) => {
      const old = bundleOf(await record('Kit.A@1.0.0', { description: 'old' }))
      const fresh = bundleOf(await record('Kit.A@1.0.0', { description: 'fresh' }), await record('Kit.B@1.0.0'))
      const described = () => documentOf(registry, 'kit.a').newest?.description
      expect(await registry.installBundle('old', 5 * HOUR)).toMatchObject({ wanted: true })
      await registry.installBundle('old', 5 * HOUR, old)
      expect(described()).toBe('old')
      expect(await registry.installBundle('old', 5 * HOUR)).toMatchObject({ wanted: false })
      expect(await registry.installBundle('fresh', 7 * HOUR)).toMatchObject({ wanted: true })
      await registry.installBundle('fresh', 7 * HOUR, fresh)
      expect(described()).toBe('fresh')
      for (const at of [5 * HOUR, 6 * HOUR]) {
        expect(await registry.installBundle('old', at)).toMatchObject({ wanted: false })
        await registry.installBundle('old', at, old)
        expect(described()).toBe('fresh')
        expect(stateOf(registry, 'kit.b')).toEqual(['1.0.0 active'])
      }
      // The same bundle in a newer deployment makes those before that one old
      await registry.installBundle('fresh', 9 * HOUR)
      expect(await registry.installBundle('old', 8 * HOUR)).toMatchObject({ wanted: false })
      expect(await registry.installBundle('old', 10 * HOUR)).toMatchObject({ wanted: true })
    }))

  it('disables a tool that it no longer has, and restores it unchanged when it returns', () =>
    inRegistry(async ({ registry }) => {
      const a = await record('Kit.A@1.0.0')
      const b = await record('Kit.B@1.0.0')
      const listed = async () =>
        (await registry.query({ versions: 'all', limit: 10 }, ADMIN))?.found.map(({ cursor }) => cursor)
      await registry.installBundle('both', 1, [a, b])
      await registry.installBundle('one', 2, [a])
      expect(stateOf(registry, 'kit.b')).toEqual(['1.0.0 disabled'])
      expect(await listed()).toEqual(['kit.a@1.0.0'])
      await registry.installBundle('both', 3, [a, b])
      expect(stateOf(registry, 'kit.b')).toEqual(['1.0.0 active'])
      expect(await listed()).toEqual(['kit.a@1.0.0', 'kit.b@1.0.0'])
    }))

  it('keeps the status that a person set, whatever later deployments contain', () =>
    inRegistry(async ({ registry }) => {
      const a = await record('Kit.A@1.0.0')
      const changed = await record('Kit.A@1.0.0', { description: 'changed' })
      await registry.installBundle('1', 1, [a])
      await registry.change({ toolkit: 'kit', tool: 'a' }, '1.0.0', { status: { state: 'disabled' } }, ADMIN)
      await registry.installBundle('2', 2, [changed])
      expect(stateOf(registry, 'kit.a')).toEqual(['1.0.0 disabled'])
      await registry.installBundle('3', 3, [])
      await registry.installBundle('4', 4, [a])
      expect(stateOf(registry, 'kit.a')).toEqual(['1.0.0 disabled'])
      await registry.change(
        { toolkit: 'kit', tool: 'a' },
        '1.0.0',
        { status: { state: 'deprecated', message: 'm' } },
        ADMIN,
      )
      await registry.installBundle('5', 5, [])
      expect(stateOf(registry, 'kit.a')).toEqual(['1.0.0 disabled'])
      await registry.installBundle('6', 6, [changed])
      expect(stateOf(registry, 'kit.a')).toEqual(['1.0.0 deprecated'])
    }))

  it('replaces what was published under its id, and keeps the other versions', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish(
        [await publication('Kit.A@1.0.0', { description: 'foreign' }), await publication('Kit.A@0.9.0')],
        ADMIN,
      )
      await registry.installBundle('1', 1, [await record('Kit.A@1.0.0')])
      expect(documentOf(registry, 'kit.a').newest?.description).toBe('What Kit.A does')
      expect(stateOf(registry, 'kit.a').sort()).toEqual(['0.9.0 active', '1.0.0 active'])
      await registry.installBundle('2', 2, [])
      expect(stateOf(registry, 'kit.a').sort()).toEqual(['0.9.0 active', '1.0.0 disabled'])
      expect(documentOf(registry, 'kit.a').newest?.version).toBe('0.9.0')
    }))
})
