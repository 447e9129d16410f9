/**
 * `npm run bench`: what Switchboard costs beside a bare Hono handler that parses and adds, both on workerd through
 * `npm run serve`. Each round measures the bare handler and a contender in adjacent slots and keeps their ratio; the
 * table gives the medians over the rounds. `-- --rounds 12 --seconds 1 --connections 16 --tools 1,1000,10000`.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { connected } from '../e2e/oauth/agent.ts'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import { type ServerProcess, startProcess } from '../e2e/process.ts'
import { compilePlugin } from '../plugins/compile.ts'
import { cpuOf } from '../processes.ts'
import { load, post, quantile } from './load.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const ADMIN_KEY = 'an admin key for the bench'.replaceAll(' ', '-')
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '16' },
    tools: { type: 'string', default: '1,1000,10000' },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const connections = Number(values.connections)

const servers: ServerProcess[] = []

async function serve(args: readonly string[]): Promise<ServerProcess> {
  const server = await startProcess(['node', 'src/node/serve.ts', ...args])
  servers.push(server)
  return server
}

async function send({ url }: ServerProcess, path: string, body: unknown): Promise<unknown> {
  const isPlugin = body instanceof Uint8Array
  const answer = await fetch(`${url}${path}`, {
    method: isPlugin ? 'PUT' : 'POST',
    headers: {
      'content-type': isPlugin ? 'application/wasm' : 'application/json',
      'authorization': `Bearer ${ADMIN_KEY}`,
    },
    body: isPlugin ? new Uint8Array(body) : JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

/** Publishes so many invented tools, and makes the key the calls are made with. */
async function populate(server: ServerProcess, count: number): Promise<string> {
  for (let at = 0; at < count; at += 500) {
    const batch = Array.from({ length: Math.min(500, count - at) }, (_, index) => definition(at + index))
    await send(server, '/tools', batch)
  }
  // What was published goes on to KV behind the answers, a few hundred keys a second
  await new Promise((done) => setTimeout(done, (count / 250) * 1_000))
  const made = await send(server, '/keys', { name: 'bench', scopes: ['tools:call'] })
  return Object(made).key
}

/** Publishes what `Calculator.Add` does as a code tool and as a plugin. */
async function publishSandboxed(server: ServerProcess): Promise<void> {
  await send(server, '/tools', {
    definition: {
      ...definition(0),
      id: 'BenchCode.Add@1.0.0',
      name: 'BenchCode_Add',
      input_schema: NUMBERS,
      output_schema: {},
    },
    implementation: { kind: 'code', module: 'export default ({ a, b }) => a + b' },
  })
  await send(server, '/toolkits/BenchPlugin/plugin?version=1.0.0', await compilePlugin('toolbox'))
}

const NUMBERS = { parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } }

function definition(index: number) {
  return {
    id: `Bench${index % 40}.Tool${index}@1.0.0`,
    name: `Bench_Tool${index}`,
    description: `Does the thing number ${index}, as well as anybody could wish.`,
    version: '1.0.0',
    input_schema: {
      parameters: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'What to look for.' },
          limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many to give.' },
          kind: { type: 'string', enum: ['a', 'b', 'c'], description: 'Which kind to look at.' },
        },
        required: ['query'],
      },
    },
    output_schema: { type: 'object' },
  }
}

interface Measured {
  readonly rps: number
  readonly cpuMicros: number
  readonly p50: number
  readonly p99: number
}

const portOf = ({ url }: ServerProcess) => Number(new URL(url).port)

async function measure(server: ServerProcess, request: Buffer): Promise<Measured> {
  const before = cpuOf(server.pid)
  const slot = await load(portOf(server), request, connections, { seconds })
  const used = cpuOf(server.pid) - before
  return {
    rps: slot.requests / slot.seconds,
    cpuMicros: (used * 1_000) / slot.requests,
    p50: quantile(slot.latencies, 0.5),
    p99: quantile(slot.latencies, 0.99),
  }
}

function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5)
}

/** The token of an agent that an administrator let use the calculator, at the address that requests name. */
async function agentToken({ url }: ServerProcess): Promise<Record<string, string>> {
  const person = new HttpPerson()
  await person.post(`${url}/sign-in/key`, { key: ADMIN_KEY }, { origin: url })
  const { tokens } = await connected(person, url, ['Calculator'])
  // A token counts at the address that it was made for
  return { host: new URL(url).host, authorization: `Bearer ${tokens.access_token}` }
}

const KEYS = ['--var', 'ACCESS:keys', '--var', `ADMIN_KEY:${ADMIN_KEY}`]
const INPUT = { a: 10, b: 5 }
const CALL = {
  $schema: 'urn:oxp:1.0',
  request: { call_id: '123e4567-e89b-12d3-a456-426614174000', tool_id: 'Calculator.Add@1.0.0', input: INPUT },
}
const INVOCATION = {
  run_id: 'run',
  execution_id: 'execution',
  created_at: '2026-01-01T00:00:00Z',
  tool: { name: 'Add', toolkit: 'Calculator', version: '1.0.0' },
  inputs: INPUT,
  context: {},
}
/** Each of the two smallest registries has a server on the SDK beside it that serves as many tools. */
const SDK = ['--config', 'test/bench/sdk.toml', '--outdir', 'dist/sdk', '--entry', 'sdk.js']
const ACCEPT = { accept: 'application/json, text/event-stream' }

/** The same call over MCP, in the words of a revision, at one of its doors. */
function mcpCall(revision: '2025-11-25' | '2026-07-28', headers: Record<string, string>, path = '/mcp'): Buffer {
  const params = { name: 'Calculator_Add', arguments: INPUT }
  const version = { 'mcp-protocol-version': revision }
  if (revision === '2025-11-25') {
    return post(path, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { ...ACCEPT, ...version, ...headers })
  }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return post(
    path,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta } },
    { ...ACCEPT, ...version, 'mcp-method': 'tools/call', 'mcp-name': 'Calculator_Add', ...headers },
  )
}

try {
  execFileSync('npm', ['run', '--silent', 'generate'], { cwd: root, stdio: 'inherit' })
  const bare = await serve(['--config', 'test/bench/wrangler.toml', '--outdir', 'dist/bare', '--entry', 'bare.js'])
  const bareRequest = post('/tools/call', CALL, { authorization: 'Bearer none' })
  const contenders: { readonly name: string; readonly server: ServerProcess; readonly request: Buffer }[] = []
  for (const [index, count] of values.tools.split(',').map(Number).entries()) {
    const server = await serve(KEYS)
    const headers = { authorization: `Bearer ${await populate(server, count)}` }
    const tools = `${count.toLocaleString('en')} ${count === 1 ? 'tool' : 'tools'}`
    const add = (name: string, request: Buffer, to = server) =>
      contenders.push({ name: `${name}, ${tools}`, server: to, request })
    add('POST /tools/call', post('/tools/call', CALL, headers))
    if (index === 0) {
      const unrecorded = await serve([...KEYS, '--var', 'RECORD_CALLS:none'])
      const other = { authorization: `Bearer ${await populate(unrecorded, count)}` }
      add('the same, of which no record is kept', post('/tools/call', CALL, other), unrecorded)
      add('POST /worker/tools/invoke', post('/worker/tools/invoke', INVOCATION, headers))
      await publishSandboxed(server)
      add('the same as a code tool', post('/tools/call', { tool_id: 'BenchCode.Add', input: INPUT }, headers))
      add('the same as a plugin', post('/tools/call', { tool_id: 'BenchPlugin.add', input: INPUT }, headers))
    }
    if (index > 1) continue
    const sdk = await serve([...SDK, '--var', `TOOLS:${count}`])
    for (const revision of ['2026-07-28', '2025-11-25'] as const) {
      add(`POST /mcp, ${revision}`, mcpCall(revision, headers))
      add(`official SDK, ${revision}`, mcpCall(revision, {}), sdk)
      if (index === 0)
        add(`POST /connect/mcp, ${revision}`, mcpCall(revision, await agentToken(server), '/connect/mcp'))
    }
  }
  for (const { server, request } of contenders) await load(portOf(server), request, connections, { seconds: 3 })
  await load(portOf(bare), bareRequest, connections, { seconds: 3 })

  console.log(
    `${rounds} rounds of ${seconds} s slots, ${connections} connections; ratios to the bare handler's adjacent slot`,
  )
  console.log('| | requests/s | ratio | CPU µs | ratio | p50 ms | ratio | p99 ms | ratio |')
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |')
  const pairs = contenders.map((): { bare: Measured; own: Measured }[] => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, { server, request }] of contenders.entries()) {
      // In turn first and second, so that whatever drifts favours neither
      const first = round % 2 === 0 ? await measure(bare, bareRequest) : undefined
      const own = await measure(server, request)
      pairs[index]?.push({ bare: first ?? (await measure(bare, bareRequest)), own })
    }
  }
  for (const [index, { name }] of contenders.entries()) {
    const measured = pairs[index] ?? []
    const cells = (['rps', 'cpuMicros', 'p50', 'p99'] as const).map((figure) => {
      const value = median(measured.map(({ own }) => own[figure]))
      const ratio = median(measured.map((pair) => pair.own[figure] / pair.bare[figure]))
      return `${value.toFixed(figure === 'rps' || figure === 'cpuMicros' ? 0 : 2)} | ${ratio.toFixed(2)}`
    })
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
} finally {
  for (const server of servers) await server.stop()
}
