import type { ServerResponse } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Switchboard } from '../../src/client/index.ts'
import { startUpstream, type Upstream } from '../upstream.ts'
import { buildCommandLine, type CommandLine } from './command-line.ts'
import { type DialectCall, dialectCalls } from './dialect-calls.ts'
import { raw } from './raw.ts'
import { type Server, startServer } from './server.ts'

/** As JSON writes them: what a double would change, and what it would not. */
const INTEGERS = [
  '1234567890123456789',
  '9007199254740993',
  '-9223372036854775808',
  '100000000000000000000000',
  '123456789012345678901234567890',
  '9007199254740991',
]
const TOO_LARGE = '9'.repeat(400)
const ID = '1234567890123456789'

/** How servers of others answer that are no MCP server, by the path where each is called. */
const ANSWERS: Readonly<Record<string, string>> = {
  '/tools/call': '{"$schema":"urn:oxp:1.0","result":{"call_id":"1","success":true,"value":INPUT}}',
  '/tools/invoke': '{"execution_id":"1","success":true,"duration":1,"output":{"value":INPUT}}',
  '/execute': '{"payload":{"execution":{"status":"success","result":INPUT}}}',
  '/call': '{"content":[],"structuredContent":INPUT}',
}

let upstream: Upstream
let server: Server
let cli: CommandLine

beforeAll(async () => {
  upstream = await startUpstream(({ url, body }, response) => {
    if (url === '/mcp') answerMcp(body, response)
    else if (url !== undefined && url in ANSWERS) {
      const [input = 'null'] = /\{"id":-?\d+\}/.exec(body) ?? []
      response.end(ANSWERS[url]?.replace('INPUT', input))
    } else response.setHeader('content-type', 'application/json').end(body.startsWith('{') ? body : `{"id":${ID}}`)
  })
  server = await startServer({ vars: { ALLOW_HTTP_HOSTS: upstream.host } })
  cli = buildCommandLine({ SWITCHBOARD_URL: server.url, CI: 'true' })
})
afterAll(async () => {
  cli?.remove()
  await Promise.all([server?.stop(), upstream?.close()])
})

/** A server before 2026-07-28, which answers calls in a stream, on several lines. */
function answerMcp(body: string, response: ServerResponse): void {
  const { id, method } = JSON.parse(body)
  const answer = (result: string) =>
    response
      .setHeader('content-type', 'application/json')
      .end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`)
  if (id === undefined) response.writeHead(202).end()
  else if (method === 'initialize')
    answer('{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}')
  else if (method === 'tools/list')
    answer(`{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"id":{"maximum":${ID}}}}}]}`)
  else if (method === 'tools/call') {
    const [, input = ''] = /"arguments":(\{[^}]*\})/.exec(body) ?? []
    const text = JSON.stringify(`"${ID}`)
    response
      .setHeader('content-type', 'text/event-stream')
      .end(
        [
          `id: ${ID}`,
          `data: {"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":${text}}],`,
          `data: "structuredContent":${input}}}`,
          '',
          '',
        ].join('\n'),
      )
  } else
    response
      .setHeader('content-type', 'application/json')
      .end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"No"}}`)
}

const post = (path: string, body: string, headers = {}) =>
  raw(server.url, { method: 'POST', path, body, headers: { 'content-type': 'application/json', ...headers } })
const call = (tool: string, input: string, more = '') =>
  post('/tools/call', `{"tool_id":"${tool}","input":${input}${more}}`)

let count = 0
async function publish(implementation: object, properties = '{"id":{"type":"integer"},"body":{}}', more = {}) {
  const id = `Exact.Tool${++count}`
  const definition = { id: `${id}@1.0.0`, name: id.replace('.', '_'), description: 'A tool', version: '1.0.0', ...more }
  const text = JSON.stringify({
    definition: { ...definition, input_schema: { parameters: { type: 'object', properties: '?' } }, output_schema: {} },
    implementation,
  }).replace('"?"', properties)
  const published = await post('/tools', text)
  expect(published.status, published.text).toBe(201)
  return id
}
const http = (fields: object) => ({ kind: 'http', method: 'POST', url: `${upstream.origin}/echo`, ...fields })
const arrivedLast = () => upstream.arrived.at(-1)

it.each(INTEGERS)(
  'an integer beyond double precision, %s, passes through an HTTP tool as it was written',
  async (digits) => {
    const tool = await publish(http({}))
    const { text } = await call(tool, `{"id":${digits},"body":{"list":[${digits},{"x":${digits}}]}}`)
    expect(arrivedLast()?.body).toBe(`{"id":${digits},"body":{"list":[${digits},{"x":${digits}}]}}`)
    expect(text).toContain(`"value":{"id":${digits},"body":{"list":[${digits},{"x":${digits}}]}}`)
  },
)

it('an integer beyond double precision is unchanged in paths, queries, headers, forms and parts', async () => {
  const inAll = (place: string) => [{ input: 'id', in: place }]
  const url = `${upstream.origin}/items/{id}`
  for (const [fields, seen] of [
    [{ method: 'GET', url, parameters: inAll('path') }, 'url'],
    [{ method: 'GET', parameters: inAll('query') }, 'url'],
    [{ method: 'GET', parameters: [{ input: 'id', in: 'header', name: 'x-id' }] }, 'headers'],
    [{ method: 'POST', body: { type: 'form' } }, 'body'],
    [{ method: 'POST', body: { type: 'multipart' } }, 'body'],
    [{ method: 'POST', body: { type: 'raw', input: 'id' } }, 'body'],
  ] as const) {
    const { text } = await call(await publish(http(fields)), `{"id":${ID}}`)
    expect(JSON.stringify(arrivedLast()?.[seen]), JSON.stringify(fields)).toContain(ID)
    expect(text).toContain(`"value":{"id":${ID}}`)
  }
})

it('an integer beyond double precision passes through every dialect', async () => {
  const tool = await publish(http({}))
  const input = `{"id":${ID}}`
  for (const { path, body, ...more } of Object.values<DialectCall>(dialectCalls(tool, input))) {
    const { text } = await post(path, body, more.headers)
    expect(arrivedLast()?.body, path).toBe(input)
    expect(text, path).toContain(ID)
    expect(text, path).not.toContain('1234567890123456800')
    if (path === '/mcp') expect(text).toContain(`"structuredContent":{"id":${ID}}`)
  }
})

it('an integer beyond double precision is checked exactly by schemas', async () => {
  const judged = async (schema: string, digits: string) =>
    (await call(await publish(http({}), `{"id":${schema}}`), `{"id":${digits}}`)).text.includes('"success":true')
  expect(await judged('{"type":"integer","minimum":9007199254740993}', '9007199254740993')).toBe(true)
  expect(await judged('{"type":"integer","minimum":9007199254740993}', '9007199254740992')).toBe(false)
  expect(await judged('{"type":"integer","exclusiveMaximum":9007199254740994}', '9007199254740993')).toBe(true)
  expect(await judged('{"enum":[9007199254740993,1]}', '9007199254740992')).toBe(false)
  expect(await judged('{"enum":[9007199254740993,1]}', '9007199254740993')).toBe(true)
  expect(await judged('{"const":9007199254740993}', '9007199254740993')).toBe(true)
  expect(await judged('{"type":"number","multipleOf":10}', '1234567890123456789')).toBe(false)
  expect(await judged('{"type":"string"}', ID)).toBe(false)
})

it('an integer beyond double precision is unchanged in definitions and their exports', async () => {
  const schema = `{"type":"integer","minimum":-${ID},"maximum":${ID},"default":${ID},"examples":[${ID}],"enum":[${ID},1]}`
  const tool = await publish(http({}), `{"id":${schema}}`)
  const { text } = await raw(server.url, { path: `/tools/${tool}?format=oxp` })
  expect(text).toContain(schema)
  for (const format of [
    'open-tool-calling',
    'plugin',
    'mcp',
    'openai',
    'openai-strict',
    'anthropic',
    'gemini',
    'openapi',
  ]) {
    const { text } = await raw(server.url, { path: `/tools/${tool}?format=${format}` })
    expect(text, format).not.toContain('1234567890123456800')
    if (format !== 'open-tool-calling') expect(text, format).toContain(ID)
  }
  const refused = await post(
    '/tools',
    '{"definition":{"id":"Exact.Bad@1.0.0","name":"Bad","description":"d","version":"1.0.0","input_schema":{"parameters":{"type":"object","properties":{"a":{"maximum":' +
      TOO_LARGE +
      '}}}},"output_schema":{}}}',
  )
  expect([refused.status, refused.text]).toEqual([
    400,
    expect.stringContaining('/definition/input_schema/parameters/properties/a/maximum'),
  ])
})

it('an integer beyond double precision is unchanged in imported descriptions, in JSON and in YAML', async () => {
  const schema = `{"type":"integer","maximum":${ID},"default":-${ID}}`
  const operation = `{"operationId":"get","parameters":[{"name":"id","in":"query","schema":${schema}}]}`
  const json = `{"openapi":"3.1.0","servers":[{"url":"${upstream.origin}"}],"paths":{"/a":{"get":${operation}}}}`
  const yaml = `openapi: 3.1.0\nservers: [{url: "${upstream.origin}"}]\npaths:\n  /a:\n    get: {operationId: get, parameters: [{name: id, in: query, schema: {type: integer, maximum: ${ID}, default: -${ID}}}]}\n`
  for (const [toolkit, openapi] of [
    ['InJson', json],
    ['InYaml', JSON.stringify(yaml)],
  ]) {
    const { status, text } = await post('/toolkits/import', `{"from":{"openapi":${openapi}},"toolkit":"${toolkit}"}`)
    expect(status, text).toBe(201)
    const { text: definition } = await raw(server.url, { path: `/tools/${toolkit}.get` })
    expect(definition).toContain(`"maximum":${ID},"default":-${ID}`)
  }
})

it('an integer beyond the range of doubles is refused with its location', async () => {
  const { status, text } = await call(await publish(http({})), `{"id":${TOO_LARGE}}`)
  expect(status).toBe(400)
  expect(text).toContain("Cannot accept a number at '/input/id': it is too large")
})

it('an integer beyond double precision is selected, compared and sorted exactly', async () => {
  const tool = await publish(http({}))
  const input = `{"body":[{"id":${ID}},{"id":9007199254740993},{"id":5}]}`
  const selected = async (select: string) =>
    (await call(tool, input, `,"context":{"select":${JSON.stringify(select)}}`)).text
  expect(await selected('body[0].id')).toContain(`"value":${ID}`)
  expect(await selected('body[?id == `9007199254740993`]')).toContain('"value":[{"id":9007199254740993}]')
  expect(await selected('sort_by(body, &id)[*].id')).toContain(`"value":[5,9007199254740993,${ID}]`)
  expect(await selected('to_string(body[0].id)')).toContain(`"value":"${ID}"`)
  expect(await selected('sum(body[*].id)')).toContain('takes an array of numbers')
})

it('an integer beyond double precision distinguishes two calls with one id, and is repeated exactly', async () => {
  const tool = await publish(http({}))
  const once = (digits: string) =>
    post('/tools/call', `{"tool_id":"${tool}","call_id":"exact-1","input":{"id":${digits}}}`)
  expect((await once('9007199254740993')).text).toContain('"id":9007199254740993')
  expect((await once('9007199254740993')).text).toContain('"id":9007199254740993')
  expect((await once('9007199254740992')).status).toBe(409)
})

it('an integer beyond double precision is a string for a code tool, which may return a BigInt', async () => {
  const module = 'export default ({ id }) => ({ type: typeof id, id, exact: BigInt(id) + 1n })'
  const { text } = await call(await publish({ kind: 'code', module }), `{"id":${ID}}`)
  expect(text).toContain(`"value":{"type":"string","id":"${ID}","exact":1234567890123456790}`)
})

it('an integer beyond double precision is refused for a bundled tool, with its parameter', async () => {
  const { text } = await call('Calculator.Add', `{"a":1,"b":${ID}}`)
  expect(JSON.parse(text)).toMatchObject({
    parameter_errors: { b: 'Must be from -9007199254740991 to 9007199254740991, if it is an integer' },
  })
})

it('an integer beyond double precision is sent to and returned by remote servers as it was written', async () => {
  for (const [protocol, url] of [
    ['oxp', upstream.origin],
    ['open-tool-calling', upstream.origin],
    ['machine-context', upstream.origin],
    ['plugin', upstream.origin],
    ['mcp', `${upstream.origin}/mcp`],
  ] as const) {
    const implementation = { kind: 'remote', protocol, url, tool: protocol === 'mcp' ? 'echo' : 'Kit.echo@1.0.0' }
    const { text } = await call(await publish(implementation), `{"id":${ID}}`)
    expect(arrivedLast()?.body).toContain(`{"id":${ID}}`)
    expect(text, protocol).toContain(`"id":${ID}`)
  }
})

it('an integer beyond double precision is sent and printed by the command line and by the client', async () => {
  const tool = await publish(http({}))
  for (const args of [
    ['--field', `id=${ID}`],
    ['--input', `{"id":${ID}}`],
  ]) {
    const { stdout, code } = await cli.run(['call', tool, ...args])
    expect([code, stdout.includes(`"id": ${ID}`)], stdout).toEqual([0, true])
    expect(arrivedLast()?.body).toBe(`{"id":${ID}}`)
  }
  const { value } = await new Switchboard({ url: server.url }).call(tool, { id: BigInt(ID) })
  expect(value).toEqual({ id: BigInt(ID) })
})

it('an integer beyond double precision may be a message id or progress token over MCP', async () => {
  const headers = { 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
  const message = (method: string, params = '{}') =>
    post('/mcp', `{"jsonrpc":"2.0","id":${ID},"method":"${method}","params":${params}}`, headers)
  expect((await message('ping')).text).toBe(`{"jsonrpc":"2.0","id":${ID},"result":{}}`)
  expect((await message('none')).text).toContain(`"id":${ID},"error"`)
  const { text } = await message(
    'tools/call',
    `{"name":"Calculator_Add","arguments":{"a":1,"b":2},"_meta":{"progressToken":${ID}}}`,
  )
  expect(text).toContain('"structuredContent":{"result":3}')
})

it('an integer beyond double precision passes through unchanged, whatever JSON surrounds it', async () => {
  const tool = await publish(http({}), '{}')
  const integer = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map((each) => ({ integer: each.toString() }))
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      integer,
      fc.constantFrom('"', '\\"123456789012345678', '1234567890123456789', null, true, 0.5, 7),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b"', '1234567890123456789', 'toString'), tie('value'), { maxKeys: 3 }),
    ),
  }))
  const written = (each: unknown): string => {
    if (Array.isArray(each)) return `[${each.map(written).join(',')}]`
    if (typeof each !== 'object' || each === null) return JSON.stringify(each)
    if ('integer' in each) return String(each.integer)
    return `{${Object.entries(each)
      .map(([name, one]) => `${JSON.stringify(name)}:${written(one)}`)
      .join(',')}}`
  }
  await fc.assert(
    fc.asyncProperty(value, async (made) => {
      const input = `{"it":${written(made)}}`
      const { text } = await call(tool, input)
      expect(arrivedLast()?.body).toBe(input)
      expect(text).toContain(`"value":${input}`)
    }),
    { numRuns: 60, seed: 16 },
  )
})
