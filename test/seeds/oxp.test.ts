import { afterAll, beforeAll, expect } from 'vitest'
import { type RunningServer, startApp } from '../e2e/server.ts'
import { answered, definition, giving, got, idsOf, refusal, registry } from './oxp-registry.ts'
import { openDocument } from './source-document.ts'
import { withoutNeighbours } from '../e2e/without-neighbours.ts'

/** OXP 1.0, "Tool Definition": what it is, and its metadata. `oxp-schemas` and `oxp-requirements` have the other chapters. */
const { works, deviates, aside, whole } = openDocument('oxp-1.0-tool-definition.txt', 'oxp')

let server: RunningServer
beforeAll(async () => {
  server = withoutNeighbours(await startApp())
})
afterAll(() => server?.stop())
const { ask, publish, publishNamesake, publishTool, refused, read, listed, call } = registry(() => server)

aside(
  'Specification (1.0) Schemas Tool Definition',
  'Tool Definition schema',
  'Schema Fields Metadata',
  'Input Schema • input_schema (required): … does not return any output.',
  'Requirements • requirements (optional): … "id": "TWILIO_API_KEY"',
)

const SCHEMA = 'The ToolDefinition schema establishes the required and optional fields to describe a tool.'

works(SCHEMA, 'the required fields alone are a definition, which is given back as it came', async () => {
  const document = definition('Fields.Required@1.0.0')
  await publish(document)
  expect(JSON.stringify(await read(document.id))).toBe(JSON.stringify(document))
})

works(SCHEMA, 'so are all fields together', async () => {
  const requirements = { authorization: [], secrets: [{ id: 'KEY' }], user_id: false }
  const document = definition('Fields.All@1.0.0', { requirements })
  await publish(document)
  expect(JSON.stringify(await read(document.id))).toBe(JSON.stringify(document))
})

works(SCHEMA, 'a definition is listed as it was published', async () => {
  const document = definition('FieldsListed.One@1.0.0', { requirements: { user_id: true } })
  await publish(document)
  expect(await listed('FieldsListed')).toEqual([document])
})

works(SCHEMA, 'each required field that is missing is named', async () => {
  const fields = ['/id', '/name', '/description', '/version', '/input_schema', '/output_schema']
  expect(await refused({})).toEqual(Object.fromEntries(fields.map((field) => [field, 'Is required'])))
})

works(SCHEMA, 'a field that it does not establish is refused', async () => {
  expect(await refused(definition('Fields.More@1.0.0', { title: 'More' }))).toEqual({
    '/title':
      "Unknown field 'title': wanted 'id', 'name', 'description', 'version', 'input_schema', 'output_schema', 'requirements'",
  })
})

works(SCHEMA, 'what is no object is no definition', async () => {
  for (const document of ['Calculator.Add@1.0.0', 7, true, null]) {
    expect(await refused(document)).toEqual({ '': `Must be an object, got ${got(document)}` })
  }
})

works(SCHEMA, 'several definitions are judged each for itself', async () => {
  const body = [definition('FieldsBatch.A@1.0.0'), definition('FieldsBatch.B@1.0.0', { name: undefined })]
  expect(await ask('POST', '/tools', body)).toEqual({
    status: 200,
    body: {
      results: [
        { id: 'FieldsBatch.A@1.0.0', status: 201 },
        {
          id: 'FieldsBatch.B@1.0.0',
          status: 422,
          errors: [{ path: '/name', message: 'Is required' }],
        },
      ],
    },
  })
  expect(await listed('FieldsBatch')).toEqual([definition('FieldsBatch.A@1.0.0')])
})

const ID = 'id (string, required)'

works(ID, 'without one', async () => {
  expect(await refused(definition('Id.None@1.0.0', { id: undefined }))).toEqual({ '/id': 'Is required' })
})

works(ID, 'one that is no text', async () => {
  for (const id of [1, true, null, {}, ['Id.Other@1.0.0']]) {
    expect(await refused(definition('Id.Other@1.0.0', { id }))).toEqual({ '/id': noId(id) })
  }
})

const noId = (id: unknown) =>
  `Must be 'Toolkit.Tool@x.y.z', each name 1 to 64 characters of A-Z, a-z, 0-9 and _, got ${got(id)}`

const FORMAT = 'A unique identifier for the tool, in the following format: ToolkitName.ToolName@Version.'

works(FORMAT, 'letters of both cases, digits and underscores', async () => {
  const document = definition('id_Format_2.Tool_3x@1.0.0')
  await publish(document)
  expect(await read(document.id)).toEqual(document)
})

works(FORMAT, 'names of 1 and of 64 characters', async () => {
  for (const id of ['k.t@1.0.0', `${'K'.repeat(64)}.${'t'.repeat(64)}@1.0.0`]) {
    await publish(definition(id))
    expect((await read(id)).id).toBe(id)
  }
})

const IDS_ROW = 'ids of tools, secrets and authorizations: "unique identifier (string)"'

deviates(FORMAT, 'names of 65 characters', IDS_ROW, async () => {
  for (const id of [`${'K'.repeat(65)}.t@1.0.0`, `K.${'t'.repeat(65)}@1.0.0`]) {
    expect(await refused(definition(id))).toEqual({ '/id': noId(id) })
  }
})

works(FORMAT, 'without its toolkit, its tool or its version', async () => {
  for (const id of ['', 'Kit', 'Kit.Tool', 'Kit@1.0.0', '.Tool@1.0.0', 'Kit.@1.0.0', 'Kit.Tool@', '@1.0.0', '1.0.0']) {
    expect(await refused(definition('Kit.Tool@1.0.0', { id }))).toEqual({ '/id': noId(id) })
  }
})

works(FORMAT, 'with other parts, or in other characters', async () => {
  for (const id of ['A.B.C@1.0.0', 'A/B@1.0.0', 'A-b.C@1.0.0', 'Ä.B@1.0.0', ' A.B@1.0.0', 'A.B @1.0.0', 'A.B:1.0.0']) {
    expect(await refused(definition('A.B@1.0.0', { id }))).toEqual({ '/id': noId(id) })
  }
})

works(FORMAT, 'with another version than the definition has', async () => {
  expect(await refused(definition('Id.Apart@1.0.0', { version: '1.0.1' }))).toEqual({
    '/version': "Must be the version in the id, '1.0.0'",
  })
})

deviates(FORMAT, 'a dash of another dialect', '"id … in the following format', async () => {
  await publishTool('IdDash', '1.0.0', { name: 'get-it', inputSchema: { type: 'object' } })
  const { body } = await ask('GET', '/tools?toolkit=IdDash&losses=1')
  expect(idsOf(body.items)).toEqual(['IdDash.get_it@1.0.0'])
  expect(await call('IdDash.get_it@1.0.0')).toEqual(answered(5))
})

const EXAMPLE = 'For example, Calculator.Add@1.0.0.'

works(EXAMPLE, 'is listed, read and called by that very id', async () => {
  expect(idsOf(await listed('Calculator'))).toContain('Calculator.Add@1.0.0')
  expect((await read('Calculator.Add@1.0.0')).id).toBe('Calculator.Add@1.0.0')
  expect(await call('Calculator.Add@1.0.0', { a: 10, b: 5 })).toEqual(answered(15))
})

const UNIQUE = 'The id MUST be unique within the scope of the Tool Server.'

works(UNIQUE, 'another definition of the same id is refused, and the first stays', async () => {
  const first = definition('Unique.First@1.0.0')
  await publish(first)
  const second = { ...first, description: 'Something else.' }
  const message =
    "'Unique.First@1.0.0' is published already, and a version never changes: publish it under a higher version"
  expect(await ask('POST', '/tools', second)).toEqual(refusal(409, { message }))
  expect(await read(first.id)).toEqual(first)
})

works(UNIQUE, 'another implementation of the same id is refused too', async () => {
  const document = definition('Unique.Run@1.0.0')
  await publish(document, giving(1))
  const message =
    "'Unique.Run@1.0.0' is published already, and a version never changes: publish it under a higher version"
  const again = await ask('POST', '/tools', { definition: document, implementation: giving(2) })
  expect(again).toEqual(refusal(409, { message }))
  expect(await call(document.id)).toEqual(answered(1))
})

works(UNIQUE, 'the same definition again changes nothing', async () => {
  const document = definition('UniqueSame.Tool@1.0.0')
  await publish(document)
  expect(await ask('POST', '/tools', document)).toEqual({ status: 200, body: { ids: [document.id] } })
  expect(await listed('UniqueSame', '&versions=all')).toEqual([document])
})

deviates(UNIQUE, 'ids that differ in case alone are one id', IDS_ROW, async () => {
  await publish(definition('UniqueCase.Tool@1.0.0'))
  const message = "'UniqueCase.Tool' exists: ids are unique ignoring case"
  expect(await ask('POST', '/tools', definition('uniquecase.TOOL@1.0.0'))).toEqual(refusal(409, { message }))
  expect((await read('uniquecase.TOOL@1.0.0')).id).toBe('UniqueCase.Tool@1.0.0')
})

works(UNIQUE, 'one id twice in a batch', async () => {
  const [one, other] = ['One.', 'Another.'].map((description) => definition('UniqueBatch.T@1.0.0', { description }))
  const { body } = await ask('POST', '/tools', [one, other])
  const message =
    "'UniqueBatch.T@1.0.0' is published already, and a version never changes: publish it under a higher version"
  expect(body.results).toEqual([
    { id: 'UniqueBatch.T@1.0.0', status: 201 },
    { id: 'UniqueBatch.T@1.0.0', status: 409, errors: [{ path: '', message }] },
  ])
  expect(await listed('UniqueBatch')).toEqual([one])
})

works(UNIQUE, 'the id of a definition in another dialect', async () => {
  await publishTool('UniqueAcross', '1.0.0', { name: 'Tool', inputSchema: { type: 'object' } })
  const message =
    "'UniqueAcross.Tool@1.0.0' is published already, and a version never changes: publish it under a higher version"
  expect(await ask('POST', '/tools', definition('UniqueAcross.Tool@1.0.0'))).toEqual(refusal(409, { message }))
})

works(UNIQUE, 'no id is listed twice', async () => {
  const { body } = await ask('GET', '/tools?versions=all&limit=1000')
  const ids: string[] = body.items.map(({ id }: { id: string }) => id.toLowerCase())
  expect(ids.length).toBeGreaterThan(20)
  expect(new Set(ids).size).toBe(ids.length)
})

const NAME = 'name (string, required)'

works(NAME, 'without one', async () => {
  expect(await refused(definition('Name.None@1.0.0', { name: undefined }))).toEqual({ '/name': 'Is required' })
})

works(NAME, 'one that is no text', async () => {
  for (const name of [1, true, null, {}, ['Add']]) {
    expect(await refused(definition('Name.Other@1.0.0', { name }))).toEqual({ '/name': noName(name) })
  }
})

const noName = (name: unknown) => `Must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -, got ${got(name)}`

const READABLE = 'A human-readable name for the tool. For example, Add or Calculator_Add.'

works(READABLE, 'both examples are names, whatever the id is', async () => {
  const [sum, plus] = ['NameExample.Sum@1.0.0', 'NameExample.Plus@1.0.0'] as const
  await publish(definition(sum, { name: 'Add' }))
  expect(await read(sum)).toMatchObject({ id: sum, name: 'Add' })
  await publishNamesake(definition(plus, { name: 'Calculator_Add' }), 'NameExample_Plus')
  expect(await read(plus)).toMatchObject({ id: plus, name: 'Calculator_Add' })
})

works(READABLE, 'models know the tool by it', async () => {
  const document = definition('NameModel.Tool@1.0.0', { name: 'Fold-The-Paper' })
  await publish(document, giving(1))
  expect((await toolsOfMcp('NameModel')).map(({ name }) => name)).toEqual(['Fold-The-Paper'])
  const { body } = await ask('GET', '/tools/NameModel.Tool?format=openai')
  expect(body.function.name).toBe('Fold-The-Paper')
})

async function toolsOfMcp(toolkit: string): Promise<readonly { name: string; description?: string }[]> {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const { body } = await ask('POST', `/mcp?toolkits=${toolkit}`, request)
  return body.result.tools
}

works(READABLE, 'two tools may have the same, and keep it', async () => {
  const name = 'The_Same'
  const [first, second] = [definition('NameTwice.A@1.0.0', { name }), definition('NameTwice.B@1.0.0', { name })]
  await publish(first, giving(1))
  await publishNamesake(second, 'NameTwice_B')
  expect(await listed('NameTwice')).toEqual([first, second])
  expect((await toolsOfMcp('NameTwice')).map((tool) => tool.name).sort()).toEqual(['NameTwice_B', name])
})

const CHARACTERS = 'The name MUST contain only alphanumeric characters, underscores, and dashes,'

works(CHARACTERS, 'every one of them', async () => {
  const all = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'
  await publish(definition('NameAll.Tool@1.0.0', { name: all }))
  expect((await read('NameAll.Tool@1.0.0')).name).toBe(all)
})

works(CHARACTERS, 'a name may begin with a digit, a dash or an underscore', async () => {
  for (const [index, name] of ['2fa', '-x', '_x', '-', '_', '7'].entries()) {
    const id = `NameFirst.Tool${index}@1.0.0`
    await publish(definition(id, { name }))
    expect((await read(id)).name).toBe(name)
  }
})

works(CHARACTERS, 'any other', async () => {
  for (const name of ['a b', 'a.b', 'a/b', 'a@b', 'ä', 'ﬀ', '名', '٣', '😀', 'a\n', ' a', 'a\u0000']) {
    expect(await refused(definition('Name.Sign@1.0.0', { name })), name).toEqual({
      '/name': expect.stringMatching(/^Must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -, got /),
    })
  }
})

const LENGTH = 'and be between 1 and 64 characters in length.'

works(LENGTH, '1 and 64', async () => {
  for (const [id, name] of [
    ['NameLength.Short@1.0.0', 'x'],
    ['NameLength.Long@1.0.0', 'y'.repeat(64)],
  ] as const) {
    await publish(definition(id, { name }))
    expect((await read(id)).name).toBe(name)
  }
})

works(LENGTH, '0 and 65', async () => {
  expect(await refused(definition('Name.Empty@1.0.0', { name: '' }))).toEqual({ '/name': noName('') })
  expect(await refused(definition('Name.Long@1.0.0', { name: 'y'.repeat(65) }))).toEqual({
    '/name': noName('y'.repeat(65)),
  })
})

const DESCRIPTION = 'description (string, required)'

works(DESCRIPTION, 'without one', async () => {
  const document = definition('Description.None@1.0.0', { description: undefined })
  expect(await refused(document)).toEqual({ '/description': 'Is required' })
})

works(DESCRIPTION, 'one that is no text', async () => {
  for (const description of [1, true, null, {}, ['Adds']]) {
    expect(await refused(definition('Description.Other@1.0.0', { description }))).toEqual({
      '/description': `Must be a string, got ${got(description)}`,
    })
  }
})

const PURPOSE = "A human-readable explanation of the tool's purpose."

works(PURPOSE, 'is kept to the letter', async () => {
  const description = ' Says “hello”, <b>"twice"</b>:\n\n\t1. — Grüß Gott 👋\u2028\\ '
  await publish(definition('Purpose.Kept@1.0.0', { description }))
  expect((await read('Purpose.Kept@1.0.0')).description).toBe(description)
})

works(PURPOSE, 'may be long, and may be empty', async () => {
  for (const [id, description] of [
    ['Purpose.Long@1.0.0', 'It does a lot. '.repeat(5_000)],
    ['Purpose.Empty@1.0.0', ''],
  ] as const) {
    await publish(definition(id, { description }))
    expect((await read(id)).description).toBe(description)
  }
})

const FOR_BOTH = 'This field SHOULD be used by both humans and AI models.'

works(FOR_BOTH, 'people find a tool by it', async () => {
  await publish(definition('ForBoth.Found@1.0.0', { description: 'Whistles a zarzuela backwards.' }))
  const { body } = await ask('GET', '/tools?q=zarzuela')
  expect(idsOf(body.items)).toEqual(['ForBoth.Found@1.0.0'])
})

works(FOR_BOTH, 'models are shown it', async () => {
  const description = 'Hums, but only on Sundays.'
  await publish(definition('ForBothModels.Tool@1.0.0', { description }), giving(1))
  expect((await toolsOfMcp('ForBothModels')).map((tool) => tool.description)).toEqual([description])
  for (const format of ['anthropic', 'gemini']) {
    const { body } = await ask('GET', `/tools/ForBothModels.Tool?format=${format}`)
    expect(body.description).toBe(description)
  }
})

const VERSION = 'version (string, required)'

works(VERSION, 'without one', async () => {
  expect(await refused(definition('Version.None@1.0.0', { version: undefined }))).toEqual({ '/version': 'Is required' })
})

works(VERSION, 'one that is no text', async () => {
  for (const version of [1, 1.5, null, {}, ['1.0.0']]) {
    expect(await refused(definition('Version.Other@1.0.0', { version }))).toEqual({
      '/version': `Must be a version of the form x.y.z, got ${got(version)}`,
    })
  }
})

const SEMANTIC = 'The semantic version of the tool, e.g. 1.0.0.'

works(SEMANTIC, 'is kept, and leads to the tool', async () => {
  await publish(definition('Semantic.Kept@1.0.0'), giving('first'))
  expect((await read('Semantic.Kept@1.0.0')).version).toBe('1.0.0')
  expect(await call('Semantic.Kept@1.0.0')).toEqual(answered('first'))
})

/** Parameters, all of them texts. */
const texts = (names: readonly string[], required: readonly string[] = []) => ({
  parameters: {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string', description: `The ${name}.` }])),
    required,
  },
})

/** The problem of a change that a version is too low for. */
const tooLow = (change: string, wanted: string, version: string) =>
  `${change} needs version ${wanted} or higher, got ${version} (publish with ?allow=breaking to override)`

works(SEMANTIC, 'a parameter that is removed is a new major version', async () => {
  await publish(definition('Semantic.Removed@1.0.0', { input_schema: texts(['a', 'b']) }))
  const input_schema = texts(['a'])
  expect(await refused(definition('Semantic.Removed@1.1.0', { input_schema }))).toEqual({
    '/input_schema/parameters/properties/b': tooLow("Parameter 'b' is removed: a breaking change", '2.0.0', '1.1.0'),
  })
  await publish(definition('Semantic.Removed@2.0.0', { input_schema }))
})

works(SEMANTIC, 'so is one that can no longer be left out', async () => {
  await publish(definition('Semantic.Required@1.0.0', { input_schema: texts(['a']) }))
  const input_schema = texts(['a'], ['a'])
  expect(await refused(definition('Semantic.Required@1.1.0', { input_schema }))).toEqual({
    '/input_schema/parameters/properties/a': tooLow(
      "Parameter 'a' is now required: a breaking change",
      '2.0.0',
      '1.1.0',
    ),
  })
  await publish(definition('Semantic.Required@2.0.0', { input_schema }))
})

works(SEMANTIC, 'a new parameter that may be left out is a new minor version', async () => {
  await publish(definition('Semantic.Added@1.0.0', { input_schema: texts(['a']) }))
  const input_schema = texts(['a', 'b'])
  expect(await refused(definition('Semantic.Added@1.0.1', { input_schema }))).toEqual({
    '/input_schema/parameters/properties/b': tooLow("Parameter 'b' is new: an addition", '1.1.0', '1.0.1'),
  })
  await publish(definition('Semantic.Added@1.1.0', { input_schema }))
})

works(SEMANTIC, 'another description is a patch', async () => {
  await publish(definition('SemanticPatch.T@1.0.0'))
  await publish(definition('SemanticPatch.T@1.0.1', { description: 'Better words.' }))
  expect((await listed('SemanticPatch')).map(({ version }: { version: string }) => version)).toEqual(['1.0.1'])
})

const MULTIPLE = 'Multiple versions of the same tool MAY exist.'

/** Publishes versions of a tool that each say which they are. */
async function publishVersions(name: string, ...versions: readonly string[]) {
  for (const version of versions) await publish(definition(`${name}@${version}`), giving(version))
}

works(MULTIPLE, 'each is read and called by its own id', async () => {
  await publishVersions('Multiple.Each', '1.0.0', '1.1.0', '2.0.0')
  for (const version of ['1.0.0', '1.1.0', '2.0.0']) {
    expect((await read(`Multiple.Each@${version}`)).version).toBe(version)
    expect(await call(`Multiple.Each@${version}`)).toEqual(answered(version))
  }
})

works(MULTIPLE, 'the newest is listed; all are, for whoever asks', async () => {
  await publishVersions('MultipleListed.T', '1.0.0', '1.1.0')
  expect(idsOf(await listed('MultipleListed'))).toEqual(['MultipleListed.T@1.1.0'])
  const all = idsOf(await listed('MultipleListed', '&versions=all'))
  expect(all.toSorted()).toEqual(['MultipleListed.T@1.0.0', 'MultipleListed.T@1.1.0'])
})

works(MULTIPLE, 'they are ordered as numbers, and the highest answers where none is named', async () => {
  await publishVersions('MultipleOrder.T', '1.10.0', '1.9.0', '1.9.10')
  expect(idsOf(await listed('MultipleOrder'))).toEqual(['MultipleOrder.T@1.10.0'])
  expect(await call('MultipleOrder.T')).toEqual(answered('1.10.0'))
})

works(MULTIPLE, 'one that does not exist is not called', async () => {
  await publishVersions('Multiple.Absent', '1.0.0')
  expect(await call('Multiple.Absent@3.0.0')).toEqual(
    refusal(400, {
      message: "Tool 'Multiple_Absent' was not found",
      developer_message: 'Multiple.Absent version 3.0.0 is not available',
    }),
  )
})

works(MULTIPLE, 'they are versions of one tool, with one name for models', async () => {
  await publishVersions('MultipleName.T', '1.0.0', '2.0.0')
  expect((await toolsOfMcp('MultipleName')).map(({ name }) => name)).toEqual(['MultipleName_T'])
})

const SIMPLE =
  'Tools MUST be versioned using simple semantic versioning of the form x.y.z where x, y, and z are integers.'

works(SIMPLE, 'from zeros to large numbers', async () => {
  const large = '9'.repeat(15)
  for (const version of [
    '0.0.0',
    '0.1.0',
    '10.20.30',
    '2026.11.21',
    '1.0.20261121231500',
    `${large}.${large}.${large}`,
  ]) {
    await publish(definition(`Simple.Tool@${version}`))
    expect((await read(`Simple.Tool@${version}`)).version).toBe(version)
  }
})

works(SIMPLE, 'fewer or more than three', async () => {
  for (const version of ['', '1', '1.0', '1.0.', '.1.0', '1..0', '1.0.0.0']) await expectNoVersion(version)
})

works(SIMPLE, 'other than integers', async () => {
  for (const version of [
    '01.0.0',
    '1.0.00',
    '-1.0.0',
    '+1.0.0',
    '1.0.x',
    '1.*.0',
    'a.b.c',
    '1,0,0',
    '١.٠.٠',
    '1e1.0.0',
  ]) {
    await expectNoVersion(version)
  }
})

works(SIMPLE, 'with more beside them', async () => {
  for (const version of [
    'v1.0.0',
    '1.0.0-beta.1',
    '1.0.0+build.5',
    ' 1.0.0',
    '1.0.0 ',
    '1.0.0\n',
    '^1.0.0',
    'latest',
  ]) {
    await expectNoVersion(version)
  }
})

async function expectNoVersion(version: string) {
  const problems = await refused({ ...definition('Simple.None@1.0.0'), id: `Simple.None@${version}`, version })
  expect(Object.keys(problems), version).toEqual(['/id', '/version'])
  expect(problems['/version']).toBe(`Must be a version of the form x.y.z, got ${got(version)}`)
}

deviates(SIMPLE, 'of more than 15 digits', '"x, y, and z are integers"', async () => {
  for (const version of [`1${'0'.repeat(15)}.0.0`, `0.0.1${'0'.repeat(15)}`]) await expectNoVersion(version)
})

deviates(SIMPLE, 'a tool of another dialect', '"Tools MUST be versioned', async () => {
  const tool = { name: 'T', inputSchema: { type: 'object' } }
  await publishTool('SimpleOther', '1.0.0-beta.1', tool)
  expect(await listed('SimpleOther')).toEqual([])
  const { body } = await ask('GET', '/tools?toolkit=SimpleOther&losses=1')
  expect(body.losses).toEqual([
    { id: 'SimpleOther.T@1.0.0-beta.1', path: '', reason: "Is not listed: OXP's versions are x.y.z" },
  ])
  await publishTool('SimpleOther', '1.0.0', tool)
  expect(idsOf(await listed('SimpleOther'))).toEqual(['SimpleOther.T@1.0.0'])
})

whole()
