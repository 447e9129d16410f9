import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../upstream.ts'
import type { Answer } from './json.ts'
import { type ServerProcess, startProcess } from './process.ts'
import { bundleFolder, type RunningServer, type Server, startServer } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }

let upstream: Upstream
let server: Server
/** The upstream's response, with a delay, so that calls overlap. */
let answer: { status: number; body: string; delayMs: number }

beforeAll(async () => {
  upstream = await startUpstream(async (_, response) => {
    const { status, body, delayMs } = answer
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  server = await startServer({ vars: { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: upstream.host } })
  await publish(server, 'Bank.Pay')
  await publish(server, 'Bank.Balance', { annotations: { readOnlyHint: true } })
})
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))
beforeEach(() => {
  upstream.arrived.length = 0
  answer = { status: 200, body: '{"paid": true}', delayMs: 100 }
})

/** Publishes a tool that posts to the upstream, as an MCP document, since only MCP has annotations. */
async function publish(to: RunningServer, id: string, more: object = {}, timeoutMs = 30_000): Promise<void> {
  const [toolkit = '', name = ''] = id.split('.')
  const published = await to.json(
    'POST',
    '/tools',
    {
      definition: {
        name,
        description: `What ${id} does`,
        inputSchema: { type: 'object', properties: { cents: { type: 'integer' } } },
        ...more,
      },
      toolkit,
      version: '1.0.0',
      implementation: {
        kind: 'http',
        method: 'POST',
        url: `${upstream.origin}/pay`,
        response: { type: 'json' },
        timeout_ms: timeoutMs,
      },
    },
    ADMIN,
  )
  expect(published.status, JSON.stringify(published.body)).toBe(201)
}

const json = (
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  to: RunningServer = server,
) => to.json('POST', path, body, { ...ADMIN, ...headers })
const pay = (call_id: string | undefined, cents = 100, headers = {}, to?: RunningServer) =>
  json(
    '/tools/call',
    { tool_id: 'Bank.Pay', ...(call_id === undefined ? {} : { call_id }), input: { cents } },
    headers,
    to,
  )
const MCP = { 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }

/** Makes a call in each dialect that has call ids. */
const DIALECTS: Readonly<Record<string, (id: string, cents?: number, to?: RunningServer) => ReturnType<typeof json>>> =
  {
    'OXP': (id, cents, to) => pay(id, cents, {}, to),
    'the Open Tool Calling RFC': (id, cents = 100, to) =>
      json(
        '/worker/tools/invoke',
        {
          run_id: 'r',
          execution_id: id,
          created_at: new Date(0).toISOString(),
          tool: { name: 'Pay', toolkit: 'Bank', version: '1.0.0' },
          inputs: { cents },
        },
        {},
        to,
      ),
    'MCP': (id, cents = 100, to) =>
      json(
        '/mcp',
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'Pay', arguments: { cents }, _meta: { 'dev.switchboard/call_id': id } },
        },
        MCP,
        to,
      ),
    'the plugin schema': (id, cents = 100, to) =>
      json('/plugin/call', { params: { name: 'Pay', arguments: { cents } } }, { 'idempotency-key': id }, to),
    'the Machine Context Protocol': async (id, cents = 100, to) => {
      const reply = await json(
        '/machine-context/execute',
        {
          header: { messageId: id, messageType: 'request' },
          payload: { tool: { id: 'Bank', capability: 'Pay', parameters: { cents } } },
        },
        {},
        to,
      )
      // Each message has its own id and time
      return { ...reply, body: { ...reply.body, header: undefined } }
    },
  }

describe.each(Object.entries(DIALECTS))('over %s', (name, call) => {
  it(`over ${name} 50 concurrent calls with one call id, and a later one, run once and get the same response`, async () => {
    const id = `fifty of ${name}`
    const answers = await Promise.all(Array.from({ length: 50 }, () => call(id)))
    expect(upstream.arrived).toHaveLength(1)
    const [first] = answers
    expect(JSON.stringify(first?.body)).toMatch(/paid/)
    for (const each of answers) expect(said(each)).toEqual(said(first))
    expect((await call(id)).body).toEqual(first?.body)
    expect(upstream.arrived).toHaveLength(1)
  })

  it(`over ${name} a different call with the same call id is refused`, async () => {
    const id = `reused of ${name}`
    await call(id)
    const other = await call(id, 200)
    expect(JSON.stringify(other.body)).toContain('was already used with a different')
    expect(upstream.arrived).toHaveLength(1)
  })
})

it('a call id is refused with 409 for another user, version or tool', async () => {
  await pay('used')
  const others = [
    { tool_id: 'Bank.Pay', call_id: 'used', input: { cents: 100 }, context: { user_id: 'ann' } },
    { tool_id: 'Bank.Pay', call_id: 'used', input: {} },
  ]
  for (const body of others) expect((await json('/tools/call', body)).status).toBe(409)
  // The same call, written differently
  const again = await json('/tools/call', { input: { cents: 100.0 }, call_id: 'used', tool_id: 'Bank.Pay@1.0.0' })
  expect(again.body.result).toMatchObject({ success: true, value: { paid: true } })
  expect(upstream.arrived).toHaveLength(1)
})

it("a call id belongs to its principal: another principal's call with the same id is a separate call", async () => {
  const made = await json('/keys', { name: 'k', scopes: ['tools:call'], tools: ['Bank.*'], users: 'any' })
  await pay('mine')
  const remoteName = await pay('mine', 200, { authorization: `Bearer ${made.body.key}` })
  expect(remoteName.body.result).toMatchObject({ success: true })
  expect(upstream.arrived).toHaveLength(2)
})

it('a call id is optional: calls without one, and calls of read-only tools, run each time', async () => {
  await Promise.all([pay(undefined), pay(undefined)])
  const read = { tool_id: 'Bank.Balance', call_id: 'read', input: {} }
  await Promise.all([json('/tools/call', read), json('/tools/call', read)])
  expect(upstream.arrived).toHaveLength(4)
})

it('a call id can be reused after a failure that allows a retry, and after no other', async () => {
  answer = { status: 503, body: '{}', delayMs: 0 }
  const busy = await pay('busy')
  expect(busy.body.result.error).toMatchObject({ can_retry: true })
  answer = { status: 400, body: '{"message": "No such account"}', delayMs: 0 }
  const refused = await pay('busy')
  expect(refused.body.result).toMatchObject({ success: false, error: { can_retry: false } })
  answer = { status: 200, body: '{"paid": true}', delayMs: 0 }
  expect((await pay('busy')).body).toEqual(refused.body)
  expect(upstream.arrived).toHaveLength(2)
})

it('an outcome is stored encrypted', async () => {
  answer = { status: 200, body: '{"paid": "confidential-receipt"}', delayMs: 0 }
  await pay('sealed')
  const namespace = await server.miniflare.getDurableObjectNamespace('IdempotencyStore')
  const stub = namespace.get(namespace.idFromName('admin'))
  const request = { callId: 'sealed', fingerprint: 'another', claim: 'c', forMs: 1 }
  expect(await Reflect.get(stub, 'claim').call(stub, request)).toEqual({ state: 'reused' })
  // 1: no file contains it
  expect(spawnSync('grep', ['-rlaq', 'confidential-receipt', server.persistTo]).status).toBe(1)
})

/** The parts of a response that all 50 callers of one id share. */
const said = (answer: Answer | undefined) => ({ status: answer?.status, body: answer?.body })

/** The same without the duration and time of a response that the result is unknown. */
function timeless(answer: Answer | undefined): unknown {
  const isTime = (name: string) => ['duration', 'finished_at', 'execution_time_ms'].includes(name)
  return JSON.parse(JSON.stringify(said(answer), (name, value: unknown) => (isTime(name) ? undefined : value)))
}

it(
  'a server killed during calls of each dialect does not run them again: unfinished calls are reported as unknown',
  { timeout: 300_000 },
  async () => {
    const persistTo = await mkdtemp(join(tmpdir(), 'switchboard-idempotency-'))
    const start = async () =>
      startProcess(
        ['node', 'src/node/serve.ts', '--built', '--outdir', await bundleFolder()].concat(
          ['ACCESS:keys', `ADMIN_KEY:${ADMIN_KEY}`, `ALLOW_HTTP_HOSTS:${upstream.host}`].flatMap((each) => [
            '--var',
            each,
          ]),
        ),
        persistTo,
      )
    let running: ServerProcess | undefined
    try {
      running = await start()
      // A deadline too long to wait for in this test
      await publish(running, 'Bank.Pay', {}, 300_000)
      const names = Object.keys(DIALECTS)
      const call = (kind: 'over' | 'cut', name: string) => DIALECTS[name]!(`${kind} of ${name}`, 100, running)
      const over = await Promise.all(names.map((name) => call('over', name)))
      for (const each of over) expect(JSON.stringify(each.body)).toMatch(/paid/)
      answer.delayMs = 60_000
      const cut = names.map((name) => call('cut', name).catch(() => 'cut'))
      await expect.poll(() => upstream.arrived.length).toBe(2 * names.length)
      await running.stop({ signal: 'SIGKILL', keep: true })
      expect(await Promise.all(cut)).toEqual(names.map(() => 'cut'))

      running = await start()
      for (const [index, name] of names.entries()) {
        const repeated = await Promise.all(Array.from({ length: 50 }, () => call('over', name)))
        for (const { status, body } of repeated) expect({ status, body }).toEqual(said(over[index]))
        const [first, ...others] = await Promise.all(Array.from({ length: 50 }, () => call('cut', name)))
        expect(JSON.stringify(first?.body), name).toContain(
          'The outcome of this call is unknown: it started but never finished',
        )
        for (const each of others) expect(timeless(each)).toEqual(timeless(first))
      }
      expect(upstream.arrived).toHaveLength(2 * names.length)
      const { body } = await call('cut', 'OXP')
      expect(body.result).toMatchObject({
        success: false,
        error: {
          developer_message: expect.stringContaining('then use another id if needed'),
          can_retry: false,
        },
      })
    } finally {
      await running?.stop({ keep: true })
      await rm(persistTo, { recursive: true, force: true })
    }
  },
)

it('a call that fails before its tool runs can be repeated with its id, and is not reported as possibly run', async () => {
  const vars = { ACCESS: 'keys', ADMIN_KEY, USER_VERIFIER_URL: 'https://app.example/who' }
  const broken = await startServer({ vars: { ...vars, ALLOW_HTTP_HOSTS: upstream.host }, broken: 'Vault' })
  try {
    // A person must approve it, and it is unknown whether one did
    const definition = {
      id: 'Vault',
      name: 'Vault',
      version: '1.0.0',
      description: 'Pays',
      securityLevel: 8,
      capabilities: [{ name: 'pay', description: 'Pays' }],
    }
    const implementation = { kind: 'http', method: 'POST', url: `${upstream.origin}/pay` }
    const published = await broken.json('POST', '/tools', { definition, implementation }, ADMIN)
    expect(published.status, JSON.stringify(published.body)).toBe(201)
    for (let times = 0; times < 2; times++) {
      const body = { tool_id: 'Vault.pay', call_id: 'approved by nobody', input: {} }
      const { status, body: said } = await broken.json('POST', '/tools/call', body, ADMIN)
      expect([status, said.message]).toEqual([503, 'Switchboard cannot reach its vaults right now'])
    }
    expect(upstream.arrived).toHaveLength(0)
  } finally {
    await broken.stop()
  }
})
