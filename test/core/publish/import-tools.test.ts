import { expect, it } from 'vitest'
import type { ImportItem } from '../../../src/core/publish/import.ts'
import { importTools } from '../../../src/core/publish/import-tools.ts'
import type { Submission } from '../../../src/core/publish/submission.ts'
import { createBudget } from '../../../src/core/tool/budget.ts'
import { createToolRecord } from '../../../src/core/tool/digest.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { publish, read } from '../../importers/openapi/make.ts'
import { definitionOf, importedOf, principal, sha256, worldOf } from './fakes.ts'

const describing = (operation: object, version = '2.3.4') => ({
  openapi: '3.1.0',
  info: { version },
  servers: [{ url: 'https://a.example' }],
  paths: { '/a': { post: { operationId: 'do', ...operation } }, '/b': { get: { operationId: 'other' } } },
})
const answering = (schema: object, schemas: object = {}) => ({
  responses: { 200: { content: { 'application/json': { schema } } } },
  ...schemas,
})

/** Imports one description after the other, and says which ids each made or left. */
async function imports(...documents: readonly object[]) {
  const records: ToolRecord[] = []
  const results = []
  for (const document of documents) {
    const { items, version } = await read(document)
    const { imported, skipped } = await publish(items ?? [], records, { sourceVersion: version })
    expect(skipped).toEqual([])
    results.push(Object.fromEntries(imported.map(({ id, state }) => [id, state])))
  }
  return { results, records }
}

it("the version of an imported tool is the source's version if it is new, or 1.0.0", async () => {
  expect((await imports(describing({}))).results[0]).toEqual({ 'Kit.do@2.3.4': 'new', 'Kit.other@2.3.4': 'new' })
  expect((await imports(describing({}, 'v2'))).results[0]).toEqual({
    'Kit.do@1.0.0': 'new',
    'Kit.other@1.0.0': 'new',
  })
})

it("the version of an imported tool stays the same if it is unchanged, whatever the source's version", async () => {
  const { results, records } = await imports(describing({}), describing({}, '9.0.0'))
  expect(results[1]).toEqual({ 'Kit.do@2.3.4': 'unchanged', 'Kit.other@2.3.4': 'unchanged' })
  expect(records).toHaveLength(2)
})

it('the version of an imported tool depends on the content of a shared schema, not on how it is shared', async () => {
  const of = (more: object) => ({
    ...describing(
      answering({
        type: 'array',
        prefixItems: [{ $ref: '#/components/schemas/T' }, { $ref: '#/components/schemas/T' }],
        items: { $ref: '#/components/schemas/T' },
      }),
    ),
    components: {
      schemas: {
        T: { type: 'object', description: 'x'.repeat(300), properties: { a: { type: 'string' }, ...more } },
      },
    },
  })
  const { results, records } = await imports(of({}), of({ b: { type: 'string' } }))
  expect(records[0]?.output).toHaveProperty('$defs')
  // Only a list's items are compared part by part; of anything else any change may break
  expect(Object.keys(results[1] ?? {})[0]).toBe('Kit.do@3.0.0')
  const once = (more: object) => ({
    ...describing(
      answering({
        type: 'object',
        properties: { one: { $ref: '#/components/schemas/T' }, two: { $ref: '#/components/schemas/T' } },
      }),
    ),
    components: {
      schemas: {
        T: { type: 'object', description: 'x'.repeat(300), properties: { a: { type: 'string' }, ...more } },
      },
    },
  })
  const apart = await imports(once({}), once({ b: { type: 'string' } }))
  expect(apart.records[0]?.output).toHaveProperty('$defs')
  expect(Object.keys(apart.results[1] ?? {})[0]).toBe('Kit.do@2.4.0')
})

it('an import skips a tool that cannot be imported, and imports the others', async () => {
  const records: ToolRecord[] = []
  const { items = [] } = await read(describing({}))
  await publish(items, records)
  const { items: again = [] } = await read({
    ...describing({}),
    paths: { '/a': { post: { operationId: 'DO' } }, '/c': { get: { operationId: 'third' } } },
  })
  const { imported, skipped } = await publish(again, records)
  expect(imported.map(({ id }) => id)).toEqual(['Kit.third@1.0.0'])
  expect(skipped[0]?.reason).toBe("'Kit.do' exists: ids are unique ignoring case")
})

it('an import stores nothing in a dry run', async () => {
  const records: ToolRecord[] = []
  const { items = [] } = await read(describing({}))
  const { imported } = await publish(items, records, { dryRun: true })
  expect(imported).toHaveLength(2)
  expect(records).toEqual([])
})

const yieldControl = async () => undefined
const options = { principal: principal('Kit.*'), allowBreaking: false, budget: createBudget(Infinity), yieldControl }
const named = (tool: string, more: Parameters<typeof importedOf>[0] = {}): ImportItem => ({
  tool: importedOf({ tool, name: `Kit_${tool}`, ...more }),
})
const numbered = (count: number) => Array.from({ length: count }, (_, index) => named(`T${index}`))
const BAD = { type: 'text' }

it('an import publishes a tool, and reports it with the warnings of its source', async () => {
  const requirements = { authorization: [], secrets: [{ id: 'KEY' }], user_id: true }
  const tool = importedOf({ requirements }, { warnings: ['Is loose'], about: { method: 'GET' } })
  expect(await importTools([{ tool }], options, worldOf().publish)).toEqual({
    imported: [
      {
        id: 'Kit.Do@1.0.0',
        name: 'Kit_Do',
        state: 'new',
        tags: [],
        about: { method: 'GET' },
        guard: { security_level: 4 },
        requirements,
        missing: [],
        warnings: ['Is loose'],
      },
    ],
    skipped: [],
    denied: 0,
    sourceKeys: new Set(['do']),
    origins: new Set(['source echo ']),
  })
})

it('an import publishes nothing from an empty source', async () => {
  const { publish: door, asked } = worldOf()
  expect(await importTools([], options, door)).toMatchObject({ imported: [], skipped: [], denied: 0 })
  expect(asked).toEqual([])
})

it('an import publishes ten tools at a time, as the source yields them, in order', async () => {
  const sizes: number[] = []
  const { publish: door, asked, stored } = worldOf()
  let made = 0
  function* items(): Iterable<ImportItem> {
    for (const item of [...numbered(14), { skipped: { name: 'gone', reason: 'Is gone' } }, ...numbered(6)]) {
      made += 1
      yield item
    }
  }
  const counting = (...given: Parameters<typeof door>) => {
    sizes.push(given[0].length, made)
    return door(...given)
  }
  const imported = await importTools(items(), options, counting)
  // The 15th makes no tool
  expect(sizes).toEqual([10, 10, 9, 20, 1, 21])
  expect(asked.filter((each) => each.startsWith('publish'))).toEqual(['publish 10', 'publish 9', 'publish 1'])
  const ids = stored.flat().map(({ records }) => records[0]?.id)
  expect(imported.imported.map(({ id }) => id)).toEqual(ids)
  expect(ids.slice(0, 3)).toEqual(['Kit.T0@1.0.0', 'Kit.T1@1.0.0', 'Kit.T2@1.0.0'])
  expect(imported.skipped).toEqual([{ name: 'gone', reason: 'Is gone' }])
})

it('an import publishes with its options', async () => {
  const given: unknown[] = []
  const { publish: door } = worldOf()
  const item = named('A')
  const watching = (submissions: readonly Submission[], ...more: readonly unknown[]) => {
    given.push(submissions, ...more)
    return door(submissions, options)
  }
  await importTools([item], { ...options, version: '2.0.0', sourceVersion: '3.0.0', dryRun: true }, watching)
  const { principal: publisher, allowBreaking, budget } = options
  expect(given).toEqual([
    [{ kind: 'import', imported: 'tool' in item && item.tool, version: '2.0.0', sourceVersion: '3.0.0' }],
    { principal: publisher, allowBreaking, dryRun: true, budget },
  ])
})

it('an import yields control between items that take work', async () => {
  const budget = createBudget(Infinity)
  let [made, ways] = [0, 0]
  function* items(): Iterable<ImportItem> {
    for (const item of numbered(9)) {
      made += 1
      budget.spend(6_000)
      yield item
    }
  }
  const givingWay = async () => {
    ways += 1
    expect(made).toBe(2 * ways)
  }
  await importTools(items(), { ...options, budget, yieldControl: givingWay }, async (submissions) => {
    const record = await createToolRecord({ definition: definitionOf(), dialect: 'plain', document: null }, sha256)
    const imported = { state: 'new', record } as const
    return submissions.map(() => ({ ok: true, outcome: 'created', ids: [], warnings: [], imported }))
  })
  expect(ways).toBe(4)
})

it('an import has one budget for checking and writing all tools, and reports those beyond it', async () => {
  const budget = createBudget(1_000)
  const { publish: door } = worldOf()
  const { imported, skipped } = await importTools(numbered(60), { ...options, budget }, door)
  expect(imported.length).toBeGreaterThan(0)
  expect(imported.length + skipped.length).toBe(60)
  const [first] = skipped
  expect(first?.reason).toBe("The source takes too much work as a whole: import it in parts, chosen by 'tools'")
  expect(new Set(skipped.map(({ reason }) => reason)).size).toBe(1)
  expect(budget.spent).toBeLessThan(2_000)
})

it('an import skips tools that cannot be published, in the order of the source, and publishes the others', async () => {
  const { publish: door } = worldOf({
    granted: ['KEY'],
    outcomes: {
      'Kit.Taken@1.0.0': (ids) => ({ ok: false, ids, failure: { type: 'conflict', message: 'Exists' } }),
      'Kit.Breaking@1.0.0': (ids) => ({
        ok: false,
        ids,
        failure: {
          type: 'definition-invalid',
          problems: [
            { path: '/input/properties/a', message: 'Is gone' },
            { path: '', message: 'Is worse' },
          ],
        },
      }),
    },
  })
  const secrets = { requirements: { authorization: [], secrets: [{ id: 'KEY' }], user_id: false } }
  const gone = { name: 'gone', reason: 'Is gone', about: { method: 'PUT' } }
  const { imported, skipped, denied } = await importTools(
    [
      named('A'),
      named('Wrong', { input: BAD }),
      { skipped: gone },
      named('Denied', secrets),
      named('B'),
      named('Taken'),
      named('Foreign', { toolkit: 'Other' }),
      named('Breaking'),
      named('C'),
    ],
    { ...options, principal: principal('K*.*') },
    door,
  )
  expect(imported.map(({ id }) => id)).toEqual(['Kit.A@1.0.0', 'Kit.B@1.0.0', 'Kit.C@1.0.0'])
  expect(skipped).toEqual([
    {
      name: 'Wrong',
      reason: expect.stringMatching(/^At '\/definition\/input\/type': Must be /),
      about: { path: 'Wrong' },
    },
    gone,
    {
      name: 'Denied',
      reason:
        "'Kit.Denied' may have the secret 'KEY': to publish it, the credential must name it or its toolkit, such as 'Kit.*'",
      about: { path: 'Denied' },
    },
    { name: 'Taken', reason: 'Exists', about: { path: 'Taken' } },
    { name: 'Foreign', reason: "The credential does not cover 'Other.Foreign'", about: { path: 'Foreign' } },
    {
      name: 'Breaking',
      reason: "At '/input/properties/a': Is gone; Is worse",
      about: { path: 'Breaking' },
    },
  ])
  expect(denied).toBe(2)
})

it('an import lists at most five problems of a skipped tool', async () => {
  const properties = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, BAD]))
  const { skipped } = await importTools([named('A', { input: { properties } })], options, worldOf().publish)
  expect(skipped[0]?.reason.split('; ').map((each) => each.split(':')[0])).toEqual(
    ['a', 'b', 'c', 'd', 'e'].map((name) => `At '/definition/input/properties/${name}/type'`),
  )
})

it('an import reports breaking changes if the registry does so for a requested version', async () => {
  const { publish: door } = worldOf({
    outcomes: {
      'Kit.A@2.0.0': (ids, { allowBreaking }) =>
        allowBreaking
          ? { ok: true, outcome: 'created', ids, warnings: [] }
          : { ok: false, ids, failure: { type: 'definition-invalid', problems: [{ path: '', message: 'Breaks' }] } },
    },
  })
  const imports = (more: object) => importTools([named('A')], { ...options, ...more }, door)
  expect((await imports({ version: '2.0.0' })).skipped).toMatchObject([{ reason: 'Breaks' }])
  expect((await imports({ version: '2.0.0', allowBreaking: true })).imported).toHaveLength(1)
  expect((await imports({ sourceVersion: '2.0.0' })).imported).toHaveLength(1)
})

it('an import throws if a tool is neither imported nor skipped', async () => {
  const created = { ok: true, outcome: 'created', warnings: [], ids: ['Kit.A@1.0.0'] } as const
  const withResults = (...results: (typeof created)[]) => importTools([named('A')], options, async () => results)
  await expect(withResults()).rejects.toThrow("Nothing became of the imported tool 'A'")
  await expect(withResults(created)).rejects.toThrow("No record of the imported tool 'A'")
})
