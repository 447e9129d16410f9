import { describe, expect, it } from 'vitest'
import { assignNames } from '../../../src/core/publish/assign-names.ts'
import { definitionOf, documentOf, importedOf, principal, worldOf } from './fakes.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'

/** A registry in which tools of these names are published. */
function holding(...names: readonly (readonly [toolkit: string, tool: string])[]) {
  const asked: string[] = []
  return {
    asked,
    async loadCurrent({ toolkit, tool }: { toolkit: string; tool: string }) {
      asked.push(`${toolkit}.${tool}`)
      const isKnown = names.some((name) => name[0] === toolkit && name[1] === tool)
      return isKnown ? documentOf([{ ...definitionOf({ toolkit, tool }), digest: 'd' } as ToolRecord]) : undefined
    },
    async hasToolkit(toolkit: string) {
      asked.push(toolkit)
      return names.some((name) => name[0] === toolkit)
    },
  }
}

const named = (toolkit: string, ...tools: readonly string[]) =>
  tools.map((tool) => definitionOf({ toolkit, tool, name: `${toolkit}_${tool}` }))

it('names with a dash are replaced, with a warning', async () => {
  const { definitions, warnings } = await assignNames(named('my-kit', 'get-x', 'put'), holding())
  expect(definitions.map(({ toolkit, tool, name }) => [toolkit, tool, name])).toEqual([
    ['my_kit', 'get_x', 'my_kit_get_x'],
    ['my_kit', 'put', 'my_kit_put'],
  ])
  expect(warnings).toEqual([
    { path: '', message: "'my-kit' is no longer a toolkit's name: the toolkit is 'my_kit'" },
    { path: '', message: "'get-x' is no longer a tool's name: it is 'get_x'" },
  ])
})

it('names with a dash are kept if something is published under them', async () => {
  const source = holding(['my-kit', 'get-x'])
  const { definitions, warnings } = await assignNames(named('my-kit', 'get-x', 'get-y'), source)
  expect(definitions.map(({ toolkit, tool }) => `${toolkit}.${tool}`)).toEqual(['my-kit.get-x', 'my-kit.get_y'])
  expect(warnings.map(({ message }) => message)).toEqual(["'get-y' is no longer a tool's name: it is 'get_y'"])
})

it('names with a dash are distinguished from names that would be the same', async () => {
  const { definitions } = await assignNames(named('Kit', 'get-x', 'get_x'), holding())
  const [made = '', own] = definitions.map(({ tool }) => tool)
  expect(own).toBe('get_x')
  expect(made).toMatch(/^get_x_[0-9a-f]{8}$/)
})

it('names with a dash are kept in the exposed name if that is not derived from them', async () => {
  const { definitions } = await assignNames([definitionOf({ tool: 'get-x', name: 'get-x' })], holding())
  expect(definitions[0]).toMatchObject({ tool: 'get_x', name: 'get-x' })
})

it('names without a dash cause no lookups', async () => {
  const source = holding()
  const definitions = named('Kit', 'a', 'b_c')
  expect((await assignNames(definitions, source)).definitions).toBe(definitions)
  expect(source.asked).toEqual([])
})

describe('published', () => {
  const implementation = { kind: 'echo' }
  const toolkit = { definition: { plain: [{ tool: 'get-x', version: '1.0.0' }] }, toolkit: 'my-kit', implementation }

  it('published: a document with a toolkit next to it is in the toolkit of the replaced name', async () => {
    const { publish, stored } = worldOf()
    const options = { principal: principal('*'), allowBreaking: false }
    const [report] = await publish([{ kind: 'document', body: toolkit }], options)
    expect(report).toMatchObject({ ok: true, ids: ['my_kit.get_x@1.0.0'], warnings: [{}, {}] })
    // What the document calls it is kept, for a module to be told
    expect(stored[0]?.[0]?.records[0]).toMatchObject({ tool: 'get_x', sourceName: 'get-x' })
  })

  it('published: a key for a toolkit with a dash covers the toolkit without it', async () => {
    const { publish } = worldOf()
    const publishAs = async (pattern: string) => {
      const [report] = await publish([{ kind: 'document', body: toolkit }], {
        principal: principal(pattern),
        allowBreaking: false,
      })
      return report
    }
    expect(await publishAs('my-kit.*')).toMatchObject({ ok: true, ids: ['my_kit.get_x@1.0.0'] })
    expect(await publishAs('my-kits.*')).toMatchObject({ ok: false, failure: { type: 'forbidden' } })
  })

  it('published: an import continues the tool that an earlier import named with a dash', async () => {
    const before = { ...definitionOf({ toolkit: 'Kit', tool: 'get-x' }), digest: 'other' } as ToolRecord
    const published = { 'kit.get-x': documentOf([before], { newest: before }) }
    const imported = importedOf({ toolkit: 'Kit', tool: 'get-x' })
    const options = { principal: principal('Kit.*'), allowBreaking: false }
    expect(await worldOf({ published }).publish([{ kind: 'import', imported }], options)).toMatchObject([
      { ok: true, imported: { state: 'changed' }, ids: [expect.stringMatching(/^Kit\.get-x@/)] },
    ])
    expect(await worldOf().publish([{ kind: 'import', imported }], options)).toMatchObject([
      { ok: true, imported: { state: 'new' }, ids: ['Kit.get_x@1.0.0'] },
    ])
  })
})
