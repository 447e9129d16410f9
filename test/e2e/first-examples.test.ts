import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describing } from '../plugins/describing.ts'
import { type Upstream, startUpstream } from '../upstream.ts'
import { type ServerProcess, startProcess } from './process.ts'
import { ADD, GET_EMAILS, GET_TIMESTAMP, RING, SEND } from '../seeds/oxp-examples.ts'
import { raw } from './raw.ts'

/**
 * The first step of an author of one of the five source documents: publishes its first example unchanged with a plain key on a
 * new deployment, lists it, and calls it in its own dialect and the other four. If a document names a tool without code, an
 * implementation is sent beside it.
 */

const ADMIN_KEY = 'the-administrator-of-this-test'
let upstream: Upstream
let server: ServerProcess
let folder: string
let asPublisher: { readonly authorization: string }
beforeAll(async () => {
  upstream = await startUpstream((_, response) => {
    response.setHeader('content-type', 'application/json').end('{"celsius":21}')
  })
  folder = await mkdtemp(join(tmpdir(), 'switchboard-first-examples-'))
  const variables = [`ADMIN_KEY:${ADMIN_KEY}`, `ALLOW_HTTP_HOSTS:${upstream.host}`].flatMap((each) => ['--var', each])
  server = await startProcess(['npm', 'run', '--silent', 'serve', '--', '--outdir', folder, ...variables])
  const plain = { name: 'plain', scopes: ['tools:read', 'tools:call', 'tools:publish'], tools: ['*'], users: [] }
  const made = await server.json('POST', '/keys', plain, { authorization: `Bearer ${ADMIN_KEY}` })
  asPublisher = { authorization: `Bearer ${made.body.key}` }
}, 240_000)
afterAll(async () => {
  await Promise.all([server?.stop(), upstream?.close()])
  await rm(folder, { recursive: true, force: true })
})

const send = (method: string, path: string, body?: unknown, headers = {}) =>
  server.json(method, path, body, { ...asPublisher, ...headers })

/** A tool with one version, by its names in each dialect. */
interface Called {
  readonly toolkit: string
  readonly tool: string
  /** Its name over MCP. */
  readonly name: string
  /** The ids of its Machine Context document and capability; by default, the toolkit and the tool. */
  readonly id?: string
  readonly capability?: string
  readonly version?: string
  readonly input: object
}

/** Returns whether each dialect lists a tool under its name there. */
async function lists({ toolkit, tool, name, id = toolkit, capability = tool, version = '1.0.0' }: Called) {
  const named = (list: readonly Readonly<Record<string, unknown>>[], field: string, value: string) =>
    list.some(({ [field]: found }) => found === value)
  const [oxp, rfc, machineContext, plugin, mcp] = await Promise.all([
    send('GET', '/tools?limit=1000'),
    send('GET', '/worker/tools'),
    send('GET', '/machine-context/tools'),
    send('GET', '/plugin/describe'),
    send('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { accept: 'application/json' }),
  ])
  const tool_id = `${toolkit}.${tool}@${version}`
  const document = machineContext.body.tools.find((each: { id: string }) => each.id === id)
  return {
    oxp: named(oxp.body.items, 'id', tool_id),
    rfc: named(rfc.body, 'fully_qualified_name', tool_id),
    machineContext: named(document?.capabilities ?? [], 'name', capability),
    plugin: named(plugin.body.tools, 'name', name),
    mcp: named(mcp.body.result.tools, 'name', name),
  }
}

const LISTED = { oxp: true, rfc: true, machineContext: true, plugin: true, mcp: true }

/** Returns each dialect's response to one call, without the parts that differ between calls. */
async function everywhere(called: Called) {
  const { toolkit, tool, name, id = toolkit, capability = tool, version = '1.0.0', input } = called
  expect(await lists(called)).toEqual(LISTED)
  const post = async (path: string, body: unknown) => {
    const accept = 'application/json, text/event-stream'
    const answer = await send('POST', path, body, { accept })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return answer.body
  }
  const tool_id = `${toolkit}.${tool}@${version}`
  const oxp = await post('/tools/call', { $schema: 'urn:oxp:1.0', request: { tool_id, input } })
  const rfc = await post('/worker/tools/invoke', {
    run_id: 'run',
    execution_id: crypto.randomUUID(),
    created_at: '2026-01-01T00:00:00Z',
    tool: { name: tool, toolkit, version },
    inputs: input,
    context: {},
  })
  const header = {
    version: '1.0',
    messageId: crypto.randomUUID(),
    timestamp: '2026-01-01T00:00:00Z',
    messageType: 'request',
  }
  const machineContext = await post('/machine-context/execute', {
    header: { ...header, source: 'client', destination: 'switchboard' },
    payload: { tool: { id, version, capability, parameters: input }, context: {}, security: {} },
  })
  const plugin = await post('/plugin/call', { params: { name: tool_id, arguments: input } })
  const _meta = { 'dev.switchboard/version': version }
  const params = { name, arguments: input, _meta }
  const mcp = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  return {
    oxp: oxp.result.value,
    rfc: rfc.output,
    machineContext: machineContext.payload.execution.result,
    plugin: plugin.content,
    mcp: mcp.result,
  }
}

const shown = (text: string) => [{ type: 'text', text }]

/** Returns an object as each dialect's response contains it. */
const said = (value: object) => ({
  oxp: value,
  rfc: { value },
  machineContext: value,
  plugin: shown(JSON.stringify(value)),
  mcp: { content: shown(JSON.stringify(value)), structuredContent: value },
})

const code = (body: string) => ({ kind: 'code', module: `export default ${body}` })

/** Publishes the same document twice, and checks that it is listed. Returns the ids. */
async function publish(definition: object, beside: object): Promise<readonly string[]> {
  const { status, body } = await send('POST', '/tools', { definition, ...beside })
  expect(status, JSON.stringify(body)).toBe(201)
  expect(await send('POST', '/tools', { definition, ...beside })).toMatchObject({
    status: 200,
    body: { ids: body.ids },
  })
  const listed = await send('GET', '/tools?limit=1000')
  expect(listed.body.items.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(body.ids))
  return body.ids
}

it("a server starts without the demonstration tools, so the documents' names are free", async () => {
  const listed = async (toolkit: string) => (await send('GET', `/tools?toolkit=${toolkit}`)).body.items
  for (const each of ['Arithmetic', 'Calculator', 'Doorbell', 'Gmail', 'SMS', 'System'])
    expect(await listed(each)).toEqual([])
})

it('the first example of OXP: Calculator.Add', async () => {
  const number = (description: string) => ({ type: 'number', description })
  const definition = {
    id: 'Calculator.Add@1.0.0',
    name: 'Calculator_Add',
    description: 'Adds two numbers together.',
    version: '1.0.0',
    input_schema: {
      parameters: {
        type: 'object',
        properties: { a: number('The first number to add.'), b: number('The second number to add.') },
        required: ['a', 'b'],
      },
    },
    output_schema: number('The sum of the two numbers.'),
  }
  const ids = await publish(definition, { implementation: code('({ a, b }) => a + b') })
  expect(ids).toEqual([definition.id])
  expect((await send('GET', `/tools/${definition.id}`)).body).toEqual(definition)
  const called = { toolkit: 'Calculator', tool: 'Add', name: 'Calculator_Add', input: { a: 2, b: 3 } }
  expect(await everywhere(called)).toEqual({
    oxp: 5,
    rfc: { value: 5 },
    machineContext: 5,
    plugin: shown('5'),
    mcp: { content: shown('5'), structuredContent: { result: 5 } },
  })
})

it('the first example of the Open Tool Calling RFC: every field of section 4.1', async () => {
  const definition = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    name: 'Now',
    fully_qualified_name: 'Weather.Now@1.0.0',
    description: 'Tells the weather of a city',
    toolkit: { name: 'Weather', description: 'What the sky does', version: '1.0.0' },
    input: {
      parameters: [
        {
          name: 'city',
          required: true,
          description: 'Its name',
          value_schema: { val_type: 'string' },
          inferrable: true,
        },
      ],
    },
    output: { available_modes: ['value', 'error'], description: 'Degrees', value_schema: { val_type: 'json' } },
    requirements: { authorization: null, secrets: null },
  }
  const url = `${upstream.origin}/{tool}/{city}`
  const parameters = [{ input: 'city', in: 'path', name: 'city' }]
  const implementation = { kind: 'http', method: 'GET', url, parameters }
  expect(await publish(definition, { implementation })).toEqual(['Weather.Now@1.0.0'])
  const back = await send('GET', '/tools/Weather.Now?format=open-tool-calling')
  expect(back.body).toEqual(definition)
  const called = { toolkit: 'Weather', tool: 'Now', name: 'Weather_Now', input: { city: 'Oslo' } }
  expect(await everywhere(called)).toEqual(said({ celsius: 21 }))
  expect(upstream.arrived.map((each) => each.url)).toEqual(Array.from({ length: 5 }, () => '/Now/Oslo'))
})

it('the first example of the Machine Context Protocol: the calculator', async () => {
  const number = (name: string, description: string) => ({ name, description, type: 'number', required: true })
  const parameters = [number('a', 'First number'), number('b', 'Second number')]
  const schema = { type: 'object', properties: { result: { type: 'number' } } }
  const definition = {
    id: 'calculator',
    name: 'Calculator Tool',
    version: '1.0.0',
    description: 'Performs basic arithmetic operations',
    capabilities: [
      {
        name: 'add',
        description: 'Adds two numbers',
        parameters,
        return: { description: 'The sum of the two numbers', schema },
      },
      {
        name: 'subtract',
        description: 'Subtracts the second number from the first',
        parameters,
        return: { description: 'The result of a - b', schema },
      },
    ],
    securityLevel: 1,
    metadata: { category: 'utility', tags: ['math', 'calculation'] },
  }
  const implementations = {
    add: code('({ a, b }) => ({ result: a + b })'),
    subtract: code('({ a, b }) => ({ result: a - b })'),
  }
  // Next to the OXP example, whose tools have the same names in another case
  await send('POST', '/tools', JSON.parse(ADD))
  const ids = await publish(definition, { implementations })
  expect(ids).toEqual(['Calculator_Tool.add@1.0.0', 'Calculator_Tool.subtract@1.0.0'])
  const back = await send('GET', '/tools/Calculator_Tool.add?format=machine-context')
  expect(back.body).toEqual(definition)
  const arithmetic = { toolkit: 'Calculator_Tool', id: 'calculator' }
  const input = { a: 2, b: 3 }
  const added = await everywhere({ ...arithmetic, tool: 'add', name: 'Calculator_Tool_add', input })
  expect(added).toEqual(said({ result: 5 }))
  const less = await everywhere({ ...arithmetic, tool: 'subtract', name: 'Calculator_Tool_subtract', input })
  expect(less).toEqual(said({ result: -1 }))
})

it('the first example of the Machine Context Protocol: a definition whose names are not valid tool names', async () => {
  const definition = {
    id: 'unique-tool-id',
    name: 'Human-Readable Tool Name',
    version: '1.0.0',
    description: "Comprehensive description of the tool's purpose and functionality",
    capabilities: [
      {
        name: 'capability-name',
        description: 'Description of what this capability does',
        parameters: [{ name: 'parameter-name', description: 'Parameter description', type: 'string', required: true }],
        return: { description: 'Description of the return value', schema: { type: 'object' } },
      },
    ],
    securityLevel: 0,
    metadata: {},
  }
  const implementation = code('(input, { tool, called }) => ({ ...input, tool, called })')
  const ids = await publish(definition, { implementation })
  expect(ids).toEqual(['unique_tool_id.capability_name@1.0.0'])
  const value = { 'parameter-name': 'x', 'tool': 'capability_name', 'called': 'capability-name' }
  const answers = await everywhere({
    toolkit: 'unique_tool_id',
    tool: 'capability_name',
    name: 'unique_tool_id_capability_name',
    id: 'unique-tool-id',
    capability: 'capability-name',
    input: { 'parameter-name': 'x' },
  })
  expect(answers).toEqual(said(value))
})

it('the first example of the plugin schema: describe and call of a plugin', async () => {
  const tool = {
    name: 'what-time',
    description: 'Tells the time',
    inputSchema: { type: 'object', properties: { zone: { type: 'string' } } },
  }
  const plugin = describing(JSON.stringify({ tools: [tool] }), JSON.stringify({ content: shown('12:00') }))
  const { status, text } = await raw(server.url, {
    method: 'PUT',
    path: '/toolkits/Clock/plugin?version=1.0.0',
    headers: { 'content-type': 'application/wasm', ...asPublisher },
    body: plugin,
  })
  expect(status, text).toBe(201)
  expect(JSON.parse(text).ids).toEqual(['Clock.what_time@1.0.0'])
  expect((await send('GET', '/plugin/describe?toolkit=Clock')).body).toEqual({ tools: [tool] })
  const input = { zone: 'UTC' }
  const named = await send('POST', '/plugin/call', { params: { name: 'what-time', arguments: input } })
  expect(named).toMatchObject({ status: 200, body: { content: shown('12:00') } })
  expect(await everywhere({ toolkit: 'Clock', tool: 'what_time', name: 'what-time', input })).toEqual({
    oxp: '12:00',
    rfc: { value: '12:00' },
    machineContext: '12:00',
    plugin: shown('12:00'),
    mcp: { content: shown('12:00') },
  })
})

it('the first example of MCP: a Tool with every field', async () => {
  const definition = {
    name: 'get-weather',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    description: 'Tells the weather of a city',
    outputSchema: { type: 'object', properties: { city: { type: 'string' }, called: { type: 'string' } } },
    title: 'Weather',
    annotations: { title: 'Weather here', readOnlyHint: true },
    icons: [{ src: 'https://example.com/icon.png', mimeType: 'image/png' }],
    _meta: { 'example.com/kind': 'weather' },
  }
  const implementation = code('({ city }, { called }) => ({ city, called })')
  const beside = { toolkit: 'Forecasts', version: '1.0.0', implementation }
  const ids = await publish(definition, beside)
  expect(ids).toEqual(['Forecasts.get_weather@1.0.0'])
  const back = await send('GET', '/tools/Forecasts.get_weather?format=mcp')
  expect(back.body).toEqual(definition)
  const called = { toolkit: 'Forecasts', tool: 'get_weather', name: 'get-weather', input: { city: 'Oslo' } }
  expect(await everywhere(called)).toEqual(said({ city: 'Oslo', called: 'get-weather' }))
  // By its name in the document, which is not a tool name here
  const own = await send('GET', '/tools/Forecasts.get-weather')
  expect(own.body).toMatchObject({ id: 'Forecasts.get_weather@1.0.0' })
})

it.each([RING, GET_TIMESTAMP, GET_EMAILS, SEND])(
  'OXP: each further example is accepted word for word, and in a higher version: %s',
  async (text) => {
    const definition = JSON.parse(text)
    const [name] = definition.id.split('@')
    expect(await publish(definition, {})).toEqual([definition.id])
    expect((await send('GET', `/tools/${definition.id}`)).body).toEqual(definition)
    const higher = { ...definition, id: `${name}@7.0.0`, version: '7.0.0' }
    expect(await publish(higher, {})).toEqual([higher.id])
  },
)

it('a tool receives its non-inferrable parameters from a plugin host, too', async () => {
  const definition = {
    name: 'Mine',
    fully_qualified_name: 'Inbox.Mine@1.0.0',
    description: 'Counts mail',
    toolkit: { name: 'Inbox', description: 'Mail', version: '1.0.0' },
    input: {
      parameters: [{ name: 'box', required: true, value_schema: { val_type: 'string' }, inferrable: false }],
    },
    output: { available_modes: ['value', 'error'], value_schema: { val_type: 'string' } },
  }
  await publish(definition, { implementation: code('({ box }) => box') })
  const _meta = { 'dev.switchboard/context': { box: 'b-1' } }
  const call = (more: object) => send('POST', '/plugin/call', { params: { name: 'Inbox_Mine', ...more } })
  expect((await call({ _meta })).body).toEqual({ content: shown('b-1') })
  expect((await call({})).body).toMatchObject({ isError: true })
  expect((await call({ arguments: { box: 'b-2' }, _meta })).body).toMatchObject({ isError: true })
})
