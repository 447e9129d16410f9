import { describe, expect, it } from 'vitest'
import type { Principal } from '../../../../src/core/access/principal.ts'
import type { Publication, PublicationOutcome } from '../../../../src/core/publish/registry.ts'
import type { RegistryObject } from '../../../../src/storage/registry/registry-object.ts'
import { ADMIN, documentOf, documentPublication, inRegistry, publication, stopClock, textOf } from '../set-up.ts'

stopClock()

/** What became of one publication, and how many changes the registry counts now. */
async function publish(
  registry: RegistryObject,
  one: Publication,
  principal: Principal = ADMIN,
): Promise<PublicationOutcome & { revision: number }> {
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

/** Of a publisher who may publish in the toolkit that the document's id names. */
const named = ({ document, ...rest }: Publication): Publication => ({
  ...rest,
  ...(document ? { document: { ...document, mayHaveName: true } } : {}),
})

describe('a publication', () => {
  it('is stored once: the same again changes nothing', () =>
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
  ])('of a version there is, which %s, is taken as it stands: %3$s', (_, given, isSame) =>
    inRegistry(async ({ registry }) => {
      const beside = { tags: ['a'], implementation: { kind: 'echo', of: 'a' } }
      const { revision } = await publish(registry, await publication('Kit.A@1.0.0', {}, beside))
      const before = registry.value('tool/kit.a')
      const again = await publish(registry, await publication(...given))
      expect(again).toMatchObject({ outcome: isSame ? 'unchanged' : 'conflict', revision })
      if (!isSame) expect(again).toMatchObject({ message: expect.stringContaining('a version never changes') })
      expect(registry.value('tool/kit.a')).toBe(before)
    }),
  )

  it('of an id that differs from one there is only in a dash is refused, and leads to that one', () =>
    inRegistry(async ({ registry }) => {
      const [stored, ...others] = (await publication('My_Kit.Tool@1.0.0')).records
      if (!stored || others.length > 0) throw new Error('Wanted one record')
      // As an earlier version of Switchboard took it
      const dashed = { ...stored, toolkit: 'My-Kit', id: 'My-Kit.Tool@1.0.0' }
      const before = { records: [dashed], given: { implementation: false, tags: false }, allowBreaking: true }
      expect(await publish(registry, before)).toMatchObject({ outcome: 'created' })
      expect(registry.holds('My-Kit')).toBe(true)
      expect(registry.holds('My_Kit')).toBe(false)
      const found = await registry.documentOrNearest({ toolkit: 'my_kit', tool: 'tool' })
      expect(found).toBe(textOf(registry, 'tool/my-kit.tool'))
      expect(await publish(registry, await publication('my_kit.tool@2.0.0'))).toMatchObject({
        outcome: 'conflict',
        message: "'My-Kit.Tool' exists, which is written with '_' where a name has no '-'",
      })
      // What it is called stays, and gets new versions
      const next = { ...dashed, version: '1.1.0', id: 'My-Kit.Tool@1.1.0', digest: 'next' }
      expect(await publish(registry, { ...before, records: [next] })).toMatchObject({ outcome: 'created' })
      expect(versionsOf(registry, 'my-kit.tool')).toEqual(['1.0.0', '1.1.0'])
    }))

  it('of a document whose id is the name of a toolkit is stored, and the name leads to the toolkit', () =>
    inRegistry(async ({ registry }) => {
      await publish(registry, await publication('Gmail.Send@1.0.0'))
      const warning = "The id 'Gmail' alone does not lead to this document: call it by its toolkit, 'Mine'"
      const created = { outcome: 'created', ids: ['Mine.send@1.0.0'], warnings: [warning] }
      const one = await documentPublication('Gmail', '1.0.0', ['send'], { toolkit: 'Mine' })
      expect(await publish(registry, named(one))).toMatchObject(created)
      expect(registry.value('address/machine-context/gmail')).toBeUndefined()
      // Whoever may publish in the toolkit may give its name in other case to a document
      const key = (id: string): Principal => ({ id, kind: 'key', scopes: ['tools:publish'], tools: ['*'], users: [] })
      const lower = async (toolkit: string) => named(await documentPublication('gmail', '1.0.0', ['send'], { toolkit }))
      expect(await publish(registry, await lower('Eve'), key('key:eve'))).toMatchObject({ outcome: 'created' })
      expect(registry.value('address/machine-context/gmail')).toBeUndefined()
      expect(await publish(registry, await lower('Lower'))).toMatchObject({ outcome: 'created' })
      expect(registry.value('address/machine-context/gmail')).toContain('"toolkit":"Lower"')
      // Whoever may not publish there is told the same, whether there is one or not
      const free = await documentPublication('other', '1.0.0', ['send'], { toolkit: 'Mine2' })
      expect(await publish(registry, free)).toMatchObject({
        outcome: 'created',
        ids: ['Mine2.send@1.0.0'],
        warnings: [warning.replace('Gmail', 'other').replace('Mine', 'Mine2')],
      })
      expect(registry.value('address/machine-context/other')).toBeUndefined()
    }))

  it('of a document has the name of a toolkit to come, and gives it back when that comes', () =>
    inRegistry(async ({ registry }) => {
      const of = (id: string): Principal => ({ id, kind: 'key', scopes: ['tools:publish'], tools: ['*'], users: [] })
      const address = () => registry.value('address/machine-context/stripe')
      const made = async (toolkit: string) => named(await documentPublication('stripe', '1.0.0', ['send'], { toolkit }))
      expect(await publish(registry, await made('Mine'), of('key:mallory'))).toMatchObject({ outcome: 'created' })
      expect(address()).toContain('"toolkit":"Mine"')
      // The first has it, and may give it in another toolkit of theirs too
      expect(await publish(registry, await made('Eves'), of('key:eve'))).toMatchObject({
        outcome: 'conflict',
        message: expect.stringContaining("'stripe' is that of another publisher's document"),
      })
      expect(await publish(registry, await made('Other'), of('key:mallory'))).toMatchObject({ outcome: 'created' })
      expect(address()).toContain('"toolkit":"Mine"')
      expect(documentOf(registry, 'mine.send').newest?.source.byToolkit).toBeUndefined()
      expect(documentOf(registry, 'other.send').newest?.source.byToolkit).toBe(true)
      expect(await publish(registry, await publication('Stripe.Charge@1.0.0'), of('key:ann'))).toMatchObject({
        outcome: 'created',
      })
      expect(address()).toBeUndefined()
      expect(documentOf(registry, 'mine.send').newest?.source.byToolkit).toBe(true)
    }))

  it('of an id that differs from one there is only in case is refused', () =>
    inRegistry(async ({ registry }) => {
      await publish(registry, await publication('Kit.Tool@1.0.0'))
      for (const id of ['kit.tool@1.0.0', 'KIT.Tool@2.0.0', 'Kit.TOOL@0.1.0']) {
        const refused = await publish(registry, await publication(id))
        expect(refused).toMatchObject({ outcome: 'conflict', message: expect.stringContaining("'Kit.Tool' exists") })
      }
      expect(versionsOf(registry, 'kit.tool')).toEqual(['1.0.0'])
    }))

  it('of several tools is stored whole or not at all', () =>
    inRegistry(async ({ registry }) => {
      await publish(registry, await publication('Kit.B@1.0.0'))
      const [a, b, c] = [
        await publication('Kit.A@1.0.0'),
        await publication('Kit.B@1.0.0', { description: 'other' }),
        await publication('Kit.C@1.0.0'),
      ]
      const whole = { ...a, records: [a, b, c].flatMap(({ records }) => records) }
      expect(await publish(registry, whole)).toMatchObject({
        outcome: 'conflict',
        ids: ['Kit.A@1.0.0', 'Kit.B@1.0.0', 'Kit.C@1.0.0'],
      })
      expect([registry.value('tool/kit.a'), registry.value('tool/kit.c')]).toEqual([undefined, undefined])
      expect(await publish(registry, { ...whole, records: [a, c].flatMap(({ records }) => records) })).toMatchObject({
        outcome: 'created',
      })
    }))

  it('is judged by itself, and by what those before it stored', () =>
    inRegistry(async ({ registry }) => {
      const all = ['Kit.A@1.0.0', 'Kit.A@1.0.0', 'kit.a@2.0.0', 'Kit.B@1.0.0']
      const { published } = await registry.publish(await Promise.all(all.map((id) => publication(id))), ADMIN)
      expect(published.map(({ outcome }) => outcome)).toEqual(['created', 'unchanged', 'conflict', 'created'])
    }))
})

describe('a version that breaks what the one before it promised', () => {
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
      expect(hidden).toMatchObject({ outcome: 'refused', problems: [expect.anything()] })
      expect(versionsOf(registry, 'kit.a')).toEqual(['1.0.0'])
      expect(await publish(registry, await strict('Kit.A@2.0.0', withInput('a', 'b')))).toMatchObject({
        outcome: 'created',
      })
      expect(await publish(registry, await publication('Kit.A@1.1.0', withInput('a', 'b')))).toMatchObject({
        outcome: 'created',
      })
    }))

  it('is measured against the highest below it that was not withdrawn', () =>
    inRegistry(async ({ registry }) => {
      await publish(registry, await strict('Kit.A@1.0.0', withInput('a')))
      await publish(registry, await strict('Kit.A@2.0.0', withInput('b')))
      await publish(registry, await strict('Kit.A@10.0.0', withInput('c')))
      const outcomeOf = async (id: string, input: string) =>
        (await publish(registry, await strict(id, withInput(input)))).outcome
      expect(await outcomeOf('Kit.A@2.0.1', 'a')).toBe('refused')
      expect(await outcomeOf('Kit.A@2.0.1', 'b')).toBe('created')
      expect(await outcomeOf('Kit.A@0.1.0', 'z')).toBe('created')
      for (const version of ['2.0.0', '2.0.1'])
        await registry.change({ toolkit: 'kit', tool: 'a' }, version, { status: { state: 'yanked' } }, ADMIN)
      expect(await outcomeOf('Kit.A@2.0.2', 'a')).toBe('created')
    }))
})
