import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTaskSessionFromClient, type WithTasksOptions } from '@modelcontextprotocol/ext-tasks/client'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callRemote, upstreamDeps } from '../runners/remote/set-up.ts'
import { eventsOf } from './events.ts'
import { fetchMcp, sendMcp, TAKES_TASKS } from './mcp-request.ts'
import { type RunningServer, startApp } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const CLIENT = { name: 'a test', version: '1.0.0' }
const SOON = { timeout: 30_000, interval: 200 }

let server: RunningServer
let key: string
beforeAll(async () => {
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  key = await createKey()
})
afterAll(() => server?.stop())

async function createKey(): Promise<string> {
  const body = { name: 'an agent', scopes: ['tools:read', 'tools:call'], tools: ['Fixture.*'] }
  const created = await server.json('POST', '/keys', body, { authorization: `Bearer ${ADMIN_KEY}` })
  expect(created.status).toBe(201)
  return created.body.key
}

const optionsFor = (as: string) => ({ capabilities: TAKES_TASKS, headers: { authorization: `Bearer ${as}` } })
const send = (method: string, params: Record<string, unknown>, as = key) =>
  sendMcp(server, method, params, optionsFor(as))

const call = (name: string, args: object, as = key) => send('tools/call', { name, arguments: args }, as)
const get = (taskId: string, as = key) => send('tasks/get', { taskId }, as)

describe('the official client with the tasks extension', () => {
  async function withSession<T>(
    options: WithTasksOptions,
    use: (session: ReturnType<typeof createTaskSessionFromClient>) => Promise<T>,
  ): Promise<T> {
    const client = new Client(CLIENT, {
      capabilities: TAKES_TASKS,
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    })
    const requestInit = { headers: { authorization: `Bearer ${key}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', server.url), { requestInit }))
    const session = createTaskSessionFromClient(client, {
      ...options,
      endpointId: 'switchboard',
      v2RequestFraming: { protocolVersion: '2026-07-28', clientInfo: CLIENT, clientCapabilities: TAKES_TASKS },
      async rawDispatch(request) {
        const { method, params } = JSON.parse(JSON.stringify(request))
        const { result, error } = await send(method, params)
        return error ? { kind: 'error', error } : { kind: 'result', result }
      },
    })
    try {
      return await use(session)
    } finally {
      await session.close()
      await client.close()
    }
  }

  it('gets results immediately or by tasks, with their progress', async () => {
    await withSession({}, async (session) => {
      const greeting = await session.callTool('greet', { name: 'Ada' })
      expect(greeting.kind).toBe('immediate')
      expect((await greeting.settle()).outcome).toMatchObject({ result: { content: [{ text: 'Hello, Ada!' }] } })

      const slow = await session.callTool('slow_compute', { seconds: 6, label: 'sums' })
      expect(slow.kind).toBe('task')
      const messages = new Set<string | undefined>()
      const { outcome } = await slow.settle({
        onEvent: (event) => void (event.type === 'task' && messages.add(event.task.statusMessage)),
      })
      expect(outcome).toMatchObject({ status: 'completed', result: { content: [{ text: 'Computed sums in 6 s' }] } })
      expect([...messages].some((message) => message?.endsWith('of 6 seconds'))).toBe(true)

      const failing = await session.callTool('failing_job')
      expect((await failing.settle()).outcome).toMatchObject({ status: 'completed', result: { isError: true } })
    })
  })

  it('answers a task that asks for input, and cancels another', async () => {
    const asked: unknown[] = []
    const onInputRequest: WithTasksOptions['onInputRequest'] = async (request, { delivery }) => {
      asked.push(delivery, request.params?.['message'])
      return JSON.parse(JSON.stringify({ action: 'accept', content: { confirm: true } }))
    }
    await withSession({ onInputRequest }, async (session) => {
      const deleting = await session.callTool('confirm_delete', { filename: 'a.txt' })
      expect((await deleting.settle()).outcome).toMatchObject({ result: { content: [{ text: 'Deleted a.txt' }] } })
      expect(asked).toEqual(['task-update', 'Delete a.txt?'])
      const slow = await session.callTool('slow_compute', { seconds: 60 })
      await slow.cancel()
      expect((await slow.settle()).outcome).toMatchObject({ status: 'cancelled' })
    })
  })
})

describe('another Switchboard', () => {
  it('polls the tasks, and answers their requests', async () => {
    const { host } = new URL(server.url)
    const deps = { ...upstreamDeps(host), sleep: (ms: number) => setTimeout(ms) }
    const credentials = [{ secret: 'KEY', in: 'header', name: 'Authorization', format: 'Bearer {value}' }]
    const given = { secrets: { KEY: key }, implementation: { credentials } }
    const tool = { url: `${server.url}/mcp`, tool: 'slow_compute' }
    const messages: unknown[] = []
    const progress = (...report: unknown[]) => void messages.push(report[2])
    const input = { seconds: 6, label: 'sums' }
    const called = await callRemote(deps, tool, { ...given, input, context: { progress } })
    expect(called).toMatchObject({ ok: true, value: 'Computed sums in 6 s' })
    // Progress is stored and read once a second, so some of it may be missed
    expect(messages).toContainEqual(expect.stringMatching(/^[0-5] of 6 seconds$/))

    const deleting = { ...given, input: { filename: 'b.txt' } }
    const confirm = { ...tool, tool: 'confirm_delete' }
    const first = await callRemote(deps, confirm, { ...deleting, context: { answers: { responses: {} } } })
    if (!('asks' in first)) throw new Error(`It asked for nothing: ${JSON.stringify(first)}`)
    expect(first.asks.requests).toHaveProperty('confirm.method', 'elicitation/create')
    const responses = { confirm: { action: 'accept', content: { confirm: true } } }
    const second = await callRemote(deps, confirm, { ...deleting, context: { answers: { ...first.asks, responses } } })
    expect(second).toMatchObject({ ok: true, value: 'Deleted b.txt' })
  })
})

describe('a task', () => {
  it('is reported on a listen stream', async () => {
    const { taskId } = (await call('slow_compute', { seconds: 4 })).result
    const leaving = new AbortController()
    const params = { notifications: { taskIds: [taskId] } }
    const options = { ...optionsFor(key), signal: leaving.signal }
    const response = await fetchMcp(server, 'subscriptions/listen', params, options)
    const told: { method?: string; params?: Record<string, unknown> }[] = []
    for await (const { data } of eventsOf(response)) {
      told.push(data)
      if (told.at(-1)?.params?.['status'] === 'completed') break
    }
    leaving.abort()
    expect(told[0]).toMatchObject({ params: { notifications: { taskIds: [taskId] } } })
    expect(told.at(-1)).toMatchObject({
      method: 'notifications/tasks',
      params: { taskId, result: { content: [{ type: 'text' }] } },
    })
  })

  it('cannot be found by others, or with a forged id', async () => {
    const { taskId } = (await call('confirm_delete', { filename: 'mine.txt' })).result
    await expect.poll(async () => (await get(taskId)).result.status, SOON).toBe('input_required')
    const stranger = await createKey()
    const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } }
    const forged = [
      taskId.slice(0, -1),
      `${taskId}x`,
      taskId.toUpperCase(),
      `${taskId.slice(0, -4)}AAAA`,
      '../t',
      'é',
      '',
    ]
    for (const [id, as] of [[taskId, stranger], ...forged.map((id) => [id, key])])
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
        const params = { taskId: id, ...(method === 'tasks/update' ? { inputResponses } : {}) }
        const { result, error } = await send(method, params, as)
        expect([result, [-32602, -32020].includes(error?.code ?? 0)], `${method} ${id}`).toEqual([undefined, true])
      }
    // Keys that were not requested have no effect, and neither does a repeated response
    for (const responses of [{ other: {} }, { ['__proto__x']: {} }, {}])
      expect((await send('tasks/update', { taskId, inputResponses: responses })).result.resultType).toBe('complete')
    expect((await get(taskId)).result).toMatchObject({ status: 'input_required', inputRequests: { confirm: {} } })
    await send('tasks/update', { taskId, inputResponses })
    const declined = { confirm: { action: 'decline' } }
    await send('tasks/update', { taskId, inputResponses: declined })
    await expect.poll(async () => (await get(taskId)).result.status, SOON).toBe('completed')
    expect((await get(taskId)).result.result.content[0].text).toBe('Deleted mine.txt')
  })

  it('is returned again for a repeated call, which does not cancel it while it waits for input', async () => {
    const _meta = { 'dev.switchboard/call_id': crypto.randomUUID() }
    const repeat = () => send('tools/call', { name: 'multi_input', arguments: {}, _meta })
    const { taskId } = (await repeat()).result
    await expect.poll(async () => (await get(taskId)).result.status, SOON).toBe('input_required')
    expect((await repeat()).result).toMatchObject({ resultType: 'task', taskId, status: 'input_required' })
    expect((await get(taskId)).result.status).toBe('input_required')
    await send('tasks/cancel', { taskId })
  })

  it('fails if the answers to its requests take more than 1 MiB', async () => {
    const answer = async (characters: number) => {
      const { taskId } = (await call('multi_input', {})).result
      await expect.poll(async () => (await get(taskId)).result.status, SOON).toBe('input_required')
      const first = { action: 'accept', content: { name: 'x'.repeat(characters) } }
      await send('tasks/update', { taskId, inputResponses: { first } })
      return { taskId, task: (await get(taskId)).result }
    }
    const { task: refused } = await answer(1024 * 1024)
    const statusMessage = "The tool's requests and their answers take more than 1 MiB"
    expect(refused).toMatchObject({ status: 'failed', statusMessage })
    const { taskId, task } = await answer(1024 * 1024 - 1_000)
    expect([task.status, Object.keys(task.inputRequests)]).toEqual(['input_required', ['second']])
    await send('tasks/update', { taskId, inputResponses: { second: { action: 'decline' } } })
    await expect.poll(async () => (await get(taskId)).result.status, SOON).toBe('completed')
  })

  it('is not created beyond a hundred: further calls run without a task', async () => {
    const flooder = await createKey()
    const calls = Array.from({ length: 100 }, () => call('slow_compute', { seconds: 60 }, flooder))
    const made = (await Promise.all(calls)).map(({ result }) => result.taskId)
    expect(new Set(made).size).toBe(100)
    const deleteOne = async (as: string) => (await call('confirm_delete', { filename: 'x' }, as)).result
    expect(await deleteOne(flooder)).toMatchObject({ resultType: 'input_required' })
    expect(await deleteOne(key)).toMatchObject({ resultType: 'task' })
    await Promise.all(made.map((taskId) => send('tasks/cancel', { taskId }, flooder)))
    expect(await deleteOne(flooder)).toMatchObject({ resultType: 'task' })
  })
})
