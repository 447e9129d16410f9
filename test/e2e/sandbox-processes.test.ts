import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describing } from '../plugins/describing.ts'
import { memoryOf } from '../processes.ts'
import { startUpstream, type Upstream } from '../upstream.ts'
import { LOOP, serveSandboxes, toolsAt } from './looping.ts'
import type { ServerProcess } from './process.ts'

const TIMED_OUT = /^The tool did not answer within/

let server: ServerProcess
let upstream: Upstream
const { call, publish } = toolsAt(() => server)

beforeAll(async () => {
  upstream = await startUpstream(({ url, body }, response) => {
    if (url === '/slow') setTimeout(() => response.end('late'), 20_000).unref()
    else response.end(`${url} ${body.length}`)
  })
  server = await serveSandboxes([`ALLOW_HTTP_HOSTS:${upstream.host}`])
  await publish('Still.Here', 'export default ({ text }) => text ?? 42')
})
afterAll(async () => {
  await Promise.all([server?.stop(), upstream?.close()])
})

/** The processes of a server that answer to a name and a command. */
function processesOf({ pid: group }: ServerProcess, name: RegExp, command: RegExp): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        const [, comm, state, , leader] =
          /^\d+ \((.*)\) (\S) (\d+) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
        const isOne = name.test(comm ?? '') && state !== 'Z' && Number(leader) === group
        return isOne && command.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
      } catch {
        return false
      }
    })
}

const sandboxes = (of: ServerProcess = server) =>
  processesOf(of, /^workerd$/, /sandbox-\w+\/(?:shared|alone-\d)\.capnp/)

/** The processes that answer callers. */
const workers = (of: ServerProcess) => processesOf(of, /^workerd$/, /--socket-addr=entry/)

const hasRecord = (tool: string) =>
  expect
    .poll(async () => (await server.json('GET', '/calls?outcome=tool-timed-out')).body.items)
    .toContainEqual(expect.objectContaining({ tool: `${tool}@1.0.0` }))

it.each([
  ['in its function', LOOP],
  ['in microtasks', 'export default async () => { for (;;) await null }'],
  ['in a promise chain', 'const again = () => Promise.resolve().then(again)\nexport default () => again()'],
  ['in a getter of its value', 'export default () => ({ get value() { for (;;); } })'],
  ['in toJSON', 'export default () => ({ toJSON() { for (;;); } })'],
  ['in a getter of what it throws', 'export default () => { throw { get message() { for (;;); } } }'],
  ['in a regular expression', 'export default () => /^(a+)+$/.test("a".repeat(50) + "!")'],
  ['when it is loaded', `while (true) {}\nexport default () => 1`],
  ['in a timer', 'export default () => new Promise(() => setTimeout(() => { for (;;); }, 50))'],
  ['in a then of its value', 'export default () => ({ then() { for (;;); } })'],
  ['beside its request', `export default async (_, { fetch }) => { void fetch("http://HOST/slow"); for (;;); }`],
])(
  'a module that blocks its thread, %s, is stopped at its deadline, and the next call of another tool works',
  async (where, module) => {
    const id = await publish(`Stuck.${where.replaceAll(/\W/g, '')}`, module.replace('HOST', upstream.host), {
      timeout_ms: 700,
      allowed_hosts: [upstream.host],
    })
    const { success, error } = await call(id)
    expect([success, error.message]).toEqual([false, expect.stringMatching(TIMED_OUT)])
    expect(await call('Still.Here')).toMatchObject({ success: true, value: 42 })
    await hasRecord(id)
  },
)

it('a module that blocks its thread is a timeout in each dialect', async () => {
  for (const each of ['A', 'B', 'C', 'D']) await publish(`Every.${each}`, LOOP, { timeout_ms: 500 })
  const mcp = await server.json('POST', '/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'Every_A', arguments: {} },
  })
  expect(mcp.body.result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(TIMED_OUT) }] })
  const rfc = await server.json('POST', '/worker/tools/invoke', {
    tool: { name: 'B', toolkit: 'Every' },
    inputs: {},
  })
  expect(rfc.body.output.error.message).toMatch(TIMED_OUT)
  const context = await server.json('POST', '/machine-context/execute', {
    header: { messageId: crypto.randomUUID(), messageType: 'request' },
    payload: { tool: { id: 'Every', capability: 'C', parameters: {} } },
  })
  expect(context.body.payload.execution).toMatchObject({ status: 'timeout', error: { code: 'TIMEOUT_ERROR' } })
  const plugin = await server.json('POST', '/plugin/call?toolkit=Every', { params: { name: 'D', arguments: {} } })
  expect(JSON.stringify(plugin.body)).toContain('did not answer within')
})

it('a module that blocks its thread is stopped within ten seconds, even if its deadline is later or its caller disconnected', async () => {
  await publish('Long.Loop', LOOP, { timeout_ms: 60_000 })
  await publish('Long.Left', LOOP, { timeout_ms: 60_000 })
  // The process that the test before blocked has been replaced, so that the module runs alone
  expect(await call('Still.Here')).toMatchObject({ success: true, value: 42 })
  const { success, error } = await call('Long.Loop')
  expect([success, error.message]).toEqual([false, expect.stringMatching(/within (?:9\.9\d*|1\d(?:\.\d+)?) seconds/)])
  // Its process has started again, so that the next module begins before its caller goes
  expect(await call('Still.Here')).toMatchObject({ success: true, value: 42 })
  const left = fetch(new URL('/tools/call', server.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"tool_id":"Long.Left","input":{}}',
    signal: AbortSignal.timeout(3_000),
  })
  const countEnds = () => server.printed().split('The watchdog ended').length
  const before = countEnds()
  await expect(left).rejects.toThrow()
  await expect.poll(countEnds).toBeGreaterThan(before)
  await expect.poll(() => call('Still.Here')).toMatchObject({ success: true, value: 42 })
})

it('a module that blocks its thread ends the calls next to it as possibly run, and only it is disabled the third time', async () => {
  await publish(
    'Beside.Waits',
    'export default async (_, { fetch }) => (await fetch("http://HOST/slow")).text()'.replace('HOST', upstream.host),
    {
      allowed_hosts: [upstream.host],
    },
  )
  await publish('Beside.Computes', 'export default () => new Promise((done) => setTimeout(done, 20_000, 1))')
  await publish('Beside.Loops', LOOP, { timeout_ms: 700 })
  const beside = [call('Beside.Waits'), call('Beside.Computes')]
  await expect.poll(() => upstream.arrived.filter(({ url }) => url === '/slow').length).toBeGreaterThan(0)
  const [, waits, computes] = await Promise.all([call('Beside.Loops'), ...beside])
  const message = "The tool's module was ended: it or a tool beside it blocked its process and did not return"
  expect(waits).toMatchObject({
    success: false,
    error: { message, can_retry: false, additional_prompt_content: expect.stringMatching(/may have taken effect/) },
  })
  expect(computes).toMatchObject({ success: false, error: { message, can_retry: true } })

  for (let times = 0; times < 2; times++) {
    const again = call('Beside.Computes')
    expect((await call('Beside.Loops')).error.message).toMatch(TIMED_OUT)
    void again.catch(() => undefined)
  }
  await expect.poll(async () => JSON.stringify(await call('Beside.Loops'))).toMatch(/disabled/)
  const { body } = await server.json('GET', '/tools/Beside.Loops@1.0.0/versions')
  expect(body.items[0]).toMatchObject({
    status: 'disabled',
    message:
      'The watchdog ended this tool three times and disabled it: the last time it blocked its process and did not return',
  })
  for (const each of ['Beside.Waits', 'Beside.Computes']) {
    const { body: other } = await server.json('GET', `/tools/${each}/versions`)
    expect(other.items[0].status).toBe('active')
  }
  await expect
    .poll(async () => (await server.json('GET', '/audit?act=tool.change')).body.items)
    .toMatchObject([{ principal: 'watchdog', path: '/tools/Beside.Loops@1.0.0' }])

  const enabled = await server.json('PATCH', '/tools/Beside.Loops@1.0.0', { status: 'active' })
  expect(enabled.status).toBe(200)
  expect((await call('Beside.Loops')).error.message).toMatch(TIMED_OUT)
})

it('a module that blocks its thread, twenty times at once by one caller, delays others at most once', async () => {
  await publish('Many.Loops', LOOP, { timeout_ms: 700 })
  const all = await Promise.all(Array.from({ length: 20 }, () => call('Many.Loops')))
  for (const { success, error } of all)
    expect([success, error.message]).toEqual([false, expect.stringMatching(TIMED_OUT)])
  expect(await call('Still.Here')).toMatchObject({ success: true, value: 42 })
})

it.each([
  ['of the heap', 'export default () => { const all = []; for (;;) all.push({ text: [1, 2, 3] }) }'],
  ['of buffers', 'export default () => { const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1)) }'],
  [
    'of texts',
    'export default () => { const all = []; for (let n = 0; ; n++) all.push(String(n).repeat(1e5).split("")) }',
  ],
  [
    'bit by bit, while it waits',
    'export default async () => { const all = []; for (;;) { all.push(new Uint8Array(5e6).fill(1)); await new Promise((done) => setTimeout(done, 1)) } }',
  ],
])('a module that uses all memory, %s, is stopped with that reason, and the server survives', async (where, module) => {
  await publish(`Memory.${where.replaceAll(/\W/g, '')}`, module, { timeout_ms: 60_000 })
  let most = 0
  const watch = setInterval(() => (most = Math.max(most, memoryOf(server.pid) ?? 0)), 100)
  const { success, error } = await call(`Memory.${where.replaceAll(/\W/g, '')}`)
  clearInterval(watch)
  expect(success).toBe(false)
  expect(error.message).toMatch(/took too much memory|crashed its process|did not answer/)
  expect(await call('Still.Here')).toMatchObject({ success: true, value: 42 })
  expect(most).toBeLessThan(4_000)
})

it('a sandbox in its own process handles inputs, responses and requests of the maximum size, progress and logs', async () => {
  const text = 'x'.repeat(1_000_000)
  expect((await call('Still.Here', { text })).value).toBe(text)
  await publish(
    'Carry.All',
    `export default async (_, { fetch, progress, log }) => {
        log('begun')
        await progress(1, 2, 'half')
        return (await fetch("http://${upstream.host}/echo?a=b", { method: 'POST', body: 'y'.repeat(4_000_000) })).text()
      }`,
    { allowed_hosts: [upstream.host] },
  )
  const answer = await fetch(new URL('/tools/call', server.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept': 'text/event-stream' },
    body: '{"tool_id":"Carry.All","input":{}}',
  })
  const events = await answer.text()
  expect(events).toContain('half')
  expect(events).toContain('/echo?a=b 4000000')
  await expect.poll(() => server.printed()).toContain('"message":"begun"')
})

it('a sandbox in its own process learns nothing about the server, and reaches only its own hosts', async () => {
  await publish(
    'Curious.Tool',
    `import * as workers from 'cloudflare:workers'
      const tell = async (work) => { try { return String(await work()) } catch (error) { return 'refused' } }
      export default async (_, { fetch }) => [
        Object.keys(workers.env ?? {}).join(), typeof process === 'undefined' ? '' : JSON.stringify(process.env ?? {}),
        Object.keys(workers.exports ?? {}).join(),
        await tell(async () => (await fetch("http://127.0.0.1:1/")).status),
        await tell(async () => (await fetch("${''}http://host/")).status),
        await tell(async () => (await fetch("http://${upstream.host}/mine", { headers: { id: 'x', 'mf-cf-blob': '{}' } })).text()),
      ]`,
    { allowed_hosts: [upstream.host] },
  )
  expect((await call('Curious.Tool')).value).toEqual(['', '{}', 'default', 'refused', 'refused', '/mine 0'])
})

it('a sandbox in its own process has a socket that only its user can access, and no port', () => {
  const [pid] = sandboxes()
  const text = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  const folder = /(\/\S*sandbox-\w+)\//.exec(text.replaceAll('\0', ' '))?.[1]
  expect(execFileSync('stat', ['-c', '%a', String(folder)], { encoding: 'utf8' }).trim()).toBe('700')
  const inodes = readdirSync(`/proc/${pid}/fd`).length
  expect(inodes).toBeGreaterThan(0)
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
  expect(
    environment
      .split('\0')
      .map((each) => each.split('=')[0])
      .filter(Boolean)
      .sort(),
  ).toEqual(expect.not.arrayContaining(['ADMIN_KEY', 'HOME']))
})

it('a sandbox in its own process is restarted within a second of being killed', async () => {
  const [pid = 0] = sandboxes()
  process.kill(pid, 'SIGKILL')
  expect(await call('Still.Here')).toMatchObject({ success: true, value: 42 })
})

it('a sandbox in its own process describes and runs a plugin', async () => {
  const plugin = describing(
    JSON.stringify({ tools: [{ name: 'one', description: 'A tool', inputSchema: { type: 'object' } }] }),
  )
  const answer = await fetch(new URL('/toolkits/Box/plugin?version=1.0.0', server.url), {
    method: 'PUT',
    headers: { 'content-type': 'application/wasm' },
    body: new Uint8Array(plugin),
  })
  expect([answer.status, await answer.text()]).toEqual([201, expect.any(String)])
})

/** The TCP ports that a process listens on. */
function portsOf(pid: number): number[] {
  const files = readdirSync(`/proc/${pid}/fd`).map((file) => readlinkSync(`/proc/${pid}/fd/${file}`))
  const lines = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n')
  const fields = lines.map((line) => line.trim().split(/\s+/))
  // 0A: it listens
  const own = fields.filter(([, , , state, , , , , , inode]) => state === '0A' && files.includes(`socket:[${inode}]`))
  return own.map(([, address]) => parseInt(address?.split(':')[1] ?? '', 16))
}

it('no port of a server lets a page or a program on its machine start scheduled work', async () => {
  const ports = workers(server).flatMap(portsOf)
  expect(ports.length).toBeGreaterThan(1)
  for (const port of ports)
    expect((await fetch(`http://127.0.0.1:${port}/cdn-cgi/local/scheduled?cron=serve`)).status).toBe(404)
})

it('a server whose Worker is killed starts it again at the same address, where sandboxes reach their hosts', async () => {
  const own = await serveSandboxes([`ALLOW_HTTP_HOSTS:${upstream.host}`])
  const there = toolsAt(() => own)
  const module = `export default async (_, { fetch }) => (await fetch("http://${upstream.host}/asked")).text()`
  await there.publish('Asks.Host', module, { allowed_hosts: [upstream.host] })
  const ask = () => there.call('Asks.Host').catch(() => undefined)
  for (let crashes = 0; crashes < 2; crashes++) {
    expect(await ask()).toMatchObject({ success: true, value: '/asked 0' })
    for (const pid of workers(own)) process.kill(pid, 'SIGKILL')
    await expect.poll(ask).toMatchObject({ success: true, value: '/asked 0' })
  }
  expect(own.printed()).toContain('The Worker ended unexpectedly, and was started again')
  await own.stop()
})

it('a server whose Worker cannot be started again ends with code 1', async () => {
  const own = await serveSandboxes(['COMPARISON_SECONDS:1'])
  const [pid = 0] = workers(own)
  const [, socket = ''] = /\0SANDBOX_EGRESS=([^\0]+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8')) ?? []
  rmSync(socket)
  mkdirSync(socket)
  process.kill(pid, 'SIGKILL')
  expect(await own.exitCode).toBe(1)
  expect(own.printed()).toContain('failed to restart after an unexpected crash')
  await own.stop()
})

it.each(['SIGINT', 'SIGTERM'] as const)('a server that %s ends has the exit code 0', async (signal) => {
  const own = await serveSandboxes()
  process.kill(Number(own.pid), signal)
  expect(await own.exitCode).toBe(0)
  await own.stop()
})

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'a sandbox in its own process ends with a server that is ended by %s, and so does its Worker',
  async (signal) => {
    const own = await serveSandboxes()
    const { call: callThere, publish: publishThere } = toolsAt(() => own)
    await publishThere('Loop.Forever', LOOP, { timeout_ms: 60_000 })
    void callThere('Loop.Forever').catch(() => undefined)
    await expect.poll(() => sandboxes(own).length).toBe(1)
    const [serving] = processesOf(own, /^(?:node|MainThread)$/, /src\/node\/serve\.ts/)
    process.kill(Number(serving), signal)
    await expect.poll(() => [...sandboxes(own), ...workers(own)]).toEqual([])
    await own.stop()
  },
)
