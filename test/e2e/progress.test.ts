import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { eventsOf, type ReadEvent, restOf } from './events.ts'
import { type Gate, startGate } from './gate.ts'
import { raw } from './raw.ts'
import { type RunningServer, startApp } from './server.ts'

/** Progress on the canonical face, as it comes while a call runs. */

const ADMIN = { authorization: 'Bearer the-administrator-of-this-test' }
const STREAM = { accept: 'text/event-stream' }
const STEPS = [0, 50, 100].map((progress) => ({
  event: 'progress',
  data: { progress, total: 100, message: `Completed step ${progress} of 100` },
}))

let gate: Gate
let server: RunningServer

beforeAll(async () => {
  gate = await startGate()
  const ADMIN_KEY = 'the-administrator-of-this-test'
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: gate.host } })
})
afterAll(() => Promise.all([server?.stop(), gate?.close()]))
beforeEach(() => {
  gate.arrived.length = 0
})

function call(body: object, { path = '/tools/call', headers = STREAM, signal }: Sent = {}): Promise<Response> {
  return fetch(server.url + path, {
    method: 'POST',
    headers: { ...ADMIN, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: signal ?? null,
  })
}

interface Sent {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

const gated = () => ({ tool_id: 'Fixture.Progress', input: { gate: gate.origin } })

/** Publishes a code tool, and gives its id. */
async function publishCode(name: string, module: string, hosts: readonly string[] = []): Promise<string> {
  const definition = {
    id: `Code.${name}@1.0.0`,
    name: `code_${name.toLowerCase()}`,
    description: 'A tool.',
    version: '1.0.0',
    input_schema: { parameters: { type: 'object', properties: {} } },
    output_schema: {},
  }
  const implementation = { kind: 'code', module, allowed_hosts: hosts }
  const { status, body } = await server.json('POST', '/tools', { definition, implementation }, ADMIN)
  expect(status, JSON.stringify(body)).toBe(201)
  return definition.id
}

const resultOf = (all: readonly ReadEvent[]) => all.find(({ event }) => event === 'result')?.data

it.each([
  ['/tools/call', {}],
  ['/oxp/tools/call', {}],
  ['/tools/call', { 'oxp-version': '1.0' }],
  ['/oxp/tools/call', { 'oxp-version': '1.0' }],
])(
  'a stream at %s with %j reports each step while the tool runs, and then the same result as JSON',
  async (path, more) => {
    const response = await call(gated(), { path, headers: { ...STREAM, ...more } })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    const events = eventsOf(response)
    for (const [index, step] of STEPS.entries()) {
      expect((await events.next()).value).toEqual(step)
      // It is told before the tool goes on
      await gate.come(index + 1)
      gate.open()
    }
    const result = { call_id: expect.any(String), success: true, duration: expect.any(Number), value: 'Done' }
    const body = 'oxp-version' in more ? result : { $schema: 'urn:oxp:1.0', result }
    expect((await events.next()).value).toEqual({ event: 'result', data: body })
    expect((await events.next()).done).toBe(true)
    expect(response.headers.get('oxp-version')).toBe('oxp-version' in more ? '1.0' : null)
  },
)

it('a stream reports the progress of a sandboxed module', async () => {
  const module = `export default async (_, { progress }) => {
      for (const step of [1, 2, 3]) { await progress(step, 3, 'step ' + step); await fetch('${gate.origin}') }
      throw new Error('Out of paper')
    }`
  const tool_id = await publishCode('Steps', module, [gate.host])
  const events = eventsOf(await call({ tool_id }))
  for (const step of [1, 2, 3]) {
    expect((await events.next()).value).toEqual({
      event: 'progress',
      data: { progress: step, total: 3, message: `step ${step}` },
    })
    await gate.come(step)
    gate.open()
  }
  const { value } = await events.next()
  expect(value).toMatchObject({
    event: 'result',
    data: { result: { success: false, error: { message: 'Out of paper' } } },
  })
})

it('a stream is limited, whatever a module reports', async () => {
  const tool_id = await publishCode(
    'Flood',
    `export default (_, { progress }) => {
        for (let step = 1; step <= 100_000; step++) progress(step, 100_000, 'x'.repeat(1_000))
        progress(100_001, 'many', 'y'.repeat(5_000_000))
        progress(7); progress('8'); progress(NaN); progress({}); progress(() => 1)
        return 'done'
      }`,
  )
  const all = await restOf(eventsOf(await call({ tool_id })))
  expect(resultOf(all)).toMatchObject({ result: { value: 'done' } })
  expect(all.length).toBeLessThan(100)
  expect(all.every(({ data }) => (data.message?.length ?? 0) <= 1_000)).toBe(true)
  expect((await server.json('GET', '/health')).status).toBe(200)
})

it('JSON is returned to callers who do not explicitly accept a stream', async () => {
  for (const accept of ['*/*', 'application/json', 'text/*', 'text/event-stream;q=0']) {
    const response = await call({ tool_id: 'Fixture.Progress' }, { headers: { accept } })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await response.json()).toMatchObject({ result: { value: 'Done' } })
  }
  const body = JSON.stringify({ tool_id: 'Fixture.Progress' })
  const headers = { ...ADMIN, 'content-type': 'application/json' }
  const unsaid = await raw(server.url, { method: 'POST', path: '/tools/call', headers, body })
  expect(unsaid.headers['content-type']).toBe('application/json')
})

it('JSON is returned with its status if nothing was reported', async () => {
  const answers = await Promise.all([
    call({ tool_id: 'Calculator.Add', input: { a: 1, b: 2 } }),
    call({ tool_id: 'Calculator.Add', input: {} }),
    call({ tool_id: 'Nobody.Knows' }),
    call({ tool_id: 'Calculator.Add' }, { headers: { ...STREAM, authorization: 'Bearer nobody' } }),
    call({ tool_id: 7 }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 422, 400, 401, 400])
  for (const answer of answers) expect(answer.headers.get('content-type')).toBe('application/json')
})

it('a repeated call with an id joins the running stream, and later gets the result as JSON', async () => {
  const body = { ...gated(), call_id: crypto.randomUUID() }
  const streamed = eventsOf(await call(body))
  expect((await streamed.next()).value).toEqual(STEPS[0])
  const joined = call(body)
  const opening = (async () => {
    for (const count of [1, 2, 3]) {
      await gate.come(count)
      gate.open()
    }
  })()
  const [rest, second] = await Promise.all([restOf(streamed), joined, opening])
  expect(second.headers.get('content-type')).toBe('application/json')
  const answer = await second.json()
  expect(answer).toEqual(resultOf(rest))
  const third = await call(body)
  expect([third.headers.get('content-type'), await third.json()]).toEqual(['application/json', answer])
  expect(gate.arrived).toHaveLength(3)
})

it.each([
  ['streams', STREAM],
  ['does not', { accept: 'application/json' }],
])(
  'a call with an id continues when its caller disconnects, and repeating it returns its result: it %s',
  async (_, headers) => {
    const body = { ...gated(), call_id: crypto.randomUUID() }
    const leaving = new AbortController()
    const left = call(body, { headers, signal: leaving.signal }).then((response) => response.text())
    await gate.come(1)
    leaving.abort()
    await expect(left).rejects.toThrow()
    const again = call(body)
    for (const count of [1, 2, 3]) {
      await gate.come(count)
      gate.open()
    }
    expect(await (await again).json()).toMatchObject({ result: { success: true, value: 'Done' } })
    expect(gate.arrived).toHaveLength(3)
  },
)

it('a call without an id is canceled when its caller disconnects', async () => {
  const leaving = new AbortController()
  const response = await call({ tool_id: 'Fixture.Waiting' }, { signal: leaving.signal })
  const events = eventsOf(response)
  expect((await events.next()).value).toEqual({ event: 'progress', data: { progress: 1 } })
  leaving.abort()
  await expect.poll(server.printed, { timeout: 10_000 }).toContain('The waiting tool was told to stop')
})
