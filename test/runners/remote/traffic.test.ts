import { afterEach, describe, expect, test } from 'vitest'
import { createGuardedFetch } from '../../../src/outbound/guarded-fetch.ts'
import { createGuardedStream } from '../../../src/outbound/guarded-stream.ts'
import { createTrafficControl } from '../../../src/outbound/traffic-control.ts'
import { startUpstream, type Upstream } from '../../upstream.ts'
import { type McpUpstream, startMcpServer } from './mcp-server.ts'
import { callRemote, upstreamDeps } from './set-up.ts'
import { upstreamTools } from './tools.ts'

const UNTOLD = { onChange: () => undefined }
const servers: (McpUpstream | Upstream)[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

/** Creates the dependencies of remote runners, with the traffic control that counts their requests. */
function countedDeps(host: string) {
  const traffic = createTrafficControl({ now: Date.now, sleep: () => new Promise(() => {}), ...UNTOLD })
  const options = {
    fetch: (...given: Parameters<typeof fetch>) => fetch(...given),
    allowHttpHosts: new Set([host]),
    traffic,
  }
  const deps = {
    ...upstreamDeps(host),
    guardedFetch: createGuardedFetch(options),
    guardedStream: createGuardedStream(options),
  }
  return { deps, health: () => traffic.health(host, 'Example', 'admin') }
}

/** Ends a call as its deadline does. */
const late = (after: Promise<unknown>) => {
  const call = new AbortController()
  void after.then(() => call.abort(new DOMException('The deadline passed', 'TimeoutError')))
  return { deadline: { signal: call.signal } }
}

describe.each(['legacy', 'modern'] as const)('the requests of a call to a %s MCP server', (era) => {
  test(`the requests of a call to a ${era} MCP server have all ended when the call has, and count as answered`, async () => {
    const server = await startMcpServer(era, upstreamTools().tools)
    servers.push(server)
    const { deps, health } = countedDeps(server.host)
    for (const tool of ['add', 'steps', 'fail']) {
      await callRemote(
        deps,
        { url: server.url, tool },
        { input: { a: 1, b: 2 }, context: { progress: () => undefined } },
      )
    }
    expect(health()).toEqual({ state: 'closed', failures: 0, inFlight: 0 })
  })

  test(`the requests of a call to a ${era} MCP server count as failures if it does not respond in time, and are canceled there`, async () => {
    const { tools, waiter } = upstreamTools()
    const server = await startMcpServer(era, tools)
    servers.push(server)
    const { deps, health } = countedDeps(server.host)
    const begun = Promise.withResolvers<void>()
    const context = { ...late(begun.promise), progress: () => begun.resolve() }
    expect(await callRemote(deps, { url: server.url, tool: 'wait' }, { context })).toMatchObject({ ok: false })
    await waiter.cancelled
    expect(health()).toMatchObject({ failures: 1, inFlight: 0 })
  })
})

test.each(['busy', 'failing'] as const)('a call to an MCP server that is %s asks for a permit once', async (kind) => {
  const { deps } = countedDeps('mcp.example')
  let asked = 0
  const traffic = {
    admit: async () => ({ kind, reason: `request ${++asked}`, retryAfterMs: 1_000 }),
    health: () => ({ state: 'closed', failures: 0, inFlight: 0 }) as const,
  }
  const guardedStream = createGuardedStream({ fetch, allowHttpHosts: new Set(), traffic })
  const result = await callRemote({ ...deps, guardedStream }, { url: 'https://mcp.example/mcp', tool: 'add' })
  expect(result).toMatchObject({ failure: { message: expect.stringMatching(/now: request 1$/), can_retry: true } })
  expect(asked).toBe(1)
})

test('a call to an OXP server that does not respond in time counts as a failure', async () => {
  const asked = Promise.withResolvers<void>()
  const server = await startUpstream(() => asked.resolve())
  servers.push(server)
  const { deps, health } = countedDeps(server.host)
  const tool = { url: server.origin, tool: 'Math.Add@1.2.0', protocol: 'oxp' } as const
  await callRemote(deps, tool, { context: late(asked.promise) })
  expect(health()).toMatchObject({ failures: 1, inFlight: 0 })
})
