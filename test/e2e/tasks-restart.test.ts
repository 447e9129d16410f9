import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { startInProcess } from '../platform/in-process.ts'
import { startUpstream, type Upstream } from '../upstream.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { type ServerProcess, startProcess } from './process.ts'
import { bundleFolder, type RunningServer } from './server.ts'

const MINUTE_MS = 60_000
const ASYNC = { prefer: 'respond-async' }

let upstream: Upstream
let delayMs = 0
beforeAll(async () => {
  upstream = await startUpstream(async (_, response) => {
    await sleep(delayMs)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"paid": true}')
  })
})
afterAll(() => upstream?.close())
beforeEach(() => {
  upstream.arrived.length = 0
  delayMs = 0
})

async function publish(to: RunningServer, name: string, fields: object = {}): Promise<void> {
  const inputSchema = { type: 'object', properties: { cents: { type: 'integer' } } }
  const definition = { name, description: `What ${name} does`, inputSchema }
  const implementation = { kind: 'http', method: 'POST', url: `${upstream.origin}/pay`, response: { type: 'json' } }
  const { status, body } = await to.json('POST', '/tools', {
    definition,
    toolkit: 'Bank',
    version: '1.0.0',
    implementation,
    ...fields,
  })
  expect(status, JSON.stringify(body)).toBe(201)
}

async function begin(at: RunningServer, tool_id: string): Promise<string> {
  const { status, headers, body } = await at.json('POST', '/tools/call', { tool_id, input: { cents: 5 } }, ASYNC)
  expect(status, JSON.stringify(body)).toBe(202)
  return headers.get('location') ?? ''
}

async function settled(at: RunningServer, path: string, isWanted: (task: Task) => boolean, read = readTask) {
  for (let wait = 0; wait < 60; wait++) {
    const task = await read(at, path)
    if (isWanted(task)) return task
  }
  throw new Error('It did not get there')
}

async function readTask(at: RunningServer, path: string): Promise<Task> {
  const { status, body } = await at.json('GET', `${path}?wait=1`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

async function sendMcp(at: RunningServer, method: string, params: Readonly<Record<string, unknown>>) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {
      elicitation: { url: {} },
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    },
  }
  const headers = {
    'accept': 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    'mcp-name': String(params['taskId'] ?? params['name']),
  }
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }
  const { body } = await at.json('POST', '/mcp', message, headers)
  expect(body.error).toBeUndefined()
  return body.result
}

/** The same over MCP, whose requests for input are links as over HTTP. */
async function beginMcp(at: RunningServer, name: string): Promise<string> {
  const answer = await sendMcp(at, 'tools/call', { name, arguments: { cents: 6 } })
  expect(answer).toMatchObject({ resultType: 'task' })
  return answer.taskId
}

async function readMcpTask(at: RunningServer, taskId: string): Promise<Task> {
  await sleep(500)
  if (vi.isFakeTimers()) vi.setSystemTime(Date.now() + 500)
  const { inputRequests, statusMessage, ...task } = await sendMcp(at, 'tasks/get', { taskId })
  return { ...task, input_requests: inputRequests, status_message: statusMessage }
}

interface Task {
  readonly status: string
  readonly input_requests?: Readonly<Record<string, { readonly params: { readonly url: string } }>>
  readonly status_message?: string
  readonly result?: unknown
}
const keyOf = (task: Task) => Object.keys(task.input_requests ?? {})[0]
const linkOf = (task: Task) => Object.values(task.input_requests ?? {})[0]?.params.url ?? ''
const isEnded = ({ status }: Task) => status !== 'working' && status !== 'input_required'
const waits = ({ status }: Task) => status === 'input_required'

async function approve(url: string): Promise<void> {
  const who = new HttpPerson()
  await who.press(await who.open(url), /Approve/)
}

let stop: () => Promise<void> = async () => undefined
afterEach(async () => {
  vi.useRealTimers()
  await stop()
})

it('a call waits an hour for its approval, by a new link each time that one expires, and a day at most', async () => {
  const app = await startInProcess({ vars: { ACCESS: 'open', ALLOW_HTTP_HOSTS: upstream.host } })
  stop = app.stop
  await publish(app, 'Approved', { security_level: 8 })
  const [path, forgotten] = [await begin(app, 'Bank.Approved'), await begin(app, 'Bank.Approved')]
  // Only the clock is moved: alarms come early, since the task is asked for
  vi.useFakeTimers({ toFake: ['Date'] })
  const seen: Task[] = [await settled(app, path, waits)]
  for (let quarter = 1; quarter <= 4; quarter++) {
    vi.setSystemTime(Date.now() + 16 * MINUTE_MS)
    const last = keyOf(seen.at(-1) ?? { status: '' })
    vi.setSystemTime(Date.now() + 3_000)
    seen.push(await settled(app, path, (task) => waits(task) && keyOf(task) !== last))
  }
  expect(new Set(seen.map(keyOf)).size).toBe(5)
  expect(new Set(seen.map(linkOf)).size).toBe(5)
  expect(upstream.arrived).toHaveLength(0)
  await approve(linkOf(seen.at(-1) ?? { status: '' }))
  vi.setSystemTime(Date.now() + 3_000)
  expect(await settled(app, path, isEnded)).toMatchObject({ status: 'completed', result: { success: true } })
  expect(upstream.arrived).toHaveLength(1)

  vi.setSystemTime(Date.now() + 24 * 60 * MINUTE_MS)
  expect(await settled(app, forgotten, isEnded)).toMatchObject({
    status: 'failed',
    status_message: 'It did not end in the time that a task may take',
    result: { success: false },
  })
  expect(upstream.arrived).toHaveLength(1)
}, 60_000)

it('a call over MCP waits an hour for its approval, by a new link each time that one expires', async () => {
  // Before the call, whose answer waits for the first run: all that has a clock by then has this one
  vi.useFakeTimers({ toFake: ['Date'] })
  const app = await startInProcess({ vars: { ACCESS: 'open', ALLOW_HTTP_HOSTS: upstream.host } })
  stop = app.stop
  await publish(app, 'Approved', { security_level: 8 })
  const taskId = await beginMcp(app, 'Bank_Approved')
  const seen: Task[] = [await settled(app, taskId, waits, readMcpTask)]
  for (let quarter = 1; quarter <= 4; quarter++) {
    vi.setSystemTime(Date.now() + 16 * MINUTE_MS)
    const last = keyOf(seen.at(-1) ?? { status: '' })
    vi.setSystemTime(Date.now() + 3_000)
    seen.push(await settled(app, taskId, (task) => waits(task) && keyOf(task) !== last, readMcpTask))
  }
  expect(new Set(seen.map(keyOf)).size).toBe(5)
  expect(new Set(seen.map(linkOf)).size).toBe(5)
  expect(upstream.arrived).toHaveLength(0)
  await approve(linkOf(seen.at(-1) ?? { status: '' }))
  vi.setSystemTime(Date.now() + 3_000)
  expect(await settled(app, taskId, isEnded, readMcpTask)).toMatchObject({ status: 'completed' })
  expect(upstream.arrived).toHaveLength(1)
}, 120_000)

it('a call that waits for an approval goes on after its server was killed, and one that ran is not run again', async () => {
  const persistTo = await mkdtemp(join(tmpdir(), 'switchboard-tasks-'))
  const variables = ['ACCESS:open', `ALLOW_HTTP_HOSTS:${upstream.host}`]
  const command = ['node', 'src/node/serve.ts', '--built', '--outdir', await bundleFolder()]
  const start = () => startProcess([...command, ...variables.flatMap((each) => ['--var', each])], persistTo)
  let server: ServerProcess = await start()
  stop = async () => {
    await server.stop({ keep: true })
    await rm(persistTo, { recursive: true, force: true })
  }
  await publish(server, 'Approved', { security_level: 8 })
  await publish(server, 'Pay')
  const waiting = await begin(server, 'Bank.Approved')
  const link = linkOf(await settled(server, waiting, waits))
  const waitingMcp = await beginMcp(server, 'Bank_Approved')
  const linkMcp = linkOf(await settled(server, waitingMcp, waits, readMcpTask))
  delayMs = 5_000
  const killed = await begin(server, 'Bank.Pay')
  while (upstream.arrived.length === 0) await sleep(20)

  await server.stop({ signal: 'SIGKILL', keep: true })
  server = await start()
  delayMs = 0
  for (const each of [link, linkMcp]) await approve(`${server.url}${new URL(each).pathname}`)
  expect(await settled(server, waitingMcp, isEnded, readMcpTask)).toMatchObject({
    status: 'completed',
    result: { structuredContent: { paid: true } },
  })
  expect(await settled(server, waiting, isEnded)).toMatchObject({ status: 'completed', result: { success: true } })
  expect(await settled(server, killed, isEnded)).toMatchObject({
    status: 'failed',
    result: { success: false, error: { message: expect.stringMatching(/never finished|not known|unknown/i) } },
  })
  expect(upstream.arrived).toHaveLength(3)
}, 180_000)
