import { afterAll, beforeAll, expect } from 'vitest'
import { CALCULATOR, type Draft } from '../dialects/machine-context/calculator.ts'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import { raw } from '../e2e/raw.ts'
import { type Server, startServer } from '../e2e/server.ts'
import { openDocument } from './source-document.ts'

const { works, deviates, aside, whole } = openDocument('machine-context-tool-definition.txt', 'machine-context')

const ADMIN_KEY = 'an-administrators-key-1'
const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }
const asNobody = {}

const ALL_TYPES = ['string', 'number', 'boolean', 'object', 'array', 'any']

let server: Server
beforeAll(async () => {
  server = await startServer({ vars: { ACCESS: 'public', ADMIN_KEY } })
  const capabilities = ALL_TYPES.map((type) =>
    capability(type, { parameters: [parameter('value', type), parameter('maybe', type, { required: false })] }),
  )
  await published({ definition: of('types', ...capabilities), implementation: ECHO })
})
afterAll(() => server?.stop())

/** Gives back what it is given. */
const ECHO = { kind: 'code', module: 'export default (input) => input' }
/** Says which tool is called. */
const SAY = { kind: 'code', module: 'export default (input, { tool }) => tool' }
/** Gives this value. */
const giving = (value: unknown) => ({ kind: 'code', module: `export default () => (${JSON.stringify(value)})` })

const parameter = (name: string, type: string, more = {}): Draft => {
  return { name, description: `The ${name}`, type, required: true, ...more }
}
const capability = (name: string, more = {}): Draft => ({ name, description: `Does ${name}`, ...more })
/** A definition with what is required. */
const tool = (id: string, more = {}): Draft => {
  const said = { id, name: `The tool ${id}`, version: '1.0.0', description: 'Is tried' }
  return { ...said, capabilities: [capability('go')], ...more }
}
const of = (id: string, ...capabilities: unknown[]) => tool(id, { capabilities })
const taking = (id: string, ...parameters: unknown[]) => of(id, capability('go', { parameters }))
const returning = (id: string, returned: unknown) => of(id, capability('go', { return: returned }))
const without = (definition: Draft, field: string) =>
  Object.fromEntries(Object.entries(definition).filter(([name]) => name !== field))

const publish = (body: unknown, query = '', headers: Record<string, string> = asAdmin) =>
  server.json('POST', `/tools${query}`, body, headers)
const get = async (path: string, headers: Record<string, string> = asAdmin) =>
  (await server.json('GET', path, undefined, headers)).body

async function published(body: unknown, query = ''): Promise<Draft> {
  const answer = await publish(body, query)
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 })
  return answer.body
}

/** Everything that a definition is refused for, by path. */
async function refusal(definition: unknown, query = ''): Promise<Record<string, string>> {
  const { status, body } = await publish(definition, query)
  expect(status, JSON.stringify(body)).toBe(422)
  return Object.fromEntries(body.errors.map(({ path, message }: Draft) => [path, message]))
}
const refused = (definition: unknown, problems: Record<string, unknown>) => async () =>
  expect(await refusal(definition)).toEqual(problems)

const readBack = (id: string) => get(`/tools/${encodeURIComponent(id)}?format=machine-context`)
/** The entries of an id in the list. */
const listed = async (id: string, headers: Record<string, string> = asAdmin): Promise<Draft[]> =>
  (await get('/machine-context/tools', headers)).tools.filter((each: Draft) => each.id === id)
/** Is listed word for word once it is published. */
const kept = (definition: Draft) => async () => {
  await published(definition)
  expect(await listed(definition.id)).toEqual([definition])
}
/** The same, and each of its capabilities is executed, and no other. */
const keptAndExecuted = (definition: Draft, toolkit?: string) => async () => {
  const names: string[] = definition.capabilities.map(({ name }: Draft) => name)
  const implementations = Object.fromEntries(names.map((name) => [name, giving(name)]))
  await published({ definition, implementations, ...(toolkit === undefined ? {} : { toolkit }) })
  expect(await listed(definition.id)).toEqual([definition])
  for (const name of names) expect(await resultOf(definition.id, name)).toBe(name)
  expect(await errorOf(definition.id, 'another')).toMatchObject({ code: 'NOT_FOUND_ERROR' })
}

const HEADER = {
  version: '1.0',
  messageId: 'message-1',
  timestamp: '2025-03-21T10:00:00Z',
  messageType: 'request',
  source: 'client-id',
  destination: 'mcp-server',
}
const request = (tool: object, more = {}) => ({ header: HEADER, payload: { tool, ...more } })
const send = (message: unknown, headers: Record<string, string> = asAdmin) =>
  server.json('POST', '/machine-context/execute', message, headers)

/** The execution of a capability. */
async function execute(id: string, capability: string, parameters?: unknown, more = {}): Promise<Draft> {
  const { status, body } = await send(request({ id, capability, parameters, ...more }))
  expect(status, JSON.stringify(body)).toBe(200)
  return body.payload.execution
}
async function resultOf(...asked: Parameters<typeof execute>) {
  const { status, result, error } = await execute(...asked)
  expect(status, JSON.stringify(error)).toBe('success')
  return result
}
async function errorOf(...asked: Parameters<typeof execute>) {
  const { status, error } = await execute(...asked)
  expect(status).toBe('failure')
  return error
}

/** A parameter of this type takes the value. */
const takes = (type: string, value: unknown) => async () =>
  expect(await resultOf('types', type, { value })).toEqual({ value })
const takesNot = (type: string, value: unknown) => async () =>
  expect(await errorOf('types', type, { value })).toEqual({
    code: 'VALIDATION_ERROR',
    message: 'Some parameters are invalid',
    details: { value: expect.stringMatching(new RegExp(`\\b${type}\\b`)) },
  })

/** A new key for these tools. */
async function keyFor(...tools: string[]) {
  const key = { name: 'seed', scopes: ['tools:read', 'tools:call', 'tools:publish'], tools, users: [] }
  const { body } = await server.json('POST', '/keys', key, asAdmin)
  return { authorization: `Bearer ${body.key}` }
}

const DONE = { status: 200, code: undefined, result: 'done' }
const denied = (status: number) => ({ status, code: 'SECURITY_ERROR', result: undefined })
/** Publishes a tool of this level, and gives what executing it answers. */
async function levelled(id: string, securityLevel: number) {
  await published({ definition: tool(id, { securityLevel }), implementation: giving('done') })
  return async (headers: Record<string, string>, parameters = {}) => {
    const { status, body } = await send(request({ id, capability: 'go', parameters }), headers)
    return { status, code: (body.error ?? body.payload.execution.error)?.code, result: body.payload?.execution.result }
  }
}
/** Opens the link that the answer gives, and approves the call. */
async function approve(id: string, parameters: object) {
  const { code, details } = await errorOf(id, 'go', parameters)
  expect(code).toBe('SECURITY_ERROR')
  const person = new HttpPerson()
  const page = await person.open(details.authorization[0].url)
  expect((await person.press(page, /approve/i)).text).toMatch(/approved/i)
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
works('discovered,', 'by the name of a toolkit', async () => {
  await published(tool('narrow'))
  expect(await get('/machine-context/tools?toolkit=narrow')).toEqual({ tools: [tool('narrow')] })
  expect(await get('/machine-context/tools?toolkit=nothing')).toEqual({ tools: [] })
  expect(await get('/machine-context/tools?toolkit=a.b')).toMatchObject({ error: { code: 'VALIDATION_ERROR' } })
})
works('discovered,', 'by who may see them', async () => {
  await published({ ...of('seen', capability('a'), capability('b')), securityLevel: 1 })
  expect(await listed('seen', await keyFor('seen.b'))).toEqual([{ ...of('seen', capability('b')), securityLevel: 1 }])
  expect(await listed('seen', asNobody)).toEqual([])
})
works('discovered,', 'each id once', async () => {
  const ids = (await get('/machine-context/tools')).tools.map(({ id }: Draft) => id.toLowerCase())
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
  expect(await resultOf('toolkit:Calculator', 'Add', { a: 1, b: 2 })).toBe(3)
})
works('and executed through the MCP.', 'by id and capability', async () => {
  const tool = { id: 'types', capability: 'number' }
  const { status, body } = await send(request({ ...tool, parameters: { value: 1 } }))
  const execution = { status: 'success', result: { value: 1 }, execution_time_ms: expect.any(Number) }
  expect([status, body.payload]).toEqual([200, { tool, execution }])
})
works('and executed through the MCP.', 'not without anything that runs', async () => {
  await published(tool('idle'))
  expect(await errorOf('idle', 'go')).toEqual({
    code: 'VALIDATION_ERROR',
    message: expect.stringMatching(/^Tool 'idle.go@1.0.0' cannot be called here: /),
  })
})

aside('## Tool Definition Format')
/** The form that the document gives, with one of each where it gives a choice. */
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
/** The same under an id of its own, and for everybody. */
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
works('"id": "unique-tool-id",', 'in a toolkit of that name', async () => {
  const message = "Names no toolkit, so its tools are in 'unique_id': give another beside the document as 'toolkit'"
  expect(await published(tool('unique-id'))).toEqual({
    ids: ['unique_id.go@1.0.0'],
    warnings: [{ path: '/id', message }],
  })
})
works('"id": "unique-tool-id",', 'or in another', async () => {
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
works(ID, 'what stands for toolkits', refused(tool('toolkit:a'), { '/id': "Must not begin with 'toolkit:'" }))
const ID_ROW = 'id: "Unique identifier for the tool"'
deviates(ID, 'of 160 characters', ID_ROW, keptAndExecuted(tool('x'.repeat(160))))
deviates(ID, 'of 161', ID_ROW, refused(tool('x'.repeat(161)), { '/id': `${SEEN} a string of 161 characters` }))
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
works(CAPABILITY, 'required', refused(of('x', { description: 'Goes' }), { [CAPABILITY_AT]: 'Is required' }))
works(CAPABILITY, 'a text', refused(of('x', capability('go', { name: 1 })), { [CAPABILITY_AT]: `${SEEN} 1` }))
works(CAPABILITY, 'not empty', refused(of('x', capability('')), { [CAPABILITY_AT]: `${SEEN} ''` }))
works(CAPABILITY, 'with a space', keptAndExecuted(of('spaced', capability('get forecast'))))
works(CAPABILITY, 'with a dot', keptAndExecuted(of('dotted', capability('get.forecast'))))
works(CAPABILITY, 'with a dash', keptAndExecuted(of('dashed', capability('capability-name'))))
works(CAPABILITY, 'in any script', keptAndExecuted(of('scripts', capability('予報'), capability('größe'))))
works(CAPABILITY, 'whatever can be seen', keptAndExecuted(of('visible', capability('Get a forecast: today!'))))
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

aside('## Implementation Guidelines', '### Tool Registration')
const VALIDATED = 'When registering a tool: 1. The tool definition must be validated against this schema'
works(VALIDATED, 'every breach is named at once', async () => {
  const problems = await refusal({ id: 'a\nb', version: '1', capabilities: [{}], securityLevel: 11, extra: true })
  expect(Object.keys(problems).toSorted()).toEqual([
    '/capabilities/0/description',
    '/capabilities/0/name',
    '/description',
    '/extra',
    '/id',
    '/name',
    '/securityLevel',
    '/version',
  ])
})
works(VALIDATED, 'what is refused is not there', async () => {
  await refusal(tool('refused', { securityLevel: 11 }))
  expect(await listed('refused')).toEqual([])
  expect(await errorOf('refused', 'go')).toMatchObject({ code: 'NOT_FOUND_ERROR' })
})
works(VALIDATED, 'no JSON', async () => {
  const headers = { ...asAdmin, 'content-type': 'application/json' }
  const { status, text } = await raw(server.url, { method: 'POST', path: '/tools', headers, body: '{"id": "a",}' })
  expect([status, JSON.parse(text).message]).toEqual([400, expect.stringContaining('line 1')])
})
works(VALIDATED, 'no object', async () => {
  expect(await publish('calculator')).toMatchObject({ status: 422 })
})
works(VALIDATED, 'schemas within parameters', async () => {
  const problems = await refusal(
    taking(
      'x',
      parameter('p', 'array', { items: { type: 'text' } }),
      parameter('q', 'array', { items: { $ref: '#' } }),
    ),
  )
  expect(Object.keys(problems).toSorted()).toEqual([
    '/capabilities/0/parameters/0/items/type',
    '/capabilities/0/parameters/1/items/$ref',
  ])
})
works(VALIDATED, 'patterns that never end', async () => {
  const problems = await refusal(taking('x', parameter('p', 'array', { items: { pattern: '^(a+)+$' } })))
  expect(Object.keys(problems)).toEqual(['/capabilities/0/parameters/0/items/pattern'])
})
const UNIQUE = '2. Tool IDs must be unique within the system'
works(UNIQUE, 'the same again is what there is', async () => {
  const { ids } = await published(tool('again'))
  expect(await publish(tool('again'))).toMatchObject({ status: 200, body: { ids } })
  expect(await listed('again')).toEqual([tool('again')])
})
works(UNIQUE, 'another of that id and version', async () => {
  await published(tool('other'))
  expect(await publish(tool('other', { description: 'Another' }))).toMatchObject({ status: 409 })
  expect(await publish(of('other', capability('stop')))).toMatchObject({ status: 409 })
  expect(await publish({ definition: tool('other'), implementation: SAY })).toMatchObject({ status: 409 })
  expect(await listed('other')).toEqual([tool('other')])
})
works(UNIQUE, 'the same id in another toolkit', async () => {
  await published(tool('elsewhere'))
  expect(await publish({ definition: tool('elsewhere'), toolkit: 'Else' })).toMatchObject({ status: 409 })
  const next = { definition: tool('elsewhere', { version: '2.0.0' }), toolkit: 'Else' }
  expect(await publish(next)).toMatchObject({ status: 409 })
})
works(UNIQUE, 'an id of which another has the toolkit', async () => {
  await published(tool('same-kit'))
  const { status, body } = await publish(tool('same.kit'))
  expect([status, body.message]).toEqual([409, expect.stringContaining('toolkit')])
  expect(await published({ definition: tool('same.kit'), toolkit: 'SameKit' })).toEqual({ ids: ['SameKit.go@1.0.0'] })
})
works(UNIQUE, 'the name of a toolkit of others', async () => {
  expect(await publish({ definition: tool('Fixture'), toolkit: 'Evil' })).toMatchObject({
    status: 409,
    body: { message: "'Fixture' is the name of another toolkit: give the document an id of its own" },
  })
})
deviates(UNIQUE, 'in another case', ID_ROW, async () => {
  await published(tool('incase'))
  expect(await publish(tool('InCase', { version: '2.0.0' }))).toMatchObject({ status: 409 })
})
deviates(UNIQUE, 'that of the bundled calculator', '"Tool IDs must be unique', async () => {
  expect(await publish({ ...CALCULATOR, description: 'Mine' })).toMatchObject({ status: 409 })
  expect(await publish({ definition: CALCULATOR, implementation: SAY })).toMatchObject({ status: 409 })
})
const UNIQUE_WITHIN = '3. Capability names must be unique within a tool'
works(
  UNIQUE_WITHIN,
  'not twice',
  refused(of('x', capability('a'), capability('b'), capability('a')), {
    '/capabilities/2/name': "Must be unique, got 'a' again",
  }),
)
works(UNIQUE_WITHIN, 'but in two tools', async () => {
  await keptAndExecuted(of('within1', capability('a')))()
  await keptAndExecuted(of('within2', capability('a')))()
})
const WITHIN_ROW = '"Capability names must be unique within a tool"'
deviates(
  UNIQUE_WITHIN,
  'in another case',
  WITHIN_ROW,
  keptAndExecuted(of('cases', capability('add'), capability('ADD'))),
)
deviates(
  UNIQUE_WITHIN,
  'in characters that names of tools do not have',
  WITHIN_ROW,
  keptAndExecuted(of('characters', capability('a b'), capability('a.b'), capability('a_b'))),
)
const HONORED = '4. Security levels must be honored during execution'
works(HONORED, 'of every capability', async () => {
  const definition = { ...of('honored', capability('a'), capability('b')), securityLevel: 4 }
  await published({ definition, implementation: SAY })
  const key = await keyFor('*')
  expect(await send(request({ id: 'honored', capability: 'a' }), key)).toMatchObject({ status: 403 })
  expect(await send(request({ id: 'honored', capability: 'b' }), key)).toMatchObject({ status: 403 })
})
works(HONORED, 'by the toolkit’s name too', async () => {
  const definition = tool('honored-kit', { securityLevel: 1 })
  await published({ definition, toolkit: 'HonoredKit', implementation: SAY })
  const message = request({ id: 'HonoredKit', capability: 'go' })
  expect(await send(message, asNobody)).toMatchObject({ status: 401 })
  expect(await send(message)).toMatchObject({ status: 200 })
})
works(HONORED, 'in the other dialects', async () => {
  await levelled('honored1', 1)
  const post = async (path: string, body: object) => (await server.json('POST', path, body, asNobody)).status
  expect(await post('/tools/call', { tool_id: 'honored1.go' })).toBe(401)
  expect(await post('/plugin/call', { params: { name: 'honored1_go' } })).toBe(401)
  const tool = { name: 'go', toolkit: 'honored1', version: '1.0.0' }
  const invocation = { execution_id: 'e', created_at: '2025-03-21T10:00:00Z', tool, inputs: {}, context: {} }
  expect(await post('/worker/tools/invoke', invocation)).toBe(401)
})
works(HONORED, 'before anything runs or is said of the parameters', async () => {
  await published({ definition: { ...taking('first', parameter('p', 'any')), securityLevel: 1 }, implementation: ECHO })
  const { status, body } = await send(request({ id: 'first', capability: 'go', parameters: {} }), asNobody)
  expect([status, body.error.code, JSON.stringify(body)]).toEqual([
    401,
    'SECURITY_ERROR',
    expect.not.stringContaining('required'),
  ])
})

aside('### Versioning')
const SEMANTIC = 'Tool definitions follow semantic versioning:'
/** Publishes a tool at these versions, each of which says its own, and gives what a selector leads to. */
async function versioned(id: string, ...versions: string[]) {
  for (const version of versions) {
    await published({ definition: tool(id, { version }), implementation: giving(version) })
  }
  return (version?: string) => resultOf(id, 'go', {}, version === undefined ? {} : { version })
}
works(SEMANTIC, 'the newest is executed', async () => {
  const at = await versioned('newest', '1.9.0', '1.10.0', '1.2.0')
  expect(await at()).toBe('1.10.0')
})
works(SEMANTIC, 'the newest is listed', async () => {
  await versioned('newest-listed', '1.0.0', '2.0.0')
  expect(await listed('newest-listed')).toEqual([tool('newest-listed', { version: '2.0.0' })])
})
works(SEMANTIC, 'each stays what it was', async () => {
  const at = await versioned('stays', '1.0.0', '1.1.0')
  expect([await at('1.0.0'), await at('1.1.0')]).toEqual(['1.0.0', '1.1.0'])
  expect(await readBack('stays.go@1.0.0')).toEqual(tool('stays'))
})
works(SEMANTIC, 'ranges', async () => {
  const at = await versioned('ranges', '1.0.0', '1.2.0', '1.2.3', '2.0.0')
  expect([await at('^1.0.0'), await at('~1.2.0'), await at('1.x'), await at('>=1 <1.2'), await at('latest')]).toEqual([
    '1.2.3',
    '1.2.3',
    '1.2.3',
    '1.0.0',
    '2.0.0',
  ])
})
works(SEMANTIC, 'pre-releases are asked for', async () => {
  const at = await versioned('pre-releases', '1.0.0', '2.0.0-beta.2', '2.0.0-beta.11')
  expect([await at(), await at('^1.0.0'), await at('>=2.0.0-beta.1')]).toEqual(['1.0.0', '1.0.0', '2.0.0-beta.11'])
})
works(SEMANTIC, 'one that there is not', async () => {
  await versioned('absent', '1.0.0', '1.1.0')
  expect(await errorOf('absent', 'go', {}, { version: '2.0.0' })).toEqual({
    code: 'NOT_FOUND_ERROR',
    message: "Version '2.0.0' of tool 'absent.go' is not available",
    details: { available: ['1.0.0', '1.1.0'] },
  })
})

/** Publishes two versions of a definition, and gives the ids of the second, or what it is refused for. */
async function followed(first: Draft, version: string, change: Draft, query = ''): Promise<string[]> {
  await published(first)
  const { status, body } = await publish({ ...first, version, ...change }, query)
  expect(status, JSON.stringify(body)).toBe(body.ids ? 201 : 422)
  return body.ids ?? body.errors.map(({ message }: Draft) => message.replace(/ \(publish with.*/, ''))
}
const pair = (id: string) => of(id, capability('add'), capability('subtract'))
const one = { capabilities: [capability('add')] }
const three = { capabilities: [capability('add'), capability('subtract'), capability('multiply')] }
const MAJOR = 'MAJOR: Breaking changes to capabilities'
const breaking = (what: string, got = '1.1.0') => [
  `${what}: a breaking change needs version 2.0.0 or higher, got ${got}`,
]
works(MAJOR, 'one removed', async () => {
  expect(await followed(pair('major1'), '2.0.0', one)).toEqual(['major1.add@2.0.0'])
  expect(await listed('major1')).toEqual([{ ...pair('major1'), version: '2.0.0', ...one }])
  expect(await errorOf('major1', 'subtract')).toMatchObject({ code: 'NOT_FOUND_ERROR' })
})
works(MAJOR, 'one removed, as MINOR', async () => {
  expect(await followed(pair('major2'), '1.1.0', one)).toEqual(breaking("'subtract' is removed"))
})
works(MAJOR, 'one removed, as PATCH', async () => {
  expect(await followed(pair('major3'), '1.0.1', one)).toEqual(breaking("'subtract' is removed", '1.0.1'))
})
works(MAJOR, 'one renamed', async () => {
  const capabilities = [capability('add'), capability('minus')]
  expect(await followed(pair('major4'), '1.1.0', { capabilities })).toEqual(breaking("'subtract' is removed"))
})
works(MAJOR, 'a required parameter more', async () => {
  const { capabilities } = taking('', parameter('a', 'any'))
  expect(await followed(tool('major5'), '1.1.0', { capabilities })).toEqual([expect.stringContaining('2.0.0')])
  expect(await publish({ ...tool('major5'), version: '2.0.0', capabilities })).toMatchObject({ status: 201 })
})
works(MAJOR, 'a parameter that becomes required', async () => {
  const first = taking('major6', parameter('a', 'any', { required: false }))
  const { capabilities } = taking('', parameter('a', 'any'))
  expect(await followed(first, '1.1.0', { capabilities })).toEqual([expect.stringContaining('2.0.0')])
})
works(MAJOR, 'a parameter removed', async () => {
  const { capabilities } = taking('')
  const refusals = await followed(taking('major7', parameter('a', 'any')), '1.1.0', { capabilities })
  expect(refusals).toEqual([expect.stringContaining('2.0.0')])
})
works(MAJOR, 'another type of a parameter', async () => {
  const { capabilities } = taking('', parameter('a', 'number'))
  const refusals = await followed(taking('major8', parameter('a', 'string')), '1.1.0', { capabilities })
  expect(refusals).toEqual([expect.stringContaining('2.0.0')])
})
works(MAJOR, 'another type of return value', async () => {
  const { capabilities } = returning('', { schema: { type: 'number' } })
  const refusals = await followed(returning('major9', { schema: { type: 'string' } }), '1.1.0', { capabilities })
  expect(refusals).toEqual([expect.stringContaining('2.0.0')])
})
works(MAJOR, 'a security level raised', async () => {
  expect(await followed(tool('major10', { securityLevel: 1 }), '1.1.0', { securityLevel: 4 })).toEqual(
    breaking('The security level is raised from 1 to 4'),
  )
})
const VERSIONING_ROW = '"MAJOR: Breaking changes"'
deviates(MAJOR, 'by who insists', VERSIONING_ROW, async () => {
  expect(await followed(pair('major11'), '1.0.1', one, '?allow=breaking')).toEqual(['major11.add@1.0.1'])
})
deviates(MAJOR, 'in a pre-release of the next', VERSIONING_ROW, async () => {
  expect(await followed(pair('major12'), '2.0.0-rc.1', one)).toEqual(['major12.add@2.0.0-rc.1'])
})
const MINOR = 'MINOR: New capabilities added'
const addition = (what: string) => [`${what}: an addition needs version 1.1.0 or higher, got 1.0.1`]
works(MINOR, 'one added', async () => {
  const ids = ['minor1.add@1.1.0', 'minor1.subtract@1.1.0', 'minor1.multiply@1.1.0']
  expect(await followed(pair('minor1'), '1.1.0', three)).toEqual(ids)
})
works(MINOR, 'one added, as PATCH', async () => {
  expect(await followed(pair('minor2'), '1.0.1', three)).toEqual(addition("'multiply' is added"))
})
works(MINOR, 'an optional parameter more', async () => {
  const { capabilities } = taking('', parameter('a', 'any', { required: false }))
  expect(await followed(taking('minor3'), '1.1.0', { capabilities })).toEqual(['minor3.go@1.1.0'])
})
works(MINOR, 'an optional parameter more, as PATCH', async () => {
  const { capabilities } = taking('', parameter('a', 'any', { required: false }))
  expect(await followed(taking('minor4'), '1.0.1', { capabilities })).toEqual([expect.stringContaining('1.1.0')])
})
const PATCH = 'PATCH: Bug fixes, documentation updates'
works(PATCH, 'a bug fix', async () => {
  const definition = tool('patch1')
  await published({ definition, implementation: giving('wrong') })
  await published({ definition: { ...definition, version: '1.0.1' }, implementation: giving('right') })
  expect(await resultOf('patch1', 'go')).toBe('right')
})
works(PATCH, 'descriptions', async () => {
  const first = taking('patch2', parameter('a', 'any'))
  const capabilities = [
    capability('go', { description: 'New', parameters: [parameter('a', 'any', { description: 'New' })] }),
  ]
  expect(await followed(first, '1.0.1', { description: 'New', capabilities })).toEqual(['patch2.go@1.0.1'])
})
works(PATCH, 'name and metadata', async () => {
  expect(await followed(tool('patch3'), '1.0.1', { name: 'New', metadata: { a: 1 } })).toEqual(['patch3.go@1.0.1'])
})
works(PATCH, 'nothing at all', async () => {
  expect(await followed(tool('patch4'), '1.0.1', {})).toEqual(['patch4.go@1.0.1'])
})

aside('### Best Practices')
works('Keep capability names clear and descriptive', 'since models read them', async () => {
  await published(of('Weather', capability('get_forecast')))
  expect((await get('/tools/Weather.get_forecast?format=mcp')).name).toBe('Weather_get_forecast')
})
works('Document all parameters thoroughly', 'since models read that', async () => {
  const description = 'The city, in English, with its country where there are several'
  await published(taking('thorough', parameter('city', 'string', { description })))
  const { inputSchema } = await get('/tools/thorough.go?format=mcp')
  expect(inputSchema.properties.city).toEqual({ type: 'string', description })
})
works('Use specific parameter types when possible', 'they are what is checked', async () => {
  await takesNot('number', 'many')()
  await takes('any', 'many')()
})
const EXAMPLES = 'For example: `{"city": "Paris"}`\n\n| in | out |\n| -- | --- |\n'
works('Include examples in descriptions', '', async () => {
  await published(of('examples', capability('go', { description: EXAMPLES })))
  expect((await get('/tools/examples.go?format=mcp')).description).toBe(EXAMPLES)
})
works('Keep security level appropriate to functionality', 'it can be lowered in a PATCH', async () => {
  expect(await followed(tool('lower', { securityLevel: 5 }), '1.0.1', { securityLevel: 2 })).toEqual(['lower.go@1.0.1'])
})
works('Keep security level appropriate to functionality', 'what needs secrets says 4 unless it is told', async () => {
  const { tools } = await get('/machine-context/tools?toolkit=SMS')
  expect(tools).toMatchObject([{ id: 'SMS', securityLevel: 4 }])
})

aside('## Example Tool Definition')
const EXAMPLE = '```json { "id": "calculator",'
const [ADD, SUBTRACT] = CALCULATOR.capabilities
/** The example under an id of its own, with what runs it. */
async function calculator(id: string, more = {}) {
  const module = `export default ({ a, b }, { tool }) => ({ result: tool === 'add' ? a + b : a - b })`
  const definition = { ...CALCULATOR, id, ...more }
  return published({ definition, implementation: { kind: 'code', module } })
}
works(EXAMPLE, 'word for word, to a fresh server', async () => {
  const answer = await publish(CALCULATOR)
  expect([answer.status, answer.body.ids]).toEqual([200, ['Arithmetic.add@1.0.0', 'Arithmetic.subtract@1.0.0']])
})
works(EXAMPLE, 'is listed word for word', async () => expect(await listed('calculator')).toEqual([CALCULATOR]))
works(EXAMPLE, 'is read back word for word', async () => {
  const { text } = await raw(server.url, { path: '/tools/Arithmetic.add?format=machine-context', headers: asAdmin })
  expect(text).toBe(JSON.stringify(CALCULATOR))
})
works(EXAMPLE, 'as OXP', async () => {
  const call = { tool_id: 'Arithmetic.add', input: { a: 2, b: 3 } }
  const { body } = await server.json('POST', '/tools/call', call, asAdmin)
  expect(body.result).toMatchObject({ success: true, value: { result: 5 } })
})
works(EXAMPLE, 'as Open Tool Calling', async () => {
  const tool = { name: 'add', toolkit: 'Arithmetic', version: '1.0.0' }
  const asked = { execution_id: 'e', created_at: '2025-03-21T10:00:00Z', tool, inputs: { a: 2, b: 3 }, context: {} }
  const { body } = await server.json('POST', '/worker/tools/invoke', asked, asAdmin)
  expect([body.success, body.output]).toEqual([true, { value: { result: 5 } }])
})
works(EXAMPLE, 'as a plugin', async () => {
  const call = { params: { name: 'add', arguments: { a: 2, b: 3 } } }
  const { body } = await server.json('POST', '/plugin/call?toolkit=Arithmetic', call, asAdmin)
  expect(body).toEqual({ content: [{ type: 'text', text: '{"result":5}' }] })
})
works(EXAMPLE, 'over the Model Context Protocol', async () => {
  const params = { name: 'Arithmetic_add', arguments: { a: 2, b: 3 } }
  const headers = { ...asAdmin, 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
  const { body } = await server.json('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)
  expect(body.result.structuredContent).toEqual({ result: 5 })
})
works('"id": "calculator",', 'is executed', async () => {
  expect(await resultOf('calculator', 'add', { a: 2, b: 3 })).toEqual({ result: 5 })
})
works('"id": "calculator",', 'or any other id', async () => {
  expect(await calculator('calculator2')).toEqual({ ids: ['calculator2.add@1.0.0', 'calculator2.subtract@1.0.0'] })
  expect(await resultOf('calculator2', 'add', { a: 2, b: 3 })).toEqual({ result: 5 })
})
works('"name": "Calculator Tool",', '', async () => {
  expect(await listed('calculator')).toMatchObject([{ name: 'Calculator Tool' }])
})
works('"version": "1.0.0", "description": "Performs basic arithmetic operations",', 'asked for', async () => {
  expect(await resultOf('calculator', 'add', { a: 2, b: 3 }, { version: '1.0.0' })).toEqual({ result: 5 })
  expect(await resultOf('calculator', 'add', { a: 2, b: 3 }, { version: '^1.0.0' })).toEqual({ result: 5 })
  expect(await errorOf('calculator', 'add', {}, { version: '2.0.0' })).toMatchObject({ code: 'NOT_FOUND_ERROR' })
})
works('"capabilities": [ { "name": "add", "description": "Adds two numbers",', 'fractions too', async () => {
  expect(await resultOf('calculator', 'add', { a: 2.5, b: -0.25 })).toEqual({ result: 2.25 })
})
works('"parameters": [ { "name": "a", "description": "First number", "type": "number",', 'no text', async () => {
  const { details } = await errorOf('calculator', 'add', { a: '2', b: 3 })
  expect(details).toEqual({ a: expect.stringContaining('number') })
})
works('"required": true }, { "name": "b", … "required": true } ],', 'neither left out', async () => {
  expect((await errorOf('calculator', 'add', { a: 2 })).details).toEqual({ b: 'Is required' })
  expect((await errorOf('calculator', 'add', {})).details).toEqual({ a: 'Is required', b: 'Is required' })
})
works('"return": { "description": "The sum of the two numbers",', 'is told in other dialects', async () => {
  const { output_schema } = await get('/tools/Arithmetic.add')
  expect(output_schema).toEqual({ ...ADD?.return.schema, description: 'The sum of the two numbers' })
})
works('"schema": { "type": "object", "properties": { "result": { "type": "number" } } }', 'is held to', async () => {
  const definition = { ...CALCULATOR, id: 'calculator3' }
  const implementations = { add: giving({ result: '5' }), subtract: giving(5) }
  await published({ definition, implementations })
  expect(await errorOf('calculator3', 'add', { a: 2, b: 3 })).toMatchObject({
    code: 'EXECUTION_ERROR',
    details: { problems: [{ path: '/result' }] },
  })
  expect(await errorOf('calculator3', 'subtract', { a: 2, b: 3 })).toMatchObject({ code: 'EXECUTION_ERROR' })
})
works('"name": "subtract", "description": "Subtracts the second number from the first",', '', async () => {
  expect(await resultOf('calculator', 'subtract', { a: 2, b: 3 })).toEqual({ result: -1 })
})
works('"parameters": [ … "required": true } ],', 'by name, in whatever order', async () => {
  expect(await resultOf('calculator', 'subtract', { b: 2, a: 3 })).toEqual({ result: 1 })
  expect((await errorOf('calculator', 'subtract', { b: 2 })).details).toEqual({ a: 'Is required' })
})
works('"return": { "description": "The result of a - b", … "type": "number" } }', '', async () => {
  const { output_schema } = await get('/tools/Arithmetic.subtract')
  expect(output_schema).toEqual({ ...SUBTRACT?.return.schema, description: 'The result of a - b' })
})
works('"securityLevel": 1,', 'is honored', async () => {
  const message = request({ id: 'calculator', capability: 'add', parameters: { a: 2, b: 3 } })
  expect(await send(message, asNobody)).toMatchObject({ status: 401, body: { error: { code: 'SECURITY_ERROR' } } })
  expect(await send(message, await keyFor('*'))).toMatchObject({ status: 200 })
})
works('"metadata": { "category": "utility",', '', async () => {
  expect(await listed('calculator')).toMatchObject([{ metadata: { category: 'utility' } }])
})
works('"tags": ["math", "calculation"]', 'find it', async () => {
  const { items } = await get('/tools?tag=calculation&toolkit=Arithmetic')
  expect(items.map(({ id }: Draft) => id)).toEqual(['Arithmetic.add@1.0.0', 'Arithmetic.subtract@1.0.0'])
  expect((await get('/tools?tag=utility&toolkit=Arithmetic')).items).toEqual([])
})

aside('## Related Specifications', '<version>1.0.0</version>')
const PROTOCOL = '[Protocol Specification](./README.md)'
works(PROTOCOL, 'a response answers a request', async () => {
  const { body } = await send(request({ id: 'types', capability: 'any', parameters: { value: 1 } }))
  expect(body.header).toEqual({
    version: '1.0',
    messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    messageType: 'response',
    requestId: 'message-1',
    source: 'mcp-server',
    destination: 'client-id',
  })
})
works(PROTOCOL, 'a header of what is required', async () => {
  const header = { messageId: 'm', messageType: 'request' }
  const payload = { tool: { id: 'types', capability: 'any', parameters: { value: 1 } } }
  const { status, body } = await send({ header, payload })
  expect([status, body.header]).toMatchObject([200, { requestId: 'm', source: 'switchboard' }])
})
works(PROTOCOL, 'an error answers what is no request', async () => {
  for (const header of [{}, { ...HEADER, messageType: 'response' }, { ...HEADER, messageId: '' }]) {
    const { status, body } = await send({ header, payload: { tool: { id: 'types', capability: 'any' } } })
    expect([status, body]).toMatchObject([
      400,
      { header: { messageType: 'error' }, error: { code: 'VALIDATION_ERROR' } },
    ])
    expect(body.payload).toBeUndefined()
  }
})
works(PROTOCOL, 'another version', async () => {
  const { status, body } = await send({ ...request({}), header: { ...HEADER, version: '2.0' } })
  expect([status, body.error]).toEqual([
    400,
    { code: 'VALIDATION_ERROR', message: "The protocol version '2.0' is not supported: wanted '1.0'" },
  ])
})
const EXECUTION = '[Tool Execution Specification](./tool-execution.md)'
works(EXECUTION, 'VALIDATION_ERROR', async () => {
  expect(await errorOf('types', 'any', {})).toMatchObject({ code: 'VALIDATION_ERROR' })
})
works(EXECUTION, 'NOT_FOUND_ERROR: a tool', async () => {
  expect(await errorOf('no such tool', 'go')).toMatchObject({ code: 'NOT_FOUND_ERROR' })
})
works(EXECUTION, 'NOT_FOUND_ERROR: a capability, and what is near it', async () => {
  expect(await errorOf('types', 'numbr')).toEqual({
    code: 'NOT_FOUND_ERROR',
    message: expect.stringContaining('was not found'),
    details: { suggestions: expect.arrayContaining(['types.number']) },
  })
})
works(EXECUTION, 'EXECUTION_ERROR, in the tool’s own words', async () => {
  const module = `export default () => { throw Object.assign(new Error('Out of ink'), { can_retry: true, retry_after_ms: 9 }) }`
  await published({ definition: tool('ink'), implementation: { kind: 'code', module } })
  expect(await errorOf('ink', 'go')).toMatchObject({
    code: 'EXECUTION_ERROR',
    message: 'Out of ink',
    details: { can_retry: true, retry_after_ms: 9 },
  })
})
works(EXECUTION, 'TIMEOUT_ERROR', async () => {
  const module = 'export default () => new Promise((done) => setTimeout(done, 60_000))'
  await published({ definition: tool('slow'), implementation: { kind: 'code', module, timeout_ms: 100 } })
  expect(await execute('slow', 'go')).toEqual({
    status: 'timeout',
    error: { code: 'TIMEOUT_ERROR', message: 'The tool did not answer within 0.1 seconds' },
    execution_time_ms: expect.any(Number),
  })
})
works(EXECUTION, 'SECURITY_ERROR: consent, with its link', async () => {
  const asked = request({ id: 'Gmail', capability: 'GetEmails' }, { context: { user_id: 'u1' } })
  const { error } = (await send(asked)).body.payload.execution
  expect([error.code, error.details.authorization[0].id]).toEqual(['SECURITY_ERROR', 'google'])
  expect(error.details.authorization[0].url).toContain(server.url)
})
works(EXECUTION, 'RESOURCE_ERROR', async () => {
  const body = JSON.stringify(request({ id: 'types', capability: 'any', parameters: { value: 'x'.repeat(5_000_000) } }))
  const headers = { ...asAdmin, 'content-type': 'application/json' }
  const { status, text } = await raw(server.url, { method: 'POST', path: '/machine-context/execute', headers, body })
  expect([status, JSON.parse(text).error.code]).toEqual([413, 'RESOURCE_ERROR'])
})
works(EXECUTION, 'parameters as an object, or none', async () => {
  expect(await send(request({ id: 'types', capability: 'any', parameters: [1] }))).toMatchObject({ status: 400 })
  expect(await errorOf('types', 'any', null)).toMatchObject({ details: { value: 'Is required' } })
})
deviates(EXECUTION, 'resource_usage', '`resource_usage` of an execution', async () => {
  const execution = await execute('types', 'any', { value: 1 })
  expect(Object.keys(execution)).toEqual(['status', 'result', 'execution_time_ms'])
})
const MANAGER = '[Tool Manager Specification](../tool-manager.md)'
const setStatus = (id: string, status: unknown) => server.json('PATCH', `/tools/${id}`, { status }, asAdmin)
works(MANAGER, 'a tool is disabled, and enabled again', async () => {
  await published({ definition: tool('disabled'), implementation: SAY })
  await setStatus('disabled.go@1.0.0', 'disabled')
  expect(await errorOf('disabled', 'go', {}, { version: '1.0.0' })).toEqual({
    code: 'VALIDATION_ERROR',
    message: "Tool 'disabled.go@1.0.0' is disabled",
  })
  expect(await listed('disabled')).toEqual([])
  await setStatus('disabled.go@1.0.0', 'active')
  expect(await resultOf('disabled', 'go')).toBe('go')
})
works(MANAGER, 'a version is withdrawn', async () => {
  const at = await versioned('withdrawn', '1.0.0', '1.1.0')
  await setStatus('withdrawn.go@1.1.0', 'yanked')
  expect([await at(), await at('1.1.0')]).toEqual(['1.0.0', '1.1.0'])
  expect(await listed('withdrawn')).toEqual([tool('withdrawn')])
})

whole()
