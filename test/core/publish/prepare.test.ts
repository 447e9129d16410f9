import { expect, it } from 'vitest'
import { prepareDefinitions } from '../../../src/core/publish/prepare-definitions.ts'
import { prepareDocument } from '../../../src/core/publish/prepare.ts'
import { canonicalJson, createToolRecord } from '../../../src/core/tool/digest.ts'
import type { DefinitionSubmission } from '../../../src/core/publish/submission.ts'
import type { Codec, DecodeOptions } from '../../../src/core/tool/codec.ts'
import type { Json } from '../../../src/core/tool/json.ts'
import type { Definition } from '../../../src/core/tool/tool.ts'
import { definitionOf, plain, runners, schemasDeep, sha256 } from './fakes.ts'

const deps = {
  codecs: [plain],
  runners,
  sha256,
  source: {
    findDocumentAddress: async () => undefined,
    loadCurrent: async () => undefined,
    loadRecord: async () => undefined,
    hasToolkit: async () => false,
  },
}
type Tool = DefinitionSubmission['tools'][number]
const LARGE = 'x'.repeat(256 * 1024)
const UNSPECIFIED = { implementation: false, tags: false, guard: false, toolkit: false }
const BAD = { input: { type: 'text' } }

async function prepared(body: Json, dialect?: string) {
  const result = await prepareDocument({ kind: 'document', body, dialect }, deps)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  const { publication, ...report } = result.value
  return { ...publication, ...report }
}
async function problems(body: Json, dialect?: string) {
  const result = await prepareDocument({ kind: 'document', body, dialect }, deps)
  return result.ok ? [] : result.problems
}
const paths = async (body: Json, dialect?: string) => (await problems(body, dialect)).map(({ path }) => path)

it('a document becomes a record for each of its tools, with the document as their source', async () => {
  const document = { plain: [{ tool: 'A' }, { tool: 'B', tags: ['own'] }] }
  const [a, b] = [{ tool: 'A' }, { tool: 'B', tags: ['own'] }].map((each) => definitionOf(each))
  const text = JSON.stringify(document)
  const source = { dialect: 'plain', document, hash: await sha256(text) }
  const records = [
    await createToolRecord({ definition: a!, ...source }, sha256),
    await createToolRecord({ definition: b!, ...source }, sha256),
  ]
  expect(records.map((each) => each.source)).toEqual([1, 2].map(() => ({ dialect: 'plain', hash: source.hash })))
  expect(await prepared(document)).toEqual({
    records,
    document: { dialect: 'plain', hash: source.hash, text, toolkit: 'Kit', tools: { A: 'A', B: 'B' } },
    specified: UNSPECIFIED,
    allowBreaking: false,
    schemaPaths: ['A', 'B'].map((name) => ({ input: '/input', output: '', requirements: '/requirements', name })),
    implementations: new Map(),
    warnings: [],
  })
})

it('a document may have an implementation and tags next to it, which apply to all of its tools', async () => {
  const definition = { plain: [{ tool: 'A', tags: ['own'] }, { tool: 'B' }] }
  const implementation = { kind: 'echo', to: 'x' }
  const { records, specified } = await prepared({ definition, implementation, tags: ['t'] })
  expect(records).toMatchObject([
    { id: 'Kit.A@1.0.0', implementation, tags: ['t'] },
    { id: 'Kit.B@1.0.0', implementation, tags: ['t'] },
  ])
  expect(specified).toEqual({ ...UNSPECIFIED, implementation: true, tags: true })
})

it('a document of one tool is stored in its record', async () => {
  const document = { plain: [{}] }
  expect(await prepared(document)).toMatchObject({ records: [{ source: { dialect: 'plain', document } }] })
  expect(await prepared(document)).not.toHaveProperty('document')
})

it('a document may have an implementation for each tool, and one for the others', async () => {
  const definition = { plain: [{ tool: 'A' }, { tool: 'B' }, { tool: 'C' }] }
  const [one, other] = [{ kind: 'echo', to: 'x' }, { kind: 'other' }]
  const { records, specified } = await prepared({ definition, implementations: { A: one, C: other } })
  expect(records.map(({ implementation }) => implementation)).toEqual([one, undefined, other])
  expect(specified).toEqual({ ...UNSPECIFIED, implementation: true })
  const all = await prepared({ definition, implementations: { A: one }, implementation: other })
  expect(all.records.map(({ implementation }) => implementation)).toEqual([one, other, other])
})

it('a document has its implementations checked with their location', async () => {
  const definition = { plain: [{ tool: 'A' }, { tool: 'B' }] }
  const implementations = { 'A': { kind: 'echo', wrong: '/at' }, 'B': { kind: 'none' }, 'x/y': { kind: 'echo' } }
  expect(await problems({ definition, implementations })).toEqual([
    { path: '/implementations/x~1y', message: "The definition has no 'x/y': wanted one of 'A', 'B'" },
    { path: '/implementations/A/at', message: 'Wrong for A' },
    { path: '/implementations/B/kind', message: "Unknown kind 'none': wanted one of 'echo', 'other'" },
  ])
  expect(await paths({ definition, implementations: { A: 'http' } })).toEqual(['/implementations/A'])
  expect(await paths({ definition, implementations: [] })).toEqual(['/implementations'])
})

it('a document with its own id stays in its toolkit, unless another is given', async () => {
  const codec = {
    ...plain,
    decode(document: Json, given: DecodeOptions): ReturnType<Codec['decode']> {
      const read = plain.decode(document, given)
      const value = read.ok && { ...read.value, sourceNames: ['do it'], itself: { id: 'x', version: '1.0.0' } }
      return value ? { ok: true, value } : read
    },
  }
  const address = { id: 'x', toolkit: 'Before', tools: {} }
  const asked: unknown[] = []
  const addressed = async (...asking: unknown[]) => (asked.push(asking), address)
  const of = async (body: Json) => {
    const read = await prepareDocument(
      { kind: 'document', body },
      { ...deps, codecs: [codec], source: { ...deps.source, findDocumentAddress: addressed } },
    )
    if (!read.ok) throw new Error('Cannot read')
    return { ...read.value, ...read.value.publication }
  }
  expect(await of({ plain: [{}] })).toMatchObject({
    records: [{ id: 'Before.Do@1.0.0' }],
    document: { itself: { id: 'x', version: '1.0.0' }, toolkit: 'Before', tools: { 'do it': 'Do' } },
    warnings: [{ path: '', message: "Its tools are in the toolkit 'Before', where 'x' is published already" }],
  })
  expect(asked).toEqual([['plain', 'x']])
  const given = await of({ definition: { plain: [{}] }, toolkit: 'Given' })
  expect(given).toMatchObject({ document: { toolkit: 'Given' }, specified: { toolkit: true }, warnings: [] })
  expect(asked).toHaveLength(1)
})

it('a document keeps its own tags if none are sent, and has none if an empty list is sent', async () => {
  const definition = { plain: [{ tags: ['own'] }] }
  const own = await prepared({ definition })
  expect([own.records[0]?.tags, own.specified]).toEqual([['own'], UNSPECIFIED])
  const none = await prepared({ definition, tags: [] })
  expect([none.records[0]?.tags, none.specified]).toEqual([[], { ...UNSPECIFIED, tags: true }])
})

it('a document gets the toolkit and version next to it', async () => {
  const { records } = await prepared({ definition: { plain: [{}] }, toolkit: 'Other', version: '2.3.4' })
  expect(records.map(({ id }) => id)).toEqual(['Other.Do@2.3.4'])
})

it('a document is read in the requested dialect', async () => {
  const empty = { name: 'x' }
  expect(await problems(empty)).toEqual([
    {
      path: '',
      message: "Cannot detect the dialect of this definition ('plain'): set ?dialect= to see what is missing",
    },
  ])
  expect((await prepared(empty, 'plain')).records).toEqual([])
  expect(await problems({ plain: [] }, 'x')).toEqual([
    { path: '', message: "Unknown dialect 'x': wanted one of 'plain'" },
  ])
})

it("a document with a null 'definition' field is a wrapper, and one without that field is not", async () => {
  expect(await problems({ definition: null })).toEqual([
    { path: '/definition', message: 'Must be a definition, which is an object' },
  ])
  expect(await paths({ plain: [{}], tags: 7, surprise: 1 })).toEqual([])
  for (const body of [null, 7, 'definition', []]) {
    expect(await problems(body)).toEqual([{ path: '', message: 'Must be a definition, which is an object' }])
  }
})

it.each([
  ['bare', (document: Json) => document, ''],
  ['wrapped', (definition: Json) => ({ definition }), '/definition'],
])('a document (%s) has its problems and warnings with their location', async (_, body, prefix) => {
  expect(await paths(body({ plain: [], problems: [{ path: '/a', message: 'Is wrong' }] }))).toEqual([`${prefix}/a`])
  expect(await paths(body({ plain: [{}, BAD] }))).toEqual([`${prefix}/plain/1/input/type`])
  const { warnings } = await prepared(body({ plain: [{}], warnings: [{ path: '/w', message: 'Is odd' }] }))
  expect(warnings).toEqual([{ path: `${prefix}/w`, message: 'Is odd' }])
  for (const [text, message] of [
    ['\ud800', 'Contains a lone surrogate (invalid Unicode)'],
    [LARGE, 'Is larger than 262144 bytes, the most a definition may have'],
  ]) {
    // Nothing else is said of it: it is not read
    expect(await problems(body({ plain: [BAD], problems: [{}], text: text! }))).toEqual([{ path: prefix, message }])
  }
})

it('a document has its schemas checked against the limits, with the references of its dialect', async () => {
  expect(await paths({ plain: [{ input: schemasDeep(32) }] })).toEqual([])
  expect(await paths({ plain: [{ input: schemasDeep(33) }] })).toEqual([`/plain/0/input${'/properties/a'.repeat(32)}`])
  const shared = { plain: [{ input: { $defs: { x: {} } } }] }
  expect(await paths(shared)).toEqual(['/plain/0/input/$defs'])
  const local = { ...deps, codecs: [{ ...plain, references: 'local' as const }] }
  expect((await prepareDocument({ kind: 'document', body: shared }, local)).ok).toBe(true)
})

it('a document has its implementation checked with each of its tools', async () => {
  const definition = { plain: [{ tool: 'A' }, { tool: 'B' }] }
  expect(await problems({ definition, implementation: { kind: 'echo', wrong: '/at' } })).toEqual([
    { path: '/implementation/at', message: 'Wrong for A' },
    { path: '/implementation/at', message: 'Wrong for B' },
  ])
  expect(await paths({ definition, implementation: null })).toEqual([])
})

it('a document has all problems reported at once: of the wrapper, the schemas and the implementation', async () => {
  const implementation = { kind: 'echo', wrong: '/at' }
  expect(await paths({ definition: { plain: [BAD] }, implementation, surprise: 1 })).toEqual([
    '/surprise',
    '/definition/plain/0/input/type',
    '/implementation/at',
  ])
  expect(await paths({ definition: {}, surprise: 1 })).toEqual(['/surprise', '/definition'])
  expect(await paths({ definition: { plain: ['\ud800'] }, surprise: 1 })).toEqual(['/surprise', '/definition'])
  const wrong = { plain: [], problems: [{ path: '/a', message: 'Is wrong' }] }
  expect(await paths({ definition: wrong, surprise: 1 })).toEqual(['/surprise', '/definition/a'])
  expect(await paths({ definition: { plain: [{}] }, surprise: 1 })).toEqual(['/surprise'])
})

const tool = (more: Partial<Definition> = {}, rest: Partial<Tool> = {}): Tool => ({
  definition: definitionOf(more),
  implementation: { kind: 'echo' },
  document: { of: 'its own' },
  dialect: 'source',
  schemaPaths: { input: '/in', output: '/out' },
  ...rest,
})
const problemsOf = async (...tools: readonly Tool[]) => {
  const result = await prepareDefinitions({ kind: 'definitions', tools, warnings: [] }, deps)
  return result.ok ? [] : result.problems
}

it('complete definitions become records, each with its own document and implementation', async () => {
  const tools = [tool(), tool({ tool: 'B' }, { implementation: { kind: 'other' }, document: 'b', dialect: 'd' })]
  const warnings = [{ path: '/w', message: 'Is odd' }]
  expect(await prepareDefinitions({ kind: 'definitions', tools, warnings }, deps)).toEqual({
    ok: true,
    value: {
      publication: {
        records: await Promise.all(tools.map((each) => createToolRecord(each, sha256))),
        schemaPaths: tools.map(() => ({ input: '/in', output: '/out' })),
        specified: { implementation: true, tags: false },
        allowBreaking: false,
      },
      implementations: new Map(tools.map(({ implementation }) => [implementation, '/implementation'])),
      warnings,
    },
  })
})

it('complete definitions must be valid Unicode, and not too long', async () => {
  const room = 512 * 1024 - canonicalJson(definitionOf({ description: '' })).length
  expect(await problemsOf(tool({ description: 'x'.repeat(room) }))).toEqual([])
  expect(await problemsOf(tool({ description: 'x'.repeat(room + 1) }))).toEqual([
    { path: '', message: 'Is larger than 524288 bytes, the most a complete definition may have' },
  ])
  expect(await problemsOf(tool({ description: '\ud800' }))).toEqual([
    { path: '', message: 'Contains a lone surrogate (invalid Unicode)' },
  ])
})

it('complete definitions must have an id', async () => {
  expect(await problemsOf(tool({ tool: 'a b' }))).toEqual([
    { path: '', message: "'Kit.a b@1.0.0' must be an id 'Toolkit.Tool@x.y.z', each name 1 to 64 characters" },
  ])
})

it('complete definitions must have schemas within the limits, and may have references inside each', async () => {
  expect(await problemsOf(tool({ input: schemasDeep(32), output: schemasDeep(32) }))).toEqual([])
  expect((await problemsOf(tool({ input: schemasDeep(33) }))).map(({ path }) => path)).toEqual([
    `/in${'/properties/a'.repeat(32)}`,
  ])
  expect((await problemsOf(tool({ output: schemasDeep(33) }))).map(({ path }) => path)).toEqual([
    `/out${'/properties/a'.repeat(32)}`,
  ])
  expect(await problemsOf(tool({ output: null }), tool({ output: true, tool: 'B' }))).toEqual([])
  const shared = { $defs: { x: {} }, properties: { a: { $ref: '#/$defs/x' } } }
  expect(await problemsOf(tool({ input: shared, output: shared }))).toEqual([])
  const elsewhere = { $ref: 'https://example.com/schema' }
  const nowhere = { $ref: '#/$defs/y' }
  expect((await problemsOf(tool({ input: elsewhere, output: nowhere }))).map(({ path }) => path)).toEqual([
    '/in/$ref',
    '/out/$ref',
  ])
})

it('complete definitions must have a document of valid Unicode that is not too long', async () => {
  const message = 'Is larger than 262144 bytes, the most a definition may have'
  expect(await problemsOf(tool(BAD, { document: LARGE }))).toEqual([{ path: '/definition', message }])
  expect(await problemsOf(tool({}, { document: '\ud800' }))).toEqual([
    { path: '/definition', message: 'Contains a lone surrogate (invalid Unicode)' },
  ])
})

it('complete definitions must have a valid implementation that their runner accepts', async () => {
  expect(await problemsOf(tool({}, { implementation: { kind: 'echo', wrong: '/at' } }))).toEqual([
    { path: '/implementation/at', message: 'Wrong for Do' },
  ])
  expect(await problemsOf(tool({}, { implementation: { kind: 'magic' } }))).toEqual([
    { path: '/implementation/kind', message: "Unknown kind 'magic': wanted one of 'echo', 'other'" },
  ])
  const message = 'Is larger than 262144 bytes, the most an implementation may have'
  expect(await problemsOf(tool({}, { implementation: { kind: 'echo', LARGE } }))).toEqual([
    { path: '/implementation', message },
  ])
})

it('complete definitions have all problems reported at once, in order', async () => {
  const wrong = tool({ ...BAD, tool: '' }, { implementation: { kind: 'echo', wrong: '/at', text: '\ud800' } })
  expect((await problemsOf(tool({ output: BAD.input }), wrong)).map(({ path }) => path)).toEqual([
    '/out/type',
    '',
    '/implementation',
    '/in/type',
    '/implementation/at',
  ])
  expect((await problemsOf({ ...wrong, document: '\ud800' })).map(({ path }) => path)).toEqual([
    '',
    '/implementation',
    '/definition',
  ])
})
