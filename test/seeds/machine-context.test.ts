import { afterAll, beforeAll, expect } from 'vitest'
import type { Draft } from '../dialects/machine-context/calculator.ts'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import { startVerifier, type Verifier } from '../e2e/oauth/verifier.ts'
import { raw } from '../e2e/raw.ts'
import { type RunningServer, startApp } from '../e2e/server.ts'
import {
  ADMIN_KEY,
  ALL_TYPES,
  DONE,
  ECHO,
  SAY,
  asAdmin,
  asNobody,
  capability,
  denied,
  giving,
  of,
  parameter,
  registry,
  request,
  returning,
  taking,
  tool,
  without,
} from './machine-context-registry.ts'
import { openDocument } from './source-document.ts'
import { withoutNeighbours } from '../e2e/without-neighbours.ts'

/** The definition, from its overview to its types. `machine-context-registration` has the rest of the document. */
const { works, deviates, aside, whole } = openDocument('machine-context-tool-definition.txt', 'machine-context')

let server: RunningServer
let app: Verifier
beforeAll(async () => {
  app = await startVerifier()
  server = withoutNeighbours(await startApp({ vars: { ACCESS: 'public', ADMIN_KEY, USER_VERIFIER_URL: app.url } }))
  app.edge = { ask: (method, path, body, headers = asAdmin) => server.json(method, path, body, headers) }
  await publishTypes()
})
afterAll(() => Promise.all([server?.stop(), app?.close()]))
const {
  errorOf,
  get,
  kept,
  keptAndExecuted,
  keyFor,
  levelled,
  listed,
  publish,
  publishTypes,
  published,
  readBack,
  refusal,
  refused,
  resultOf,
  send,
  takes,
  takesNot,
} = registry(() => server)

/** Opens the link of the response, and approves the call as a person whom the deployment's application identifies. */
async function approve(id: string, parameters: object) {
  const { code, details } = await errorOf(id, 'go', parameters)
  expect(code).toBe('SECURITY_ERROR')
  const person = new HttpPerson()
  const known = await person.press(await person.open(details.authorization[0].url), /approve/i)
  expect((await person.press(known, /approve/i)).text).toMatch(/approved/i)
}

// The head of the document
aside('--- description: Tool Definition Specification … status: draft ---', '# MCP Tool Definition Specification')
aside('## Overview')

const FORMAT = 'This specification defines the standard format for tool definitions'
works(FORMAT, 'is published, and read back', async () => {
  expect(await published(tool('standard'))).toEqual({ ids: ['standard.go@1.0.0'] })
  expect(await readBack('standard.go')).toEqual(tool('standard'))
})
works(FORMAT, 'is known by its shape', async () => {
  await published(tool('shape'))
  expect(await get('/tools/shape.go')).toMatchObject({ id: 'shape.go@1.0.0', description: 'Does go' })
})
works(FORMAT, 'may be named', async () => {
  expect(await published(tool('named'), '?dialect=machine-context')).toEqual({ ids: ['named.go@1.0.0'] })
  expect(Object.keys(await refusal(tool('misnamed'), '?dialect=oxp'))).toContain('/capabilities')
})
const REGISTERED = 'Tools are the fundamental units of functionality that can be registered,'
works(REGISTERED, 'one by one', async () => {
  expect(await publish(tool('one-by-one'))).toMatchObject({ status: 201, body: { ids: ['one_by_one.go@1.0.0'] } })
})
works(REGISTERED, 'many at once', async () => {
  const { status, body } = await publish([tool('many1'), tool('many2', { securityLevel: 11 }), tool('many3')])
  const errors = [{ path: '/securityLevel', message: 'Must be an integer from 0 to 10, got 11' }]
  expect({ status, results: body.results }).toEqual({
    status: 200,
    results: [
      { id: 'many1.go@1.0.0', status: 201 },
      { id: 'many2', status: 422, errors },
      { id: 'many3.go@1.0.0', status: 201 },
    ],
  })
})
works(REGISTERED, 'with what runs them', keptAndExecuted(tool('runs')))
works(REGISTERED, 'by who may', async () => {
  expect(await publish(tool('strangers'), '', asNobody)).toMatchObject({ status: 401 })
  expect(await publish(tool('strangers'), '', await keyFor('others.*'))).toMatchObject({ status: 403 })
  expect(await listed('strangers')).toEqual([])
})
works(REGISTERED, 'where they are discovered', async () => {
  const post = (body: unknown, headers: Record<string, string> = asAdmin) =>
    server.json('POST', '/machine-context/tools', body, headers)
  const created = await post({ definition: tool('here'), implementation: SAY })
  expect([created.status, created.body]).toEqual([201, { ids: ['here.go@1.0.0'] }])
  expect(await post(tool('here'))).toMatchObject({ status: 200, body: { ids: ['here.go@1.0.0'] } })
  expect(await resultOf('here', 'go')).toEqual(await resultOf('runs', 'go'))
  expect((await post({ ...tool('here'), securityLevel: 11 })).status).toBe(422)
  expect(await post(tool('strangers'), asNobody)).toMatchObject({ status: 401 })
  expect(await post(tool('strangers'), await keyFor('others.*'))).toMatchObject({ status: 403 })
  expect(await listed('strangers')).toEqual([])
})
works('discovered,', 'by GET', async () => {
  await published(tool('found'))
  const { status, body } = await server.json('GET', '/machine-context/tools', undefined, asAdmin)
  expect([status, Object.keys(body)]).toEqual([200, ['tools']])
  expect(body.tools).toContainEqual(tool('found'))
})
works('discovered,', 'by POST', async () => {
  await published(tool('posted'))
  const { status, body } = await server.json('POST', '/machine-context/tools', undefined, asAdmin)
  expect([status, body.tools.filter(({ id }: Draft) => id === 'posted')]).toEqual([200, [tool('posted')]])
})
works('discovered,', 'by its own id, in each version', async () => {
  const one = { ...tool('Own.Id'), version: '1.0.0' }
  const two = { ...one, version: '1.1.0', description: 'Newer' }
  for (const each of [one, two]) await published(each)
  expect(await get('/machine-context/tools?id=Own.Id')).toEqual({ tools: [two] })
  expect(await get('/machine-context/tools?id=own.id&versions=newest')).toEqual({ tools: [two] })
  const { tools } = await get('/machine-context/tools?id=Own.Id&versions=all')
  expect(tools).toHaveLength(2)
  expect(tools).toEqual(expect.arrayContaining([one, two]))
  expect(await get('/machine-context/tools?id=nothing')).toEqual({ tools: [] })
})
works('discovered,', 'by who may see them', async () => {
  await published({ ...of('seen', capability('a'), capability('b')), securityLevel: 1 })
  expect(await listed('seen', await keyFor('seen.b'))).toEqual([{ ...of('seen', capability('b')), securityLevel: 1 }])
  expect(await listed('seen', asNobody)).toEqual([])
})
works('discovered,', 'each id once', async () => {
  const ids = (await get('/machine-context/tools')).tools.map(({ id }: Draft) => id)
  expect(ids).toContain('types')
  expect(ids).toEqual([...new Set(ids)])
})
deviates('discovered,', 'tools of other dialects', 'a tool of another dialect', async () => {
  const { tools } = await get('/machine-context/tools?toolkit=Calculator')
  expect(tools).toMatchObject([
    {
      id: 'Calculator',
      capabilities: [{ name: 'Add' }, { name: 'Subtract' }],
      metadata: { capabilities: { Add: { securityLevel: 0 }, Subtract: { securityLevel: 1 } } },
    },
  ])
  for (const id of ['Calculator', 'toolkit:Calculator']) expect(await resultOf(id, 'Add', { a: 1, b: 2 })).toBe(3)
  const { id } = await get('/tools/Calculator.Add?format=machine-context')
  const whole = (await get('/machine-context/tools')).tools.map(({ id }: Draft) => id)
  expect([id, whole.includes(id)]).toEqual(['Calculator', true])
})
works('and executed through the MCP.', 'by id and capability', async () => {
  const tool = { id: 'types', capability: 'number' }
  const { status, body } = await send(request({ ...tool, parameters: { value: 1 } }))
  const execution = { status: 'success', result: { value: 1 }, execution_time_ms: expect.any(Number) }
  expect([status, body.payload]).toEqual([200, { tool, execution }])
})
works(
  'and executed through the MCP.',
  'a capability by its name, which is no other tool’s in another case',
  async () => {
    expect(await resultOf('calculator', 'add', { a: 1, b: 2 })).toEqual({ result: 3 })
    expect(await errorOf('calculator', 'Add', { a: 1, b: 2 })).toMatchObject({ code: 'NOT_FOUND_ERROR' })
    expect(await resultOf('Calculator', 'Add', { a: 1, b: 2 })).toBe(3)
  },
)
works('and executed through the MCP.', 'not without anything that runs', async () => {
  await published(tool('idle'))
  expect(await errorOf('idle', 'go')).toEqual({
    code: 'VALIDATION_ERROR',
    message: expect.stringMatching(/^Tool 'idle.go@1.0.0' cannot be called here: /),
  })
})

aside('## Tool Definition Format')
/** The form in the document, with one of the values where it offers a choice. */
const FORM = {
  id: 'unique-tool-id',
  name: 'Human-Readable Tool Name',
  version: '1.0.0',
  description: "Comprehensive description of the tool's purpose and functionality",
  capabilities: [
    {
      name: 'capability-name',
      description: 'Description of what this capability does',
      parameters: [
        { name: 'parameter-name', description: 'Parameter description', type: 'string', required: true },
        { name: 'other', description: 'Parameter description', type: 'any', required: false },
      ],
      return: { description: 'Description of the return value', schema: {} },
    },
  ],
  securityLevel: 10,
  metadata: { additional: ['tool-specific', { metadata: null }] },
}
/** The same with its own id, and for every caller. */
const formed = (id: string) => ({ ...FORM, id, securityLevel: 0 })

const COMPONENTS = 'A tool definition consists of the following components: ```json'
works(COMPONENTS, 'all of them', async () => {
  expect((await published(FORM)).ids).toEqual(['unique_tool_id.capability_name@1.0.0'])
  expect(await readBack('unique_tool_id.capability_name')).toEqual(FORM)
  expect(await listed('unique-tool-id')).toEqual([FORM])
})
works(COMPONENTS, 'in the order they were given in', async () => {
  const definition = Object.fromEntries(Object.entries(formed('reversed')).toReversed())
  await published(definition)
  const path = '/tools/reversed.capability_name?format=machine-context'
  expect((await raw(server.url, { path, headers: asAdmin })).text).toBe(JSON.stringify(definition))
})
works(COMPONENTS, 'the required ones', kept(tool('plain')))
works(COMPONENTS, 'and no others', async () => {
  const parameters = [parameter('p', 'any', { unit: 'm' })]
  const extra = { ...of('extra', capability('go', { cost: 1, parameters, return: { in: 1 } })), author: 'Ann' }
  expect(Object.keys(await refusal(extra)).toSorted()).toEqual([
    '/author',
    '/capabilities/0/cost',
    '/capabilities/0/parameters/0/unit',
    '/capabilities/0/return/in',
  ])
})
works('"id": "unique-tool-id",', 'is the address', async () => {
  await published({ definition: formed('form-id'), implementation: ECHO })
  expect(await resultOf('form-id', 'capability-name', { 'parameter-name': 'x' })).toEqual({ 'parameter-name': 'x' })
})
works('"id": "unique-tool-id",', 'in whatever toolkit', async () => {
  const { ids } = await published({ definition: tool('chosen-id'), toolkit: 'Chosen', implementation: SAY })
  expect(ids).toEqual(['Chosen.go@1.0.0'])
  expect([await readBack('Chosen.go'), await resultOf('chosen-id', 'go')]).toEqual([tool('chosen-id'), 'go'])
})
works('"name": "Human-Readable Tool Name",', '', kept(tool('readable', { name: FORM.name })))
works('"version": "1.0.0",', 'is that of each capability', async () => {
  const definition = { ...of('versions', capability('a'), capability('b')), version: '3.2.1' }
  expect(await published(definition)).toEqual({ ids: ['versions.a@3.2.1', 'versions.b@3.2.1'] })
})
works(
  '"description": "Comprehensive description of the tool\'s purpose and functionality",',
  '',
  kept(tool('comprehensively', { description: FORM.description })),
)
works(
  '"description": "Comprehensive description of the tool\'s purpose and functionality",',
  'where other dialects describe toolkits',
  async () => {
    await published({ definition: tool('described-kit', { description: FORM.description }), implementation: SAY })
    const { toolkit } = await get('/tools/described_kit.go?format=open-tool-calling')
    expect(toolkit).toMatchObject({ name: 'described_kit', description: FORM.description })
    const { items } = await get('/toolkits')
    expect(items).toContainEqual(expect.objectContaining({ toolkit: 'described_kit', description: FORM.description }))
  },
)
works('"capabilities": [ { "name": "capability-name",', 'is what is executed', async () => {
  await published({ definition: formed('form-name'), implementation: SAY })
  const parameters = { 'parameter-name': 'x' }
  expect(await resultOf('form-name', 'capability-name', parameters)).toBe('capability_name')
  expect(await errorOf('form-name', 'capability', parameters)).toMatchObject({ code: 'NOT_FOUND_ERROR' })
})
works('"description": "Description of what this capability does",', 'is what models read', async () => {
  await published(formed('form-model'))
  const exported = await get('/tools/form_model.capability_name?format=openai')
  expect(exported.function).toMatchObject({ description: 'Description of what this capability does' })
})
works('"parameters": [ { "name": "parameter-name",', 'is the name it is given under', async () => {
  await published({ definition: formed('form-parameters'), implementation: ECHO })
  const parameters = { 'parameter-name': 'x', 'other': [null] }
  expect(await resultOf('form-parameters', 'capability-name', parameters)).toEqual(parameters)
  const { details } = await errorOf('form-parameters', 'capability-name', { parameter_name: 'x' })
  expect(details).toEqual({ 'parameter-name': 'Is required' })
})
works(
  '"parameters": [ { "name": "parameter-name",',
  'is required, and unique',
  refused(
    taking(
      'x',
      without(parameter('p', 'any'), 'name'),
      parameter('', 'any'),
      parameter('p', 'any'),
      parameter('p', 'any'),
    ),
    {
      '/capabilities/0/parameters/0/name': 'Is required',
      '/capabilities/0/parameters/1/name': "Must be a string that is not empty, got ''",
      '/capabilities/0/parameters/3/name': "Must be unique, got 'p' again",
    },
  ),
)
works('"parameters": [ { "name": "parameter-name",', 'may be any text', async () => {
  const names = ['constructor', 'a b', 'ünïcode', '$ref', 'toString', 'x'.repeat(300)]
  const definition = taking('texts', ...names.map((name) => parameter(name, 'number')))
  await published({ definition, implementation: ECHO })
  const values = Object.fromEntries(names.map((name, n) => [name, n]))
  expect(await resultOf('texts', 'go', values)).toEqual(values)
  expect(Object.keys((await errorOf('texts', 'go')).details).toSorted()).toEqual(names.toSorted())
})
deviates('"parameters": [ { "name": "parameter-name",', 'but one', "a parameter's name", async () => {
  expect(await refusal(taking('proto', parameter('__proto__', 'any')))).toEqual({
    '/capabilities/0/parameters/0': "Must not be named '__proto__'",
  })
})
works(
  '"description": "Parameter description",',
  'is required',
  refused(taking('x', without(parameter('p', 'any'), 'description')), {
    '/capabilities/0/parameters/0/description': 'Is required',
  }),
)
deviates(
  '"description": "Parameter description",',
  'may be empty',
  'description: "required"',
  kept(taking('silent', parameter('p', 'any', { description: '' }))),
)
const TYPE = '"type": "string|number|boolean|object|array|any",'
works(TYPE, 'each of the six', kept(taking('six', ...ALL_TYPES.map((type) => parameter(type, type)))))
const SIX = "'string', 'number', 'boolean', 'object', 'array', 'any'"
works(
  TYPE,
  'one of them, not the choice',
  refused(taking('x', parameter('p', 'string|number'), without(parameter('q', 'any'), 'type')), {
    '/capabilities/0/parameters/0/type': `Must be one of ${SIX}, got 'string|number'`,
    '/capabilities/0/parameters/1/type': 'Is required',
  }),
)
deviates(TYPE, 'and more beside it', 'parameters: string, number', async () => {
  const definition = taking(
    'more',
    parameter('unit', 'string', { enum: ['m', 'km'], default: 'm', format: 'unit', required: false }),
    parameter('list', 'array', { items: { type: 'number' } }),
    parameter('at', 'object', { properties: { x: { type: 'number' } } }),
  )
  await published({ definition, implementation: ECHO })
  expect(await readBack('more.go')).toEqual(definition)
  const { details } = await errorOf('more', 'go', { unit: 'mi', list: ['1'], at: { x: 'y' } })
  expect(Object.keys(details).toSorted()).toEqual(['at', 'list', 'unit'])
})
works('"required": true|false', 'true: is missed', async () => {
  expect((await errorOf('types', 'number', { maybe: 1 })).details).toEqual({ value: 'Is required' })
})
works('"required": true|false', 'false: is not', async () => {
  expect(await resultOf('types', 'number', { value: 1 })).toEqual({ value: 1 })
  expect(await resultOf('types', 'number', { value: 1, maybe: 2 })).toEqual({ value: 1, maybe: 2 })
})
works('"required": true|false', 'false: but is of its type', async () => {
  const { details } = await errorOf('types', 'number', { value: 1, maybe: '2' })
  expect(details).toEqual({ maybe: expect.stringContaining('number') })
})
works(
  '"required": true|false',
  'nothing else',
  refused(taking('x', parameter('p', 'any', { required: 'true' }), parameter('q', 'any', { required: null })), {
    '/capabilities/0/parameters/0/required': "Must be a boolean, got 'true'",
    '/capabilities/0/parameters/1/required': 'Must be a boolean, got null',
  }),
)
deviates('"required": true|false', 'left unsaid', 'required: `true', async () => {
  const definition = taking('unsaid', without(parameter('p', 'any'), 'required'))
  const path = '/definition/capabilities/0/parameters/0/required'
  expect(await published({ definition, implementation: ECHO })).toEqual({
    ids: ['unsaid.go@1.0.0'],
    warnings: [{ path, message: 'Is not said, and counts as false' }],
  })
  expect([await readBack('unsaid.go'), await resultOf('unsaid', 'go')]).toEqual([definition, {}])
})
works('"return": { "description": "Description of the return value",', '', async () => {
  await published(formed('form-return'))
  const { output_schema } = await get('/tools/form_return.capability_name')
  expect(output_schema).toEqual({ description: 'Description of the return value' })
})
const SCHEMA = '"schema": { // JSON Schema for the return value }'
works(SCHEMA, 'is held to', async () => {
  const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 0 } }, required: ['n'] }
  const capabilities = ['fits', 'short', 'negative'].map((name) => capability(name, { return: { schema } }))
  const implementations = { fits: giving({ n: 0 }), short: giving({}), negative: giving({ n: -1 }) }
  await published({ definition: of('held', ...capabilities), implementations })
  expect(await resultOf('held', 'fits')).toEqual({ n: 0 })
  expect(await errorOf('held', 'short')).toEqual({
    code: 'EXECUTION_ERROR',
    message: 'The tool returned something its return schema does not allow',
    details: { problems: [{ path: '/n', message: 'Is required' }] },
  })
  expect(await errorOf('held', 'negative')).toMatchObject({ details: { problems: [{ path: '/n' }] } })
})
works(SCHEMA, 'is held to by what is larger than 256 KiB, which is given whole', async () => {
  const schema = { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false }
  const module = 'export default () => ({ text: "x".repeat(1_000_000) })'
  await published({ definition: returning('large', { schema }), implementation: { kind: 'code', module } })
  expect(await resultOf('large', 'go')).toEqual({ text: 'x'.repeat(1_000_000) })
})
works(SCHEMA, 'may refer to its own parts', async () => {
  const schema = { $ref: '#/$defs/count', $defs: { count: { type: 'integer' } } }
  const definition = of('parts', ...['one', 'half'].map((name) => capability(name, { return: { schema } })))
  await published({ definition, implementations: { one: giving(1), half: giving(0.5) } })
  expect([await readBack('parts.one'), await resultOf('parts', 'one')]).toEqual([definition, 1])
  expect(await errorOf('parts', 'half')).toMatchObject({ code: 'EXECUTION_ERROR' })
})
works(
  SCHEMA,
  'is an object',
  refused(returning('x', { schema: 'number' }), {
    '/capabilities/0/return/schema': "Must be a JSON Schema object, got 'number'",
  }),
)
works(SCHEMA, 'is one of JSON Schema', async () => {
  const problems = await refusal(returning('x', { schema: { type: 'text', minimum: '0' } }))
  expect(Object.keys(problems).toSorted()).toEqual([
    '/capabilities/0/return/schema/minimum',
    '/capabilities/0/return/schema/type',
  ])
})
works(SCHEMA, 'is nowhere else', async () => {
  const problems = await refusal(returning('x', { schema: { $ref: 'https://example.com/schema' } }))
  expect(Object.keys(problems)).toEqual(['/capabilities/0/return/schema/$ref'])
})
works('"securityLevel": 0-10,', 'is kept', kept(tool('level-7', { securityLevel: 7 })))
const METADATA = '"metadata": { // Additional tool-specific metadata }'
works(
  METADATA,
  'any',
  kept(tool('meta', { metadata: { a: 1, b: [true, null, { c: 'd' }], '': {}, 'ünï code': 1e-7 } })),
)
works(METADATA, 'an empty one', kept(tool('meta-empty', { metadata: {} })))
works(METADATA, 'an object', refused(tool('x', { metadata: 'm' }), { '/metadata': "Must be an object, got 'm'" }))

aside('## Core Components', '### 1. Tool Identity')
const ID = '**id**: Unique identifier for the tool (required)'
const SEEN = 'Must be 1 to 160 characters that can be seen, got'
works(ID, 'required', refused(without(tool('x'), 'id'), { '/id': 'Is required' }))
works(ID, 'a text', refused(tool('x', { id: 5 }), { '/id': `${SEEN} 5` }))
works(ID, 'not empty', refused(tool('x', { id: '' }), { '/id': `${SEEN} ''` }))
works(ID, 'with a dot', keptAndExecuted(tool('with.dot')))
works(ID, 'in reverse domain notation', keptAndExecuted(tool('com.example:tool')))
works(ID, 'with a space', keptAndExecuted(tool('with space')))
works(ID, 'with letters of any script', keptAndExecuted(tool('ünïcode')))
works(ID, 'without any that tools’ names have', keptAndExecuted(tool('計算機'), 'Keisanki'))
works(ID, 'a UUID', keptAndExecuted(tool('6ba7b810-9dad-11d1-80b4-00c04fd430c8')))
works(ID, 'a URL', keptAndExecuted(tool('https://example.com/tools/a?b=c#d')))
const ID_ROW = 'id: "Unique identifier for the tool"'
deviates(ID, 'of 160 characters', ID_ROW, keptAndExecuted(tool('x'.repeat(160))))
deviates(ID, 'of 161', ID_ROW, refused(tool('x'.repeat(161)), { '/id': `${SEEN} a string of 161 characters` }))
deviates(ID, 'that differs in case alone from another', ID_ROW, async () => {
  await published(tool('in-case'))
  expect(await publish(tool('In-Case'))).toMatchObject({ status: 409 })
})
deviates(ID, 'with a line break', ID_ROW, refused(tool('a\nb'), { '/id': `${SEEN} a string of 3 characters` }))
const NAME = '**name**: Human-readable name (required)'
const NOT_EMPTY = 'Must be a string that is not empty, got'
works(NAME, 'required', refused(without(tool('x'), 'name'), { '/name': 'Is required' }))
works(NAME, 'a text', refused(tool('x', { name: ['x'] }), { '/name': `${NOT_EMPTY} an array of 1` }))
works(NAME, 'not empty', refused(tool('x', { name: '' }), { '/name': `${NOT_EMPTY} ''` }))
works(NAME, 'whatever people read', kept(tool('people', { name: `Größe & "Maß" 📏 <b>\n${'long '.repeat(200)}` })))
works(NAME, 'may be that of another tool', async () => {
  await kept(tool('namesake1', { name: 'Namesake' }))()
  await kept(tool('namesake2', { name: 'Namesake' }))()
})
const VERSION = '**version**: Semantic version string (required)'
works(VERSION, 'required', refused(without(tool('x'), 'version'), { '/version': 'Is required' }))
works(VERSION, 'below 1.0.0', kept(tool('zero', { version: '0.0.1' })))
works(VERSION, 'of many digits', kept(tool('digits', { version: '10.200.3000' })))
works(VERSION, 'a pre-release', async () => {
  const version = '1.0.0-beta.1'
  const { ids } = await published({ definition: tool('pre', { version }), implementation: SAY })
  expect([ids, await resultOf('pre', 'go', {}, { version })]).toEqual([['pre.go@1.0.0-beta.1'], 'go'])
})
works(VERSION, 'with build metadata', kept(tool('build', { version: '1.0.0+build.5' })))
works(
  VERSION,
  'a text',
  refused(tool('x', { version: 1 }), { '/version': 'Must be a version of the form x.y.z, got 1' }),
)
const VERSION_ROW = 'version: "Semantic version string"'
const suchAs = (nearest: string, got: string) => ({
  '/version': `Must be a version of the form x.y.z, such as '${nearest}', got '${got}'`,
})
deviates(VERSION, 'v1', VERSION_ROW, refused(tool('x', { version: 'v1' }), suchAs('1.0.0', 'v1')))
deviates(VERSION, '1.0', VERSION_ROW, refused(tool('x', { version: '1.0' }), suchAs('1.0.0', '1.0')))
deviates(VERSION, '01.2.0', VERSION_ROW, refused(tool('x', { version: '01.2.0' }), suchAs('1.2.0', '01.2.0')))
deviates(
  VERSION,
  'a date',
  VERSION_ROW,
  refused(tool('x', { version: '2024-05-01' }), suchAs('2024.5.1', '2024-05-01')),
)
deviates(VERSION, 'another beside the document', VERSION_ROW, async () => {
  const definition = tool('dated', { version: '2024-05-01' })
  expect(await published({ definition, version: '2024.5.1' })).toEqual({ ids: ['dated.go@2024.5.1'] })
  expect(await listed('dated')).toEqual([definition])
})
const DESCRIPTION = '**description**: Comprehensive description (required)'
works(DESCRIPTION, 'required', refused(without(tool('x'), 'description'), { '/description': 'Is required' }))
works(DESCRIPTION, 'a text', refused(tool('x', { description: null }), { '/description': `${NOT_EMPTY} null` }))
const LONG = `Line 1\r\n\tLine 2 – "quoted" \\ 🧮\u2028${'more '.repeat(5_000)}`
works(DESCRIPTION, 'as comprehensive as one likes', kept(tool('comprehensive', { description: LONG })))
const DESCRIPTION_ROW = 'description: "required"'
deviates(
  DESCRIPTION,
  'empty',
  DESCRIPTION_ROW,
  refused(tool('x', { description: '' }), { '/description': `${NOT_EMPTY} ''` }),
)

aside('### 2. Capabilities')
const CAPABILITIES = 'Each tool must define one or more capabilities:'
works(CAPABILITIES, 'one', keptAndExecuted(tool('single')))
works(
  CAPABILITIES,
  'three, in their order',
  keptAndExecuted(of('three', ...['z', 'a', 'M'].map((name) => capability(name)))),
)
works(CAPABILITIES, 'forty', async () => {
  const names = Array.from({ length: 40 }, (_, n) => `c${n}`)
  await kept(of('forty', ...names.map((name) => capability(name))))()
  expect((await get('/tools?toolkit=forty')).items).toHaveLength(40)
})
works(CAPABILITIES, 'which one runs them, told which is called', async () => {
  await published({ definition: of('which', capability('a'), capability('b')), implementation: SAY })
  expect([await resultOf('which', 'a'), await resultOf('which', 'b')]).toEqual(['a', 'b'])
})
works(CAPABILITIES, 'and nothing runs what there is not', async () => {
  const { status, body } = await publish({ definition: tool('none-such'), implementations: { gone: SAY } })
  expect([status, body.errors[0].path]).toEqual([422, '/implementations/gone'])
})
const LIST = 'Must be an array that is not empty, got'
works(CAPABILITIES, 'not none', refused(of('x'), { '/capabilities': `${LIST} an empty array` }))
works(
  CAPABILITIES,
  'no object',
  refused(tool('x', { capabilities: { a: 1 } }), { '/capabilities': `${LIST} an object` }),
)
works(CAPABILITIES, 'of objects', refused(of('x', 'go'), { '/capabilities/0': "Must be an object, got 'go'" }))
works(CAPABILITIES, 'required', async () => {
  const problems = await refusal(without(tool('x'), 'capabilities'), '?dialect=machine-context')
  expect(problems).toEqual({ '/capabilities': 'Is required' })
})
const CAPABILITY = '**name**: Unique capability identifier (required)'
const CAPABILITY_AT = '/capabilities/0/name'
const CAPABILITY_ROW = '"Capability names must be unique within a tool"'
works(CAPABILITY, 'required', refused(of('x', { description: 'Goes' }), { [CAPABILITY_AT]: 'Is required' }))
works(CAPABILITY, 'a text', refused(of('x', capability('go', { name: 1 })), { [CAPABILITY_AT]: `${SEEN} 1` }))
works(CAPABILITY, 'not empty', refused(of('x', capability('')), { [CAPABILITY_AT]: `${SEEN} ''` }))
works(CAPABILITY, 'with a space', keptAndExecuted(of('spaced', capability('get forecast'))))
works(CAPABILITY, 'with a dot', keptAndExecuted(of('dotted', capability('get.forecast'))))
works(CAPABILITY, 'with a dash', keptAndExecuted(of('dashed', capability('capability-name'))))
works(CAPABILITY, 'in any script', keptAndExecuted(of('scripts', capability('予報'), capability('größe'))))
works(CAPABILITY, 'whatever can be seen', keptAndExecuted(of('visible', capability('Get a forecast: today!'))))
deviates(CAPABILITY, 'of 160 characters', CAPABILITY_ROW, keptAndExecuted(of('longest', capability('x'.repeat(160)))))
deviates(
  CAPABILITY,
  'of 161',
  CAPABILITY_ROW,
  refused(of('x', capability('x'.repeat(161))), { [CAPABILITY_AT]: `${SEEN} a string of 161 characters` }),
)
const DOES = '**description**: What the capability does (required)'
const DOES_AT = '/capabilities/0/description'
works(DOES, 'required', refused(of('x', { name: 'go' }), { [DOES_AT]: 'Is required' }))
works(DOES, 'a text', refused(of('x', capability('go', { description: 1 })), { [DOES_AT]: `${NOT_EMPTY} 1` }))
works(DOES, 'its own, not the tool’s', async () => {
  await published(of('own', capability('a'), capability('b')))
  const { items } = await get('/tools?toolkit=own')
  expect(items.map(({ description }: Draft) => description)).toEqual(['Does a', 'Does b'])
})
deviates(
  DOES,
  'empty',
  DESCRIPTION_ROW,
  refused(of('x', capability('go', { description: '' })), { [DOES_AT]: `${NOT_EMPTY} ''` }),
)
const PARAMETERS = '**parameters**: Input parameters the capability accepts (optional)'
works(PARAMETERS, 'none', keptAndExecuted(tool('parameterless')))
works(PARAMETERS, 'an empty list', keptAndExecuted(taking('no-parameters')))
works(PARAMETERS, 'in their order', kept(taking('ordered', ...['z', 'a', '1'].map((name) => parameter(name, 'any')))))
works(PARAMETERS, 'every wrong one is named at once', async () => {
  const parameters = [parameter('a', 'number'), parameter('b', 'string'), parameter('c', 'boolean')]
  await published({ definition: taking('at-once', ...parameters), implementation: ECHO })
  expect(Object.keys((await errorOf('at-once', 'go', { a: '1', c: 0 })).details)).toEqual(['a', 'b', 'c'])
})
works(PARAMETERS, 'more than there are', async () => {
  expect(await resultOf('types', 'number', { value: 1, more: 2 })).toEqual({ value: 1, more: 2 })
})
works(
  PARAMETERS,
  'a list',
  refused(of('x', capability('go', { parameters: { a: 1 } })), {
    '/capabilities/0/parameters': 'Must be an array, got an object',
  }),
)
works(
  PARAMETERS,
  'of objects',
  refused(taking('x', 'a'), { '/capabilities/0/parameters/0': "Must be an object, got 'a'" }),
)
const RETURN = '**return**: Description and schema of the return value (optional)'
works(RETURN, 'none: anything comes back', async () => {
  const values = { object: { a: [1] }, text: 'x', number: 0, no: false, nothing: null }
  const implementations = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, giving(value)]))
  const definition = of('anything', ...Object.keys(values).map((name) => capability(name)))
  await published({ definition, implementations })
  for (const [name, value] of Object.entries(values)) expect(await resultOf('anything', name)).toEqual(value)
})
works(RETURN, 'a description alone', kept(returning('told', { description: 'A thing' })))
works(RETURN, 'a schema alone', keptAndExecuted(returning('schema', { schema: { type: 'string' } })))
works(
  RETURN,
  'both descriptions',
  kept(returning('both', { description: 'A thing', schema: { description: 'By its schema' } })),
)
works(RETURN, 'an object', refused(returning('x', 'a'), { '/capabilities/0/return': "Must be an object, got 'a'" }))

aside('### 3. Security')
const LEVEL = '**securityLevel**: Integer from 0-10 indicating required security level'
const TO_10 = 'Must be an integer from 0 to 10, got'
works(LEVEL, 'each of the eleven', async () => {
  const levels = Array.from({ length: 11 }, (_, level) => tool(`eleven-${level}`, { securityLevel: level }))
  const { body } = await publish(levels)
  expect(body.results.map(({ status }: Draft) => status)).toEqual(Array(11).fill(201))
  expect(await listed('eleven-10')).toEqual([levels[10]])
})
works(LEVEL, '-1', refused(tool('x', { securityLevel: -1 }), { '/securityLevel': `${TO_10} -1` }))
works(LEVEL, '11', refused(tool('x', { securityLevel: 11 }), { '/securityLevel': `${TO_10} 11` }))
works(LEVEL, '1.5', refused(tool('x', { securityLevel: 1.5 }), { '/securityLevel': `${TO_10} 1.5` }))
works(LEVEL, 'a text', refused(tool('x', { securityLevel: '5' }), { '/securityLevel': `${TO_10} '5'` }))
works(LEVEL, 'null', refused(tool('x', { securityLevel: null }), { '/securityLevel': `${TO_10} null` }))
works(LEVEL, 'unsaid counts as 0', async () => {
  await published({ definition: tool('unlevelled'), implementation: giving('done') })
  expect(await listed('unlevelled', asNobody)).toEqual([tool('unlevelled')])
  expect(await send(request({ id: 'unlevelled', capability: 'go' }), asNobody)).toMatchObject({ status: 200 })
})
works('0: No security requirements', 'anybody executes', async () => {
  const go = await levelled('level0', 0)
  expect(await go(asNobody)).toEqual(DONE)
})
deviates('0: No security requirements', 'where every caller has a key', '0: "No security requirements"', async () => {
  const deployed = await startApp({ vars: { ADMIN_KEY, ACCESS: 'keys' } })
  try {
    const { status } = await deployed.json('POST', '/machine-context/execute', request({ id: 'x', capability: 'go' }))
    expect(status).toBe(401)
  } finally {
    await deployed.stop()
  }
})
works('0: No security requirements', 'anybody finds', async () => {
  await levelled('level0-listed', 0)
  expect(await listed('level0-listed', asNobody)).toHaveLength(1)
})
const BASIC = '1-3: Basic security (authentication)'
works(BASIC, '1: not for nobody in particular', async () => {
  const go = await levelled('level1', 1)
  expect(await go(asNobody)).toEqual(denied(401))
  expect(await listed('level1', asNobody)).toEqual([])
})
works(BASIC, '3: nor with a wrong key', async () => {
  const go = await levelled('level3', 3)
  expect(await go(asNobody)).toEqual(denied(401))
  expect(await go({ authorization: 'Bearer wrong' })).toEqual(denied(401))
})
works(BASIC, '3: for anybody with a key', async () => {
  const go = await levelled('level3-key', 3)
  expect(await go(await keyFor('*'))).toEqual(DONE)
})
works(BASIC, 'and says how', async () => {
  await levelled('level1-how', 1)
  const { headers } = await send(request({ id: 'level1-how', capability: 'go' }), asNobody)
  expect(headers.get('www-authenticate')).toMatch(/^Bearer/)
})
deviates(BASIC, 'by HTTP’s header, not by the message', '"authentication"', async () => {
  await levelled('level1-message', 1)
  const message = request({ id: 'level1-message', capability: 'go' }, { security: { token: ADMIN_KEY } })
  expect(await send(message, asNobody)).toMatchObject({ status: 401, body: { error: { code: 'SECURITY_ERROR' } } })
  expect(await send(message)).toMatchObject({ status: 200 })
})
const MEDIUM = '4-7: Medium security (authentication + authorization)'
works(MEDIUM, '4: authentication', async () => {
  const go = await levelled('level4', 4)
  expect(await go(asNobody)).toEqual(denied(401))
})
works(MEDIUM, '4: not by a key for everything', async () => {
  const go = await levelled('level4-star', 4)
  expect(await go(await keyFor('*'))).toEqual(denied(403))
})
works(MEDIUM, '4: by a key that names the toolkit', async () => {
  const go = await levelled('level4_kit', 4)
  expect(await go(await keyFor('level4_kit.*'))).toEqual(DONE)
})
works(MEDIUM, '7: by a key that names the tool', async () => {
  const go = await levelled('level7', 7)
  expect(await go(await keyFor('*'))).toEqual(denied(403))
  expect(await go(await keyFor('level7.go'))).toEqual(DONE)
})
works(MEDIUM, '7: by an administrator', async () => {
  const go = await levelled('level7-admin', 7)
  expect(await go(asAdmin)).toEqual(DONE)
})
const HIGH = '8-10: High security (authentication + authorization + additional verification)'
const HIGH_ROW = '"Security levels must be honored"'
works(HIGH, '8: authentication', async () => {
  const go = await levelled('level8', 8)
  expect(await go(asNobody)).toEqual(denied(401))
})
works(HIGH, '8: authorization', async () => {
  const go = await levelled('level8-star', 8)
  expect(await go(await keyFor('*'))).toEqual(denied(403))
})
works(HIGH, '10: not by them alone', async () => {
  const go = await levelled('level10', 10)
  expect(await go(asAdmin)).toEqual(denied(200))
})
deviates(HIGH, '8: a person approves', HIGH_ROW, async () => {
  const go = await levelled('level8-approved', 8)
  await approve('level8-approved', {})
  expect(await go(asAdmin)).toEqual(DONE)
})
deviates(HIGH, '10: once, these parameters', HIGH_ROW, async () => {
  const go = await levelled('level10-once', 10)
  await approve('level10-once', { n: 1 })
  expect(await go(asAdmin, { n: 2 })).toEqual(denied(200))
  expect(await go(asAdmin, { n: 1 })).toEqual(DONE)
  expect(await go(asAdmin, { n: 1 })).toEqual(denied(200))
})

aside('## Parameter Types', '| Type | Description | Example | |------|-------------|---------|')
const TYPES = 'The following parameter types are supported:'
works(TYPES, 'and no others', async () => {
  const parameters = ['integer', 'null', 'String', 'date'].map((type) => parameter(type, type))
  const paths = Object.keys(await refusal(taking('x', ...parameters)))
  expect(paths).toEqual(parameters.map((_, n) => `/capabilities/0/parameters/${n}/type`))
})
works(
  TYPES,
  'one a parameter',
  refused(taking('x', parameter('p', 'any', { type: ['string', 'number'] })), {
    '/capabilities/0/parameters/0/type': `Must be one of ${SIX}, got an array of 2`,
  }),
)
works(TYPES, 'as JSON Schema’s in other dialects', async () => {
  const { items } = await get('/tools?toolkit=types')
  const types = items.map(({ input_schema }: Draft) => input_schema.parameters.properties.value.type)
  expect(types).toEqual([undefined, 'array', 'boolean', 'number', 'object', 'string'])
})
const STRING = '| string | Text value | `"example"` |'
works(STRING, 'the example', takes('string', 'example'))
works(STRING, 'an empty one', takes('string', ''))
works(STRING, 'in any script', takes('string', 'Grüße\n✓ \u0000 👋'))
works(STRING, 'no number', takesNot('string', 42))
works(STRING, 'not null', takesNot('string', null))
works(STRING, 'no array of them', takesNot('string', ['example']))
const NUMBER = '| number | Numeric value | `42`, `3.14` |'
works(NUMBER, '42', takes('number', 42))
works(NUMBER, '3.14', takes('number', 3.14))
works(NUMBER, 'below zero', takes('number', -0.5))
works(NUMBER, 'with an exponent', takes('number', 1e300))
works(NUMBER, 'no text of one', takesNot('number', '42'))
works(NUMBER, 'no boolean', takesNot('number', true))
const BOOLEAN = '| boolean | True/false value | `true`, `false` |'
works(BOOLEAN, 'true', takes('boolean', true))
works(BOOLEAN, 'false', takes('boolean', false))
works(BOOLEAN, 'no text of one', takesNot('boolean', 'true'))
works(BOOLEAN, 'no number', takesNot('boolean', 1))
const OBJECT = '| object | JSON object | `{"key": "value"}` |'
works(OBJECT, 'the example', takes('object', { key: 'value' }))
works(OBJECT, 'an empty one', takes('object', {}))
works(OBJECT, 'a deep one', takes('object', { a: { b: [{ c: null }] } }))
works(OBJECT, 'no array', takesNot('object', []))
works(OBJECT, 'not null', takesNot('object', null))
works(OBJECT, 'no text of one', takesNot('object', '{"key": "value"}'))
const ARRAY = '| array | JSON array | `[1, 2, 3]` |'
works(ARRAY, 'the example', takes('array', [1, 2, 3]))
works(ARRAY, 'an empty one', takes('array', []))
works(ARRAY, 'a mixed one', takes('array', [1, 'a', null, [true], {}]))
works(ARRAY, 'no object', takesNot('array', { 0: 1 }))
works(ARRAY, 'no text', takesNot('array', '1,2,3'))
const ANY = '| any | Any valid JSON value | _Any value_ |'
works(ANY, 'a text', takes('any', 'example'))
works(ANY, 'a number', takes('any', 3.14))
works(ANY, 'a boolean', takes('any', false))
works(ANY, 'an object', takes('any', { key: 'value' }))
works(ANY, 'an array', takes('any', [1, 2, 3]))
works(ANY, 'null', takes('any', null))
works(ANY, 'but one, where it is required', async () => {
  expect((await errorOf('types', 'any', {})).details).toEqual({ value: 'Is required' })
})

aside('## Implementation Guidelines … <version>1.0.0</version>')
whole()
