import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunningServer } from '../e2e/server.ts'
import { neverSilent, startWatched } from './watch.ts'
import { startUpstream, type Upstream } from '../upstream.ts'
import { definition } from '../e2e/definition.ts'

/** A caller whose inputs make a tool's server fail cannot shut others out of that tool, by failures or by using up permits. */
const ADMIN_KEY = 'an-administrators-key-1'
const admin = { authorization: `Bearer ${ADMIN_KEY}` }
let upstream: Upstream
let server: RunningServer
/** Requests without a response until the test ends them. */
const held: ServerResponse[] = []
let isHolding = true

beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    const how = new URL(url, 'http://upstream').searchParams.get('how')
    if (how === 'reset') return void response.destroy()
    if (how === 'hang' && isHolding) return void held.push(response)
    response.writeHead(Number(how) || 200, { 'content-type': 'application/json' }).end('{"ok":true}')
  })
  server = await startWatched({ vars: { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: upstream.host } })
  const implementation = { kind: 'http', method: 'POST', url: `${upstream.origin}/ask?how={how}`, timeout_ms: 60_000 }
  const published = await server.json(
    'POST',
    '/tools',
    {
      definition: definition('Shared.Ask@1.0.0', {
        input_schema: {
          parameters: {
            type: 'object',
            properties: { how: { type: 'string' } },
          },
        },
      }),
      implementation,
    },
    admin,
  )
  expect(published.status, JSON.stringify(published.body)).toBe(201)
})
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))
afterAll(neverSilent)

async function caller(name: string) {
  const { body } = await server.json('POST', '/keys', { name, scopes: ['tools:call'], tools: ['*'] }, admin)
  const headers = { authorization: `Bearer ${body.key}` }
  return async (how: string) => {
    const answer = await server.json('POST', '/tools/call', { tool_id: 'Shared.Ask', input: { how } }, headers)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    const { success, error } = answer.body.result
    return success ? 'ok' : `${error.message} ${error.developer_message}`
  }
}

it.each(['504', '502', 'reset'])(
  'a caller whose inputs repeatedly make a server fail with %s is blocked from it, and another caller is not',
  async (how) => {
    const [mallory, ann] = [await caller('mallory'), await caller('ann')]
    const heard: string[] = []
    for (let round = 0; round < 4; round++) {
      await Promise.all(Array.from({ length: 6 }, () => mallory(how)))
      heard.push(await ann('ok'))
    }
    expect(heard).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(await mallory('ok')).toMatch(/did not answer/)
  },
)

it('a caller with several keys cannot block others by causing 504 responses', async () => {
  const keys = await Promise.all(['m1', 'm2', 'm3', 'm4'].map(caller))
  for (let round = 0; round < 2; round++) await Promise.all(keys.map((ask) => ask('504')))
  const ann = await caller('ann-again')
  expect(await ann('reset')).not.toBe('ok')
  expect(await ann('ok')).toBe('ok')
})

it('a caller whose inputs make a server hang uses up only its own share of connections', async () => {
  const [mallory, ann] = [await caller('slow'), await caller('quick')]
  const hanging = Array.from({ length: 80 }, () => mallory('hang'))
  const answers = Promise.all(hanging)
  await expect.poll(() => held.length).toBe(64)
  expect(await ann('ok')).toBe('ok')
  isHolding = false
  for (const response of held) response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
  expect((await answers).filter((answer) => answer === 'ok').length).toBeGreaterThanOrEqual(64)
})
