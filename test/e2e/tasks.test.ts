import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { Switchboard } from '../../src/client/index.ts'
import { startUpstream, type Upstream } from '../upstream.ts'
import { buildCommandLine } from './command-line.ts'
import type { Answer } from './json.ts'
import { sendMcp, TAKES_TASKS } from './mcp-request.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { type RunningServer, startApp } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }
const ASYNC = { prefer: 'respond-async' }

let upstream: Upstream
let app: RunningServer
/** How long the upstream takes. */
let delayMs = 0
/** Requests that the upstream had no time to answer. */
let abortedCount = 0

beforeAll(async () => {
  upstream = await startUpstream(async ({ body }, response) => {
    response.once('close', () => void (abortedCount += response.writableEnded ? 0 : 1))
    await sleep(delayMs)
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ paid: true, characters: body.length }))
  })
  const vars = { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: upstream.host, VAULT_KEYS: 'a key that encrypts grants' }
  app = await startApp({ vars })
  for (const [name, fields] of [
    ['Pay', {}],
    ['Approved', { security_level: 8 }],
  ] as const) {
    const published = await app.json('POST', '/tools', { ...definitionOf(name), ...fields }, ADMIN)
    expect(published.status, JSON.stringify(published.body)).toBe(201)
  }
})
afterAll(() => Promise.all([app?.stop(), upstream?.close()]))
beforeEach(() => {
  upstream.arrived.length = 0
  delayMs = 0
  abortedCount = 0
})

const definitionOf = (name: string) => ({
  definition: {
    name,
    description: `What ${name} does`,
    inputSchema: { type: 'object', properties: { cents: { type: 'integer' }, note: { type: 'string' } } },
  },
  toolkit: 'Bank',
  version: '1.0.0',
  implementation: { kind: 'http', method: 'POST', url: `${upstream.origin}/pay`, response: { type: 'json' } },
})

type Caller = Readonly<{ authorization: string }>
let keys = 0
async function createKey(scopes = ['tools:read', 'tools:call']): Promise<{ id: string; caller: Caller; key: string }> {
  const made = await app.json('POST', '/keys', { name: `key ${++keys}`, scopes, tools: ['Bank.*'] }, ADMIN)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return { id: made.body.id, key: made.body.key, caller: { authorization: `Bearer ${made.body.key}` } }
}

const start = (tool: string, caller: Caller, request: object = {}): Promise<Answer> =>
  app.json('POST', '/tools/call', { tool_id: `Bank.${tool}`, input: { cents: 5 }, ...request }, { ...ASYNC, ...caller })

async function begin(tool: string, caller: Caller, request: object = {}): Promise<string> {
  const { status, headers, body } = await start(tool, caller, request)
  expect(status, JSON.stringify(body)).toBe(202)
  expect(headers.get('preference-applied')).toBe('respond-async')
  return headers.get('location') ?? ''
}

/** Asks until the task is as wanted. */
async function settled(path: string, caller: Caller, isWanted: (status: string) => boolean) {
  for (let wait = 0; wait < 40; wait++) {
    const { status, body } = await app.json('GET', `${path}?wait=2`, undefined, caller)
    expect(status, JSON.stringify(body)).toBe(200)
    if (isWanted(body.status)) return body
  }
  throw new Error('It did not get there')
}
const isEnded = (status: string) => status !== 'working' && status !== 'input_required'

async function decide(url: string, key: string, button: RegExp): Promise<void> {
  const who = new HttpPerson()
  await who.press(await who.open(`${app.url}/sign-in`), /Sign in/, { key })
  await who.press(await who.open(url), button)
}
const linkOf = (task: { input_requests: Record<string, { params: { url: string } }> }) =>
  Object.values(task.input_requests)[0]?.params.url ?? ''

it('an asynchronous call is answered immediately, and its result remains available at its URL', async () => {
  const { caller } = await createKey()
  delayMs = 2_000
  const path = await begin('Pay', caller, { call_id: 'mine' })
  const working = await app.json('GET', path, undefined, caller)
  expect(working.body).toMatchObject({ status: 'working', call_id: path.split('/').at(-1), poll_interval_ms: 1_000 })
  const task = await settled(path, caller, isEnded)
  expect(task).toMatchObject({
    status: 'completed',
    result: { call_id: 'mine', success: true, value: { paid: true } },
  })
  expect(upstream.arrived).toHaveLength(1)
  // The same id, waited for: it is the same call
  const repeated = await app.json(
    'POST',
    '/tools/call',
    { tool_id: 'Bank.Pay', call_id: 'mine', input: { cents: 5 } },
    caller,
  )
  expect(repeated.body.result).toMatchObject({ success: true, value: { paid: true } })
  expect(upstream.arrived).toHaveLength(1)
})

it('an asynchronous call that is repeated with its call id is the same call, and with another input it is refused', async () => {
  const { key, caller } = await createKey()
  delayMs = 2_000
  const request = { call_id: 'again', input: { cents: 5, note: 'rent' } }
  const paths = await Promise.all([begin('Pay', caller, request), begin('Pay', caller, request)])
  paths.push(await begin('Pay', caller, { call_id: 'again', input: { note: 'rent', cents: 5 } }))
  const { callId } = await new Switchboard({ url: app.url, key }).callAsync('Bank.Pay', request.input, {
    callId: 'again',
  })
  expect(new Set([...paths, `/calls/${callId}`]).size).toBe(1)
  const [path = ''] = paths
  const other = { ...request, input: { cents: 6 } }
  const refused = await start('Pay', caller, other)
  expect(await begin('Pay', (await createKey()).caller, other)).not.toBe(path)
  await settled(path, caller, isEnded)
  const synchronous = await app.json('POST', '/tools/call', { tool_id: 'Bank.Pay', ...other }, caller)
  expect(synchronous.status).toBe(409)
  for (const { status, body } of [refused, await start('Pay', caller, other)])
    expect([status, body]).toEqual([synchronous.status, synchronous.body])
  const repeated = await start('Pay', caller, request)
  expect([repeated.status, repeated.headers.get('location')]).toEqual([202, path])
  expect(repeated.body).toMatchObject({ status: 'completed', result: { success: true } })
  expect(upstream.arrived.filter(({ body }) => JSON.parse(body).cents === 5)).toHaveLength(1)
})

it('a repeated call waits for the same approval, and starts again once it was canceled', async () => {
  const { caller } = await createKey()
  const approver = await createKey(['tools:read', 'tools:call', 'tools:publish'])
  const waits = (status: string) => status === 'input_required'
  const path = await begin('Approved', caller, { call_id: 'again' })
  const waiting = await settled(path, caller, waits)
  expect((await start('Approved', caller, { call_id: 'again' })).body).toEqual(waiting)
  await app.json('DELETE', path, undefined, caller)
  expect(await begin('Approved', caller, { call_id: 'again' })).toBe(path)
  await decide(linkOf(await settled(path, caller, waits)), approver.key, /Approve/)
  expect(await settled(path, caller, isEnded)).toMatchObject({ status: 'completed', result: { success: true } })
  expect(upstream.arrived).toHaveLength(1)
})

it('an asynchronous call that can only fail is answered like a synchronous one, and is not stored', async () => {
  const { caller } = await createKey()
  expect((await start('Pay', caller, { input: { cents: 'five' } })).status).toBe(422)
  expect((await start('None', caller)).status).toBe(400)
  const other = await app.json('POST', '/keys', { name: 'other', scopes: ['tools:call'], tools: ['SMS.*'] }, ADMIN)
  expect((await start('Pay', { authorization: `Bearer ${other.body.key}` })).status).toBe(403)
  const { status } = await app.json('POST', '/tools/call', { tool_id: 'Bank.Pay', input: {} }, ASYNC)
  expect(status).toBe(401)
  expect(upstream.arrived).toHaveLength(0)
})

it('a call that waits for an approval shows its link, and runs once it is given', async () => {
  const { caller } = await createKey()
  const approver = await createKey(['tools:read', 'tools:call', 'tools:publish'])
  const path = await begin('Approved', caller)
  const waiting = await settled(path, caller, (status) => status === 'input_required')
  expect(waiting.status_message).toContain("Approve this call of 'Bank.Approved@1.0.0'")
  expect(Object.keys(waiting.input_requests)).toEqual(['authorization:approval'])
  expect(upstream.arrived).toHaveLength(0)
  await decide(linkOf(waiting), approver.key, /Approve/)
  expect(await settled(path, caller, isEnded)).toMatchObject({ status: 'completed', result: { success: true } })
  expect(upstream.arrived).toHaveLength(1)
})

it('a call continues by itself after its approval, even if its state is never read', async () => {
  const { caller } = await createKey()
  const approver = await createKey(['tools:read', 'tools:call', 'tools:publish'])
  const path = await begin('Approved', caller)
  const waiting = await settled(path, caller, (status) => status === 'input_required')
  // Not for a change of the state that it has now
  const since = new URLSearchParams({ wait: '59', updated_at: waiting.created_at })
  expect((await app.json('GET', `${path}?${since}`, undefined, caller)).body).toEqual(waiting)
  await sleep(5_000)
  await decide(linkOf(waiting), approver.key, /Approve/)
  await expect.poll(() => upstream.arrived.length, { timeout: 90_000 }).toBe(1)
  expect(await settled(path, caller, isEnded)).toMatchObject({ status: 'completed' })
})

it('a call that a person refuses fails, and does not ask for approval again', async () => {
  const { caller } = await createKey()
  const approver = await createKey(['tools:read', 'tools:call', 'tools:publish'])
  const path = await begin('Approved', caller)
  const waiting = await settled(path, caller, (status) => status === 'input_required')
  await decide(linkOf(waiting), approver.key, /Deny/)
  // While it waits, it is not to be seen with a key that does not cover its tool
  const read = async () => (await app.json('GET', path, undefined, caller)).body
  const refused = { success: false, error: { message: 'The person refused' } }
  await expect.poll(read, { timeout: 30_000 }).toMatchObject({ status: 'failed', result: refused })
  expect(upstream.arrived).toHaveLength(0)
})

it('another principal, even an administrator, cannot see or cancel a call', async () => {
  const { caller } = await createKey()
  const path = await begin('Approved', caller)
  for (const other of [(await createKey()).caller, ADMIN]) {
    expect((await app.json('GET', path, undefined, other)).status).toBe(404)
    expect((await app.json('DELETE', path, undefined, other)).status).toBe(404)
  }
  const unknown = `${path.slice(0, -4)}AAAA`
  expect((await app.json('DELETE', unknown, undefined, caller)).status).toBe(404)
  expect((await app.json('GET', path, undefined, caller)).status).toBe(200)
})

it.each(['DELETE', 'tasks/cancel'])("canceling a call by %s ends its tool's request", async (method) => {
  const { caller } = await createKey()
  delayMs = 20_000
  const path = await begin('Pay', caller)
  while (upstream.arrived.length === 0) await sleep(20)
  const cancel = () => app.json('DELETE', path, undefined, caller)
  const taskId = path.split('/').at(-1)
  if (method === 'DELETE') expect((await cancel()).status).toBe(204)
  else await sendMcp(app, method, { taskId }, { headers: caller, capabilities: TAKES_TASKS })
  const read = async () => (await app.json('GET', path, undefined, caller)).body
  expect(await read()).toMatchObject({ status: 'cancelled' })
  await expect.poll(() => abortedCount).toBe(1)
  expect(await read()).toMatchObject({ status: 'cancelled' })
  expect(await read()).not.toHaveProperty('result')
  expect((await cancel()).status).toBe(204)
})

it('removing a key ends its calls', async () => {
  const { id, caller } = await createKey()
  delayMs = 20_000
  const waiting = await begin('Approved', caller)
  await begin('Pay', caller)
  while (upstream.arrived.length === 0) await sleep(20)
  await settled(waiting, caller, (status) => status === 'input_required')
  expect((await app.json('DELETE', `/keys/${id}`, undefined, ADMIN)).status).toBe(204)
  await expect.poll(() => abortedCount).toBe(1)
  expect((await app.json('GET', waiting, undefined, caller)).status).toBe(401)
  expect(upstream.arrived).toHaveLength(1)
})

it('an approved call does not run for a key that may no longer make it', async () => {
  const { id, caller } = await createKey()
  const approver = await createKey(['tools:read', 'tools:call', 'tools:publish'])
  const path = await begin('Approved', caller)
  const waiting = await settled(path, caller, (status) => status === 'input_required')
  expect((await app.json('PATCH', `/keys/${id}`, { tools: ['SMS.*'] }, ADMIN)).status).toBe(200)
  await decide(linkOf(waiting), approver.key, /Approve/)
  // While it waits, it is not to be seen with a key that does not cover its tool
  const read = async () => (await app.json('GET', path, undefined, caller)).body
  await expect.poll(read, { timeout: 30_000 }).toMatchObject({ status: 'failed', result: { success: false } })
  expect(upstream.arrived).toHaveLength(0)
})

it('one key has at most a hundred open calls', async () => {
  const { caller } = await createKey()
  const paths = await Promise.all(Array.from({ length: 100 }, () => begin('Approved', caller)))
  const refused = await start('Approved', caller)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('60')
  expect((await start('Approved', (await createKey()).caller)).status).toBe(202)
  await app.json('DELETE', paths[0] ?? '', undefined, caller)
  expect((await start('Approved', caller)).status).toBe(202)
}, 60_000)

it('an input of megabytes is stored completely, up to the limit of a key', async () => {
  const { caller } = await createKey()
  const note = 'x'.repeat(3_000_000)
  const path = await begin('Pay', caller, { input: { note } })
  const ended = await settled(path, caller, isEnded)
  expect(ended.result.value).toMatchObject({ paid: true })
  expect(ended.result.value.characters).toBeGreaterThan(note.length)
  delayMs = 20_000
  const answers: Answer[] = []
  for (let call = 0; call < 9; call++) answers.push(await start('Pay', caller, { input: { note } }))
  expect(answers.map(({ status }) => status)).toEqual([...Array(8).fill(202), 429])
  for (const { headers } of answers.slice(0, 8))
    await app.json('DELETE', headers.get('location') ?? '', undefined, caller)
  expect((await start('Pay', caller, { input: { note } })).status).toBe(202)
}, 60_000)

it('credentials of the caller are used once and are never shown', async () => {
  const { caller } = await createKey()
  const context = { secrets: [{ id: 'OWN', value: 'a secret of the caller' }] }
  const path = await begin('Pay', caller, { context })
  expect(JSON.stringify(await settled(path, caller, isEnded))).not.toContain('a secret of the caller')
})

it('the command line and the client start an asynchronous call, wait for it with its progress and links, and cancel it', async () => {
  const { key, caller } = await createKey()
  const approver = await createKey(['tools:read', 'tools:call', 'tools:publish'])
  const cli = buildCommandLine({ SWITCHBOARD_URL: app.url, SWITCHBOARD_KEY: key, CI: 'true' })
  try {
    const begun = await cli.run(['call', 'Bank.Approved', '--field', 'cents=5', '--async'])
    expect(begun.code, begun.stderr).toBe(0)
    const id = begun.stdout.trim()
    await settled(`/calls/${id}`, caller, (status) => status === 'input_required')
    const shown = Promise.withResolvers<void>()
    const waiting = cli.run(['calls', 'wait', id], {
      onPrinted: (printed) => printed.includes('/authorizations/') && shown.resolve(),
    })
    const task = await settled(`/calls/${id}`, caller, (status) => status === 'input_required')
    // Where it ends before, what it printed is what is wrong
    await Promise.race([shown.promise, waiting])
    await decide(linkOf(task), approver.key, /Approve/)
    const { code, stdout, stderr } = await waiting
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('"paid": true')
    expect(stderr).toContain("Approve this call of 'Bank.Approved@1.0.0'")
    expect(stderr).toContain(linkOf(task))

    const client = new Switchboard({ url: app.url, key })
    const { callId, status } = await client.callAsync('Bank.Pay', { cents: 5 })
    expect(status).toBe('working')
    expect(await client.wait(callId)).toMatchObject({ callId, value: { paid: true } })
    const other = await client.callAsync('Bank.Approved', { cents: 6 })
    expect((await cli.run(['calls', 'cancel', other.callId, '--yes'])).code).toBe(0)
    await expect(client.wait(other.callId)).rejects.toMatchObject({ code: 'cancelled' })
    await expect(client.wait('unknown')).rejects.toMatchObject({ code: 'not_found' })
    for (const id of ['unknown', '-unknown']) expect((await cli.run(['calls', 'wait', id])).code).toBe(4)
  } finally {
    cli.remove()
  }
})

it('the command line stops waiting for a call or a person when --timeout is over', async () => {
  const { key, caller } = await createKey()
  const cli = buildCommandLine({ SWITCHBOARD_URL: app.url, SWITCHBOARD_KEY: key, CI: 'true' })
  try {
    const path = await begin('Approved', caller)
    await settled(path, caller, (status) => status === 'input_required')
    const commands = [
      ['calls', 'wait', path.split('/').at(-1) ?? ''],
      ['call', 'Bank.Approved', '--wait'],
    ]
    const ended = await Promise.all(commands.map((command) => cli.run([...command, '--timeout', '8'])))
    for (const { code, stderr } of ended) {
      expect(code, stderr).toBe(5)
      expect(stderr).toContain('still waiting; --timeout ends it sooner')
      expect(stderr).toMatch(/There was no answer in time\n$/)
    }
  } finally {
    cli.remove()
  }
}, 60_000)
