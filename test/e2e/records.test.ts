import { readOpenMetrics } from '../api/calls/open-metrics.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../upstream.ts'
import { type RunningServer, startApp } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }
const INPUT_ONLY = 'a text that stands in inputs alone'

let server: RunningServer
let upstream: Upstream
beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    response.writeHead(url === '/broken' ? 418 : 200, { 'content-type': 'application/json' }).end('{"ok":true}')
  })
  server = await startApp({
    vars: { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: upstream.host },
  })
  for (const tool of [httpTool('Works'), httpTool('Broken')]) {
    const published = await server.json('POST', '/tools', tool, ADMIN)
    expect(published.status, JSON.stringify(published.body)).toBe(201)
  }
})
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))

const httpTool = (name: string) => ({
  definition: {
    name,
    description: 'Asks a server',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  },
  toolkit: 'Remote',
  version: '1.0.0',
  implementation: { kind: 'http', method: 'POST', url: `${upstream.origin}/${name.toLowerCase()}` },
})

async function keyWith(name: string, given: object = {}) {
  const body = { name, scopes: ['tools:call'], ...given }
  const made = await server.json('POST', '/keys', body, ADMIN)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return { id: `key:${made.body.id}`, headers: { authorization: `Bearer ${made.body.key}` } }
}

const call = (tool_id: string, headers: Record<string, string>, context = {}, input: object = {}) =>
  server.json('POST', '/tools/call', { tool_id, input, context }, headers)

/** What `GET` gives once it holds what is wanted: records come a second behind. */
async function eventually(path: string, headers: Record<string, string>, holds: (body: any) => boolean): Promise<any> {
  const end = Date.now() + 20_000
  for (;;) {
    const { status, body } = await server.json('GET', path, undefined, headers)
    expect(status, JSON.stringify(body)).toBe(200)
    if (holds(body)) return body
    if (Date.now() > end) throw new Error(`${path} gave ${JSON.stringify(body)}`)
    await new Promise((done) => setTimeout(done, 100))
  }
}

it('GET /calls lists who called what in which dialect, with the outcome, and nothing of the content', async () => {
  const agent = await keyWith('the agent of sales', { users: ['ann'] })
  await call('Calculator.Add', agent.headers, { user_id: 'ann' }, { a: 1, b: 2 })
  await call('Calculator.Add', agent.headers, { user_id: 'bob' }, { a: 1, b: 2 })
  await call('Remote.Works', agent.headers, { user_id: 'ann' }, { text: INPUT_ONLY })
  await call('Remote.Broken', agent.headers, { user_id: 'ann' }, { text: INPUT_ONLY })
  await call('No.Such', agent.headers)
  const params = { name: 'Calculator_Add', arguments: { a: 1, b: 2 } }
  const accept = { 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
  await server.json(
    'POST',
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    { ...agent.headers, ...accept },
  )
  const { items } = await eventually(`/calls?principal=${agent.id}`, ADMIN, (body) => body.items.length === 6)
  expect(items.map((each: any) => [each.tool, each.outcome, each.dialect, each.upstream_status, each.user_id])).toEqual(
    [
      ['Calculator.Add@1.0.0', 'success', 'mcp', undefined, 'ann'],
      ['No.Such', 'tool-unknown', 'oxp', undefined, undefined],
      ['Remote.Broken@1.0.0', 'tool-failed', 'oxp', 418, 'ann'],
      ['Remote.Works@1.0.0', 'success', 'oxp', 200, 'ann'],
      ['Calculator.Add@1.0.0', 'forbidden', 'oxp', undefined, undefined],
      ['Calculator.Add@1.0.0', 'success', 'oxp', undefined, 'ann'],
    ],
  )
  for (const each of items) {
    expect(each).toMatchObject({ principal: agent.id, principal_name: 'the agent of sales' })
    expect(Math.abs(Date.parse(each.at) - Date.now())).toBeLessThan(60_000)
    expect(each.duration_ms).toBeGreaterThanOrEqual(0)
  }
  expect(JSON.stringify(items)).not.toContain(INPUT_ONLY)
  expect(items[5].digest).toMatch(/^[0-9a-f]{64}$/)
})

it('GET /calls lists arguments for a key that records them, without secrets', async () => {
  const key = await keyWith('debugged', { record_arguments: true })
  await call('Remote.Works', key.headers, {}, { text: 'x'.repeat(300) })
  await call('Remote.Works', key.headers, {}, { text: 1, password: 'hunter2' })
  const calls = await eventually(`/calls?principal=${key.id}`, ADMIN, (body) => body.items.length === 2)
  expect(calls.items.map((each: any) => [each.outcome, each.arguments])).toEqual([
    ['input-invalid', { text: 1, password: '[redacted]' }],
    ['success', { text: '<300 characters>' }],
  ])
  const path = `/keys/${key.id.slice('key:'.length)}`
  expect((await server.json('PATCH', path, { record_arguments: false }, ADMIN)).body).toMatchObject({
    record_arguments: false,
  })
})

it('GET /calls shows a key only its own calls, and administrators and auditors all', async () => {
  const [one, other] = [await keyWith('one'), await keyWith('other')]
  const auditor = await keyWith('auditor', { scopes: ['records:read'] })
  await call('Calculator.Add', one.headers, {}, { a: 1, b: 2 })
  await call('Calculator.Add', other.headers, {}, { a: 1, b: 2 })
  for (const headers of [ADMIN, auditor.headers]) {
    await eventually('/calls', headers, ({ items }) => {
      const seen = new Set(items.map((each: any) => each.principal))
      return seen.has(one.id) && seen.has(other.id)
    })
  }
  const own = await server.json('GET', '/calls', undefined, one.headers)
  expect(own.body.items.map((each: any) => each.principal)).toEqual([one.id])
  const others = await server.json('GET', `/calls?principal=${other.id}`, undefined, one.headers)
  expect(others.body.items).toEqual([])
})

it('GET /calls has pages whose cursors work only for the same query and key', async () => {
  const key = await keyWith('pages')
  for (let a = 0; a < 5; a++) await call('Calculator.Add', key.headers, {}, { a, b: 2 })
  await eventually('/calls', key.headers, (body) => body.items.length === 5)
  const first = await server.json('GET', '/calls?limit=3', undefined, key.headers)
  const { next_cursor } = first.body
  const second = await server.json('GET', `/calls?limit=3&cursor=${next_cursor}`, undefined, key.headers)
  expect([first.body.items.length, second.body.items.length, second.body.next_cursor]).toEqual([3, 2, undefined])
  for (const [query, headers] of [
    [`outcome=failure&cursor=${next_cursor}`, key.headers],
    [`cursor=${next_cursor}`, ADMIN],
    ['cursor=made.up', key.headers],
  ] as const) {
    const refused = await server.json('GET', `/calls?${query}`, undefined, headers)
    expect(refused.status, query).toBe(400)
    expect(refused.body.message).toContain('next_cursor')
  }
})

it.each(['/calls?limit=0', '/calls?sinc=x', '/usage?by=moon', '/calls?since=2026-01-01'])(
  'GET /calls refuses %s with the reason',
  async (path) => {
    const refused = await server.json('GET', path, undefined, ADMIN)
    expect(refused.status).toBe(400)
    expect(refused.body.message).toMatch(/^Cannot read the query/)
  },
)

it('GET /calls is refused without a credential', async () => {
  for (const path of ['/calls', '/usage', '/metrics']) {
    expect((await server.json('GET', path)).status).toBe(401)
  }
})

it('GET /usage and GET /metrics count calls', async () => {
  const key = await keyWith('counted')
  for (let a = 0; a < 7; a++) await call('Calculator.Add', key.headers, {}, { a, b: 2 })
  for (let a = 0; a < 3; a++) await call('Calculator.Add', key.headers, {}, { a })
  const path = `/usage?principal=${key.id}&by=tool,outcome`
  const { items, lost } = await eventually(path, ADMIN, (body) => body.items.length === 2 && body.items[1].calls === 3)
  expect(items).toMatchObject([
    { group: { tool: 'Calculator.Add', outcome: 'success' }, calls: 7, failures: 0 },
    { group: { tool: 'Calculator.Add', outcome: 'input-invalid' }, calls: 3, failures: 3 },
  ])
  expect(items[0].p99_ms).toBeGreaterThanOrEqual(items[0].p50_ms)
  expect(lost).toBe(0)
  const own = await server.json('GET', '/usage?by=principal', undefined, key.headers)
  expect(own.body.items).toMatchObject([{ group: { principal: key.id }, calls: 10 }])
  const [since, until] = [own.body.since, own.body.until].map((time) => Date.parse(time) / 3_600_000)
  expect([since! % 1, until! - since!]).toEqual([0, 25])

  const answer = await fetch(`${server.url}/metrics`, {
    headers: { ...ADMIN, accept: 'application/openmetrics-text' },
  })
  expect(answer.headers.get('content-type')).toMatch(/^application\/openmetrics-text/)
  const text = await answer.text()
  const counted = /^switchboard_calls_total\{toolkit="Calculator",tool="Calculator.Add",outcome="success"\} (\d+)$/m
  expect(Number(counted.exec(text)?.[1])).toBeGreaterThanOrEqual(7)
  expect(text).toMatch(/^switchboard_call_duration_seconds_count\{toolkit="Calculator"\} \d+$/m)
  const families = readOpenMetrics(text)
  expect([...families.keys()]).toEqual(
    expect.arrayContaining(['switchboard', 'switchboard_calls', 'switchboard_records_lost']),
  )
  const end = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000)
  const before = await server.json('GET', `/usage?until=${end.toISOString()}`, undefined, key.headers)
  const day = { since: new Date(end.getTime() - 24 * 3_600_000).toISOString(), until: end.toISOString() }
  expect(before.body).toMatchObject(day)
})

it('a call that waits for a person is not a failure', async () => {
  const asking = { ...httpTool('Asks'), approval: true }
  expect((await server.json('POST', '/tools', asking, ADMIN)).status).toBe(201)
  const agent = await keyWith('asking', { tools: ['Remote.*'] })
  const answer = await call('Remote.Asks', agent.headers)
  expect(answer.body.missing_requirements.authorization, JSON.stringify(answer.body)).toHaveLength(1)
  const waiting = `/calls?outcome=waiting&principal=${agent.id}`
  const { items } = await eventually(waiting, ADMIN, (body) => body.items.length === 1)
  expect(items).toMatchObject([{ tool: 'Remote.Asks@1.0.0', outcome: 'approval-required' }])
  const usage = await server.json('GET', `/usage?principal=${agent.id}`, undefined, ADMIN)
  expect(usage.body.items).toMatchObject([{ calls: 1, failures: 0, waiting: 1 }])
  for (const [filter, count] of Object.entries({ 'failure': 0, 'consent-required': 0, 'approval-required': 1 })) {
    const found = await server.json('GET', `/calls?outcome=${filter}&principal=${agent.id}`, undefined, ADMIN)
    expect([filter, found.body.items.length]).toEqual([filter, count])
  }
  expect((await server.json('GET', '/audit?outcome=waiting', undefined, ADMIN)).status).toBe(400)
})

it('an unavailable record store affects no calls, and its readers are told', async () => {
  const broken = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY }, broken: 'Records' })
  try {
    for (let a = 0; a < 20; a++) {
      const answer = await broken.json('POST', '/tools/call', { tool_id: 'Calculator.Add', input: { a, b: 1 } }, ADMIN)
      expect(answer.body.result).toMatchObject({ success: true, value: a + 1 })
    }
    for (const path of ['/calls', '/usage', '/metrics']) {
      const answer = await broken.json('GET', path, undefined, ADMIN)
      expect([path, answer.status]).toEqual([path, 503])
      expect(answer.body.message).toContain('records')
    }
    // Batches are of a second, and the machine may be slow
    const lost = () =>
      [...broken.printed().matchAll(/"event":"records-lost","lost":(\d+)/g)].reduce((sum, [, n]) => sum + Number(n), 0)
    await expect.poll(lost).toBe(20)
  } finally {
    await broken.stop()
  }
})
