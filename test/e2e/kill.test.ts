import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../upstream.ts'
import { definition } from './definition.ts'
import type { Answer } from './json.ts'
import { type ServerProcess, startProcess } from './process.ts'
import { bundleFolder } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }

let upstream: Upstream
/** Told when a call has arrived at the upstream, was answered there, and was answered to its caller. */
let onStage: (stage: 'running' | 'answered' | 'acknowledged') => void = () => undefined
beforeAll(async () => {
  upstream = await startUpstream(async ({ body }, response) => {
    onStage('running')
    // Each takes another time, so that they are at all stages at once
    await sleep(20 + (JSON.parse(body).payment % 20) * 10)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"paid": true}', () => onStage('answered'))
  })
})
afterAll(() => upstream?.close())

let persistTo: string
let server: ServerProcess
beforeEach(async () => {
  persistTo = await mkdtemp(join(tmpdir(), 'switchboard-kill-'))
  server = await start()
})
afterEach(async () => {
  onStage = () => undefined
  await server?.stop({ keep: true })
  await rm(persistTo, { recursive: true, force: true })
})

async function start(): Promise<ServerProcess> {
  const variables = ['ACCESS:keys', `ADMIN_KEY:${ADMIN_KEY}`, `ALLOW_HTTP_HOSTS:${upstream.host}`]
  const command = ['node', 'src/node/serve.ts', '--built', '--outdir', await bundleFolder()]
  return startProcess([...command, ...variables.flatMap((each) => ['--var', each])], persistTo)
}

async function killAndRestart(): Promise<void> {
  await server.stop({ signal: 'SIGKILL', keep: true })
  server = await start()
}

const send = (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = ADMIN) =>
  server.json(method, path, body, headers)

const CALLS = 20
/** When it is killed: so many milliseconds after the calls were sent, or after one of them got so far. */
const MOMENTS = [
  ['sent', 0],
  ['running', 0],
  ['answered', 0],
  ['answered', 15],
  ['acknowledged', 0],
  ['acknowledged', 40],
] as const

it('a server killed at any stage of a call runs no call twice, forgets no outcome, and reports unknown outcomes', async () => {
  const published = await send('POST', '/tools', {
    definition: {
      name: 'Pay',
      description: 'Pays once',
      inputSchema: { type: 'object', properties: { payment: { type: 'integer' } } },
    },
    toolkit: 'Bank',
    version: '1.0.0',
    implementation: { kind: 'http', method: 'POST', url: `${upstream.origin}/pay`, timeout_ms: 4_000 },
  })
  expect(published.status, JSON.stringify(published.body)).toBe(201)
  const ids = new Map<string, number>()
  const pay = (call_id: string) =>
    send('POST', '/tools/call', { tool_id: 'Bank.Pay', call_id, input: { payment: ids.get(call_id) } })
  const given = new Map<string, Answer>()
  for (const [stage, delayMs] of MOMENTS) {
    // A call of another toolkit first, so that all is warm and the moment is the one that is meant
    expect((await send('POST', '/tools/call', { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } })).status).toBe(200)
    const batch = Array.from({ length: CALLS }, () => randomUUID())
    for (const id of batch) ids.set(id, ids.size)
    const moment = Promise.withResolvers<void>()
    onStage = (reached) => {
      if (reached === stage) setTimeout(moment.resolve, delayMs)
    }
    const calls = batch.map(async (id) => {
      const answer = await pay(id).catch(() => undefined)
      if (answer?.status !== 200) return
      given.set(id, answer)
      onStage('acknowledged')
    })
    if (stage === 'sent') setTimeout(moment.resolve, delayMs)
    await moment.promise
    await killAndRestart()
    await Promise.all(calls)
  }
  onStage = () => undefined

  const again = await Promise.all([...ids.keys()].map(async (id) => [id, await pay(id)] as const))
  const executions = (id: string) =>
    upstream.arrived.filter(({ body }) => JSON.parse(body).payment === ids.get(id)).length
  const outcomes = { answered: 0, unknown: 0, late: 0 }
  for (const [id, { status, body }] of again) {
    expect(executions(id), JSON.stringify(body)).toBeLessThanOrEqual(1)
    const before = given.get(id)
    if (before) expect({ status, body }).toEqual({ status: before.status, body: before.body })
    else expect(status).toBe(200)
    const { success, error } = body.result
    if (success) {
      expect(body.result.value).toEqual({ paid: true })
      expect(executions(id)).toBe(1)
      outcomes[before ? 'answered' : 'late'] += 1
    } else {
      // Never a failure that invites to try once more what may have been done
      expect(error.can_retry).toBe(false)
      expect(error.message).toMatch(/outcome of this call is unknown|did not answer within/)
      if (error.message.includes('is unknown')) outcomes.unknown += 1
    }
  }
  // Each has been met, or the moments would be the wrong ones
  expect(Math.min(...Object.values(outcomes)), JSON.stringify(outcomes)).toBeGreaterThan(0)
}, 300_000)

it('a server killed right after its response has published the tool, in the list, by id and for calls', async () => {
  const id = 'Kit.Stays@1.0.0'
  expect((await send('POST', '/tools', definition(id))).status).toBe(201)
  await killAndRestart()
  expect(await send('GET', `/tools/${id}`)).toMatchObject({ status: 200, body: definition(id) })
  const { body } = await send('GET', '/tools?toolkit=Kit')
  expect(body.items.map((item: { id: string }) => item.id)).toEqual([id])
  expect((await send('GET', '/tools?q=stays')).body.items).toHaveLength(1)
  expect((await send('POST', '/tools', definition(id))).status).toBe(200)
}, 180_000)

it('a server killed right after its response has disabled the tool', async () => {
  const call = () => send('POST', '/tools/call', { tool_id: 'Calculator.Add@1.0.0', input: { a: 1, b: 2 } })
  expect((await call()).status).toBe(200)
  expect((await send('PATCH', '/tools/Calculator.Add@1.0.0', { status: 'disabled' })).status).toBe(200)
  await killAndRestart()
  expect(await call()).toMatchObject({ status: 400, body: { message: expect.stringContaining('is disabled') } })
  expect((await send('GET', '/tools?toolkit=Calculator')).body.items).toHaveLength(1)
}, 180_000)

it('a server killed right after its response knows the created keys and providers, and not the deleted key', async () => {
  const make = async () => (await send('POST', '/keys', { name: 'k', scopes: ['tools:read'] })).body
  const [kept, deleted] = [await make(), await make()]
  const list = ({ key }: { key: string }) =>
    send('GET', '/tools?limit=1', undefined, { authorization: `Bearer ${key}` })
  expect((await list(deleted)).status).toBe(200)
  const provider = { client_id: 'c', issuer: 'https://id.example.com' }
  expect((await send('PUT', '/providers/acme', provider)).status).toBe(201)
  expect((await send('DELETE', `/keys/${deleted.id}`)).status).toBe(204)
  await killAndRestart()
  expect((await list(kept)).status).toBe(200)
  expect((await list(deleted)).status).toBe(401)
  expect(await send('GET', '/providers/acme')).toMatchObject({ status: 200, body: provider })
}, 180_000)
