import { createServer, type Server as HttpServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type ServerProcess, startProcess } from './process.ts'
import { memoryOf } from '../processes.ts'

/** How much memory of a real server callers can hold at once, by requests that are never finished or never read. */
const ADMIN_KEY = 'an-administrators-key-1'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }
const MB = 1_000_000
/** Above rest, in MB: an account of 96 MB, what V8 has not collected yet, and what the runtime copies. */
const MAX_GROWTH_MB = 400

let server: ServerProcess
let upstream: HttpServer
const sockets: Socket[] = []
const waiting: ServerResponse[] = []
let hostile: string
let others: Record<string, string>

beforeAll(async () => {
  upstream = createServer((request, response) => {
    request.resume()
    waiting.push(response)
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
})
afterAll(() => new Promise((resolve) => upstream.close(resolve)))

beforeEach(async () => {
  const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const vars = ['ACCESS:keys', `ADMIN_KEY:${ADMIN_KEY}`, `ALLOW_HTTP_HOSTS:${host}`].flatMap((each) => ['--var', each])
  server = await startProcess(['node', 'src/node/serve.ts', ...vars], undefined, process.env['CHECKOUT'])
  hostile = await keyFor('hostile')
  others = { authorization: `Bearer ${await keyFor('another')}` }
  const bytes = { type: 'string', contentEncoding: 'base64' }
  const implementation = { kind: 'http', method: 'POST', url: `http://${host}/`, timeout_ms: 60_000 }
  await publish('Wait', { text: { type: 'string' } }, { ...implementation, body: { type: 'json' } })
  await publish('Send', { file: bytes }, { ...implementation, body: { type: 'raw', input: 'file' } })
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const response of waiting.splice(0)) response.destroy()
  await server?.stop()
})

async function keyFor(name: string): Promise<string> {
  const scopes = ['tools:call', 'tools:read', 'tools:publish']
  const { body } = await server.json('POST', '/keys', { name, scopes, tools: ['*'] }, ADMIN)
  return body.key
}

async function publish(name: string, properties: object, implementation: object, description = 'Does something') {
  const definition = { name, description, inputSchema: { type: 'object', properties } }
  const body = { definition, toolkit: 'Held', version: '1.0.0', implementation }
  return expect((await server.json('POST', '/tools', body, ADMIN)).status).toBe(201)
}

/** A list of them has 8 MB. */
async function publishLargeTools(): Promise<void> {
  for (let count = 0; count < 50; count += 1)
    await publish(
      `Large${count}`,
      { text: { type: 'string', description: 'x'.repeat(170_000) } },
      { kind: 'code', module: 'export default () => 1' },
    )
  const countTools = async () => (await server.json('GET', '/tools?limit=1000', undefined, others)).body.items.length
  await expect.poll(countTools, { timeout: 30_000 }).toBeGreaterThan(20)
}

/** A request of which so much of the body is sent; its answer is read only where that is asked for. */
function open(line: string, key: string, length: number, sent: string, reads = false): Socket {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  const body = line.startsWith('POST') ? `Content-Type: application/json\r\nContent-Length: ${length}\r\n` : ''
  socket.on('error', () => undefined)
  if (reads) socket.resume()
  else socket.pause()
  socket.write(`${line} HTTP/1.1\r\nHost: switchboard\r\nAuthorization: Bearer ${key}\r\n${body}\r\n${sent}`)
  sockets.push(socket)
  return socket
}

/** Gives the memory that `attack` adds, in MB, and holds that others are served while it lasts. */
async function grownBy(attack: () => void | Promise<void>, seconds: number): Promise<number> {
  const rest = memoryOf(server.pid, 'workerd') ?? 0
  let peak = rest
  await attack()
  for (let round = 0; round < seconds * 2; round += 1) {
    await new Promise((done) => setTimeout(done, 500))
    peak = Math.max(peak, memoryOf(server.pid, 'workerd') ?? 0)
  }
  const call = { tool_id: 'System.Echo', input: {} }
  expect((await server.json('POST', '/tools/call', call, others)).status).toBeLessThan(500)
  await publish('Beside', {}, { kind: 'code', module: 'export default () => 1' }, 'x'.repeat(100_000))
  peak = Math.max(peak, memoryOf(server.pid, 'workerd') ?? 0)
  console.log(`${expect.getState().currentTestName}: rest ${rest} MB, peak ${peak} MB`)
  expect(rest).toBeGreaterThan(0)
  return peak - rest
}

it('a caller uses only its share of memory with calls whose 4 MB bodies lack the last byte', async () => {
  const body = `{"tool_id":"Held.Wait","input":{"text":"${'x'.repeat(4 * MB)}"}}`
  const attack = () => {
    for (let count = 0; count < 150; count += 1) open('POST /tools/call', hostile, body.length, body.slice(0, -1))
  }
  expect(await grownBy(attack, 10)).toBeLessThan(MAX_GROWTH_MB)
})

it('a caller uses only its share of memory with 400 repetitions of one call with an input of 4 MB', async () => {
  const body = `{"tool_id":"Held.Wait","call_id":"the-same","input":{"text":"${'x'.repeat(4 * MB)}"}}`
  const attack = async () => {
    for (let count = 0; count < 400; count += 1) {
      open('POST /tools/call', hostile, body.length, body, true)
      if (count % 20 === 0) await new Promise((done) => setTimeout(done, 200))
    }
  }
  expect(await grownBy(attack, 15)).toBeLessThan(MAX_GROWTH_MB)
})

it('a caller uses only its share of memory with 40 calls that name a file of 25 MB', async () => {
  const headers = { authorization: `Bearer ${hostile}` }
  const uploaded = await fetch(new URL('/artifacts', server.url), {
    method: 'POST',
    headers,
    body: new Uint8Array(25 * MB),
  })
  const { handle } = (await uploaded.json()) as { handle: string }
  const body = JSON.stringify({ tool_id: 'Held.Send', input: { file: handle } })
  const attack = () => {
    for (let count = 0; count < 40; count += 1) open('POST /tools/call', hostile, body.length, body, true)
  }
  expect(await grownBy(attack, 10)).toBeLessThan(MAX_GROWTH_MB)
})

it('a caller uses only its share of memory with 60 lists of 8 MB that it does not read', async () => {
  await publishLargeTools()
  const attack = () => {
    for (let count = 0; count < 60; count += 1) open('GET /tools?limit=1000', hostile, 0, '')
  }
  expect(await grownBy(attack, 10)).toBeLessThan(MAX_GROWTH_MB)
})

it('a caller uses only its share of memory with ten of the worst requests of every route at once', async () => {
  const bodies = ['/tools/call', '/mcp', '/worker/tools/invoke', '/machine-context/execute', '/plugin/call']
  const unfinished: (readonly [path: string, bytes: number])[] = [
    ...bodies.map((path) => [`POST ${path}`, 4 * MB] as const),
    ['POST /tools', 16 * MB],
    ['POST /toolkits/import', 16 * MB],
    ['POST /convert?to=openai', MB],
    ['POST /artifacts', 25 * MB],
  ]
  const unread = ['GET /tools?limit=1000', 'GET /worker/tools', 'GET /machine-context/tools', 'GET /plugin/describe']
  await publishLargeTools()
  const call = `{"tool_id":"Held.Wait","input":{"text":"${'x'.repeat(4 * MB)}"}}`
  // What a server at rest has used once before
  for (const line of unread) await (await server.json('GET', line.slice(4), undefined, others)).body
  const attack = () => {
    for (let count = 0; count < 10; count += 1) {
      for (const [line, bytes] of unfinished) open(line, hostile, bytes, 'x'.repeat(bytes - 1), true)
      open('POST /tools/call', hostile, call.length, call)
      for (const line of unread) open(line, hostile, 0, '')
    }
  }
  expect(await grownBy(attack, 15)).toBeLessThan(MAX_GROWTH_MB)
})

it('two callers that announce bodies without sending them use only their share of memory', async () => {
  const second = await keyFor('another hostile')
  const attack = () => {
    for (let count = 0; count < 20; count += 1)
      for (const key of [hostile, second]) open('POST /convert?to=openai', key, 1_000_000, '{')
  }
  expect(await grownBy(attack, 1)).toBeLessThan(MAX_GROWTH_MB)
})
