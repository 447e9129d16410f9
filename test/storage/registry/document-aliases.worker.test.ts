import { describe, expect, it } from 'vitest'
import { createCacheMemory } from '../../../src/core/cache/swr-cache.ts'
import type { Publication, PublicationResult } from '../../../src/core/publish/registry.ts'
import { createDocumentJoiner } from '../../../src/storage/registry/kv/kv-texts.ts'
import type { RegistryObject } from '../../../src/storage/registry/registry-object.ts'
import {
  ADMIN,
  documentOf,
  documentPublication,
  inRegistry,
  manifestOf,
  publication,
  stopClock,
  stubOf,
  textOf,
} from './set-up.ts'

stopClock()

async function publish(registry: RegistryObject, one: Publication, allowBreaking = false): Promise<PublicationResult> {
  const { published } = await registry.publish([{ ...one, allowBreaking }], ADMIN)
  const [first] = published
  if (!first) throw new Error('Wanted an answer')
  return first
}
const made = documentPublication
const addressOf = (registry: RegistryObject, id: string) =>
  JSON.parse(textOf(registry, `address/machine-context/${id}`) ?? 'null')

describe('a document with an id of its own', () => {
  it('is stored once, however many tools it defines, and its records name it', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      const one = await made('x-y', '1.0.0', ['a', 'b c'])
      expect(await publish(registry, one)).toEqual({
        ok: true,
        outcome: 'created',
        ids: ['x_y.a@1.0.0', 'x_y.b_c@1.0.0'],
        warnings: [],
      })
      expect(await publish(registry, one)).toMatchObject({ outcome: 'unchanged' })
      const hash = one.document?.hash ?? ''
      await drain()
      expect(JSON.parse(String(kv.values.get(`document/${hash}`)))).toMatchObject({ id: 'x-y' })
      expect(documentOf(registry, 'x_y.a').newest?.source).toEqual({ dialect: 'machine-context', hash })
      const address = { id: 'x-y', toolkit: 'x_y', tools: { 'a': 'a', 'b c': 'b_c' } }
      expect(JSON.parse(String(kv.values.get('address/machine-context/x-y')))).toEqual(address)
      const asked: string[] = []
      const whole = createDocumentJoiner({
        kv: kv.binding,
        registry: () => stubOf(registry, asked),
        now: () => 0,
        memory: createCacheMemory(1_000_000),
        findBundledText: () => undefined,
      })
      const [record] = await whole([documentOf(registry, 'x_y.a').newest ?? missing()])
      expect(record?.source).toMatchObject({ dialect: 'machine-context', document: { id: 'x-y', version: '1.0.0' } })
      expect(asked).toEqual([])
    }))

  it('cannot be changed at a version, and neither can another with its id', () =>
    inRegistry(async ({ registry }) => {
      await publish(registry, await made('x', '1.0.0', ['a']))
      for (const other of [
        await made('x', '1.0.0', ['a', 'b']),
        await made('x', '1.0.0', ['zzz']),
        await made('X', '2.0.0', ['a']),
      ]) {
        expect(await publish(registry, other, true)).toMatchObject({ failure: { type: 'conflict' } })
      }
      // Nor is it another in another toolkit
      const other = await made('x', '2.0.0', ['a', 'b'], { toolkit: 'Other' })
      expect(await publish(registry, other, true)).toMatchObject({
        failure: {
          type: 'conflict',
          message: expect.stringContaining('publish it as a version of that with {"definition": …, "toolkit": "x"}'),
        },
      })
      expect(addressOf(registry, 'x')).toEqual({ id: 'x', toolkit: 'x', tools: { a: 'a' } })
    }))

  it('is refused if its derived toolkit has other tools, and the message says how to set a toolkit', () =>
    inRegistry(async ({ registry }) => {
      await publish(registry, await publication('x_y.Other@1.0.0'))
      expect(await publish(registry, await made('x-y', '1.0.0', ['a']))).toMatchObject({
        failure: {
          type: 'conflict',
          message: expect.stringContaining('"toolkit"'),
        },
      })
      const given = { toolkit: 'x_y' }
      expect(await publish(registry, await made('x-y', '1.0.0', ['a'], given))).toMatchObject({ outcome: 'created' })
      expect(await publish(registry, await made('z', '1.0.0', ['a'], given))).toMatchObject({
        failure: { type: 'conflict' },
      })
      expect(await publish(registry, await made('z', '1.0.0', ['Other'], given))).toMatchObject({
        failure: { type: 'conflict' },
      })
      expect(await publish(registry, await publication('x_y.a@2.0.0'))).toMatchObject({
        failure: {
          type: 'conflict',
          message: expect.stringContaining("of the document 'x-y'"),
        },
      })
    }))

  it('is compared as a whole with the release before it', () =>
    inRegistry(async ({ registry }) => {
      await publish(registry, await made('x', '1.0.0', ['a', 'b']))
      await publish(registry, await made('x', '2.0.0-rc.1', ['c']))
      for (const [version, names, wanted] of [
        ['1.0.1', ['a'], "'b' is removed: a breaking change needs version 2.0.0 or higher, got 1.0.1"],
        ['1.9.0', ['a'], "'b' is removed: a breaking change needs version 2.0.0 or higher, got 1.9.0"],
        ['1.0.1', ['a', 'b', 'c'], "'c' is added: an addition needs version 1.1.0 or higher, got 1.0.1"],
      ] as const) {
        expect(await publish(registry, await made('x', version, names))).toMatchObject({
          failure: {
            type: 'definition-invalid',
            problems: [{ path: '', message: expect.stringContaining(wanted) }],
          },
        })
      }
      expect(await publish(registry, await made('x', '1.1.0', ['a', 'b', 'd']))).toMatchObject({ outcome: 'created' })
      expect(await publish(registry, await made('x', '1.1.1', ['a']), true)).toMatchObject({ outcome: 'created' })
    }))

  it('has everything it defines in KV at once, including tools that its newest version leaves out', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      await publish(registry, await made('x', '2.0.0', ['b']))
      await publish(registry, await made('x', '1.0.0', ['a', 'b']))
      await drain()
      const document = documentOf(registry, 'x.a')
      expect(document).toMatchObject({ isRemovedFromDocument: true, versions: [{ version: '1.0.0' }] })
      expect(kv.values.has(`record/${document.versions[0]?.digest}`)).toBe(true)
    }))

  it('unlists the tools that its newest version leaves out, until that version is withdrawn', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      await publish(registry, await made('x', '1.0.0', ['a', 'b']))
      expect(await publish(registry, await made('x', '2.0.0', ['b']))).toMatchObject({ removedIds: ['x.a'] })
      expect(documentOf(registry, 'x.a')).toMatchObject({
        isRemovedFromDocument: true,
        versions: [{ version: '1.0.0' }],
      })
      expect(documentOf(registry, 'x.a').newest).toBeUndefined()
      expect((await manifestOf(registry)).count).toBe(1)
      await drain()
      const [{ digest } = { digest: '' }] = documentOf(registry, 'x.a').versions
      expect(kv.values.has(`record/${digest}`)).toBe(true)
      await registry.change({ toolkit: 'x', tool: 'b' }, '2.0.0', { status: { state: 'yanked' } }, ADMIN)
      expect(documentOf(registry, 'x.a')).toMatchObject({ newest: { id: 'x.a@1.0.0' } })
      expect(documentOf(registry, 'x.a').isRemovedFromDocument).toBeUndefined()
      expect((await manifestOf(registry)).count).toBe(2)
    }))
})

function missing(): never {
  throw new Error('No record')
}
