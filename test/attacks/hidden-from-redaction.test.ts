import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../e2e/server.ts'
import { type Upstream, startUpstream } from '../upstream.ts'
import { neverSilent, startWatched } from './watch.ts'
import { definition } from '../e2e/definition.ts'

const HALVES = ['first-half-of-a-secret', 'second-half-of-a-secret'] as const
const SECRET = HALVES.join('/')

/** Encodings of an echoed credential, each with its own path. */
const ENCODINGS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  'deflate': deflateSync,
  'x-deflate': deflateRawSync,
  'zstd': zstdCompressSync,
  'gzip, gzip': (bytes) => gzipSync(gzipSync(bytes)),
  'br, gzip': (bytes) => gzipSync(brotliCompressSync(bytes)),
  'gzip, identity': gzipSync,
  'GZIP, x-own': gzipSync,
  'rot13': (bytes) => Buffer.from(bytes.map((byte) => byte ^ 1)),
}

let upstream: Upstream
let server: RunningServer
beforeAll(async () => {
  upstream = await startUpstream(({ url, headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://upstream')
    const said = Buffer.from(`You sent ${headers['x-key']}, thank you`)
    const encoding = searchParams.get('encoding')
    const encode = ENCODINGS[encoding ?? '']
    const middle = said.indexOf('/') + 1
    const range = /^bytes=(\d+)-(\d*)$/.exec(headers['range'] ?? '')
    if (pathname === '/hop') response.writeHead(307, { location: url.replace('/hop', '/plain') }).end()
    else if (pathname === '/repeating') response.end('a'.repeat(7_000_000))
    else if (encoding !== null && encode) response.writeHead(200, { 'content-encoding': encoding }).end(encode(said))
    else if (pathname === '/unasked') response.writeHead(206).end(said.subarray(middle))
    else if (pathname === '/placed') {
      const place = { 'content-range': `bytes ${middle}-${said.length - 1}/${said.length}` }
      response.writeHead(200, place).end(said.subarray(middle))
    } else if (range) {
      const [from, to] = [Number(range[1]), range[2] ? Number(range[2]) : said.length - 1]
      response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${said.length}` })
      response.end(said.subarray(from, to + 1))
    } else response.end(said)
  })
  server = await startWatched({
    vars: {
      ALLOW_HTTP_HOSTS: upstream.host,
      TOOL_SECRETS: JSON.stringify({ ECHOED_KEY: ['Echo.*'] }),
      ECHOED_KEY: SECRET,
    },
  })
  const place = (name: string) => ({ input: name, in: 'header', name })
  await publish('Http', {
    kind: 'http',
    method: 'GET',
    url: `${upstream.origin}/{rest}`,
    parameters: [
      { input: 'rest', in: 'path', name: 'rest' },
      { input: 'encoding', in: 'query', name: 'encoding' },
      ...['Range', 'If-Range', 'Accept-Encoding'].map(place),
    ],
    credentials: [{ secret: 'ECHOED_KEY', in: 'header', name: 'X-Key' }],
    response: { type: 'text' },
  })
  await publish('Code', {
    kind: 'code',
    allowed_hosts: [upstream.host],
    credentials: [{ secret: 'ECHOED_KEY', in: 'header', name: 'X-Key' }],
    module: `export default async ({ rest, encoding, ...headers }) => {
      const url = new URL('/' + rest, '${upstream.origin}')
      if (encoding) url.searchParams.set('encoding', encoding)
      const answer = await fetch(url, { headers })
      const bytes = new Uint8Array(await answer.arrayBuffer())
      return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    }`,
  })
})
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))
afterAll(neverSilent)

const PROPERTIES = Object.fromEntries(
  ['rest', 'encoding', 'Range', 'If-Range', 'Accept-Encoding'].map((name) => [name, { type: 'string' }]),
)

async function publish(tool: string, implementation: object): Promise<void> {
  const { status, body } = await server.json('POST', '/tools', {
    definition: definition(`Echo.${tool}@1.0.0`, {
      input_schema: { parameters: { type: 'object', properties: PROPERTIES } },
      requirements: { secrets: [{ id: 'ECHOED_KEY' }] },
    }),
    implementation,
  })
  expect(status, JSON.stringify(body)).toBe(201)
}

/** Returns everything that a caller learns, including bytes hidden as hexadecimal digits. */
async function learned(tool: string, input: object): Promise<string> {
  const oxp = await server.json('POST', '/tools/call', { tool_id: `Echo.${tool}`, input })
  const engine = await server.json('POST', '/worker/tools/invoke', {
    tool: { name: tool, toolkit: 'Echo' },
    inputs: input,
  })
  expect([oxp.status, engine.status]).toEqual([200, 200])
  const text = JSON.stringify([oxp.body, engine.body])
  const bytes = Buffer.from(String(oxp.body.result.value ?? ''), 'hex')
  return [text, server.printed(), ...opened(bytes)].join('\n')
}

/** Returns bytes as they are, and as each encoding would decode them. */
function opened(bytes: Buffer): string[] {
  return [bytes.toString('latin1'), Buffer.from(bytes.map((byte) => byte ^ 1)).toString('latin1')]
}

describe.each(['Http', 'Code'])('a server that echoes a credential to a tool (%s)', (tool) => {
  const expectNothing = (text: string) => {
    for (const half of HALVES) expect(text).not.toContain(half)
  }

  it(`a server that echoes a credential to a tool (${tool}) gets its response read, with the credential redacted`, async () => {
    const text = await learned(tool, { rest: 'plain' })
    expect(text).toContain('thank you')
    expectNothing(text)
  })

  it.each(Object.keys(ENCODINGS))(
    `a server that echoes a credential to a tool (${tool}) cannot reveal it in the encoding %s`,
    async (encoding) => {
      for (const rest of ['plain', 'hop']) {
        const text = await learned(tool, { rest, encoding, 'Accept-Encoding': encoding })
        expectNothing(text)
        expect(text).toContain(`its content encoding is '${encoding.toLowerCase()}'`)
      }
    },
  )

  it.each(['bytes=0-20', 'bytes=28-60', 'bytes=32-', 'bytes=1-1000'])(
    `a server that echoes a credential to a tool (${tool}) receives no range request from the tool: %s`,
    async (range) => {
      for (const rest of ['plain', 'hop']) {
        upstream.arrived.length = 0
        const text = await learned(tool, { rest, 'Range': range, 'If-Range': '"x"' })
        expectNothing(text)
        expect(text).toContain('thank you')
        expect(upstream.arrived.filter(({ headers }) => headers['range'] ?? headers['if-range'])).toEqual([])
      }
    },
  )

  it.each(['unasked', 'placed'])(
    `a server that echoes a credential to a tool (${tool}) gets a partial response refused: %s`,
    async (rest) => {
      const text = await learned(tool, { rest })
      expectNothing(text)
      expect(text).toContain('it is only a part')
    },
  )
  it(`a server that echoes a credential to a tool (${tool}) blocks nobody with megabytes of near repetitions`, async () => {
    const value = `${'a'.repeat(2_500)}b${'a'.repeat(2_500)}`
    const context = { secrets: [{ id: 'ECHOED_KEY', value }] }
    const called = { tool_id: `Echo.${tool}`, input: { rest: 'repeating' }, context }
    const { status, body } = await server.json('POST', '/tools/call', called)
    expect(status).toBe(200)
    const said = String(body.result.value)
    expect([said, Buffer.from(said, 'hex').toString()]).toContain('[redacted]')
  })
})
