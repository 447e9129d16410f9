import { describe, expect, it } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { createPublish, type PublishOptions } from '../../../src/core/publish/publish.ts'
import { createToolRecord } from '../../../src/core/tool/digest.ts'
import type { PublicationResult } from '../../../src/core/publish/registry.ts'
import type { Submission } from '../../../src/core/publish/submission.ts'
import { type Definition, NO_REQUIREMENTS } from '../../../src/core/tool/tool.ts'
import { definitionOf, documentOf, importedOf, principal, sha256, worldOf } from './fakes.ts'

const owner = principal('Kit.*')
const options: PublishOptions = { principal: owner, allowBreaking: false }

/** The same tool by each way in. */
const WAYS: readonly [string, (more?: Partial<Definition>) => Submission][] = [
  [
    'a document',
    (more = {}) => ({
      kind: 'document',
      body: { definition: { plain: [JSON.parse(JSON.stringify(more))] }, implementation: { kind: 'echo' } },
    }),
  ],
  [
    'a complete definition',
    (more) => ({
      kind: 'definitions',
      tools: [
        {
          definition: definitionOf(more),
          implementation: { kind: 'echo' },
          document: { of: 'its own' },
          dialect: 'source',
          schemaPaths: { input: '/in', output: '/out' },
        },
      ],
      warnings: [],
    }),
  ],
  ["an import's tool", (more) => ({ kind: 'import', imported: importedOf(more) })],
]
const requiring = (more: object) => ({ requirements: { ...NO_REQUIREMENTS, ...more } })
const refused = (ids: readonly string[]): PublicationResult => ({
  ok: false,
  ids,
  failure: { type: 'definition-invalid', problems: [{ path: '/input', message: 'Breaks' }] },
})
const conflict = (ids: readonly string[]): PublicationResult => ({
  ok: false,
  ids,
  failure: { type: 'conflict', message: 'Exists' },
})

describe.each(WAYS)('%s', (name, of) => {
  it(`${name} is stored, and reported as created`, async () => {
    const { publish, stored } = worldOf()
    const [report] = await publish([of()], options)
    expect(report).toMatchObject({ ok: true, outcome: 'created', ids: ['Kit.Do@1.0.0'], warnings: [] })
    expect(stored).toMatchObject([
      [
        {
          records: [{ id: 'Kit.Do@1.0.0', implementation: { kind: 'echo' } }],
          specified: { implementation: true, tags: false },
        },
      ],
    ])
  })

  it(`${name} is refused to callers who may not publish it`, async () => {
    const { publish, asked } = worldOf()
    const [report] = await publish([of()], { ...options, principal: principal('Other.*') })
    expect(report).toMatchObject({
      ok: false,
      failure: { type: 'forbidden', reason: "The credential does not cover 'Kit.Do'" },
    })
    expect(asked).toEqual([])
  })

  it.each([
    ['may have a secret', requiring({ secrets: [{ id: 'KEY' }] }), "may have the secret 'KEY'"],
    ["is given users' tokens", requiring({ authorization: [{ id: 'mail' }] }), "is given users' tokens of 'mail'"],
  ])(`${name} that %s needs a credential that names it or its toolkit`, async (_, more, why) => {
    const { publish, asked, stored } = worldOf({ granted: ['KEY'] })
    const by = async (...tools: readonly string[]) =>
      (await publish([of(more)], { ...options, principal: principal(...tools) }))[0]
    expect(await by('*')).toMatchObject({
      ok: false,
      failure: {
        type: 'forbidden',
        reason: `'Kit.Do' ${why}: to publish it, the credential must name it or its toolkit, such as 'Kit.*'`,
      },
    })
    expect(asked).toEqual([])
    for (const pattern of ['Kit.*', 'Kit.Do']) expect(await by(pattern)).toMatchObject({ ok: true })
    expect((await publish([of(more)], { ...options, principal: ADMIN }))[0]).toMatchObject({ ok: true })
    expect(stored).toHaveLength(3)
  })

  it(`${name} that may not have the secret it requires needs no such credential`, async () => {
    const { publish } = worldOf()
    const [report] = await publish([of(requiring({ secrets: [{ id: 'KEY' }] }))], {
      ...options,
      principal: principal('*'),
    })
    expect(report).toMatchObject({ ok: true })
  })

  it(`${name} beyond the limits is refused, and not stored`, async () => {
    const { publish, stored } = worldOf()
    for (const more of [
      { input: { type: 'text' } },
      { input: { properties: { a: { pattern: '(a)\\1$' } } } },
      { description: '\ud800' },
      { description: 'x'.repeat(512 * 1024) },
    ]) {
      const [report] = await publish([of(more)], options)
      expect(report).toMatchObject({ ok: false, ids: [], failure: { type: 'definition-invalid' } })
    }
    expect(stored).toEqual([])
  })

  it(`${name} is reported with the registry's result`, async () => {
    const reportOf = async (outcome: (ids: readonly string[]) => PublicationResult) =>
      (await worldOf({ outcomes: { 'Kit.Do@1.0.0': outcome } }).publish([of()], options))[0]
    const ids = ['Kit.Do@1.0.0']
    expect(await reportOf(conflict)).toEqual({ ok: false, ids, failure: { type: 'conflict', message: 'Exists' } })
    expect(await reportOf(refused)).toEqual({
      ok: false,
      ids,
      failure: { type: 'definition-invalid', problems: [{ path: '/input', message: 'Breaks' }] },
    })
    expect(await reportOf(() => ({ ok: true, outcome: 'unchanged', ids, warnings: [] }))).toMatchObject({
      ok: true,
      outcome: 'unchanged',
      ids,
    })
  })

  it(`${name} is not stored in a dry run, but checked`, async () => {
    const { publish, stored } = worldOf()
    const dryRun = { ...options, dryRun: true }
    expect((await publish([of()], dryRun))[0]).toMatchObject({
      ok: true,
      outcome: 'created',
      ids: ['Kit.Do@1.0.0'],
      warnings: [],
    })
    expect((await publish([of({ input: { type: 'text' } })], dryRun))[0]).toMatchObject({ ok: false })
    expect((await publish([of()], { ...dryRun, principal: principal('Other.*') }))[0]).toMatchObject({ ok: false })
    expect(stored).toEqual([])
    await publish([of()], { ...options, dryRun: false })
    expect(stored).toHaveLength(1)
  })
})
const importedAs = (state: string) => ({ state, record: expect.objectContaining({ name: 'Kit_Do' }) })

const other = { ...options, principal: principal('Other.*') }
const wrong = { input: { type: 'text' } }

it.each(WAYS.slice(0, 2))(
  'a publisher without rights whose tool is also invalid is told what is wrong with %s',
  async (_, of) => {
    const [report] = await worldOf().publish([of(wrong)], other)
    expect(report).toMatchObject({ failure: { type: 'definition-invalid' } })
  },
)

it('a publisher without rights for an invalid imported tool is told so without asking the registry', async () => {
  const { publish, asked } = worldOf()
  expect(await publish([{ kind: 'import', imported: importedOf(wrong) }], other)).toEqual([
    { ok: false, ids: [], failure: { type: 'forbidden', reason: "The credential does not cover 'Kit.Do'" } },
  ])
  expect(asked).toEqual([])
})

it('a publisher without rights for an unchanged imported tool is told so, too', async () => {
  const { version, ...definition } = definitionOf()
  const imported = { ...importedOf(), definition }
  const record = await createToolRecord({ ...imported, definition: { ...definition, version } }, sha256)
  const { publish } = worldOf({ published: { 'kit.do': documentOf([record]) } })
  expect(await publish([{ kind: 'import', imported }], other)).toMatchObject([
    { ok: false, failure: { type: 'forbidden' } },
  ])
})

it('submissions are checked separately, and stored and reported together in order', async () => {
  const { publish, asked, stored } = worldOf({ outcomes: { 'Kit.C@1.0.0': conflict } })
  const document = (...tools: readonly string[]) => ({
    kind: 'document' as const,
    body: { plain: tools.map((tool) => ({ tool })) },
  })
  const reports = await publish(
    [
      document('A'),
      { kind: 'document', body: 'nonsense' },
      document('B', 'Bee'),
      document('C'),
      { kind: 'document', body: { plain: [{ toolkit: 'Other' }] } },
      { kind: 'import', imported: importedOf({ tool: 'D' }) },
    ],
    options,
  )
  expect(reports).toEqual([
    { ok: true, outcome: 'created', ids: ['Kit.A@1.0.0'], warnings: [], uncallable: ['Kit.A@1.0.0'] },
    {
      ok: false,
      ids: [],
      failure: {
        type: 'definition-invalid',
        problems: [{ path: '', message: 'Must be a definition, which is an object' }],
      },
    },
    {
      ok: true,
      outcome: 'created',
      ids: ['Kit.B@1.0.0', 'Kit.Bee@1.0.0'],
      warnings: [],
      uncallable: ['Kit.B@1.0.0', 'Kit.Bee@1.0.0'],
    },
    { ok: false, ids: ['Kit.C@1.0.0'], failure: { type: 'conflict', message: 'Exists' } },
    {
      ok: false,
      ids: ['Other.Do@1.0.0'],
      failure: { type: 'forbidden', reason: "The credential does not cover 'Other.Do'" },
    },
    { ok: true, outcome: 'created', ids: ['Kit.D@1.0.0'], warnings: [], imported: importedAs('new') },
  ])
  expect(stored.map((all) => all.map(({ records }) => records.map(({ tool }) => tool)))).toEqual([
    [['A'], ['B', 'Bee'], ['C'], ['D']],
  ])
  expect(asked).toEqual(['current Kit.D', 'publish 4'])
})

it('submissions are refused as a whole if one of their tools may not be published', async () => {
  const { publish, stored } = worldOf()
  const by = { ...options, principal: principal('Kit.A', 'Kit.B') }
  const [report] = await publish(
    [{ kind: 'document', body: { plain: [{ tool: 'A' }, { tool: 'X' }, { tool: 'B' }] } }],
    by,
  )
  expect(report).toEqual({
    ok: false,
    ids: ['Kit.A@1.0.0', 'Kit.X@1.0.0', 'Kit.B@1.0.0'],
    failure: { type: 'forbidden', reason: "The credential does not cover 'Kit.X'" },
  })
  expect(stored).toEqual([])
})

it('submissions are read in their own dialect, and return their warnings', async () => {
  const warnings = [{ path: '/w', message: 'Is odd' }]
  const { publish } = worldOf()
  const reports = await publish(
    [
      { kind: 'document', body: { plain: [{}], warnings } },
      { kind: 'document', body: { plain: [{}] }, dialect: 'x' },
    ],
    options,
  )
  expect(reports).toMatchObject([
    { ok: true, warnings },
    { ok: false, failure: { problems: [{ message: "Unknown dialect 'x': wanted one of 'plain'" }] } },
  ])
})

it('submissions throw if the registry has no result for one', async () => {
  const { deps } = worldOf()
  const publish = createPublish({ ...deps, writer: { ...deps.writer, publish: async () => [] } })
  await expect(publish([{ kind: 'document', body: { plain: [{}] } }], options)).rejects.toThrow(
    'A publication came to nothing',
  )
})

it('submissions may be empty', async () => {
  const { publish, asked } = worldOf()
  expect(await publish([], options)).toEqual([])
  expect(asked).toEqual([])
})

const allowed = async (submission: Submission, allowBreaking: boolean) => {
  const { publish, stored } = worldOf()
  await publish([submission], { ...options, allowBreaking })
  return stored[0]?.[0]?.allowBreaking
}

it.each(WAYS.slice(0, 2))('breaking changes are allowed in %s only by the publisher', async (_, of) => {
  expect(await allowed(of(), false)).toBe(false)
  expect(await allowed(of(), true)).toBe(true)
})

it('breaking changes are checked in an import if its publisher sets the version', async () => {
  expect(await allowed({ kind: 'import', imported: importedOf(), version: '1.0.0' }, false)).toBe(false)
  expect(
    await allowed({ kind: 'import', imported: importedOf(), version: '1.0.0', sourceVersion: '1.0.0' }, false),
  ).toBe(false)
  expect(await allowed({ kind: 'import', imported: importedOf(), version: '1.0.0' }, true)).toBe(true)
})

it('breaking changes are not checked in an import if the version follows from the change', async () => {
  expect(await allowed({ kind: 'import', imported: importedOf() }, false)).toBe(true)
  expect(await allowed({ kind: 'import', imported: importedOf(), sourceVersion: '3.0.0' }, false)).toBe(true)
})

describe('an imported tool', () => {
  const { version: _, ...definition } = definitionOf()
  const imported = { ...importedOf(), definition }
  const worldWith = async (more: Partial<Definition> = {}) => {
    const record = await createToolRecord(
      { ...imported, definition: definitionOf({ version: '1.2.3', ...more }) },
      sha256,
    )
    return worldOf({ published: { 'kit.do': documentOf([record], { newest: record }) } })
  }

  it.each([true, false])(
    'an imported tool that is unchanged is reported as unchanged, and not stored (dry run: %s)',
    async (dryRun) => {
      const { publish, asked } = await worldWith()
      expect(await publish([{ kind: 'import', imported, version: '9.0.0' }], { ...options, dryRun })).toEqual([
        { ok: true, outcome: 'unchanged', ids: ['Kit.Do@1.2.3'], warnings: [], imported: importedAs('unchanged') },
      ])
      expect(asked).toEqual(['current Kit.Do'])
    },
  )

  it.each([true, false])('an imported tool that changed is reported with its new id (dry run: %s)', async (dryRun) => {
    const { publish, stored } = await worldWith({ description: 'Another' })
    expect(await publish([{ kind: 'import', imported, sourceVersion: '9.0.0' }], { ...options, dryRun })).toEqual([
      { ok: true, outcome: 'created', ids: ['Kit.Do@1.2.4'], warnings: [], imported: importedAs('changed') },
    ])
    expect(stored).toHaveLength(dryRun ? 0 : 1)
  })
})

it('yields to other requests after some submissions, depending on their work', async () => {
  const submission = (tool: string, more: object = {}) => ({
    kind: 'document' as const,
    body: { definition: { plain: [{ tool, name: tool, ...more }] }, implementation: { kind: 'echo' } },
  })
  const waysOf = async (submissions: readonly Submission[]) => {
    const { publish, gaveWay } = worldOf()
    const reports = await publish(submissions, options)
    expect(reports.filter(({ ok }) => !ok)).toEqual([])
    return gaveWay()
  }
  expect(await waysOf([submission('Do')])).toBe(0)
  const light = await waysOf(Array.from({ length: 300 }, (_, at) => submission(`Do${at}`)))
  expect(light).toBeGreaterThan(5)
  expect(light).toBeLessThan(30)
  const parts = Object.fromEntries(
    Array.from({ length: 900 }, (_, at) => [`p${at}`, { type: 'string', enum: ['a', 'b', 'c'] }]),
  )
  const heavy = { input: { type: 'object', properties: parts } }
  expect(await waysOf(Array.from({ length: 5 }, (_, at) => submission(`Do${at}`, heavy)))).toBe(4)
})
