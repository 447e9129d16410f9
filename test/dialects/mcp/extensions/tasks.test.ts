import { describe, expect, it, vi } from 'vitest'
import { fail, ok, type Failure } from '../../../../src/core/failure/failure.ts'
import type { Task } from '../../../../src/core/task/task.ts'
import type { TaskManager } from '../../../../src/core/task/tasks.ts'
import type { JsonObject } from '../../../../src/core/tool/json.ts'
import type { McpExtension } from '../../../../src/dialects/mcp/extensions/extension.ts'
import type { McpExchange } from '../../../../src/dialects/mcp/tools-call.ts'
import { toResult } from '../../../../src/dialects/mcp/wire.ts'
import { registerTasks } from '../../../../src/dialects/mcp/extensions/tasks/register.ts'
import { record, setUp, succeed, type SetUp } from '../set-up.ts'

const ID = 'io.modelcontextprotocol/tasks'
const TAKES_TASKS = { extensions: { [ID]: {} }, elicitation: { form: {}, url: {} } }
const SLOW = record('slow', { taskSupport: 'optional' })
const JOB = record('job', { taskSupport: 'required' })
const APPROVAL: Failure = {
  type: 'approval-required',
  id: 'Kit.echo@1.0.0',
  reason: 'Its security level is 8',
  challenge: { id: 'approval', url: 'https://here.example/authorizations/x', scopes: [], status: 'pending' },
}
const FORM = { name: { method: 'elicitation/create', params: { mode: 'form', message: 'Your name?' } } }
const LINK = { a1: { method: 'elicitation/create', params: { mode: 'url', url: 'https://here.example/a' } } }

function task(given: Partial<Task> = {}): Task {
  const at = '2026-11-30T05:00:00.000Z'
  const fields = { createdAt: at, lastUpdatedAt: at, ttlMs: 1_000, pollIntervalMs: 100 }
  return { id: 't1', status: 'working', tool: 'Kit.slow@1.0.0', revision: 1, ...fields, ...given }
}

const outcome = (result: NonNullable<Task['outcome']>['result']) => ({ callId: 't1', durationMs: 1, result })

/** `later` is what the task has become when it is looked at again. */
function withTasks(later: Partial<Task> = {}, given: SetUp = {}) {
  const current = task(later)
  const find = async (id: string) => ok(id === 't1' ? current : undefined)
  const tasks = {
    start: vi.fn<TaskManager['start']>(async () => ok(task())),
    get: vi.fn<TaskManager['get']>(find),
    update: vi.fn<TaskManager['update']>(async (id) => ok(id === 't1')),
    cancel: vi.fn<TaskManager['cancel']>(async (id) => ok(id === 't1')),
  }
  const served = setUp({
    records: [record('echo'), SLOW, JOB],
    extend: (extensions, resolver) => registerTasks(extensions, { tasks, resolver }),
    ...given,
  })
  async function send(method: string, params: Record<string, unknown>, capabilities: object = TAKES_TASKS) {
    const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
    const named = typeof params['taskId'] === 'string' ? { 'mcp-name': params['taskId'] } : {}
    const response = await served.modern(method, params, { meta, headers: named })
    const { result, error } = await response.json<{
      result: Record<string, unknown>
      error: { code: number; data?: unknown; message: string }
    }>()
    return { result, error, status: response.status }
  }
  const call = (name: string, capabilities?: object, more: object = {}) =>
    send('tools/call', { name, arguments: { x: 1 }, ...more }, capabilities)
  return { ...served, tasks, send, call }
}

describe('a call of a client that supports tasks', () => {
  it('becomes a task if its tool takes long, as only the server decides', async () => {
    const { call, calls, tasks } = withTasks()
    const { result } = await call('slow')
    const { status, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task()
    const fields = { status, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }
    expect(result).toMatchObject({ resultType: 'task', taskId: 't1', ...fields })
    for (const absent of ['task', 'result', 'error', 'inputRequests', 'requestState', 'ttl', 'pollInterval'])
      expect(result).not.toHaveProperty(absent)
    expect(tasks.start.mock.calls[0]?.[0]).toMatchObject({ input: { x: 1 } })
    const { result: plain } = await call('echo', TAKES_TASKS, { task: { ttl: 1 } })
    expect(plain).toMatchObject({ resultType: 'complete', structuredContent: { x: 1 } })
    expect([calls.length, tasks.start.mock.calls.length]).toEqual([1, 1])
  })

  it('is answered with its result if it ends within half a second', async () => {
    const { call } = withTasks({ status: 'completed', outcome: outcome(succeed({ y: 2 })) })
    expect((await call('slow')).result).toMatchObject({ resultType: 'complete', structuredContent: { y: 2 } })
  })

  it('has its round trip before the task if its tool asks for input immediately', async () => {
    const run = () => fail({ type: 'input-required', requests: FORM } as const)
    const { call, tasks, calls } = withTasks({ status: 'input_required', inputRequests: FORM }, { run })
    const { result } = await call('job')
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: FORM })
    expect(result).not.toHaveProperty('taskId')
    expect(tasks.cancel).toHaveBeenCalledWith('t1', expect.anything())
    expect(calls).toHaveLength(1)
  })

  it('becomes a task, without a round trip, if a person must open a link first', async () => {
    const { call, tasks } = withTasks({}, { run: () => fail(APPROVAL) })
    expect((await call('echo')).result).toMatchObject({ resultType: 'task', taskId: 't1' })
    const asksNobody = { extensions: { [ID]: {} } }
    expect((await call('echo', asksNobody)).result).toMatchObject({ isError: true })
    expect(tasks.start).toHaveBeenCalledTimes(1)
    const waiting = withTasks({ status: 'input_required', inputRequests: LINK })
    expect((await waiting.call('job')).result).toMatchObject({ resultType: 'task', status: 'input_required' })
    expect(waiting.tasks.cancel).not.toHaveBeenCalled()
  })

  it('runs without a task if none can be stored', async () => {
    const { call, tasks } = withTasks()
    tasks.start.mockResolvedValue(fail({ type: 'rate-limited', retry_after_ms: 1_000 }))
    for (const name of ['slow', 'job']) expect((await call(name)).result).toMatchObject({ structuredContent: { x: 1 } })
    const lost = withTasks()
    for (const answer of [ok(undefined), fail({ type: 'unavailable', message: 'No storage' })]) {
      // It may run, so it is not called again
      lost.tasks.get.mockResolvedValue(answer)
      expect((await lost.call('slow')).result).toMatchObject({ resultType: 'task', taskId: 't1' })
    }
    expect(lost.calls).toHaveLength(0)
    const unreachable = withTasks()
    const extend: SetUp['extend'] = (extensions) =>
      registerTasks(extensions, { tasks: unreachable.tasks, resolver: { resolve: () => Promise.reject(new Error()) } })
    const { result } = await withTasks({}, { extend }).call('slow')
    expect(result).toMatchObject({ structuredContent: { x: 1 } })
    const waiting = withTasks({}, { run: () => fail(APPROVAL) })
    waiting.tasks.start.mockResolvedValue(fail({ type: 'unavailable', message: 'No storage' }))
    expect((await waiting.call('echo')).result).toMatchObject({ resultType: 'input_required' })
  })
})

describe('a client without task support', () => {
  it('is not affected by tasks, unless the tool requires one', async () => {
    const { send, call, calls, legacy, tasks } = withTasks()
    const requiredCapabilities = { extensions: { [ID]: {} } }
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      expect(await send(method, { taskId: 't1' }, {})).toMatchObject({
        status: 400,
        error: { code: -32021, data: { requiredCapabilities } },
      })
    expect((await call('slow', {})).result).toMatchObject({ resultType: 'complete' })
    expect(calls.map(({ caller }) => caller.lacksTasks)).toEqual([true])
    const meta = { 'io.modelcontextprotocol/clientCapabilities': TAKES_TASKS }
    await legacy('tools/call', { name: 'job', arguments: {} }, { meta })
    expect(calls.at(-1)?.caller.lacksTasks).toBeFalsy()
    expect(tasks.start).not.toHaveBeenCalled()
    expect(await (await legacy('tasks/get', { taskId: 't1' })).json()).toMatchObject({ error: { code: -32601 } })
    const refusal = { type: 'tool-not-executable', id: 'Kit.job@1.0.0', reason: 'x', needsTask: true } as const
    const refused = withTasks({}, { run: () => fail(refusal) })
    expect(await refused.call('job', {})).toMatchObject({ error: { code: -32021, data: { requiredCapabilities } } })
  })
})

describe('the methods of tasks', () => {
  it.each<[Partial<Task>, object]>([
    [{ statusMessage: '1 of 2' }, { status: 'working', statusMessage: '1 of 2' }],
    [{ status: 'cancelled' }, { status: 'cancelled' }],
    [{ status: 'input_required', inputRequests: { ...LINK, ...FORM } }, { inputRequests: { ...LINK, ...FORM } }],
    [{ status: 'completed', outcome: outcome(succeed({ y: 2 })) }, { result: { structuredContent: { y: 2 } } }],
    [
      { status: 'failed', outcome: outcome(fail({ type: 'tool-failed', message: 'It broke' })) },
      { status: 'completed', result: { isError: true } },
    ],
    [
      { status: 'failed', outcome: outcome(fail({ type: 'internal', reference: 't1' })) },
      { status: 'failed', error: { code: -32603, message: expect.any(String) } },
    ],
  ])('give %j as %j', async (given, wanted) => {
    const { result } = await withTasks(given).send('tasks/get', { taskId: 't1' })
    expect(result).toMatchObject({ resultType: 'complete', taskId: 't1', ...wanted })
    if ('error' in wanted) expect(result).not.toHaveProperty('result')
  })

  it('request only input that the client declared', async () => {
    const { send } = withTasks({ status: 'input_required', inputRequests: { ...LINK, ...FORM } })
    const { result } = await send('tasks/get', { taskId: 't1' }, { ...TAKES_TASKS, elicitation: {} })
    expect(result.inputRequests).toEqual(FORM)
  })

  it('acknowledge an update and a cancellation, and find no other task', async () => {
    const { send, tasks } = withTasks()
    const inputResponses = { name: { action: 'accept', content: { name: 'Ada' } }, foreign: { x: 1 } }
    const { result } = await send('tasks/update', { taskId: 't1', inputResponses })
    expect(Object.keys(result).sort()).toEqual(['_meta', 'resultType'])
    expect(tasks.update).toHaveBeenCalledWith('t1', expect.anything(), inputResponses)
    expect((await send('tasks/cancel', { taskId: 't1' })).result).toMatchObject({ resultType: 'complete' })
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect(await send(method, { taskId: 'other' })).toMatchObject({ error: { code: -32602 } })
      expect(await send(method, {})).toMatchObject({ error: { code: -32602 } })
      expect(await send(method, { taskId: 'x'.repeat(300) })).toMatchObject({ error: { code: -32602 } })
    }
    expect(await send('tasks/update', { taskId: 't1', inputResponses: 5 })).toMatchObject({ error: { code: -32602 } })
    for (const method of ['tasks/list', 'tasks/result'])
      expect(await send(method, { taskId: 't1' })).toMatchObject({ status: 404, error: { code: -32601 } })
  })

  it('require the task id in the header Mcp-Name', async () => {
    const { modern } = withTasks()
    const meta = { 'io.modelcontextprotocol/clientCapabilities': TAKES_TASKS }
    for (const name of ['t2', undefined]) {
      const response = await modern('tasks/get', { taskId: 't1' }, { meta, headers: { 'mcp-name': name } })
      expect(await response.json()).toMatchObject({ error: { code: -32020 } })
    }
  })
})

it('a listen stream reports each change of its tasks, and of no others', async () => {
  const { tasks } = withTasks({ statusMessage: '1 of 2' })
  const extensions: McpExtension[] = []
  registerTasks(extensions, { tasks, resolver: { resolve: () => fail({ type: 'id-malformed', ref: '' }) } })
  let exchange: McpExchange | undefined
  const take = async (_: object, taken: McpExchange) => toResult({ taken: (exchange = taken) !== undefined })
  extensions.push({ methods: { 'test/exchange': take } })
  await setUp({ extensions }).modern('test/exchange')
  const getExchange = () => exchange ?? expect.unreachable()
  const watch = (given: JsonObject) => extensions[0]?.watch?.(given, getExchange())
  expect(await watch({ toolsListChanged: true })).toBeUndefined()
  const watched = await watch({ taskIds: ['t1', 'other'] })
  expect(watched?.accepted).toEqual({ taskIds: ['t1'] })
  const method = 'notifications/tasks'
  const now = { taskId: 't1', status: 'working', statusMessage: '1 of 2' }
  expect(await watched?.poll(getExchange())).toMatchObject([{ method, params: now }])
  expect(await watched?.poll(getExchange())).toEqual([])
  tasks.get.mockResolvedValue(ok(task({ status: 'cancelled', lastUpdatedAt: '2026-11-30T06:00:00.000Z' })))
  expect(await watched?.poll(getExchange())).toMatchObject([{ method, params: { taskId: 't1', status: 'cancelled' } }])
  tasks.get.mockResolvedValue(ok(undefined))
  expect(await watched?.poll(getExchange())).toEqual([])
})
