import { describe, expect, it } from 'vitest'
import type { Principal } from '../../../../src/core/access/principal.ts'
import type { Publication, PublicationResult } from '../../../../src/core/publish/registry.ts'
import type { RegistryObject } from '../../../../src/storage/registry/registry-object.ts'
import {
  ADMIN,
  documentOf,
  documentPublication,
  inRegistry,
  outcomeOf,
  publication,
  stopClock,
  textOf,
} from '../set-up.ts'

stopClock()

/** Returns the result of one publication, and the registry's current revision. */
async function publish(
  registry: RegistryObject,
  one: Publication,
  principal: Principal = ADMIN,
): Promise<PublicationResult & { revision: number }> {
  const { published, revision } = await registry.publish([one], principal)
  const [first] = published
  if (!first || published.length !== 1) throw new Error('Wanted one answer')
  return { ...first, revision }
}

const strict = async (...given: Parameters<typeof publication>) => ({
  ...(await publication(...given)),
  allowBreaking: false,
})

const versionsOf = (registry: RegistryObject, key: string) =>
  documentOf(registry, key).versions.map(({ version }) => version)

const keyOf = (id: string, ...tools: string[]): Principal => ({
  id,
  kind: 'key',
  scopes: ['tools:publish'],
  tools,
  users: [],
})

describe('a publication', () => {
  it('is stored once, and publishing the same again changes nothing', () =>
    inRegistry(async ({ registry }) => {
      const one = await publication('Kit.A@1.0.0')
      const first = await publish(registry, one)
      expect(first).toMatchObject({ outcome: 'created', ids: ['Kit.A@1.0.0'] })
      expect(await publish(registry, one)).toMatchObject({ outcome: 'unchanged', revision: first.revision })
    }))

  it.each<[string, Parameters<typeof publication>, boolean]>([
    ['says something else', ['Kit.A@1.0.0', { description: 'other' }, {}], false],
    ['has other tags', ['Kit.A@1.0.0', {}, { tags: ['b'] }], false],
    ['is implemented otherwise', ['Kit.A@1.0.0', {}, { implementation: { kind: 'echo', of: 'b' } }], false],
    ['is no longer implemented', ['Kit.A@1.0.0', {}, {}], true],
    ['says nothing of its tags', ['Kit.A@1.0.0', {}, { implementation: { kind: 'echo', of: 'a' } }], true],
  ])('of an existing version, which %s, is accepted as identical: %3$s', (_, given, isSame) =>
    inRegistry(async ({ registry }) => {
      const beside = { tags: ['a'], implementation: { kind: 'echo', of: 'a' } }
      const { revision } = await publish(registry, await publication('Kit.A@1.0.0', {}, beside))
      const before = registry.value('tool/kit.a')
      const again = await publish(registry, await publication(...given))
      const message = expect.stringContaining('a version never changes')
      expect(again).toMatchObject({
        revision,
        ...(isSame ? { outcome: 'unchanged' } : { failure: { type: 'conflict', message } }),
      })
      expect(registry.value('tool/kit.a')).toBe(before)
    }),
  )

  it('of an id that differs from an existing one only in a dash is refused, and names that one', () =>
    inRegistry(async ({ registry }) => {
      const [stored, ...others] = (await publication('My_Kit.Tool@1.0.0')).records
      if (!stored || others.length > 0) throw new Error('Wanted one record')
      // As an earlier version of Switchboard took it
      const dashed = { ...stored, toolkit: 'My-Kit', id: 'My-Kit.Tool@1.0.0' }
      const before = { records: [dashed], specified: { implementation: false, tags: false }, allowBreaking: true }
      expect(await publish(registry, before)).toMatchObject({ outcome: 'created' })
      expect(registry.hasToolkit('My-Kit')).toBe(true)
      expect(registry.hasToolkit('My_Kit')).toBe(false)
      const found = await registry.loadEntryOrNearest({ toolkit: 'my_kit', tool: 'tool' })
      expect(found).toBe(textOf(registry, 'tool/my-kit.tool'))
      expect(await publish(registry, await publication('my_kit.tool@2.0.0'))).toMatchObject({
        failure: {
          type: 'conflict',
          message: "'My-Kit.Tool' exists, which is written with '_' where a name has no '-'",
        },
      })
      // What it is called stays, and gets new versions
      const next = { ...dashed, version: '1.1.0', id: 'My-Kit.Tool@1.1.0', digest: 'next' }
      expect(await publish(registry, { ...before, records: [next] })).toMatchObject({ outcome: 'created' })
      expect(versionsOf(registry, 'my-kit.tool')).toEqual(['1.0.0', '1.1.0'])
    }))

  it('of a document whose id is the name of another owner’s toolkit is refused; the owner may have both', () =>
    inRegistry(async ({ registry }) => {
      const [ann, eve] = [keyOf('key:ann', '*'), keyOf('key:eve', '*')]
      await publish(registry, await publication('Gmail.Send@1.0.0'), ann)
      for (const id of ['Gmail', 'gmail', 'GMAIL']) {
        for (const beside of [{}, { toolkit: 'Eves' }])
          expect(await publish(registry, await documentPublication(id, '1.0.0', ['do'], beside), eve)).toMatchObject({
            failure: {
              type: 'conflict',
              message: `The id '${id}' is taken, as a document's or a toolkit's: give the document an id of its own`,
            },
          })
        expect(registry.value(`address/machine-context/${id.toLowerCase()}`)).toBeUndefined()
      }
      const own = await documentPublication('gmail', '1.0.0', ['send'], { toolkit: 'Anns' })
      expect(await publish(registry, own, ann)).toEqual({
        ok: true,
        outcome: 'created',
        ids: ['Anns.send@1.0.0'],
        warnings: [],
        revision: expect.any(Number),
      })
      expect(registry.value('address/machine-context/gmail')).toContain('"toolkit":"Anns"')
    }))

  it('of a document keeps the name of its id, which never moves', () =>
    inRegistry(async ({ registry }) => {
      const [ann, eve] = [keyOf('key:ann', '*'), keyOf('key:eve', '*')]
      const address = () => registry.value('address/machine-context/pay-pal')
      const made = (toolkit: string, version = '1.0.0', id = 'pay-pal') =>
        documentPublication(id, version, ['send'], { toolkit })
      expect(await publish(registry, await made('Mine'), ann)).toMatchObject({ outcome: 'created' })
      const before = address()
      expect(before).toContain('"toolkit":"Mine"')
      const taken = { failure: { type: 'conflict', message: expect.stringContaining('is taken') } }
      for (const id of ['pay-pal', 'Pay-Pal', 'pay_pal', 'pay.pal'])
        expect(await publish(registry, await made('Eves', '1.0.0', id), eve)).toMatchObject(taken)
      for (const id of ['Pay_Pal.Charge@1.0.0', 'pay_pal.Charge@1.0.0'])
        expect(await publish(registry, await publication(id), eve)).toMatchObject({
          failure: {
            type: 'conflict',
            message: expect.stringContaining('publish in another'),
          },
        })
      // The owner neither has it twice, and may have a toolkit of the name beside it
      expect(await publish(registry, await made('Other', '2.0.0'), ann)).toMatchObject({
        failure: { type: 'conflict' },
      })
      expect(await publish(registry, await publication('Pay_Pal.Charge@1.0.0'), ann)).toMatchObject({
        outcome: 'created',
      })
      expect(await publish(registry, await made('Mine', '1.0.1'), ann)).toMatchObject({ outcome: 'created' })
      expect(address()).toBe(before)
      expect(registry.toolkit('pay_pal')).toMatchObject({ owner: { principal: 'key:ann' } })
    }))

  it('of a document cannot claim a name that the credential does not cover, whether it exists or not', () =>
    inRegistry(async ({ registry }) => {
      const narrow = keyOf('key:narrow', 'Narrow.*')
      await publish(registry, await publication('Gmail.Send@1.0.0'), keyOf('key:ann', '*'))
      const reasons = []
      for (const id of ['Gmail', 'Jira']) {
        const one = await publish(
          registry,
          await documentPublication(id, '1.0.0', ['send'], { toolkit: 'Narrow' }),
          narrow,
        )
        expect(one).toMatchObject({ failure: { type: 'forbidden' } })
        reasons.push(JSON.stringify(one).replaceAll(id, 'ID'))
      }
      expect(reasons[0]).toBe(reasons[1])
      const own = await documentPublication('narrow', '1.0.0', ['send'], { toolkit: 'Narrow' })
      expect(await publish(registry, own, narrow)).toMatchObject({ outcome: 'created' })
    }))

  it('of a document with the id of a bundled one is not a version of that one, unless its toolkit is given', () =>
    inRegistry(async ({ registry }) => {
      const { records, document } = await documentPublication('sums', '1.0.0', ['add'], { toolkit: 'Arithmetic' })
      await registry.installBundle('b1', 0, records, document ? [document] : [])
      const next = await documentPublication('sums', '1.1.0', ['add', 'subtract'], { toolkit: 'Arithmetic' })
      // As it is placed where the id leads
      const placed = { ...next, specified: { ...next.specified, toolkit: false } }
      expect(await publish(registry, placed, keyOf('key:ann', '*'))).toMatchObject({
        failure: {
          type: 'conflict',
          message: expect.stringContaining('is taken'),
        },
      })
      expect(await publish(registry, placed)).toMatchObject({
        failure: {
          type: 'conflict',
          message: expect.stringContaining(`give this one an id of its own, or publish it as a version of that`),
        },
      })
      expect(await publish(registry, next)).toMatchObject({ outcome: 'created' })
    }))

  it('of an id that differs from an existing one only in case is refused', () =>
    inRegistry(async ({ registry }) => {
      await publish(registry, await publication('Kit.Tool@1.0.0'))
      for (const id of ['kit.tool@1.0.0', 'KIT.Tool@2.0.0', 'Kit.TOOL@0.1.0']) {
        const refused = await publish(registry, await publication(id))
        expect(refused).toMatchObject({
          failure: { type: 'conflict', message: expect.stringContaining("'Kit.Tool' exists") },
        })
      }
      expect(versionsOf(registry, 'kit.tool')).toEqual(['1.0.0'])
    }))

  it('of several tools is stored as a whole or not at all', () =>
    inRegistry(async ({ registry }) => {
      await publish(registry, await publication('Kit.B@1.0.0'))
      const [a, b, c] = [
        await publication('Kit.A@1.0.0'),
        await publication('Kit.B@1.0.0', { description: 'other' }),
        await publication('Kit.C@1.0.0'),
      ]
      const whole = { ...a, records: [a, b, c].flatMap(({ records }) => records) }
      expect(await publish(registry, whole)).toMatchObject({
        failure: { type: 'conflict' },
        ids: ['Kit.A@1.0.0', 'Kit.B@1.0.0', 'Kit.C@1.0.0'],
      })
      expect([registry.value('tool/kit.a'), registry.value('tool/kit.c')]).toEqual([undefined, undefined])
      expect(await publish(registry, { ...whole, records: [a, c].flatMap(({ records }) => records) })).toMatchObject({
        outcome: 'created',
      })
    }))

  it('is judged on its own, and against those stored before it', () =>
    inRegistry(async ({ registry }) => {
      const all = ['Kit.A@1.0.0', 'Kit.A@1.0.0', 'kit.a@2.0.0', 'Kit.B@1.0.0']
      const { published } = await registry.publish(await Promise.all(all.map((id) => publication(id))), ADMIN)
      expect(published.map(outcomeOf)).toEqual(['created', 'unchanged', 'conflict', 'created'])
    }))
})

describe('a version that breaks compatibility with the one before it', () => {
  const withInput = (...required: readonly string[]) => ({
    input_schema: {
      type: 'object',
      properties: Object.fromEntries(required.map((name) => [name, { type: 'string', description: 'x' }])),
      required,
    },
  })

  it('is refused unless its number says so, or the publisher does', () =>
    inRegistry(async ({ registry }) => {
      await publish(registry, await strict('Kit.A@1.0.0', withInput('a')))
      const hidden = await publish(registry, await strict('Kit.A@1.1.0', withInput('a', 'b')))
      expect(hidden).toMatchObject({ failure: { type: 'definition-invalid', problems: [expect.anything()] } })
      expect(versionsOf(registry, 'kit.a')).toEqual(['1.0.0'])
      expect(await publish(registry, await strict('Kit.A@2.0.0', withInput('a', 'b')))).toMatchObject({
        outcome: 'created',
      })
      expect(await publish(registry, await publication('Kit.A@1.1.0', withInput('a', 'b')))).toMatchObject({
        outcome: 'created',
      })
    }))

  it('is compared with the highest lower version that is not withdrawn', () =>
    inRegistry(async ({ registry }) => {
      await publish(registry, await strict('Kit.A@1.0.0', withInput('a')))
      await publish(registry, await strict('Kit.A@2.0.0', withInput('b')))
      await publish(registry, await strict('Kit.A@10.0.0', withInput('c')))
      const endOf = async (id: string, input: string) =>
        outcomeOf(await publish(registry, await strict(id, withInput(input))))
      expect(await endOf('Kit.A@2.0.1', 'a')).toBe('definition-invalid')
      expect(await endOf('Kit.A@2.0.1', 'b')).toBe('created')
      expect(await endOf('Kit.A@0.1.0', 'z')).toBe('created')
      for (const version of ['2.0.0', '2.0.1'])
        await registry.change({ toolkit: 'kit', tool: 'a' }, version, { status: { state: 'yanked' } }, ADMIN)
      expect(await endOf('Kit.A@2.0.2', 'a')).toBe('created')
    }))
})
