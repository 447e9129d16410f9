import { createExecutionContext, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDispatcher } from '../../../../src/dispatcher.ts'
import { type Env, loadConfig } from '../../../../src/env.ts'
import { definition } from '../../../e2e/definition.ts'
import { build } from '../../../fixtures/generated/build.ts'

/** How a part of storage responds to requests. */
type Health = 'works' | 'fails' | 'hangs'

let registryName = ''
let background: Promise<unknown>[] = []
/** Shortens the last wait to a fiftieth of its time. */
let hurry: () => void

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 })
  const { setTimeout } = globalThis
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((work, ms = 0, ...given) => {
    hurry = () => void setTimeout(work, ms / 50, ...given)
    // Skip the second that records wait for others. All other work keeps its full time, however busy the machine is
    return setTimeout(work, ms === 1_000 ? 0 : ms, ...given)
  })
  registryName = crypto.randomUUID()
  for (const { name } of (await env.REGISTRY.list()).keys) await env.REGISTRY.delete(name)
  for (const method of ['log', 'warn', 'error'] as const) vi.spyOn(console, method).mockReturnValue()
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json('from afar'))
})
afterEach(async () => {
  await Promise.allSettled(background)
  background = []
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const stub = () => env.Registry.getByName(registryName)

/** Runs a request to a part of storage, depending on its health. */
async function asks(health: Health, work: () => unknown): Promise<unknown> {
  if (health === 'fails') throw new Error('Network connection lost.')
  if (health === 'works') return work()
  hurry()
  return new Promise(() => undefined)
}

/** Creates a new, cold isolate. Tests set the health of its KV and registry. */
function isolate(variables: Readonly<Record<string, string>> = {}) {
  const health: { kv: Health; registry: Health } = { kv: 'works', registry: 'works' }
  const bound: Env = {
    ...env,
    REGISTRY: new Proxy(env.REGISTRY, {
      get(kv, method) {
        const real: unknown = Reflect.get(kv, method)
        if (typeof real !== 'function') return real
        return (...given: unknown[]) => asks(health.kv, () => Reflect.apply(real, kv, given))
      },
    }),
    // Used only by this test, like the registry
    Access: new Proxy(env.Access, { get: () => () => env.Access.getByName(registryName) }),
    Registry: new Proxy(env.Registry, {
      get: () => () =>
        new Proxy(stub(), {
          get:
            (registry, method) =>
            (...given: unknown[]) =>
              asks(health.registry, () => Reflect.apply(Reflect.get(registry, method), registry, given)),
        }),
    }),
  }
  const config = loadConfig(Object.assign({ ...bound }, { ACCESS: 'open', ...variables }))
  const app = createDispatcher(bound, config, build)
  async function send(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    const context = createExecutionContext()
    context.waitUntil = (work) => void background.push(work)
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const response = await app.fetch(request, bound, context)
    const text = await response.text()
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text, json: JSON.parse(text) }
  }
  const call = (tool_id: string, input: object = {}) => send('POST', '/tools/call', { tool_id, input })
  const mcp = (method: string, params: object) =>
    send('POST', '/mcp', { jsonrpc: '2.0', id: 7, method, params }, { accept: 'application/json, text/event-stream' })
  return { health, send, call, mcp }
}

/** Makes the registry write everything that is pending to KV. */
async function drain(): Promise<void> {
  for (let run = 0; run < 50; run += 1) {
    const waiting = await runInDurableObject(stub(), (_, { storage }) =>
      storage.sql.exec<{ n: number }>('SELECT count(*) AS n FROM outbox').one(),
    )
    if (waiting.n === 0) return
    vi.setSystemTime(Date.now() + 1_100)
    await runDurableObjectAlarm(stub())
  }
  throw new Error('The outbox does not empty')
}

const FAR = {
  definition: definition('Far.Away@1.0.0'),
  implementation: { kind: 'http', method: 'GET', url: 'https://api.example.com/', response: { type: 'json' } },
}

/** Fills the registry and KV with the bundle and a published tool. */
async function published(): Promise<void> {
  const app = isolate()
  expect((await app.send('POST', '/tools', FAR)).status).toBe(201)
  await drain()
}

const messageTo = (id: string, capability: string, parameters: object) => ({
  header: {
    messageId: crypto.randomUUID(),
    messageType: 'request',
    version: '1.0',
    timestamp: new Date().toISOString(),
  },
  payload: { tool: { id, capability, parameters } },
})
const idsOf = (answer: { json: { items: { id: string }[] } }) => answer.json.items.map(({ id }) => id)
const ADD = { a: 1, b: 2 }

describe.each(['fails', 'hangs'] as const)('while the registry %s', (registry) => {
  it('a new isolate lists and calls what KV holds, in every dialect', async () => {
    await published()
    const app = isolate()
    app.health.registry = registry
    const ids = idsOf(await app.send('GET', '/tools'))
    expect(ids).toContain('Far.Away@1.0.0')
    expect(ids).toContain('Calculator.Add@1.0.0')
    expect((await app.call('Far.Away')).json.result.value).toBe('from afar')
    expect((await app.call('Calculator.Add', ADD)).json.result.value).toBe(3)
    const invocation = {
      execution_id: crypto.randomUUID(),
      tool: { name: 'Add', toolkit: 'Calculator', version: '1.0.0' },
      inputs: ADD,
      context: {},
    }
    expect((await app.send('POST', '/worker/tools/invoke', invocation)).json.output.value).toBe(3)
    const message = messageTo('Calculator', 'Add', ADD)
    expect((await app.send('POST', '/machine-context/execute', message)).text).toContain('"success"')
    expect((await app.mcp('tools/list', {})).text).toContain('Calculator_Add')
    expect((await app.mcp('tools/call', { name: 'Calculator_Add', arguments: ADD })).json.result.isError).not.toBe(true)
    const plugin = { params: { name: 'Calculator_Add', arguments: ADD } }
    expect((await app.send('POST', '/plugin/call', plugin)).text).toContain('3')
    expect((await app.send('GET', '/plugin/describe')).status).toBe(200)
  })

  it('an isolate that starts before the first install lists and calls the bundled tools', async () => {
    const app = isolate()
    app.health.registry = registry
    const ids = idsOf(await app.send('GET', '/tools?limit=1000'))
    expect(ids.toSorted()).toEqual(
      [...new Set(build.tools.map(({ record }) => record.id))].filter((id) => ids.includes(id)).toSorted(),
    )
    expect(ids).toContain('Calculator.Add@1.0.0')
    expect((await app.call('Calculator.Add', ADD)).json.result.value).toBe(3)
    expect((await app.mcp('tools/call', { name: 'Calculator_Add', arguments: ADD })).json.result.isError).not.toBe(true)
    app.health.registry = 'works'
    vi.setSystemTime(Date.now() + 5_001)
    expect((await app.send('POST', '/tools', FAR)).status).toBe(201)
    expect(idsOf(await app.send('GET', '/tools?limit=1000'))).toContain('Far.Away@1.0.0')
  })

  it('a tool that an administrator disabled stays disabled', async () => {
    const first = isolate()
    expect((await first.send('PATCH', '/tools/Calculator.Add@1.0.0', { status: 'disabled' })).status).toBe(200)
    await drain()
    const app = isolate()
    app.health.registry = registry
    expect((await app.call('Calculator.Add', ADD)).status).toBe(503)
    expect(await app.call('Calculator.Add@1.0.0', ADD)).toMatchObject({
      status: 400,
      json: { message: "Tool 'Calculator.Add@1.0.0' is disabled" },
    })
  })

  it('an isolate that just installed its tools can call them, except those that were disabled before', async () => {
    const first = isolate()
    expect((await first.send('PATCH', '/tools/Calculator.Subtract@1.0.0', { status: 'disabled' })).status).toBe(200)
    await drain()
    await runInDurableObject(stub(), (_, { storage }) => {
      storage.sql.exec("UPDATE meta SET value = 'of another deployment' WHERE name = 'bundle'")
    })
    const app = isolate()
    expect((await app.send('GET', '/tools')).status).toBe(200)
    app.health.registry = registry
    expect((await app.call('Calculator.Add', ADD)).json.result.value).toBe(3)
    expect((await app.call('Calculator.Subtract@1.0.0', ADD)).json.message).toMatch(/is disabled/)
    app.health.kv = 'fails'
    expect((await app.call('System.GetTimestamp')).status).toBe(503)
  })

  it.each(['starts', 'is warm'])(
    'a request that needs it gets a 503 with a time to retry, in an isolate that %s',
    async (which) => {
      await published()
      const app = isolate()
      if (which === 'is warm') await app.call('Calculator.Add', ADD)
      app.health.registry = registry
      const unavailable = { status: 503, retryAfter: '1' }
      for (const answer of [
        await app.send('POST', '/tools', { ...FAR, definition: definition('Far.Other@1.0.0') }),
        await app.send('PATCH', '/tools/Far.Away@1.0.0', { status: 'disabled' }),
        await app.send('GET', '/tools?q=far'),
        await app.send('GET', '/tools?versions=all'),
        await app.call('No.Such'),
        await app.send('GET', '/tools/No.Such'),
      ]) {
        expect(answer).toMatchObject({ ...unavailable, json: { message: expect.stringContaining('cannot reach') } })
      }
      const message = messageTo('No', 'Such', {})
      expect(await app.send('POST', '/machine-context/execute', message)).toMatchObject({
        ...unavailable,
        text: expect.stringContaining('"code":"SYSTEM_ERROR"'),
      })
      expect(await app.mcp('tools/call', { name: 'no_such', arguments: {} })).toMatchObject({
        ...unavailable,
        json: { jsonrpc: '2.0', id: 7, error: { code: -32_603 } },
      })
      const invocation = {
        execution_id: crypto.randomUUID(),
        tool: { name: 'Such', toolkit: 'No' },
        inputs: {},
        context: {},
      }
      expect(await app.send('POST', '/worker/tools/invoke', invocation)).toMatchObject(unavailable)
      expect(await app.send('POST', '/plugin/call', { params: { name: 'no_such', arguments: {} } })).toMatchObject(
        unavailable,
      )
    },
  )
})

describe.each(['fails', 'hangs'] as const)('while KV %s', (kv) => {
  it('a new isolate still lists and calls tools', async () => {
    await published()
    const app = isolate()
    app.health.kv = kv
    expect(idsOf(await app.send('GET', '/tools'))).toContain('Far.Away@1.0.0')
    expect((await app.call('Far.Away')).json.result.value).toBe('from afar')
    expect((await app.mcp('tools/call', { name: 'Calculator_Add', arguments: ADD })).json.result.isError).not.toBe(true)
    expect((await app.call('No.Such')).status).toBe(400)
    expect((await app.send('GET', '/tools?format=mcp')).status).toBe(200)
  })

  it('keys are still recognized', async () => {
    const variables = { ACCESS: 'keys', ADMIN_KEY: 'an-administrator-of-the-tests' }
    const admin = { authorization: `Bearer ${variables.ADMIN_KEY}` }
    const given = { name: 'k', scopes: ['tools:read'], tools: ['*'], users: 'any' }
    const { json } = await isolate(variables).send('POST', '/keys', given, admin)
    const app = isolate(variables)
    app.health.kv = kv
    const as = (key: string) => app.send('GET', '/tools', undefined, { authorization: `Bearer ${key}` })
    expect((await as(json.key)).status).toBe(200)
    expect((await as(`${json.key.slice(0, -4)}AAAA`)).status).toBe(401)
  })

  it('and the registry too, an isolate keeps its last known state for a minute', async () => {
    await published()
    const app = isolate()
    expect((await app.call('Far.Away')).json.result.value).toBe('from afar')
    const before = await app.send('GET', '/tools')
    Object.assign(app.health, { kv, registry: kv })
    vi.setSystemTime(Date.now() + 30_000)
    for (let n = 0; n < 3; n += 1) expect((await app.call('Far.Away')).json.result.value).toBe('from afar')
    expect(idsOf(await app.send('GET', '/tools'))).toEqual(idsOf(before))
    vi.setSystemTime(Date.now() + 31_000)
    expect(await app.call('Far.Away')).toMatchObject({ status: 503, retryAfter: '1' })
    // A tool whose status is unknown does not run
    const cold = isolate()
    Object.assign(cold.health, { kv, registry: kv })
    expect(await cold.call('Calculator.Add', ADD)).toMatchObject({ status: 503 })
  })
})
