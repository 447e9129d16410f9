import { afterAll, beforeAll, expect } from 'vitest'
import { raw } from '../e2e/raw.ts'
import { type RunningServer, startApp } from '../e2e/server.ts'
import { assemble, compilePlugin } from '../plugins/compile.ts'
import { describing } from '../plugins/describing.ts'
import { refusedPlaces, WITH_REFUSED_PATTERNS } from './refused-patterns.ts'
import { openDocument } from './source-document.ts'
import { unwarned, withoutNeighbours } from '../e2e/without-neighbours.ts'

const { works, deviates, aside, whole } = openDocument('plugin-call-describe.txt', 'plugin')

type Block = Readonly<Record<string, unknown>>

let server: RunningServer
beforeAll(async () => {
  const toolbox = await compilePlugin('toolbox', '-O1')
  server = withoutNeighbours(await startApp())
  const { status, body } = await upload('Box', toolbox, 'version=1.0.0&security_level=0')
  expect(status, JSON.stringify(body)).toBe(201)
})
afterAll(() => server?.stop())

async function upload(toolkit: string, bytes: Uint8Array<ArrayBuffer>, query = 'version=1.0.0') {
  const headers = { 'content-type': 'application/wasm' }
  const path = `/toolkits/${toolkit}/plugin?${query}`
  const { status, text } = await raw(server.url, { method: 'PUT', path, headers, body: bytes })
  return { status, body: unwarned(JSON.parse(text)) }
}
/** Uploads a plugin whose `describe` returns this. */
const uploaded = (toolkit: string, list: unknown) => upload(toolkit, describing(JSON.stringify(list)))
/** Returns the problems of a list that an upload and a publication report. */
async function refused(list: unknown): Promise<[unknown, unknown]> {
  const problems = ({ errors = [] }) => errors.map(({ path, message }) => [path, message])
  const given = await uploaded('Refused', list)
  const published = await publish({ definition: list, toolkit: 'Refused', version: '1.0.0' }, '?dialect=plugin')
  expect([given.status, published.status]).toEqual([422, 422])
  return [problems(given.body), problems(published.body)]
}
const bothSay = (path: string, message: unknown) => [[[path, message]], [[`/definition${path}`, message]]]

const publish = (body: unknown, query = '') => server.json('POST', `/tools${query}`, body)
const described = async (toolkit: string) =>
  (await server.json('GET', `/plugin/describe?toolkit=${toolkit}`)).body.tools

const send = (request: unknown, toolkit?: string) =>
  server.json('POST', `/plugin/call${toolkit === undefined ? '' : `?toolkit=${toolkit}`}`, request)
/** Calls a tool of the plugin, and returns its CallToolResult. */
async function call(name: string, input: object = {}) {
  const { status, body } = await send({ params: { name, arguments: input } }, 'Box')
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
/** Returns the exact request that the plugin received. */
async function asked(request: unknown) {
  const { status, body } = await send(request, 'Box')
  expect([status, body.isError]).toEqual([200, undefined])
  return JSON.parse(body.content[0].text)
}
/** Returns the dialect's response if the plugin returns this. */
const given = (result: unknown) => call('answer', { result: JSON.stringify(result) })
/** Returns the response to an MCP caller if the plugin returns this. */
async function givenOverMcp(result: unknown) {
  const params = { name: 'answer', arguments: { result: JSON.stringify(result) } }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const headers = { 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
  return (await server.json('POST', '/mcp?toolkits=Box', message, headers)).body.result.content
}
const block = async (content: unknown) => (await given({ content: [content] })).content[0]

/** Checks that the plugin may return this, and that it is passed on unchanged. */
const passes = (content: Block) => async () =>
  expect(await given({ content: [content] })).toEqual({ content: [content] })
/** Checks that the plugin may not return this, and that the result says why. */
const isNone = (content: unknown, why: string) => async () =>
  expect(await given({ content: [content] })).toEqual({
    content: [{ type: 'text', text: `The plugin answered with content that is none: [0] ${why}` }],
    isError: true,
  })
const isNoResult = (result: unknown) => async () => {
  const text = "The plugin answered with something that is not a CallToolResult: 'content' must be an array"
  expect(await given(result)).toEqual({ content: [{ type: 'text', text }], isError: true })
}
/** Checks that a request is refused, and the reason. */
const malformed = (request: unknown, why: string) => async () => {
  const { status, body } = await send(request, 'Box')
  expect([status, body]).toEqual([400, { content: [{ type: 'text', text: why }], isError: true }])
}
const says = (text: string) => ({ content: [{ type: 'text', text }] })
const TOOL = { name: 'fine', description: 'A fine tool', inputSchema: { type: 'object' } }
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const BOTH = { audience: ['user', 'assistant'], priority: 0.5 }

aside('version: v1-draft')
const CALL = 'exports: call: description: > Invoke the given tool method with parameters.'
works(CALL, 'the export of a plugin', async () => expect(await call('add', { a: 2, b: 3.5 })).toEqual(says('5.5')))
works(CALL, 'over HTTP, for every tool there is', async () => {
  const { body } = await send({ params: { name: 'Calculator_Add', arguments: { a: 10, b: 5 } } })
  expect(body).toEqual(says('15'))
})
works(CALL, 'over HTTP, for the tools of another server that describes them', async () => {
  const here = await startApp({ vars: { ALLOW_HTTP_HOSTS: new URL(server.url).host } })
  try {
    const source = { from: { plugin: `${server.url}/plugin` }, toolkit: 'There', tools: ['Calculator_Add'] }
    expect((await here.json('POST', '/toolkits/import', source)).status).toBe(201)
    const params = { name: 'There.Calculator_Add', arguments: { a: 10, b: 5 } }
    expect((await here.json('POST', '/plugin/call', { params })).body).toEqual(says('15'))
  } finally {
    await here.stop()
  }
})
works(CALL, 'for callers of other dialects', async () => {
  const { body } = await server.json('POST', '/tools/call', { tool_id: 'Box.add', input: { a: 2, b: 3.5 } })
  expect(body.result).toMatchObject({ success: true, value: '5.5' })
})
works(CALL, 'a plugin has it', async () => {
  const { status, body } = await upload(
    'Callless',
    assemble('(module (func (export "describe") (result i32) (i32.const 0)))'),
  )
  expect([status, body.errors[0].message]).toEqual([422, "It does not export the function 'call', as a plugin does"])
})
works(CALL, 'with parameters that fit', async () => {
  expect(await call('add', { a: 'two' })).toEqual({
    content: [{ type: 'text', text: expect.stringMatching(/^Some arguments are invalid: 'a': .*; 'b': Is required$/) }],
    isError: true,
  })
})
works(CALL, 'each call is one of its own', async () => {
  expect([await call('count'), await call('count')]).toEqual([says('1 1'), says('1 1')])
})
const RESULT = 'Returns a CallToolResult containing the tool output (or error).'
works(RESULT, 'output', async () => expect(await call('echo', { text: 'Grüße ✓ 👋' })).toEqual(says('Grüße ✓ 👋')))
works(RESULT, 'the error that a tool gives', async () => {
  const { content, isError } = await call('complain', { about: 'it' })
  expect([content[0], isError]).toEqual([{ type: 'text', text: 'I complain about it' }, true])
})
works(RESULT, 'the error that an export sets', async () => {
  expect(await call('fail')).toEqual({ ...says('A deliberate failure'), isError: true })
})
works(RESULT, 'a trap is an error', async () =>
  expect(await call('trap')).toEqual({ ...says('The tool failed unexpectedly'), isError: true }),
)
works(RESULT, 'a value of another kind of tool, as JSON', async () => {
  const { body } = await send({ params: { name: 'test_values', arguments: { value: { a: [1] } } } })
  expect(body).toEqual(says('[{"a":[1]}]'))
})
const INPUT = 'input: $ref: "#/components/schemas/CallToolRequest"'
works(INPUT, 'that is what the plugin gets', async () => {
  expect(await asked({ params: { name: 'request', arguments: { a: [1, null], b: 'ü' } } })).toEqual({
    method: 'tools/call',
    params: { name: 'request', arguments: { a: [1, null], b: 'ü' } },
  })
})
works(INPUT, 'and nothing else', async () => {
  const request = { params: { name: 'request', _meta: { token: 't' } }, jsonrpc: '2.0', id: 1 }
  expect(await asked(request)).toEqual({ method: 'tools/call', params: { name: 'request', arguments: {} } })
})
works(INPUT, 'an object', malformed([1], 'Cannot read the body: Must be an object, got an array of 1'))
const sendText = (body: string, type: string) =>
  raw(server.url, { method: 'POST', path: '/plugin/call?toolkit=Box', body, headers: { 'content-type': type } })
works('contentType: application/json', 'no other', async () => {
  const { status, text } = await sendText('{"params":{"name":"count"}}', 'text/plain')
  const why = "Send the body as 'application/json', got 'text/plain'"
  expect([status, JSON.parse(text)]).toEqual([415, { ...says(why), isError: true }])
})
works('contentType: application/json', 'with a charset', async () => {
  const { text } = await sendText(
    '{"params":{"name":"echo","arguments":{"text":"ü"}}}',
    'application/json; charset=utf-8',
  )
  expect(JSON.parse(text)).toEqual(says('ü'))
})
works('contentType: application/json', 'that is some', async () => {
  const { status, text } = await sendText('{"params":', 'application/json')
  expect([status, JSON.parse(text).isError]).toEqual([400, true])
})
const OUTPUT = 'output: $ref: "#/components/schemas/CallToolResult" contentType: application/json'
works(OUTPUT, 'whatever the tool came to', async () => {
  const { status, headers, body } = await send({ params: { name: 'fail' } }, 'Box')
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^application\/json\b/)])
  expect(Object.keys(body)).toEqual(['content', 'isError'])
})
works(OUTPUT, 'also when there is no such tool', async () => {
  const { status, body } = await send({ params: { name: 'nothing_at_all' } })
  expect([status, body]).toEqual([
    404,
    {
      content: [{ type: 'text', text: expect.stringContaining("Tool 'nothing_at_all' was not found") }],
      isError: true,
    },
  ])
})
works(OUTPUT, 'a plugin that gives no JSON', async () => {
  const why = 'The plugin answered with something that is not JSON'
  expect(await call('answer', { result: '{"content"' })).toEqual({ ...says(why), isError: true })
})
const DESCRIBE = 'describe: description: > Return a list of all tools'
works(DESCRIBE, 'by GET', async () => {
  const { status, body } = await server.json('GET', '/plugin/describe')
  const names = body.tools.map(({ name }: Block) => name)
  expect(status).toBe(200)
  expect(names).toEqual(expect.arrayContaining(['Calculator_Add', 'echo', 'test_values']))
  expect(names).toEqual([...new Set(names)])
})
works(DESCRIBE, 'by POST', async () => {
  const { status, body } = await server.json('POST', '/plugin/describe?toolkit=Calculator')
  expect([status, body.tools.map(({ name }: Block) => name)]).toEqual([200, ['Calculator_Add', 'Calculator_Subtract']])
})
works(DESCRIBE, 'of one toolkit', async () => {
  expect(await described('Calculator')).toHaveLength(2)
  expect(await described('Nothing')).toEqual([])
})
works(DESCRIBE, 'the export of a plugin makes a toolkit', async () => {
  const two = { tools: [TOOL, { ...TOOL, name: 'finer' }] }
  expect(await uploaded('Two', two)).toEqual({ status: 201, body: { ids: ['Two.fine@1.0.0', 'Two.finer@1.0.0'] } })
})
works(DESCRIBE, 'a plugin has it', async () => {
  const { status, body } = await upload('Mute', assemble('(module (func (export "call") (result i32) (i32.const 0)))'))
  expect([status, body.errors[0].message]).toEqual([
    422,
    "It does not export the function 'describe', as a plugin does",
  ])
})
works(DESCRIBE, 'of tools that can be called', async () => {
  await publish({ definition: { tools: [TOOL] }, toolkit: 'Idle', version: '1.0.0' })
  expect(await described('Idle')).toEqual([])
  expect((await send({ params: { name: 'fine' } }, 'Idle')).status).toBe(404)
})
works('(their name, input‐schema, description).', 'of tools of any dialect', async () => {
  expect(await described('SMS')).toEqual([
    {
      name: 'SMS_Send',
      description: 'Sends SMS messages using Twilio.',
      inputSchema: {
        type: 'object',
        properties: {
          to: { type: 'string', description: 'Recipient phone number.' },
          message: { type: 'string', description: 'Message content to send.' },
        },
        required: ['to', 'message'],
      },
    },
  ])
})
works('Used for discovery. Returns a ListToolsResult.', 'each is called by what it is described as', async () => {
  const [{ name }] = await described('Calculator')
  expect((await send({ params: { name, arguments: { a: 1, b: 2 } } })).body).toEqual(says('3'))
})
works('Used for discovery. Returns a ListToolsResult.', 'is not sent again to who has it', async () => {
  const { headers } = await server.json('GET', '/plugin/describe?toolkit=Calculator')
  const etag = headers.get('etag') ?? ''
  const again = await server.json('GET', '/plugin/describe?toolkit=Calculator', undefined, { 'if-none-match': etag })
  expect([etag, again.status]).toEqual([expect.stringMatching(/^"\w+"$/), 304])
})
const LISTING =
  'output: $ref: "#/components/schemas/ListToolsResult" contentType: application/json components: schemas:'
works(LISTING, 'over HTTP', async () => {
  const { headers, body } = await server.json('GET', '/plugin/describe?toolkit=Box')
  expect(headers.get('content-type')).toMatch(/^application\/json\b/)
  expect(Object.keys(body)).toEqual(['tools'])
})
works(LISTING, 'of a plugin that gives no JSON', async () => {
  const { status, body } = await upload('Garbled', describing('{"tools": ['))
  expect([status, body.errors[0].message]).toEqual([
    422,
    expect.stringMatching(/^Its 'describe' did not give a JSON object/),
  ])
})
works(LISTING, 'of a plugin that gives nothing', async () => {
  const { status, body } = await upload('Silent', describing(''))
  expect([status, body.errors[0].message]).toEqual([
    422,
    expect.stringMatching(/^Its 'describe' did not give a JSON object/),
  ])
})

const resource = (contents: Block) => ({ type: 'resource', resource: contents })
const URI_ROW = '`Content` has no URI'
const BLOB =
  'BlobResourceContents: description: > A base64‐encoded string representing the binary data of the item, along with its MIME type (optional) and URI. properties:'
deviates(BLOB, 'in the resource of a block', URI_ROW, async () => {
  const contents = { uri: 'file:///a.pdf', mimeType: 'application/pdf', blob: 'aW1hZ2U=' }
  expect(await block(resource(contents))).toEqual({
    type: 'resource',
    data: 'aW1hZ2U=',
    mimeType: 'application/pdf',
    resource: contents,
  })
})
works('blob: type: string description: "Base64‐encoded binary data."', 'as it is', async () => {
  expect((await block(resource({ uri: 'a:b', blob: PIXEL }))).resource.blob).toBe(PIXEL)
})
works('blob: type: string description: "Base64‐encoded binary data."', 'empty', async () => {
  expect((await block(resource({ uri: 'a:b', blob: '' }))).resource).toEqual({ uri: 'a:b', blob: '' })
})
const NEITHER = "'resource' must have a 'text' or a 'blob'"
works(
  'blob: type: string description: "Base64‐encoded binary data."',
  'a string',
  isNone(resource({ uri: 'a:b', blob: 7 }), NEITHER),
)
works(
  'blob: type: string description: "Base64‐encoded binary data."',
  'in base64',
  isNone(resource({ uri: 'a:b', blob: '%PDF%' }), "'blob' must be base64"),
)
const BLOB_TYPE = 'mimeType: type: string description: "The MIME type of this resource, if known."'
works(BLOB_TYPE, 'known', async () => {
  expect(await block(resource({ uri: 'a:b', blob: PIXEL, mimeType: 'image/png' }))).toMatchObject({
    mimeType: 'image/png',
    resource: { mimeType: 'image/png' },
  })
})
works(BLOB_TYPE, 'not known', async () => {
  expect(await block(resource({ uri: 'a:b', blob: PIXEL }))).toEqual({
    type: 'resource',
    data: PIXEL,
    resource: { uri: 'a:b', blob: PIXEL },
  })
})
works('uri: type: string description: "The URI of this resource."', 'as it is', async () => {
  const { uri } = (await block(resource({ uri: 'urn:x:ü?a#b', blob: 'AA==' }))).resource
  expect(uri).toBe('urn:x:ü?a#b')
})
const NO_URI = "'resource' must be an object with a 'uri'"
works(
  'uri: type: string description: "The URI of this resource."',
  'a string',
  isNone(resource({ uri: 1, blob: 'AA==' }), NO_URI),
)
works('required: - blob - uri', 'no blob', isNone(resource({ uri: 'a:b' }), NEITHER))
works('required: - blob - uri', 'no uri', isNone(resource({ blob: 'AA==' }), NO_URI))

const REQUEST = 'CallToolRequest: description: > Parameters for calling a single tool.'
works(REQUEST, 'in any order', async () => {
  const request = { params: { arguments: { text: 'x' }, name: 'echo' }, method: 'tools/call' }
  expect((await send(request, 'Box')).body).toEqual(says('x'))
})
works('“method” is optional; “params” (tool name + arguments) is required. properties:', 'without it', async () => {
  expect((await send({ params: { name: 'echo', arguments: { text: 'x' } } }, 'Box')).body).toEqual(says('x'))
})
works('method: type: string', 'null is none', async () => {
  expect(await asked({ method: null, params: { name: 'request' } })).toMatchObject({ method: 'tools/call' })
})
const METHOD = "Cannot read the body at 'method': Must be a string of at most 256 characters, got"
works('method: type: string', 'no number', malformed({ method: 1, params: { name: 'count' } }, `${METHOD} 1`))
works(
  'method: type: string',
  'of some length',
  malformed({ method: 'm'.repeat(257), params: { name: 'count' } }, `${METHOD} a string of 257 characters`),
)
const OVERRIDE = 'description: "Optional override for the method name."'
const OVERRIDE_ROW = '"Optional override for the method name"'
deviates(OVERRIDE, 'reaches the plugin', OVERRIDE_ROW, async () => {
  expect(await asked({ method: 'x/y', params: { name: 'request' } })).toMatchObject({ method: 'x/y' })
})
deviates(OVERRIDE, 'is none of other tools', OVERRIDE_ROW, async () => {
  const { body } = await send({ method: 'x/y', params: { name: 'Calculator_Add', arguments: { a: 1, b: 2 } } })
  expect(body).toEqual(says('3'))
})
works(OVERRIDE, 'the usual one is tools/call', async () =>
  expect(await call('method.name')).toEqual(says('tools/call')),
)
const PARAMS = 'params: $ref: "#/components/schemas/Params" required: - params'
works(PARAMS, 'required', malformed({ method: 'tools/call' }, "Cannot read the body at 'params': Is required"))
works(PARAMS, 'not null', malformed({ params: null }, "Cannot read the body at 'params': Must be an object, got null"))
works(
  PARAMS,
  'an object',
  malformed({ params: 'echo' }, "Cannot read the body at 'params': Must be an object, got 'echo'"),
)

const CALL_RESULT =
  'CallToolResult: description: > The result of calling a tool. “content” is an array of Content entries;'
const MIXED = [
  { type: 'text', text: 'a' },
  { type: 'image', data: PIXEL },
  { type: 'resource', text: 'b' },
]
works(CALL_RESULT, 'in their order', async () => expect(await given({ content: MIXED })).toEqual({ content: MIXED }))
works('“isError” is optional (defaults to false). properties:', 'left out', async () => {
  expect(Object.keys(await given({ content: [] }))).toEqual(['content'])
})
works('content: type: array', 'empty', async () => expect(await given({ content: [] })).toEqual({ content: [] }))
works('content: type: array', 'many', async () => {
  const content = Array.from({ length: 200 }, (_, n) => ({ type: 'text', text: String(n) }))
  expect(await given({ content })).toEqual({ content })
})
works('content: type: array', 'no text', isNoResult({ content: 'none' }))
works('content: type: array', 'no object', isNoResult({ content: { type: 'text', text: 'a' } }))
works('content: type: array', 'not null', isNoResult({ content: null }))
const ITEMS = 'items: $ref: "#/components/schemas/Content"'
works(ITEMS, 'no text', isNone('a', 'must be an object'))
works(ITEMS, 'not null', isNone(null, 'must be an object'))
works(ITEMS, 'the one that is none is named', async () => {
  const { content } = await given({ content: [...MIXED, { type: 'text', text: 1 }] })
  expect(content[0].text).toBe("The plugin answered with content that is none: [3] 'text' must be a string")
})
const PIECES = 'description: "An array of content pieces (text, images, or resources)."'
works(PIECES, 'of tools of other kinds', async () => {
  const { body } = await send({ params: { name: 'test_multiple_content_types' } })
  const json = { mimeType: 'application/json', text: '{"test":"data","value":123}' }
  expect(body).toEqual({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
      { type: 'resource', ...json, resource: { uri: 'test://mixed-content-resource', ...json } },
    ],
  })
})
works(PIECES, 'for callers over the Model Context Protocol', async () => {
  expect(await givenOverMcp({ content: MIXED.slice(0, 1) })).toEqual(MIXED.slice(0, 1))
})
const IS_ERROR = 'isError: type: boolean description: > Whether the tool call ended in an error.'
works(IS_ERROR, 'true', async () => {
  expect(await given({ content: [{ type: 'text', text: 'no' }], isError: true })).toEqual({
    ...says('no'),
    isError: true,
  })
})
works(IS_ERROR, 'true, with all its content', async () => {
  expect(await given({ content: MIXED, isError: true })).toEqual({ content: MIXED, isError: true })
})
works(IS_ERROR, 'true, without any', async () => {
  const why = 'The tool failed and did not say why'
  expect(await given({ content: [], isError: true })).toEqual({ ...says(why), isError: true })
})
works(IS_ERROR, 'true, for callers of other dialects', async () => {
  const input = { result: JSON.stringify({ content: [{ type: 'text', text: 'no' }], isError: true }) }
  const { body } = await server.json('POST', '/tools/call', { tool_id: 'Box.answer', input })
  expect(body.result).toMatchObject({ success: false, error: { message: 'no' } })
})
works(IS_ERROR, 'true, of a module, with its content', async () => {
  const failing = { content: MIXED, isError: true }
  const implementation = { kind: 'code', module: `export default () => (${JSON.stringify(failing)})` }
  const list = { definition: { tools: [TOOL] }, toolkit: 'Failing', version: '1.0.0', implementation }
  expect((await publish(list, '?dialect=plugin')).status).toBe(201)
  expect((await send({ params: { name: 'fine' } }, 'Failing')).body).toEqual(failing)
})
works(IS_ERROR, 'false', async () => expect(await given({ ...says('yes'), isError: false })).toEqual(says('yes')))
works(IS_ERROR, 'nothing else', async () => {
  const why = "The plugin answered with something that is not a CallToolResult: 'isError' must be a boolean"
  expect(await given({ ...says('yes'), isError: 'true' })).toEqual({ ...says(why), isError: true })
})
works('If not present, assume false.', '', async () => {
  const input = { result: JSON.stringify(says('yes')) }
  const { body } = await server.json('POST', '/tools/call', { tool_id: 'Box.answer', input })
  expect(body.result).toMatchObject({ success: true, value: 'yes' })
})
works('required: - content', 'without it', isNoResult({ isError: false }))
works('required: - content', 'nor with nothing', isNoResult({}))

const CONTENT = 'Content: description: > A single piece of content returned by a tool.'
works(CONTENT, 'a text', passes({ type: 'text', text: 'a' }))
works(CONTENT, 'a text of more than 256 KiB', async () => {
  const implementation = { kind: 'code', module: 'export default () => "x".repeat(1_000_000)' }
  const list = { definition: { tools: [TOOL] }, toolkit: 'Large', version: '1.0.0', implementation }
  expect((await publish(list, '?dialect=plugin')).status).toBe(201)
  expect((await send({ params: { name: 'fine' } }, 'Large')).body).toEqual(says('x'.repeat(1_000_000)))
})
works(CONTENT, 'an image', passes({ type: 'image', data: PIXEL, mimeType: 'image/png' }))
works(CONTENT, 'a resource of text', passes({ type: 'resource', text: 'a,b', mimeType: 'text/csv' }))
works(CONTENT, 'a resource of data', passes({ type: 'resource', data: PIXEL, mimeType: 'image/png' }))
const ONE = 'Exactly one of “text”, “data” (base64), or “annotations” may be set,'
const ONE_ROW = '"Exactly one of “text”, “data” (base64), or “annotations” may be set"'
works(ONE, 'text', passes({ type: 'text', text: 'a' }))
works(ONE, 'data', passes({ type: 'image', data: PIXEL }))
works(ONE, 'annotations', passes({ type: 'text', annotations: BOTH }))
const EITHER = "must have either 'text' or 'data', as its type says"
works(ONE, 'not text and data', isNone({ type: 'text', text: 'a', data: PIXEL }, EITHER))
works(ONE, 'not data and text', isNone({ type: 'image', text: 'a', data: PIXEL }, EITHER))
works(ONE, 'a text of neither is none', isNone({ type: 'text' }, "must have a 'text'"))
deviates(ONE, 'annotations beside a text', ONE_ROW, passes({ type: 'text', text: 'a', annotations: BOTH }))
deviates(ONE, 'annotations beside data', ONE_ROW, passes({ type: 'image', data: PIXEL, annotations: BOTH }))
const NO_TYPE = "'type' must be text, image, audio, resource or resource_link"
works('but “type” is always required. properties:', 'without it', isNone({ text: 'a' }, NO_TYPE))
works('but “type” is always required. properties:', 'an image of nothing else', passes({ type: 'image' }))
const ANNOTATIONS = 'annotations: $ref: "#/components/schemas/TextAnnotation"'
works(
  ANNOTATIONS,
  'an object',
  isNone({ type: 'text', text: 'a', annotations: 'high' }, "'annotations' must be an object"),
)
works(ANNOTATIONS, 'no array', isNone({ type: 'text', text: 'a', annotations: [] }, "'annotations' must be an object"))
const OPTIONAL = 'description: > Optional annotated metadata (e.g., priority or audience) for this content.'
works(OPTIONAL, 'none', passes({ type: 'text', text: 'a' }))
works(OPTIONAL, 'null is none', async () => {
  expect(await block({ type: 'text', text: 'a', annotations: null })).toEqual({ type: 'text', text: 'a' })
})
works(OPTIONAL, 'of a resource', passes({ type: 'resource', text: 'a', annotations: BOTH }))
const DATA = 'data: type: string description: "Base64‐encoded image data (if ContentType is “image”)."'
works(DATA, 'of a plugin', async () => {
  expect(await call('image')).toEqual({
    content: [
      { type: 'image', data: 'aW1hZ2U=', mimeType: 'image/png', annotations: { audience: ['user'], priority: 0.5 } },
    ],
  })
})
works(DATA, 'of other tools', async () => {
  const { body } = await send({ params: { name: 'test_image_content' } })
  expect(body).toEqual({ content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] })
})
works(DATA, 'a string', isNone({ type: 'image', data: [1, 2, 3] }, "'data' must be a string"))
works(DATA, 'in base64', isNone({ type: 'image', data: '%PNG%' }, "'data' must be base64"))
works(DATA, 'null is none', async () => expect(await block({ type: 'image', data: null })).toEqual({ type: 'image' }))
const MIME = 'mimeType: type: string description: "The MIME type of the image or resource (if known)."'
works(MIME, 'of an image', passes({ type: 'image', data: PIXEL, mimeType: 'image/png' }))
works(MIME, 'of a resource', passes({ type: 'resource', text: '{}', mimeType: 'application/json' }))
works(MIME, 'of a text', passes({ type: 'text', text: '{}', mimeType: 'application/json' }))
works(MIME, 'a string', isNone({ type: 'image', data: PIXEL, mimeType: 7 }, "'mimeType' must be a string"))
works(MIME, 'not known', passes({ type: 'image', data: PIXEL }))
const TEXT = 'text: type: string description: "Textual content (if ContentType is “text”)."'
works(TEXT, 'in any script', passes({ type: 'text', text: 'Grüße\n\u0000 ✓ 👋 "\\' }))
works(TEXT, 'empty', passes({ type: 'text', text: '' }))
works(TEXT, 'long', passes({ type: 'text', text: 'long '.repeat(20_000) }))
works(TEXT, 'a string', isNone({ type: 'text', text: 5 }, "'text' must be a string"))
works(TEXT, 'of tools of other kinds', async () => {
  const { body } = await send({ params: { name: 'test_simple_text' } })
  expect(body).toEqual({ content: [{ type: 'text', text: expect.stringMatching(/./) }] })
})
const KIND =
  'type: $ref: "#/components/schemas/ContentType" description: "The kind of content (text, image, or resource)."'
works(KIND, 'no other', isNone({ type: 'video', data: 'AA==' }, NO_TYPE))
works(KIND, 'a string', isNone({ type: ['text'], text: 'a' }, NO_TYPE))
works('required: - type', 'not null', isNone({ type: null, text: 'a' }, NO_TYPE))
works('required: - type', 'nothing else', passes({ type: 'image' }))

const ENUM = 'ContentType: type: string description: "One of “text”, “image”, or “resource.”"'
const ENUM_ROW = '`ContentType` is text, image or resource'
works(ENUM, 'in this case', isNone({ type: 'Text', text: 'a' }, NO_TYPE))
deviates(ENUM, 'a sound of a plugin', ENUM_ROW, async () => {
  expect(await block({ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' })).toEqual({
    type: 'resource',
    data: 'AAAA',
    mimeType: 'audio/wav',
  })
})
deviates(ENUM, 'a sound of another tool', ENUM_ROW, async () => {
  const { body } = await send({ params: { name: 'test_audio_content' } })
  expect(body.content).toEqual([{ type: 'resource', data: expect.stringMatching(/^UklGR/), mimeType: 'audio/wav' }])
})
deviates(ENUM, 'a link', ENUM_ROW, async () => {
  expect(await block({ type: 'resource_link', uri: 'https://here/c', name: 'c', mimeType: 'text/csv' })).toEqual({
    type: 'text',
    text: "[Resource 'c' (text/csv): https://here/c]",
  })
})
deviates(ENUM, 'an artifact', ENUM_ROW, async () => {
  const { body } = await send({ params: { name: 'test_artifact' } })
  expect(body).toEqual(says('[The report (application/pdf, 1234 bytes): https://artifacts.example/report.pdf]'))
})
works('enum: - text', '', passes({ type: 'text', text: 'a' }))
works('- image', '', passes({ type: 'image', data: PIXEL }))
works('- resource', '', passes({ type: 'resource', data: PIXEL }))

const LIST_RESULT = 'ListToolsResult: description: > A list of all tools that this plugin/binding exposes.'
const LIST_ROW = '`ListToolsResult` is'
works(LIST_RESULT, 'published beside a toolkit and a version', async () => {
  const { status, body } = await publish({
    definition: { tools: [{ ...TOOL, name: 'only' }] },
    toolkit: 'Listed',
    version: '1.2.3',
  })
  expect([status, body]).toEqual([201, { ids: ['Listed.only@1.2.3'], dialect: 'plugin' }])
})
works(LIST_RESULT, 'as it is, with a toolkit and a version in the query', async () => {
  const { status, body } = await server.json('POST', '/tools?toolkit=Queried&version=1.2.3', {
    tools: [{ ...TOOL, name: 'queried' }],
  })
  expect([status, body]).toEqual([201, { ids: ['Queried.queried@1.2.3'], dialect: 'plugin' }])
})
works(LIST_RESULT, 'read back word for word', async () => {
  const definition = {
    tools: [
      { ...TOOL, description: 'ü\n' },
      { ...TOOL, name: 'b' },
    ],
  }
  await publish({ definition, toolkit: 'Verbatim', version: '1.0.0' })
  expect((await server.json('GET', '/tools/Verbatim.b?format=plugin')).body).toEqual(definition)
})
deviates(LIST_RESULT, 'alone', LIST_ROW, async () => {
  const { status, body } = await publish({ tools: [TOOL] })
  expect([status, body.errors.map(({ path }: Block) => path)]).toEqual([422, ['/toolkit', '/version']])
})
deviates(LIST_RESULT, 'alone, as an upload', LIST_ROW, async () => {
  expect((await upload('Versionless', describing(JSON.stringify({ tools: [TOOL] })), '')).status).toBe(400)
})
works('Each entry includes name, description, and an inputSchema. properties:', 'of whatever is called', async () => {
  const { body } = await server.json('GET', '/plugin/describe')
  expect(body.tools.length).toBeGreaterThan(40)
  for (const tool of body.tools) {
    expect(tool).toEqual({
      name: expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
      description: expect.any(String),
      inputSchema: expect.any(Object),
    })
  }
})
works('tools: type: array', 'empty', async () => {
  expect(await uploaded('Empty', { tools: [] })).toEqual({ status: 200, body: { ids: [] } })
})
works('tools: type: array', 'no object', async () => {
  expect(await refused({ tools: { fine: TOOL } })).toEqual(bothSay('/tools', 'Must be an array, got an object'))
})
const DESCRIPTIONS = 'items: $ref: "#/components/schemas/ToolDescription"'
works(DESCRIPTIONS, 'no text', async () => {
  expect(await refused({ tools: ['fine'] })).toEqual(bothSay('/tools/0', "Must be an object, got 'fine'"))
})
works(DESCRIPTIONS, 'which one is wrong', async () => {
  const list = { tools: [TOOL, { ...TOOL, name: 'b', inputSchema: { type: 'object', properties: 5 } }] }
  expect(await refused(list)).toEqual(bothSay('/tools/1/inputSchema/properties', expect.any(String)))
})
const OBJECTS = 'description: "Array of ToolDescription objects."'
works(OBJECTS, 'more than the schema has is kept, and ignored', async () => {
  const list = { tools: [{ ...TOOL, name: 'costly', cost: 1 }] }
  const { status, body } = await uploaded('Extra', list)
  expect([status, body.warnings]).toEqual([
    201,
    [
      {
        path: '/tools/0/cost',
        message: "Unknown field 'cost', which is ignored: wanted 'name', 'description', 'inputSchema'",
      },
    ],
  ])
  expect((await server.json('GET', '/tools/Extra.costly?format=plugin')).body).toEqual(list)
  expect(await described('Extra')).toEqual([{ ...TOOL, name: 'costly' }])
})
works('required: - tools', '', async () => {
  expect(await refused({})).toEqual(bothSay('/tools', 'Is required'))
})

const ARGUMENTS =
  'Params: description: > Encapsulates the tool name (string) and an optional map of arguments. properties:'
works(ARGUMENTS, 'both', async () => {
  expect((await asked({ params: { name: 'request', arguments: { a: 1 } } })).params).toEqual({
    name: 'request',
    arguments: { a: 1 },
  })
})
works(ARGUMENTS, 'nothing else is read', async () => {
  const request = { params: { name: 'request', arguments: { a: 1 }, args: { b: 1 } } }
  expect((await asked(request)).params).toEqual({ name: 'request', arguments: { a: 1 } })
})
deviates(ARGUMENTS, '`_meta` selects a part of the output', '`Params` are `name`', async () => {
  const definition = { tools: [{ name: 'report', description: 'Gives a report', inputSchema: {} }] }
  const implementation = { kind: 'code', module: 'export default () => ({ title: "May", rows: [1, 2] })' }
  expect((await publish({ definition, toolkit: 'Reports', version: '1.0.0', implementation })).status).toBe(201)
  const params = { name: 'report', _meta: { 'dev.switchboard/select': 'title' } }
  expect((await send({ params }, 'Reports')).body).toEqual(says('May'))
})
const MAP =
  'arguments: type: object description: > A JSON object (map) of parameter names → values, passed to the tool.'
const OF_ANY = { 'a': null, 'b': [1.5, { c: true }], '': 'ü', 'a b': {} }
works(MAP, 'of any values', async () => {
  expect((await asked({ params: { name: 'request', arguments: OF_ANY } })).params.arguments).toEqual(OF_ANY)
})
const NOT_OBJECT = "Cannot read the body at 'params.arguments': Must be an object, got"
works(MAP, 'no array', malformed({ params: { name: 'count', arguments: [1] } }, `${NOT_OBJECT} an array of 1`))
works(MAP, 'no text', malformed({ params: { name: 'count', arguments: '{}' } }, `${NOT_OBJECT} '{}'`))
works('Can be omitted (null).', 'omitted', async () => {
  expect((await asked({ params: { name: 'request' } })).params).toEqual({ name: 'request', arguments: {} })
})
works('Can be omitted (null).', 'null', async () => {
  expect((await asked({ params: { name: 'request', arguments: null } })).params.arguments).toEqual({})
})
works('Can be omitted (null).', 'but not what is required within', async () => {
  expect(await call('echo')).toEqual({ ...says("Some arguments are invalid: 'text': Is required"), isError: true })
})
const NAME = 'name: type: string description: The name of the tool to invoke.'
works(NAME, 'as it is described', async () => {
  expect((await send({ params: { name: 'Calculator_Add', arguments: { a: 1, b: 2 } } })).body).toEqual(says('3'))
})
works(NAME, 'its own, within its toolkit', async () => {
  expect((await send({ params: { name: 'Add', arguments: { a: 1, b: 2 } } }, 'Calculator')).body).toEqual(says('3'))
})
works(NAME, 'its id', async () => {
  expect((await send({ params: { name: 'Calculator.Add@1.0.0', arguments: { a: 1, b: 2 } } })).body).toEqual(says('3'))
})
works(NAME, 'none of another toolkit', async () => {
  expect((await send({ params: { name: 'Calculator_Add', arguments: { a: 1, b: 2 } } }, 'SMS')).status).toBe(404)
})
works(NAME, 'no name at all', async () => {
  expect((await send({ params: { name: 'a b' } })).status).toBe(400)
})
works(
  NAME,
  'a string',
  malformed(
    { params: { name: 1 } },
    "Cannot read the body at 'params.name': Must be a string of at most 160 characters, got 1",
  ),
)
works('required: - name', '', malformed({ params: {} }, "Cannot read the body at 'params.name': Is required"))

const annotated = (annotations: unknown) => ({ type: 'text', text: 'a', annotations })
const ROLE = 'Role: type: string description: > Indicates who the intended recipient of some content is.'
const ROLES = "'annotations.audience' must be an array of 'user' and 'assistant'"
works(ROLE, 'one of them', passes(annotated({ audience: ['user'], priority: 1 })))
works(ROLE, 'a string', isNone(annotated({ audience: [1], priority: 1 }), ROLES))
const POSSIBLE = 'Possible values: “assistant” or “user.” enum:'
works(POSSIBLE, 'no other', isNone(annotated({ audience: ['user', 'system'], priority: 1 }), ROLES))
works(POSSIBLE, 'in this case', isNone(annotated({ audience: ['User'], priority: 1 }), ROLES))
works('- assistant', '', passes(annotated({ audience: ['assistant'], priority: 1 })))
works('- user', '', passes(annotated({ audience: ['user'], priority: 1 })))

const IMPORTANT =
  'TextAnnotation: description: > Metadata about how important this data is, and who it’s intended for. properties:'
works(
  IMPORTANT,
  'of an image',
  passes({ type: 'image', data: PIXEL, annotations: { audience: ['user'], priority: 0.25 } }),
)
works(IMPORTANT, 'for callers over the Model Context Protocol', async () => {
  const content = [annotated({ audience: ['user'], priority: 0.25 })]
  expect(await givenOverMcp({ content })).toEqual(content)
})
const AUDIENCE = 'audience: type: array items: $ref: "#/components/schemas/Role"'
works(AUDIENCE, 'no text', isNone(annotated({ audience: 'user', priority: 1 }), ROLES))
const WHOM = 'description: > One or more Roles to indicate who this annotation is for (e.g., [“user”, “assistant”]).'
works(WHOM, 'the example', passes(annotated({ audience: ['user', 'assistant'], priority: 1 })))
works(WHOM, 'in its order', passes(annotated({ audience: ['assistant', 'user'], priority: 1 })))
deviates(WHOM, 'none', '`TextAnnotation` requires', async () => {
  expect(await block(annotated({ audience: [], priority: 1 }))).toEqual({ type: 'text', text: 'a' })
})
const SCORE = "'annotations.priority' must be a number from 0 to 1"
works('priority: type: number', 'no text', isNone(annotated({ audience: ['user'], priority: '1' }), SCORE))
works('format: float', 'a fraction', passes(annotated({ audience: ['user'], priority: 0.125 })))
const PRIORITY =
  'description: > A priority score (0.0–1.0), where 1.0 means “most important” and 0.0 means “least important.”'
works(PRIORITY, '1.0', passes(annotated({ audience: ['user'], priority: 1 })))
works(PRIORITY, '0.0', passes(annotated({ audience: ['user'], priority: 0 })))
works(PRIORITY, 'more', isNone(annotated({ audience: ['user'], priority: 1.01 }), SCORE))
works(PRIORITY, 'less', isNone(annotated({ audience: ['user'], priority: -0.01 }), SCORE))
const REQUIRED_ROW = '`TextAnnotation` requires'
deviates('required: - audience', 'without it', REQUIRED_ROW, async () => {
  expect(await block(annotated({ priority: 1 }))).toEqual({ type: 'text', text: 'a' })
})
deviates('- priority', 'without it', REQUIRED_ROW, async () => {
  expect(await block(annotated({ audience: ['user'] }))).toEqual({ type: 'text', text: 'a' })
})
works('- priority', 'none that nobody gave, and what was given over MCP', async () => {
  const content = [annotated({ audience: ['user'] })]
  expect(await givenOverMcp({ content })).toEqual(content)
})

const CONTENTS =
  'TextResourceContents: description: > A textual resource bundle (e.g., help text, instructions). Contains its MIME type (optional), URI, and actual text. properties:'
deviates(CONTENTS, 'in the resource of a block', URI_ROW, async () => {
  const contents = { uri: 'help:all', mimeType: 'text/markdown', text: '# Help' }
  expect(await block(resource(contents))).toEqual({
    type: 'resource',
    text: '# Help',
    mimeType: 'text/markdown',
    resource: contents,
  })
})
deviates(CONTENTS, 'of tools of other kinds', URI_ROW, async () => {
  const { body } = await send({ params: { name: 'test_embedded_resource' } })
  const said = { mimeType: 'text/plain', text: 'This is an embedded resource content.' }
  expect(body.content).toEqual([{ type: 'resource', ...said, resource: { uri: 'test://embedded-resource', ...said } }])
})
const RESOURCE_TYPE = 'mimeType: type: string description: "The MIME type of this resource (if known)."'
works(RESOURCE_TYPE, 'not known', async () => {
  const contents = { uri: 'a:b', text: 'a' }
  expect(await block(resource(contents))).toEqual({ type: 'resource', text: 'a', resource: contents })
})
works(RESOURCE_TYPE, 'said of the block', async () => {
  expect((await block({ ...resource({ uri: 'a:b', text: 'a' }), mimeType: 'text/csv' })).resource.mimeType).toBe(
    'text/csv',
  )
})
works('text: type: string description: "The text of the resource."', 'as it is', async () => {
  expect((await block(resource({ uri: 'a:b', text: 'ü\n' }))).resource.text).toBe('ü\n')
})
works('text: type: string description: "The text of the resource."', 'empty', async () => {
  expect((await block(resource({ uri: 'a:b', text: '' }))).resource).toEqual({ uri: 'a:b', text: '' })
})
works(
  'text: type: string description: "The text of the resource."',
  'a string',
  isNone(resource({ uri: 'a:b', text: 1 }), NEITHER),
)
works('uri: type: string description: "The URI of the resource."', 'as it is', async () => {
  expect((await block(resource({ uri: 'file:///a b', text: 'a' }))).resource.uri).toBe('file:///a b')
})
works('required: - text - uri', 'no text', isNone(resource({ uri: 'a:b' }), NEITHER))
works('required: - text - uri', 'no uri', isNone(resource({ text: 'a' }), NO_URI))

const SINGLE =
  'ToolDescription: description: > Describes a single tool (its name, human‐readable description, and its input schema). properties:'
works(SINGLE, 'given by a plugin, and by the face', async () => {
  expect(await described('Box')).toContainEqual({
    name: 'echo',
    description: 'Echoes text, ünïcode ✓ too',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  })
})
const WHAT = 'description: type: string description: "A description of what this tool does."'
works(WHAT, 'any text', async () => {
  const description = `ü "\\ ✓\n${'long '.repeat(1_000)}`
  expect((await uploaded('Texts', { tools: [{ ...TOOL, name: 'texts', description }] })).status).toBe(201)
  expect(await described('Texts')).toEqual([{ ...TOOL, name: 'texts', description }])
})
works(WHAT, 'empty', async () => {
  const tool = { ...TOOL, name: 'undescribed', description: '' }
  expect((await uploaded('Undescribed', { tools: [tool] })).status).toBe(201)
  expect(await described('Undescribed')).toEqual([tool])
})
works(WHAT, 'a string', async () => {
  const list = { tools: [{ ...TOOL, description: 1 }] }
  expect(await refused(list)).toEqual(bothSay('/tools/0/description', 'Must be a string, got 1'))
})
const SCHEMA =
  'inputSchema: type: object description: > The JSON Schema that callers should use when invoking this tool.'
works(SCHEMA, 'as it is, with its own parts', async () => {
  const inputSchema = {
    type: 'object',
    properties: { q: { $ref: '#/$defs/query' } },
    required: ['q'],
    $defs: { query: { type: 'string', minLength: 1 } },
  }
  expect((await uploaded('Parts', { tools: [{ ...TOOL, name: 'parts', inputSchema }] })).status).toBe(201)
  expect(await described('Parts')).toEqual([{ ...TOOL, name: 'parts', inputSchema }])
  const { body } = await send({ params: { name: 'parts', arguments: { q: '' } } }, 'Parts')
  expect([body.isError, body.content[0].text]).toEqual([true, expect.stringContaining("'q'")])
})
deviates(SCHEMA, 'patterns that cannot be judged in linear time', 'patterns (`pattern`', async () => {
  const [uploaded, published] = await refused({ tools: [{ ...TOOL, inputSchema: WITH_REFUSED_PATTERNS }] })
  for (const [problems, at] of [
    [uploaded, '/tools/0/inputSchema'],
    [published, '/definition/tools/0/inputSchema'],
  ] as const)
    expect(Object.keys(Object.fromEntries(Object(problems))).toSorted()).toEqual(refusedPlaces(at))
})
works(SCHEMA, 'that says nothing', async () => {
  expect((await uploaded('Open', { tools: [{ ...TOOL, name: 'open', inputSchema: {} }] })).status).toBe(201)
  expect(await described('Open')).toEqual([{ ...TOOL, name: 'open', inputSchema: {} }])
})
works(SCHEMA, 'an object', async () => {
  const list = { tools: [{ ...TOOL, inputSchema: 'object' }] }
  expect(await refused(list)).toEqual(bothSay('/tools/0/inputSchema', "Must be a JSON Schema object, got 'object'"))
})
works(SCHEMA, 'of JSON Schema', async () => {
  const list = { tools: [{ ...TOOL, inputSchema: { type: 'object', required: 'q' } }] }
  expect(await refused(list)).toEqual(bothSay('/tools/0/inputSchema/required', expect.any(String)))
})
works('(It will typically match the “input” section of that tool’s function.)', 'so of named parameters', async () => {
  const list = { tools: [{ ...TOOL, inputSchema: { type: 'array' } }] }
  const why = "Must be 'object': a tool's parameters have names"
  expect(await refused(list)).toEqual(bothSay('/tools/0/inputSchema/type', why))
})
const TOOL_NAME = 'name: type: string description: "The name of the tool (must match the function name)."'
const NAME_ROW = '"The name of the tool (must match the function name)"'
const WANTED = 'Must be 1 to 160 characters that can be seen, got'
works(TOOL_NAME, 'with a dash', async () => {
  expect((await uploaded('Dashed', { tools: [{ ...TOOL, name: 'get-it' }] })).body).toEqual({
    ids: ['Dashed.get_it@1.0.0'],
    warnings: [{ path: '', message: "'get-it' is no longer a tool's name: it is 'get_it'" }],
  })
  expect(await described('Dashed')).toEqual([{ ...TOOL, name: 'get-it' }])
})
works(TOOL_NAME, 'that another plugin’s tool has', async () => {
  await uploaded('Same1', { tools: [{ ...TOOL, name: 'same' }] })
  await uploaded('Same2', { tools: [{ ...TOOL, name: 'same' }] })
  expect(await described('Same1')).toEqual([{ ...TOOL, name: 'same' }])
  expect(await described('Same2')).toEqual([{ ...TOOL, name: 'Same2_same' }])
})
works(TOOL_NAME, 'once', async () => {
  const list = { tools: [TOOL, TOOL] }
  expect(await refused(list)).toEqual(bothSay('/tools/1/name', "Must be unique, ignoring case, got 'fine' again"))
})
works(TOOL_NAME, 'a string', async () => {
  expect(await refused({ tools: [{ ...TOOL, name: 1 }] })).toEqual(bothSay('/tools/0/name', `${WANTED} 1`))
})
deviates(TOOL_NAME, 'with a dot', NAME_ROW, async () => {
  expect((await described('Box')).map(({ name }: Block) => name)).toContain('method_name')
  const named = async (name: string) => (await send({ params: { name } }, 'Box')).body
  expect([await named('method_name'), await named('method.name')]).toEqual([says('tools/call'), says('tools/call')])
})
deviates(TOOL_NAME, 'with a space', NAME_ROW, async () => {
  expect(
    (
      await uploaded('Spaced', {
        tools: [
          { ...TOOL, name: 'get it' },
          { ...TOOL, name: 'spaced' },
        ],
      })
    ).body,
  ).toEqual({
    ids: ['Spaced.get_it@1.0.0', 'Spaced.spaced@1.0.0'],
    warnings: [{ path: '/tools/0/name', message: "It is called 'get_it' here" }],
  })
  expect(await described('Spaced')).toEqual([
    { ...TOOL, name: 'get_it' },
    { ...TOOL, name: 'spaced' },
  ])
})
const REQUIRED = 'required: - description - inputSchema - name'
const lacking = (field: string) => ({
  tools: [Object.fromEntries(Object.entries(TOOL).filter(([name]) => name !== field))],
})
works(REQUIRED, 'no description', async () => {
  expect(await refused(lacking('description'))).toEqual(bothSay('/tools/0/description', 'Is required'))
})
works(REQUIRED, 'no inputSchema', async () => {
  expect(await refused(lacking('inputSchema'))).toEqual(bothSay('/tools/0/inputSchema', 'Is required'))
})
works(REQUIRED, 'no name', async () => {
  expect(await refused(lacking('name'))).toEqual(bothSay('/tools/0/name', 'Is required'))
})

whole()
