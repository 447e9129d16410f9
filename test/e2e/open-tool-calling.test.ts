import { afterAll, beforeAll, expect, it } from 'vitest'
import { DEFINITION } from '../dialects/open-tool-calling/example.ts'
import { DEFINITION_SCHEMA, RESPONSE_SCHEMA } from '../../src/dialects/open-tool-calling/schema-uri.ts'
import { type Upstream, startUpstream } from '../upstream.ts'
import { type RunningServer, startApp } from './server.ts'

let upstream: Upstream
let server: RunningServer

beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    if (url.startsWith('/image')) {
      response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from('image'))
      return
    }
    const error = { text: 'No room', hint: 'rooms: 7, 9', again: true, wait: 1_500, detail: 'room 3 is taken' }
    response.writeHead(409, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
  })
  server = await startApp({ vars: { ALLOW_HTTP_HOSTS: upstream.host } })
})
afterAll(async () => {
  await Promise.all([server?.stop(), upstream?.close()])
})

const invoke = (tool: object, inputs: object = {}, more: object = {}) =>
  server.json('POST', '/worker/tools/invoke', { tool, inputs, ...more })

it('an engine finds the worker healthy, and its tools', async () => {
  const { body: health } = await server.json('GET', '/worker/health')
  const { status, body } = await server.json('GET', '/worker/tools')
  expect(health).toEqual({
    status: 'ok',
    tool_count: String(body.length),
    tool_definitions_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    started_at: expect.stringMatching(/Z$/),
  })
  expect(status).toBe(200)
  expect(body.map((each: { fully_qualified_name: string }) => each.fully_qualified_name)).toContain(
    'Calculator.Add@1.0.0',
  )
})

it('an engine calls a tool, however it names it', async () => {
  const request = { run_id: 'run_1', execution_id: 'te_1', created_at: '2026-01-01T00:00:00Z', context: {} }
  const { status, body } = await invoke({ name: 'add', toolkit: 'calculator', version: null }, { a: 1, b: 5 }, request)
  expect(status).toBe(200)
  expect(body).toEqual({
    $schema: RESPONSE_SCHEMA,
    execution_id: 'te_1',
    success: true,
    duration: expect.any(Number),
    finished_at: expect.stringMatching(/Z$/),
    output: { value: 6 },
  })
  for (const tool of [{ name: 'Calculator_Add' }, { name: 'Calculator.Add', version: '1.0.0' }]) {
    expect((await invoke(tool, { a: 1, b: 2 })).body.output).toEqual({ value: 3 })
  }
  expect((await invoke({ name: 'GetTimestamp' }, {})).body.success).toBe(true)
})

it('an engine is told the candidates where a bare name is that of several tools', async () => {
  const { error } = (await invoke({ name: 'Add' }, { a: 1, b: 2 })).body.output
  for (const id of ['Calculator.Add@1.0.0', 'Arithmetic.add@1.0.0']) expect(error.message).toContain(id)
})

it('an engine has an execution under an id it used before as another one, which is given back', async () => {
  const request = { execution_id: 'te_twice', context: {} }
  const answers = [1, 2].map((a) => invoke({ name: 'Add', toolkit: 'Calculator' }, { a, b: 1 }, request))
  expect((await Promise.all(answers)).map(({ body }) => [body.execution_id, body.output])).toEqual([
    ['te_twice', { value: 2 }],
    ['te_twice', { value: 3 }],
  ])
})

it('an engine is told what is wrong with a call, in a response', async () => {
  const bad = await invoke({ name: 'Add', toolkit: 'Calculator' }, { a: 'x' })
  expect(bad).toMatchObject({ status: 200, body: { success: false, output: { error: { can_retry: true } } } })
  const unknown = await invoke({ name: 'Nope', toolkit: 'Calculator' })
  expect(unknown).toMatchObject({ status: 200, body: { success: false, output: { error: {} } } })
  expect((await server.json('POST', '/worker/tools/invoke', { foo: 1 })).status).toBe(400)
})

it('an engine is asked for what a person must grant', async () => {
  const { body } = await invoke({ name: 'GetEmails', toolkit: 'Gmail' }, {}, { context: { user_id: 'bob' } })
  expect(body).toMatchObject({
    success: false,
    output: { requires_authorization: { id: expect.any(String), url: expect.any(String), status: 'not_started' } },
  })
})

it('an engine publishes a definition and has it back', async () => {
  const published = await server.json('POST', '/tools', {
    ...DEFINITION,
    name: 'Find',
    fully_qualified_name: 'Gmail.Find@1.2.0',
  })
  expect(published).toMatchObject({ status: 201, body: { ids: ['Gmail.Find@1.2.0'] } })
  const { body } = await server.json('GET', '/tools/Gmail.Find?format=open-tool-calling')
  expect(body).toEqual({ ...DEFINITION, name: 'Find', fully_qualified_name: 'Gmail.Find@1.2.0' })
})

let count = 0

interface Tool {
  readonly name?: string
  readonly qualified?: string
  readonly parameters?: readonly object[]
  readonly modes?: readonly string[]
  readonly requirements?: object
  readonly implementation: object
}

/** Publishes a tool and gives its name. */
async function publish({ name = `Tool${++count}`, qualified, implementation, ...tool }: Tool): Promise<string> {
  const definition = {
    name,
    fully_qualified_name: qualified ?? `Rfc.${name}@1.0.0`,
    description: 'A tool.',
    toolkit: { name: 'Rfc', version: '1.0.0' },
    input: { parameters: tool.parameters ?? [] },
    output: { available_modes: tool.modes ?? ['value', 'error'] },
    ...(tool.requirements ? { requirements: tool.requirements } : {}),
  }
  const { status, body } = await server.json('POST', '/tools', { definition, implementation })
  expect(status, JSON.stringify(body)).toBe(201)
  return name
}

const code = (module: string) => ({ kind: 'code', module })
const call = async (name: string, context: object = {}, inputs: object = {}) =>
  (await invoke({ name, toolkit: 'Rfc', version: '1.0.0' }, inputs, { context })).body

it('a tool of the RFC fails in its own words, whatever it is made of', async () => {
  const fields = {
    developer_message: 'room 3 is taken',
    can_retry: true,
    additional_prompt_content: 'rooms: 7, 9',
    retry_after_ms: 1_500,
  }
  const thrown = `Object.assign(new Error('No room'), ${JSON.stringify(fields)})`
  const coded = await publish({ implementation: code(`export default () => { throw ${thrown} }`) })
  expect((await call(coded)).output).toEqual({ error: { message: 'No room', ...fields } })
  const plain = await publish({
    implementation: code("export default () => { throw { message: 'No', can_retry: 'x', retry_after_ms: -1 } }"),
  })
  expect((await call(plain)).output).toEqual({ error: { message: 'No', can_retry: false } })
  const error = {
    message: '/error/text',
    developer_message: '/error/detail',
    can_retry: '/error/again',
    additional_prompt_content: '/error/hint',
    retry_after_ms: '/error/wait',
  }
  const url = `${upstream.origin}/rooms`
  const http = await publish({ implementation: { kind: 'http', method: 'POST', url, response: { error } } })
  expect((await call(http)).output).toEqual({ error: { message: 'No room', ...fields } })
})

it('a tool of the RFC gives an artifact by a value that says so', async () => {
  const artifact = {
    url: 'https://x.test/a.pdf',
    content_type: 'application/pdf',
    size: 3,
    meta: { description: 'A' },
  }
  const gives = (given: object) => code(`export default () => (${JSON.stringify({ artifact: given })})`)
  const modes = ['artifact', 'error']
  expect((await call(await publish({ modes, implementation: gives(artifact) }))).output).toEqual({ artifact })
  const wrong = await call(await publish({ modes, implementation: gives({ ...artifact, url: 'javascript:1' }) }))
  expect(wrong.output.error.developer_message).toContain('/artifact/url')
  const plain = await call(await publish({ implementation: gives(artifact) }))
  expect(plain.output).toEqual({ value: { artifact } })
})

it('a tool of the RFC gives the bytes that a server answers with as an artifact, or holds them', async () => {
  const implementation = { kind: 'http', method: 'GET', url: `${upstream.origin}/image` }
  const { output } = await call(await publish({ modes: ['artifact', 'error'], implementation }))
  expect(output).toEqual({
    artifact: {
      url: expect.stringContaining('/artifacts/'),
      content_type: 'image/png',
      size: 5,
      meta: { description: expect.any(String) },
    },
  })
  expect(await (await fetch(output.artifact.url)).text()).toBe('image')
  const held = await call(await publish({ implementation }))
  expect(held.output.value.content).toEqual([{ type: 'image', mimeType: 'image/png', data: btoa('image') }])
})

it('a tool of the RFC is told of the user it acts for', async () => {
  const module = 'export default (_, { userId, userInfo }) => ({ userId, userInfo })'
  const requirements = { authorization: 'token' }
  const asks = await publish({ requirements, implementation: code(module) })
  const context = { authorization: { token: 'T' }, user_id: 'ann', user_info: { mail: 'ann@x.test' } }
  expect((await call(asks, context)).output.value).toEqual({ userId: 'ann', userInfo: { mail: 'ann@x.test' } })
  expect((await call(await publish({ implementation: code(module) }), context)).output.value).toEqual({})
})

it('a tool of the RFC asks for the token that it requires, and links to nothing', async () => {
  const asks = await publish({
    requirements: { authorization: 'token' },
    implementation: code('export default () => 1'),
  })
  for (const context of [{}, { user_id: 'ann' }]) {
    const { success, output } = await call(asks, context)
    expect({ success, output: JSON.stringify(output) }).toEqual({
      success: false,
      output: expect.not.stringContaining('http'),
    })
    expect(output.error.message).toContain("the token 'token' (context.authorization.token)")
  }
})

it('a tool of the RFC says that the user is missing, where nobody can be asked', async () => {
  const authorization = { provider_id: 'acme', provider_type: 'oauth2', oauth2: { scopes: ['a'] } }
  const asks = await publish({ requirements: { authorization }, implementation: code('export default () => 1') })
  expect((await call(asks)).output.error.message).toContain('(context.user_id)')
})

it('a tool of the RFC takes what no model may infer from the context, and shows it to none', async () => {
  const parameters = [
    { name: 'a', required: true, value_schema: { val_type: 'string' } },
    { name: 'room', required: true, value_schema: { val_type: 'integer' }, inferrable: false },
    { name: 'user_info', required: false, value_schema: { val_type: 'json' }, inferrable: false },
  ]
  const name = await publish({ parameters, implementation: code('export default (input) => input') })
  const given = await call(name, { room: 7, user_info: { mail: 'm' } }, { a: 'x' })
  expect(given.output).toEqual({ value: { a: 'x', room: 7, user_info: { mail: 'm' } } })
  expect((await call(name, {}, { a: 'x', room: 8 })).output).toEqual({ value: { a: 'x', room: 8 } })
  expect((await call(name, { room: 'x' }, { a: 'x' })).output.error.message).toContain('room: Must be an integer')
  expect((await call(name, {}, { a: 'x' })).output.error.message).toContain('room: Is required in the context')

  for (const format of [
    'oxp',
    'oxp-flat',
    'mcp',
    'plugin',
    'machine-context',
    'openai',
    'openai-strict',
    'anthropic',
    'gemini',
    'openapi',
  ]) {
    const { body } = await server.json('GET', `/tools/Rfc.${name}?format=${format}&losses=1`)
    const { metadata: _, ...document } = body.document
    expect(JSON.stringify(document), format).not.toContain('room')
    expect(body.losses, format).toContainEqual(expect.objectContaining({ path: '/input/properties/room' }))
  }
  const describe_ = await server.json('GET', '/plugin/describe?toolkit=Rfc')
  expect(JSON.stringify(describe_.body)).not.toContain('"room"')
  const request = { tool_id: `Rfc.${name}@1.0.0`, input: { a: 'x' }, context: { room: 7 } }
  expect((await server.json('POST', '/tools/call', request)).body.result.value).toEqual({ a: 'x', room: 7 })
  const inferred = { ...request, input: { a: 'x', room: 7 } }
  expect(await server.json('POST', '/tools/call', inferred)).toMatchObject({
    status: 422,
    body: { parameter_errors: { room: expect.stringContaining('Set this in the call') } },
  })
  const params = {
    name: `Rfc_${name}`,
    arguments: { a: 'x' },
    _meta: { 'dev.switchboard/context': { room: 7 } },
  }
  const rpc = await server.json('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  expect(rpc.body.result.structuredContent ?? JSON.parse(rpc.body.result.content[0].text)).toEqual({
    a: 'x',
    room: 7,
  })
})

it('a tool of the RFC may have a human-readable name, by which it is called', async () => {
  const implementation = code('export default () => 1')
  await publish({ name: 'Ring the bell', qualified: 'Rfc.RingBell@1.0.0', implementation })
  await publish({ name: 'Ring twice', qualified: 'Rfc.RingTwice@1.0.0', implementation })
  for (const name of ['RingBell', 'Ring twice']) expect((await call(name)).output).toEqual({ value: 1 })
  const { body } = await server.json('GET', '/tools/Rfc.RingBell?format=mcp')
  expect(body.title).toBe('Ring the bell')
})

it('a tool of the RFC is refused under the schema of another version, as a call is', async () => {
  const definition = { ...DEFINITION, $schema: 'urn:otc:2.0', fully_qualified_name: 'Gmail.GetEmails@1.2.0' }
  const refused = await server.json('POST', '/tools', definition)
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: '/$schema' }] } })
  const tool = { name: 'Add', toolkit: 'Calculator' }
  expect(await invoke(tool, { a: 1, b: 2 }, { $schema: 'urn:otc:2.0' })).toMatchObject({ status: 400 })
  const { status } = await invoke(tool, { a: 1, b: 2 }, { $schema: 'http://json-schema.org/draft-07/schema#' })
  expect(status).toBe(200)
})

it('a tool of the RFC is listed with what every definition says', async () => {
  const { body } = await server.json('GET', '/worker/tools')
  for (const each of body) {
    expect(each, each.fully_qualified_name).toMatchObject({
      $schema: expect.any(String),
      output: { available_modes: expect.any(Array) },
    })
  }
  const named = (id: string) => body.find((each: { fully_qualified_name: string }) => each.fully_qualified_name === id)
  expect(named('Calculator.Add@1.0.0')).toMatchObject({
    $schema: DEFINITION_SCHEMA,
    toolkit: { name: 'Calculator', version: '1.0.0', description: expect.any(String) },
  })
  expect(named('Fixture.Artifact@1.0.0').output.available_modes).toContain('artifact')
  expect(named('Gmail.GetEmails@1.2.0').output.available_modes).toContain('requires_authorization')
})
