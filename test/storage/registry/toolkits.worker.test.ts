import { describe, expect, it } from 'vitest'
import type { Principal } from '../../../src/core/access/principal.ts'
import { ADMIN, documentOf, type Harness, inRegistry, outcomeOf, publication } from './set-up.ts'

const key = (id: string, ...tools: string[]): Principal => ({
  id: `key:${id}`,
  kind: 'key',
  scopes: ['tools:publish'],
  tools,
  users: [],
})

async function publishAs({ registry }: Harness, principal: Principal, id: string, given: object = {}) {
  const { published } = await registry.publish([await publication(id, { ...given })], principal)
  return published.map(outcomeOf)[0]
}

describe('a record', () => {
  it('names its publisher, and says whether that one was trusted with the toolkit', () =>
    inRegistry(async (harness) => {
      const trusted = { 'Kit.*': true, 'Kit.Do': true, 'kit.d*': true, '*': false, 'K*.*': false, '*.Do': false }
      for (const [index, [pattern, isTrusted]] of Object.entries(trusted).entries()) {
        await inRegistry(async (own) => {
          await publishAs(own, key(`k${index}`, pattern), 'Kit.Do@1.0.0')
          const publisher = { principal: `key:k${index}`, trusted: isTrusted }
          expect(documentOf(own.registry, 'kit.do').versions).toMatchObject([{ publisher }])
        })
      }
      await publishAs(harness, ADMIN, 'Kit.Do@1.0.0')
      expect(documentOf(harness.registry, 'kit.do').versions).toMatchObject([
        { publisher: { principal: 'x', trusted: true } },
      ])
    }))
})

describe('a toolkit', () => {
  it('belongs to the bundle even if someone else began it, and while the bundle leaves its tools out', () =>
    inRegistry(async (harness) => {
      expect(await publishAs(harness, key('m', '*'), 'Kit.Mine@1.0.0')).toBe('created')
      const { records } = await publication('Kit.Do@1.0.0')
      await harness.registry.installBundle('b1', 0, records)
      expect(await publishAs(harness, key('m', '*'), 'Kit.More@1.0.0')).toBe('forbidden')
      await harness.registry.installBundle('b2', 0, [])
      expect(await publishAs(harness, key('m', '*'), 'Kit.More@1.0.0')).toBe('forbidden')
      const given = await harness.registry.changeToolkit('Kit', { to: 'key:m' }, ADMIN)
      expect(given).toMatchObject({
        failure: { type: 'conflict', message: expect.stringContaining('has bundled tools') },
      })
    }))

  it('differs from those whose names merely begin the same', () =>
    inRegistry(async (harness) => {
      expect(await publishAs(harness, key('a', '*'), 'Kit.Do@1.0.0')).toBe('created')
      for (const id of ['Ki.Do', 'Kit_2.Do', 'Kits.Do']) {
        expect(await publishAs(harness, key('b', '*'), `${id}@1.0.0`)).toBe('created')
      }
      expect(await publishAs(harness, key('b', '*'), 'kit.Other@1.0.0')).toBe('forbidden')
      expect(harness.registry.toolkit('nowhere')).toBeUndefined()
    }))
})
