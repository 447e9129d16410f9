import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../upstream.ts'
import { sendMcp, TAKES_TASKS } from './mcp-request.ts'
import { buildMovedBundle, MOVED_ENTRY } from './moved-bundle.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { type ServerProcess, startProcess } from './process.ts'
import type { RunningServer } from './server.ts'

/** Longer than a link is open. */
const QUARTER_MS = 16 * 60_000
const DAY_MS = 24 * 60 * 60_000
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

async function begin(at: RunningServer, tool_id: string, cents = 5): Promise<string> {
  const { status, headers, body } = await at.json('POST', '/tools/call', { tool_id, input: { cents } }, ASYNC)
  expect(status, JSON.stringify(body)).toBe(202)
  return headers.get('location') ?? ''
}

async function settled(at: RunningServer, path: string, isWanted: (task: Task) => boolean, read = readTask) {
  let task: Task | undefined
  for (let wait = 0; wait < 60; wait++) {
    task = await read(at, path)
    if (isWanted(task)) return task
  }
  throw new Error(`It did not get there: ${JSON.stringify(task)}`)
}

async function readTask(at: RunningServer, path: string): Promise<Task> {
  const { status, body } = await at.json('GET', `${path}?wait=1`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

/** The same over MCP, whose requests for input are links as over HTTP. */
async function beginMcp(at: RunningServer, name: string): Promise<string> {
  const { result } = await sendMcp(at, 'tools/call', { name, arguments: { cents: 6 } }, { capabilities: TAKES_TASKS })
  expect(result).toMatchObject({ resultType: 'task' })
  return result.taskId
}

async function readMcpTask(at: RunningServer, taskId: string): Promise<Task> {
  await sleep(500)
  const { result } = await sendMcp(at, 'tasks/get', { taskId }, { capabilities: TAKES_TASKS })
  const { inputRequests, statusMessage, ...task } = result
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

let folders: readonly string[] = []
let server: ServerProcess | undefined
afterAll(async () => {
  await server?.stop({ keep: true })
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

it('calls over HTTP and MCP wait an hour for approval, continue after their server was killed, and run once', async () => {
  const [persistTo, outdir] = [await mkdtemp(join(tmpdir(), 'switchboard-tasks-')), await buildMovedBundle()]
  folders = [persistTo, outdir]
  const command = ['node', 'src/node/serve.ts', '--built', '--outdir', outdir, '--entry', MOVED_ENTRY]
  const variables = ['ACCESS:open', `ALLOW_HTTP_HOSTS:${upstream.host}`]
  const start = (aheadMs: number) =>
    startProcess([...command, ...[...variables, `AHEAD_MS:${aheadMs}`].flatMap((each) => ['--var', each])], persistTo)
  let running = (server = await start(0))
  await publish(running, 'Approved', { security_level: 8 })
  await publish(running, 'Pay')
  // Of two calls with the same input, either could use the approval
  const [path, forgotten] = [await begin(running, 'Bank.Approved'), await begin(running, 'Bank.Approved', 7)]
  const taskId = await beginMcp(running, 'Bank_Approved')
  const seen: [Task, Task][] = []
  for (let quarter = 0; quarter <= 4; quarter++) {
    await running.json('GET', '/health', undefined, { 'ahead-ms': `${quarter * QUARTER_MS}` })
    // A link that has expired gives way to another
    const [last, lastMcp] = (seen.at(-1) ?? []).map(keyOf)
    seen.push([
      await settled(running, path, (task) => waits(task) && keyOf(task) !== last),
      await settled(running, taskId, (task) => waits(task) && keyOf(task) !== lastMcp, readMcpTask),
    ])
  }
  expect(new Set(seen.flat().map(linkOf)).size).toBe(10)
  expect(upstream.arrived).toHaveLength(0)
  delayMs = 5_000
  const killed = await begin(running, 'Bank.Pay')
  while (upstream.arrived.length === 0) await sleep(20)

  await running.stop({ signal: 'SIGKILL', keep: true })
  running = server = await start(4 * QUARTER_MS)
  delayMs = 0
  for (const task of seen.at(-1) ?? []) await approve(`${running.url}${new URL(linkOf(task)).pathname}`)
  expect(await settled(running, taskId, isEnded, readMcpTask)).toMatchObject({
    status: 'completed',
    result: { structuredContent: { paid: true } },
  })
  expect(await settled(running, path, isEnded)).toMatchObject({ status: 'completed', result: { success: true } })
  expect(await settled(running, killed, isEnded)).toMatchObject({
    status: 'failed',
    result: { success: false, error: { message: expect.stringMatching(/never finished|not known|unknown/i) } },
  })
  const inputs = upstream.arrived.map(({ body }) => JSON.parse(body).cents)
  expect(inputs.sort()).toEqual([5, 5, 6])

  await running.json('GET', '/health', undefined, { 'ahead-ms': `${DAY_MS}` })
  expect(await settled(running, forgotten, isEnded)).toMatchObject({
    status: 'failed',
    status_message: 'The call did not end within a day',
    result: { success: false },
  })
  expect(upstream.arrived).toHaveLength(3)
}, 300_000)
