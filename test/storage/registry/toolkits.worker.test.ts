import { describe, expect, it } from 'vitest'
import type { Principal } from '../../../src/core/access/principal.ts'
import { kvKey } from '../../../src/storage/keys.ts'
import { ADMIN, documentOf, type Harness, inRegistry, publication } from './set-up.ts'

const key = (id: string, ...tools: string[]): Principal => ({
  id: `key:${id}`,
  kind: 'key',
  scopes: ['tools:publish'],
  tools,
  users: [],
})
const secret = (id: string) => ({ requirements: { secrets: [{ id }] } })

async function publishAs({ registry }: Harness, principal: Principal, id: string, given: object = {}) {
  const { published } = await registry.publish([await publication(id, { ...given })], principal)
  return published[0]?.outcome
}

/** Takes from a registry what an earlier one had not. */
function older(sql: SqlStorage): void {
  for (const name of ['publisher', 'trusted', 'held']) sql.exec(`ALTER TABLE version DROP COLUMN ${name}`)
  sql.exec('DROP TABLE toolkit')
  sql.exec("DELETE FROM meta WHERE name = 'publishers'")
  sql.exec('DELETE FROM outbox')
}

describe('a record', () => {
  it('says who published it, and whether that was somebody trusted with its toolkit', () =>
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

describe('what is older than publishers', () => {
  it('is trusted where it had credentials, and its toolkits are the deployment’s', () =>
    inRegistry(async (harness) => {
      const { registry, sql, drain, kv } = harness
      const stranger = key('m', '*')
      await publishAs(harness, stranger, 'Old.Had@1.0.0', secret('GRANTED'))
      await publishAs(harness, stranger, 'Old.Planted@1.0.0', secret('LATER'))
      await publishAs(harness, stranger, 'Old.Mail@1.0.0', { requirements: { authorization: [{ id: 'google' }] } })
      await publishAs(harness, stranger, 'Old.Plain@1.0.0')
      const name = { toolkit: 'Old', tool: 'Plain' }
      await registry.change(name, '1.0.0', { status: { state: 'disabled' } }, stranger)
      await drain()
      older(sql)
      harness.restart()
      const trustOf = (tool: string) => documentOf(harness.registry, `old.${tool}`).versions[0]?.publisher
      expect(trustOf('had')).toEqual({ principal: null, trusted: true })
      expect(trustOf('mail')).toEqual({ principal: null, trusted: true })
      expect(trustOf('planted')).toEqual({ principal: null, trusted: false })
      expect(trustOf('plain')).toEqual({ principal: null, trusted: false })
      expect(harness.registry.toolkit('old')).toMatchObject({ toolkit: 'Old', owner: 'deployment', isBundled: false })
      expect(await publishAs(harness, stranger, 'Old.More@1.0.0')).toBe('forbidden')
      expect(await publishAs(harness, key('o', 'Old.*'), 'Old.More@1.0.0')).toBe('created')
      // Who disabled it is not known: an administrator may have
      const enabled = { status: { state: 'active' } } as const
      expect(await harness.registry.change(name, '1.0.0', enabled, key('o', 'Old.*'))).toHaveProperty('denied')
      await drain()
      expect(kv.values.get(kvKey('tool', 'old.had'))).toContain('"trusted":true')
      harness.restart()
      expect(trustOf('had')).toEqual({ principal: null, trusted: true })
    }))

  it('is still the bundle’s where it was', () =>
    inRegistry(async (harness) => {
      const { records } = await publication('Kit.Do@1.0.0', secret('LATER'))
      await harness.registry.takeIn('b1', 0, records)
      older(harness.sql)
      harness.restart()
      expect(documentOf(harness.registry, 'kit.do').versions).toMatchObject([
        { publisher: { principal: 'bundle', trusted: true } },
      ])
      expect(await publishAs(harness, key('m', '*'), 'Kit.Do@2.0.0')).toBe('forbidden')
    }))
})

describe('a toolkit', () => {
  it('is a bundle’s also where somebody had begun it, and while the bundle has left its tools out', () =>
    inRegistry(async (harness) => {
      expect(await publishAs(harness, key('m', '*'), 'Kit.Mine@1.0.0')).toBe('created')
      const { records } = await publication('Kit.Do@1.0.0')
      await harness.registry.takeIn('b1', 0, records)
      expect(await publishAs(harness, key('m', '*'), 'Kit.More@1.0.0')).toBe('forbidden')
      await harness.registry.takeIn('b2', 0, [])
      expect(await publishAs(harness, key('m', '*'), 'Kit.More@1.0.0')).toBe('forbidden')
      expect(await harness.registry.giveToolkit('Kit', 'key:m')).toBeUndefined()
    }))

  it('is told from those whose names begin like its own', () =>
    inRegistry(async (harness) => {
      expect(await publishAs(harness, key('a', '*'), 'Kit.Do@1.0.0')).toBe('created')
      for (const id of ['Ki.Do', 'Kit_2.Do', 'Kits.Do']) {
        expect(await publishAs(harness, key('b', '*'), `${id}@1.0.0`)).toBe('created')
      }
      expect(await publishAs(harness, key('b', '*'), 'kit.Other@1.0.0')).toBe('forbidden')
      expect(harness.registry.toolkit('nowhere')).toBeUndefined()
    }))
})
