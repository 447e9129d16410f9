import { expect, test } from 'vitest'
import { MAY_HAVE_RUN } from '../../../src/core/failure/failure-text.ts'
import { readAll } from '../../importers/reading.ts'
import { startUpstream } from '../../upstream.ts'
import { type Calling, callRemote, importerFrom, upstreamDeps } from './set-up.ts'
import { createUpstreams } from '../../../src/runners/remote/upstreams.ts'

const TASKS = 'io.modelcontextprotocol/tasks'
const TASK = { taskId: 'task-1', createdAt: 'now', lastUpdatedAt: 'now', ttlMs: null }
const CREATED = { ...TASK, resultType: 'task', status: 'working' }
const DONE = { ...TASK, status: 'completed', result: { content: [{ type: 'text', text: 'It ran' }] } }
const READ_ONLY = { annotations: { readOnlyHint: true } }

interface Answers {
  readonly capabilities?: object
  readonly tools?: readonly object[]
  readonly created?: object
  /** The answers to `tasks/get`, the last one again and again. A number is a status of HTTP. */
  readonly states?: readonly (object | number)[]
  readonly onGet?: (count: number) => void
}

/** A server of 2026-07-28 whose calls become tasks. */
async function startTasks({
  capabilities = { tools: {}, extensions: { [TASKS]: {} } },
  tools = [],
  created = CREATED,
  states = [DONE],
  onGet,
}: Answers) {
  const sent: { method: string; params: Record<string, any>; name: unknown }[] = []
  let count = 0
  const server = await startUpstream(({ body, headers }, response) => {
    const { id, method, params } = JSON.parse(body)
    sent.push({ method, params, name: headers['mcp-name'] })
    const common = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    const answer = (result: object) => {
      const message = 'error' in result && !('status' in result) ? result : { result }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...message }))
    }
    if (method === 'server/discover') return answer({ ...common, supportedVersions: ['2026-07-28'], capabilities })
    if (method === 'tools/list') return answer({ ...common, tools })
    if (method === 'tools/call') return answer(created)
    if (method !== 'tasks/get') return answer({ resultType: 'complete' })
    count++
    onGet?.(count)
    const state = states[Math.min(count, states.length) - 1] ?? {}
    if (typeof state === 'number') return void response.writeHead(state).end()
    return answer({ resultType: 'complete', ...state })
  })
  return { ...server, sent, methods: () => sent.map(({ method }) => method) }
}

async function callTask(answers: Answers, given: Calling = {}) {
  const server = await startTasks(answers)
  const deps = upstreamDeps(server.host)
  try {
    const result = await callRemote(deps, { url: `${server.origin}/mcp`, tool: 'any' }, given)
    return { result, deps, sent: server.sent, methods: server.methods() }
  } finally {
    await server.close()
  }
}

test('a task of another server that completes gives its result like an immediate one', async () => {
  const reports: unknown[] = []
  const progress = (...report: unknown[]) => void reports.push(report)
  const result = { content: [{ type: 'text', text: '{"n":1}' }, { type: 'later' }], structuredContent: { n: 1 } }
  const working = { ...TASK, status: 'working', pollIntervalMs: 700 }
  const states = [{ ...working, statusMessage: 'Half done' }, working, { ...DONE, result }]
  const { result: called, deps, sent, methods } = await callTask({ states }, { context: { progress } })
  expect(called).toEqual({ ok: true, value: { n: 1 } })
  expect(reports).toEqual([[1, undefined, 'Half done']])
  expect(methods).toEqual(['server/discover', 'tools/call', 'tasks/get', 'tasks/get', 'tasks/get'])
  expect(deps.slept).toEqual([1_000, 700, 700])
  const extensions = sent[1]?.params['_meta']['io.modelcontextprotocol/clientCapabilities'].extensions
  expect(extensions).toHaveProperty(TASKS, {})
  expect(sent[2]).toMatchObject({ name: 'task-1', params: { taskId: 'task-1' } })
})

test('a task of another server that fails, or whose tool fails, is a failed call in its own words', async () => {
  const isError = { ...DONE, result: { isError: true, content: [{ type: 'text', text: 'Out of paper' }] } }
  expect((await callTask({ states: [isError] })).result).toEqual({
    ok: false,
    failure: { message: 'Out of paper', can_retry: false },
  })
  const failed = { ...TASK, status: 'failed', error: { code: -32601, message: 'Out of ink' } }
  const { result, methods } = await callTask({ states: [failed] }, READ_ONLY)
  expect(result).toMatchObject({ ok: false, failure: { message: expect.stringContaining('error: Out of ink') } })
  expect(methods.filter((method) => method === 'tools/call')).toHaveLength(1)
  const cancelled = await callTask({ states: [{ ...TASK, status: 'cancelled' }] })
  expect(cancelled.result).toMatchObject({ failure: { message: expect.stringContaining('The task is cancelled') } })
  expect(cancelled.methods).not.toContain('tasks/cancel')
})

test('a task of another server that never ends is canceled with its call', async () => {
  const gone = new AbortController()
  const states = [{ ...TASK, status: 'working' }]
  const onGet = (count: number) => void (count === 5 && gone.abort())
  const context = { deadline: { signal: gone.signal } }
  const { result, sent, methods } = await callTask({ states, onGet }, { context })
  expect(result).toMatchObject({ ok: false })
  expect(sent.at(-1)).toMatchObject({ method: 'tasks/cancel', params: { taskId: 'task-1' } })
  expect(methods.filter((method) => method === 'tasks/cancel')).toHaveLength(1)
})

test('a task of another server that requests input continues when the call is repeated with it', async () => {
  const params = { mode: 'form', message: 'Who are you?', requestedSchema: { type: 'object', properties: {} } }
  const inputRequests = { who: { method: 'elicitation/create', params } }
  const asking = { ...TASK, status: 'input_required', inputRequests }
  const server = await startTasks({ states: [asking, asking, DONE] })
  const call = (answers: NonNullable<Calling['context']>['answers']) =>
    callRemote(upstreamDeps(server.host), { url: `${server.origin}/mcp`, tool: 'any' }, { context: { answers } })
  try {
    const first = await call({ responses: {} })
    expect(first).toMatchObject({
      asks: { requests: { who: { params: { message: `${server.host} says: Who are you?` } } } },
    })
    expect(server.methods()).not.toContain('tasks/cancel')
    const state = 'asks' in first ? first.asks.state : undefined
    server.sent.length = 0
    const responses = { who: { action: 'accept', content: { name: 'Ann' } } }
    expect(await call({ responses, ...(state === undefined ? {} : { state }) })).toMatchObject({ value: 'It ran' })
    // The server had not taken the answer yet when it was asked first
    expect(server.methods()).toEqual(['server/discover', 'tasks/update', 'tasks/get', 'tasks/get'])
    expect(server.sent[1]?.params).toMatchObject({ taskId: 'task-1', inputResponses: responses })
  } finally {
    await server.close()
  }
  const unasked = await callTask({ states: [asking] })
  expect(unasked.result).toMatchObject({ failure: { message: expect.stringMatching(/something first: Who are you/) } })
  expect(unasked.methods).toContain('tasks/cancel')
})

const HUGE = { ...TASK, status: 'working', statusMessage: 'x'.repeat(200_000) }
test.each<[string, Answers, RegExp]>([
  ['is huge', { states: [HUGE] }, /bytes/],
  ['has a message of megabytes', { states: [{ ...HUGE, statusMessage: 'x'.repeat(1_000_000) }] }, /did not report how/],
  ['becomes another task', { states: [{ ...DONE, taskId: 'task-2' }] }, /did not report how it ended/],
  ['has no name', { created: { ...CREATED, taskId: '' } }, /is not MCP/],
  ['has a name without end', { created: { ...CREATED, taskId: 'x'.repeat(100_000) } }, /is not MCP/],
  ['is in no known state', { states: [{ ...TASK, status: 'resting' }] }, /did not report how it ended/],
  ['is unknown', { states: [{ error: { code: -32602, message: 'Unknown' } }] }, /did not report how it ended/],
  [
    'is unknown to a server without tasks',
    { states: [{ error: { code: -32601, message: 'No' } }] },
    /did not report how/,
  ],
  ['is gone', { states: [404] }, /did not report how it ended/],
  ['needs other credentials', { states: [401] }, /did not report how it ended/],
  ['completes without a result', { states: [{ ...TASK, status: 'completed' }] }, /has no result/],
])('a task of another server that %s is a failure, and the tool is called once', async (_, answers, message) => {
  const { result, methods } = await callTask(answers)
  expect(result).toMatchObject({ ok: false, failure: { message: expect.stringMatching(message), can_retry: false } })
  expect(methods.filter((method) => method === 'tools/call')).toHaveLength(1)
  if (!message.test('has no result'))
    expect(result).toMatchObject({ failure: { additional_prompt_content: MAY_HAVE_RUN } })
})

test('a task of another server is read at most five times per second, and at least every ten seconds', async () => {
  const waits = [0, -1, 1e300, 'soon', null, 2_000]
  const states = [...waits.map((pollIntervalMs) => ({ ...TASK, status: 'working', pollIntervalMs })), DONE]
  const { result, deps } = await callTask({ states })
  expect(result).toMatchObject({ ok: true })
  expect(deps.slept).toEqual([1_000, 200, 200, 10_000, 200, 1_000, 2_000])
})

test('a server that announces tasks has tools that may become tasks, even if its revision is known', async () => {
  const tools = [
    { name: 'any', inputSchema: { type: 'object' } },
    { name: 'never', inputSchema: { type: 'object' }, execution: { taskSupport: 'forbidden' } },
    { name: 'always', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } },
  ]
  const imported = async (answers: Answers) => {
    const server = await startTasks({ tools, ...answers })
    const importer = importerFrom('mcp', createUpstreams(upstreamDeps(server.host)))
    try {
      const source = `${server.origin}/mcp`
      const lists = [await readAll(importer, { source, wantsSkills: true }), await readAll(importer, { source })]
      expect(server.methods().filter((method) => method === 'server/discover')).toHaveLength(1)
      expect(lists[1]).toEqual(lists[0])
      return lists[1]?.tools.map(({ definition }) => definition.taskSupport)
    } finally {
      await server.close()
    }
  }
  expect(await imported({})).toEqual(['optional', undefined, 'required'])
  expect(await imported({ capabilities: { tools: {} } })).toEqual([undefined, undefined, 'required'])
})
