import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../upstream.ts'
import { type Server, startServer } from './server.ts'

const TRACEPARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`

let server: Server
let upstream: Upstream
const sent: (string | undefined)[] = []
beforeAll(async () => {
  upstream = await startUpstream(({ headers }, response) => {
    sent.push(headers['traceparent']?.toString())
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
  })
  server = await startServer({ tail: true, vars: { ALLOW_HTTP_HOSTS: upstream.host } })
  const published = await server.json('POST', '/tools', {
    definition: { name: 'Ask', description: 'Asks a server', inputSchema: { type: 'object' } },
    toolkit: 'Remote',
    version: '1.0.0',
    implementation: { kind: 'http', method: 'GET', url: `${upstream.origin}/` },
  })
  expect(published.status, JSON.stringify(published.body)).toBe(201)
})
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))

interface Told {
  readonly event: { readonly type: string; readonly name?: string; readonly spanId?: string; readonly info?: unknown }
  readonly spanContext?: { readonly spanId?: string }
}

/** What the platform told of its traces so far. */
function told(): Told[] {
  return server
    .printed()
    .split('\n')
    .flatMap((line): Told[] => (line.startsWith('{"event":{') ? [JSON.parse(line)] : []))
}

async function eventually<T>(look: () => T | undefined): Promise<T> {
  for (const end = Date.now() + 20_000; Date.now() < end;) {
    const found = look()
    if (found !== undefined) return found
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`It was not told:\n${server.printed()}`)
}

it('a call that leaves the deployment is a span of the trace, and its request carries the trace context', async () => {
  const body = { tool_id: 'Remote.Ask', input: {} }
  const { body: answer } = await server.json('POST', '/tools/call', body, { traceparent: TRACEPARENT })
  expect(answer.result).toMatchObject({ success: true })
  expect(sent).toEqual([TRACEPARENT])
  const run = await eventually(() => told().find(({ event }) => event.type === 'spanOpen' && event.name === 'run'))
  const within = await eventually(() => {
    const inRun = told().filter(({ spanContext }) => spanContext?.spanId === run.event.spanId)
    return inRun.some(({ event }) => event.type === 'spanClose') ? inRun : undefined
  })
  const attributes = JSON.stringify(within.filter(({ event }) => event.type === 'attributes'))
  expect(attributes).toContain('Remote.Ask@1.0.0')
  expect(attributes).toContain(answer.result.call_id)
  expect(within).toContainEqual(expect.objectContaining({ event: expect.objectContaining({ name: 'fetch' }) }))
})
