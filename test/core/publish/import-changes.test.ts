import { describe, expect, it } from 'vitest'
import type { Guard } from '../../../src/core/access/guard.ts'
import type { ImportedTool } from '../../../src/core/publish/import.ts'
import { prepareImport } from '../../../src/core/publish/import-changes.ts'
import { createToolRecord } from '../../../src/core/tool/digest.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import type { Definition, JsonSchema } from '../../../src/core/tool/tool.ts'
import { documentOf, importedOf, schemasDeep, sha256, type World, worldOf } from './fakes.ts'

/** The record that an import's tool is or was in a version. */
const recordAs = (version: string, { definition, implementation, dialect, document }: ImportedTool) =>
  createToolRecord({ definition: { ...definition, version }, implementation, dialect, document }, sha256)

async function prepare(
  imported: ImportedTool,
  { version, sourceVersion, ...world }: World & { version?: string; sourceVersion?: string } = {},
) {
  const { deps, asked } = worldOf(world)
  const result = await prepareImport({ kind: 'import', imported, version, sourceVersion }, deps)
  const prepared = result.ok ? result.value : undefined
  return { asked, prepared, problems: result.ok ? undefined : result.problems }
}

/** The state and the version of a tool of which these versions of another one are published. */
async function successor(
  imported: ImportedTool,
  before: ImportedTool,
  versions: readonly string[],
  more: { version?: string; sourceVersion?: string } = {},
) {
  const records = await Promise.all(versions.map((version) => recordAs(version, before)))
  const published = { 'kit.do': documentOf(records) }
  const { prepared, problems } = await prepare(imported, { published, records, ...more })
  return problems?.[0]?.message ?? [prepared?.state, prepared?.publication.records[0]?.version]
}

it('an unpublished tool gets the requested version, else that of its source, else 1.0.0', async () => {
  const tool = importedOf()
  const versionOf = async (more: object) => (await prepare(tool, more)).prepared?.publication.records[0]?.version
  expect(await versionOf({ version: '3.0.0', sourceVersion: '2.0.0' })).toBe('3.0.0')
  expect(await versionOf({ sourceVersion: '2.0.0' })).toBe('2.0.0')
  expect(await versionOf({})).toBe('1.0.0')
})

it('an unpublished tool is new', async () => {
  const tool = importedOf()
  expect(await prepare(tool)).toEqual({
    asked: ['current Kit.Do'],
    prepared: {
      state: 'new',
      publication: {
        records: [await recordAs('1.0.0', tool)],
        schemaPaths: [{ input: '/definition/input', output: '/definition/output' }],
        specified: { implementation: true, tags: false },
        allowBreaking: true,
      },
      implementations: new Map([[tool.implementation, '/implementation']]),
      warnings: [],
    },
  })
})

it('an unpublished tool is new if its name is known without versions', async () => {
  const { prepared } = await prepare(importedOf(), { published: { 'kit.do': documentOf([]) } })
  expect([prepared?.state, prepared?.publication.records[0]?.version]).toEqual(['new', '1.0.0'])
})

it('an unpublished tool is checked like complete definitions', async () => {
  const problemsOf = async (...given: Parameters<typeof importedOf>) =>
    (await prepare(importedOf(...given))).problems?.map(({ path }) => path)
  expect(await problemsOf({ input: { type: 'text' }, output: { type: 'text' } })).toEqual([
    '/definition/input/type',
    '/definition/output/type',
  ])
  expect(await problemsOf({ input: schemasDeep(33) })).toEqual([`/definition/input${'/properties/a'.repeat(32)}`])
  expect(await problemsOf({}, { implementation: { kind: 'magic' } })).toEqual(['/implementation/kind'])
  expect(await problemsOf({}, { implementation: { kind: 'echo', wrong: '/at' } })).toEqual(['/implementation/at'])
  expect(await problemsOf({}, { document: 'x'.repeat(256 * 1024) })).toEqual(['/definition'])
  expect(await problemsOf({ output: null })).toBeUndefined()
})

const LARGE = 'x'.repeat(256 * 1024)
it.each([
  [importedOf({ description: '\ud800' }), '', 'Contains a lone surrogate (invalid Unicode)'],
  [importedOf({ description: LARGE }), '', 'Its definition is larger than 262144 characters'],
  [
    importedOf({}, { implementation: { kind: '\ud800' } }),
    '/implementation',
    'Contains a lone surrogate (invalid Unicode)',
  ],
  [
    importedOf({}, { implementation: { kind: 'echo', LARGE } }),
    '/implementation',
    'Is larger than 262144 bytes, the most an implementation may have',
  ],
])(
  'an unpublished tool with invalid or too long text is refused before its digest is computed',
  async (tool, path, message) => {
    const published = { 'kit.do': documentOf([await recordAs('1.0.0', importedOf())]) }
    for (const world of [{}, { published }]) {
      expect((await prepare(tool, world)).problems).toEqual([{ path, message }])
    }
  },
)

it('a tool that is already published is unchanged in its highest version, whatever version is requested', async () => {
  const tool = importedOf()
  for (const more of [{}, { version: '9.0.0' }, { version: '0.1.0' }, { sourceVersion: '9.0.0' }]) {
    expect(await successor(tool, tool, ['1.9.0', '1.10.0', '0.5.0'], more)).toEqual(['unchanged', '1.10.0'])
  }
})

it('a tool that is already published is unchanged if only its source document differs, and stays as it was', async () => {
  const tool = importedOf()
  const records = [await recordAs('1.0.0', tool)]
  const published = { 'kit.do': documentOf(records, { newest: records[0] }) }
  const again = importedOf({}, { document: 'in other words', about: {}, warnings: ['other'] })
  expect(await prepare(again, { published, records })).toEqual({
    asked: ['current Kit.Do'],
    prepared: {
      state: 'unchanged',
      publication: {
        records: [await recordAs('1.0.0', again)],
        specified: { implementation: true, tags: false },
        allowBreaking: false,
      },
      implementations: new Map([[again.implementation, '/implementation']]),
      warnings: [],
    },
  })
})

it('a tool that is already published is not checked again', async () => {
  const tool = importedOf({ input: { type: 'text' } })
  expect(await successor(tool, tool, ['1.0.0'])).toEqual(['unchanged', '1.0.0'])
})

it('a tool that is already published is changed if its highest version was different', async () => {
  const tool = importedOf()
  const records = await Promise.all([
    recordAs('1.0.0', tool),
    recordAs('2.0.0', importedOf({ description: 'Another' })),
  ])
  const { prepared } = await prepare(tool, { published: { 'kit.do': documentOf(records) }, records })
  expect([prepared?.state, prepared?.publication.records[0]?.version]).toEqual(['changed', '2.0.1'])
})

describe('a changed tool', () => {
  const before = importedOf({ output: { type: 'object', properties: { x: { type: 'string' } } } })
  const changed = (more: Partial<Definition>) => importedOf({ output: before.definition.output, ...more })
  const input = (properties: Readonly<Record<string, JsonSchema>>, required: readonly string[] = []) => ({
    input: { type: 'object', properties, ...(required.length > 0 ? { required } : {}) },
  })
  const a = { type: 'string' }

  it.each<[string, string, Partial<Definition>]>([
    ['a patch by its description', '1.2.4', { description: 'Does it well' }],
    ['a patch by its tags', '1.2.4', { tags: ['t'] }],
    ['a minor version by a parameter more', '1.3.0', input({ a, b: a })],
    ['a minor version by more output', '1.3.0', { output: { type: 'object', properties: { x: a, y: a } } }],
    ['a major version by a parameter less', '2.0.0', input({})],
    ['a major version by a parameter that must be given', '2.0.0', input({ a }, ['a'])],
    ['a major version by another output', '2.0.0', { output: a }],
    ['a major version by no output', '2.0.0', { output: null }],
    [
      'a major version by a secret more',
      '2.0.0',
      { requirements: { authorization: [], secrets: [{ id: 'K' }], user_id: false } },
    ],
  ])('a changed tool gets %s', async (_, version, more) => {
    expect(await successor(changed(more), before, ['1.2.3'])).toEqual(['changed', version])
  })

  it('a changed tool gets a version above its highest, whatever the version of its source', async () => {
    const tool = changed({ description: 'Another' })
    expect(await successor(tool, before, ['1.2.3', '3.0.0', '2.9.9'])).toEqual(['changed', '3.0.1'])
    expect(await successor(tool, before, ['1.2.3'], { sourceVersion: '7.0.0' })).toEqual(['changed', '1.2.4'])
    expect(await successor(changed(input({})), before, ['0.4.2'])).toEqual(['changed', '0.5.0'])
  })

  it('a changed tool gets the requested version if that is above its highest', async () => {
    const tool = changed(input({}))
    expect(await successor(tool, before, ['1.2.3', '1.3.0'], { version: '1.3.1' })).toEqual(['changed', '1.3.1'])
    for (const version of ['1.3.0', '1.2.9']) {
      expect(await successor(tool, before, ['1.2.3', '1.3.0'], { version })).toBe(
        `It changed, and version ${version} is not above 1.3.0, its highest`,
      )
    }
  })

  it('a changed tool is compared by the content of shared schemas, not by how they are shared', async () => {
    const sharing = (properties: JsonObject) => ({
      type: 'object',
      properties: { one: { $ref: '#/$defs/T' } },
      $defs: { T: { type: 'object', properties } },
    })
    const T = (properties: JsonObject) => importedOf({ input: sharing(properties), output: sharing(properties) })
    const alone = { type: 'object', properties: { one: { type: 'object', properties: { a, b: a } } } }
    expect(await successor(T({ a, b: a }), T({ a }), ['1.0.0'])).toEqual(['changed', '1.1.0'])
    expect(await successor(importedOf({ input: alone, output: alone }), T({ a }), ['1.0.0'])).toEqual([
      'changed',
      '1.1.0',
    ])
  })

  it('a changed tool is compared with the newest record if that is its highest version, else with the record of its digest', async () => {
    const records = await Promise.all(['1.0.0', '2.0.0'].map((version) => recordAs(version, before)))
    const [old, highest] = records
    const tool = changed({ description: 'Another' })
    const from = async (newest: typeof old, known: typeof records) => {
      const published = { 'kit.do': documentOf(records, { newest }) }
      const { prepared, asked } = await prepare(tool, { published, records: known })
      return [prepared?.publication.records[0]?.version, ...asked.slice(1)]
    }
    expect(await from(highest, [])).toEqual(['2.0.1'])
    expect(await from(old, records)).toEqual(['2.0.1', `record ${highest?.digest}`])
    expect(await from(undefined, records)).toEqual(['2.0.1', `record ${highest?.digest}`])
    // What cannot be compared may break
    expect(await from(old, [])).toEqual(['3.0.0', `record ${highest?.digest}`])
  })

  it('a changed tool is checked in its new version, and has its own document', async () => {
    const records = [await recordAs('1.0.0', before)]
    const published = { 'kit.do': documentOf(records) }
    const wrong = await prepare(changed({ input: { type: 'text' } }), { published, records })
    expect(wrong.problems?.map(({ path }) => path)).toEqual(['/definition/input/type'])
    const tool = { ...changed({ description: 'Another' }), document: 'new' }
    expect(await prepare(tool, { published, records })).toMatchObject({
      prepared: { state: 'changed', publication: { records: [await recordAs('1.0.1', tool)] } },
    })
  })

  it("a changed tool is refused if its name differs from another's only in case", async () => {
    const records = [await recordAs('1.0.0', importedOf({ tool: 'DO' }))]
    for (const more of [{}, { version: '9.0.0' }]) {
      const { problems } = await prepare(importedOf(), { published: { 'kit.do': documentOf(records) }, ...more })
      expect(problems).toEqual([{ path: '', message: "'Kit.DO' exists: ids are unique ignoring case" }])
    }
  })
})

const nameOf = async (...given: Parameters<typeof prepare>) =>
  (await prepare(...given)).prepared?.publication.records[0]?.name

it.each([
  ['do', 'Kit_Do'],
  ['kit_do', 'kit_do'],
  ['Kit_does-it', 'Kit_does-it'],
  ['kitchen', 'Kit_Do'],
  ['Other_do', 'Kit_Do'],
])('the name of an imported tool with the source name %s is %s', async (name, expected) => {
  expect(await nameOf(importedOf({ name }))).toBe(expected)
})

it('the name of an imported tool stays the same if it was imported before', async () => {
  const before = importedOf({ name: 'do' })
  const records = [await recordAs('1.0.0', before)]
  const published = { 'kit.do': documentOf(records) }
  expect(await nameOf(before, { published, records })).toBe('do')
  expect(await nameOf(importedOf({ name: 'do', description: 'Another' }), { published, records })).toBe('do')
})

const annotations = { destructiveHint: true }
const destroys = importedOf({ annotations })
const levelOf = async (guards?: readonly Guard[], before?: number, tool = destroys) => {
  const was = importedOf({ ...tool.definition, securityLevel: before ?? 0, description: 'Before' })
  const records = before === undefined ? [] : [await recordAs('1.0.0', was)]
  const { deps } = worldOf({ records, published: { 'kit.do': documentOf(records) } })
  const result = await prepareImport({ kind: 'import', imported: tool, guards }, deps)
  return result.ok ? result.value.publication.records[0]?.securityLevel : result.problems
}

it('the level of an imported destructive tool starts at 4, unless the import sets another', async () => {
  expect(await levelOf()).toBe(4)
  expect(await levelOf([])).toBe(4)
  expect(await levelOf([{ approval: true }])).toBe(4)
  expect(await levelOf([{ security_level: 1 }])).toBe(1)
  expect(await levelOf([{ security_level: 9 }])).toBe(9)
  expect(await levelOf(undefined, undefined, importedOf({ annotations: { destructiveHint: false } }))).toBe(0)
})

it('the level of an imported destructive tool stays lower if it was imported lower before, and stays at 4 if it started there', async () => {
  expect(await levelOf(undefined, 0)).toBe(0)
  expect(await levelOf([], 0)).toBe(0)
  expect(await levelOf(undefined, 4)).toBe(4)
  expect(await levelOf([], 4)).toBe(4)
  expect(await levelOf([{ security_level: 1 }], 4)).toBe(1)
})
