import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { readCommand } from '../../src/node/command.ts'
import { type ServerProcess, startProcess } from '../e2e/process.ts'
import { memoryOf } from '../processes.ts'
import { collectedHeap } from './heap.ts'
import { load, post, quantile } from './load.ts'

const ADMIN_KEY = 'an-admin-key-for-the-bench'
const { values } = readCommand(
  'Measures many calls of a bundled tool beside as many of a bare Hono handler that parses and adds, in adjacent slots of one run: ' +
    'calls a second, latencies, and what memory workerd holds after each 100,000, at rest, and once V8 has collected.',
  {
    calls: { type: 'string', default: '500000', says: 'how many calls' },
    slot: { type: 'string', default: '10000', says: 'calls in a slot' },
    connections: { type: 'string', default: '16', says: 'calls at the same time' },
  },
)
const [calls, slot, connections] = [values.calls, values.slot, values.connections].map(Number) as [
  number,
  number,
  number,
]
/** Calls between two readings of the memory, and seconds of rest at the end. */
const READ_EVERY = 100_000
const REST_S = 10

interface Loaded {
  readonly server: ServerProcess
  readonly request: Buffer
  seconds: number
  latencies: number[]
}

async function serve(args: readonly string[]): Promise<ServerProcess> {
  return startProcess(['node', 'src/node/serve.ts', '--inspector-port', '0', ...args])
}

async function run(loaded: Loaded): Promise<void> {
  const { server, request } = loaded
  const { seconds, latencies } = await load(Number(new URL(server.url).port), request, connections, { requests: slot })
  loaded.seconds += seconds
  for (const latency of latencies) loaded.latencies.push(latency)
}

/** Returns a server's cell: its calls since the last reading, and the memory of workerd. */
function reading(loaded: Loaded): string {
  const { server, latencies, seconds } = loaded
  const rate = seconds === 0 ? '–' : (latencies.length / seconds).toFixed(0)
  const [p50, p99] = [0.5, 0.99].map((part) => (seconds === 0 ? '–' : quantile(latencies, part).toFixed(2)))
  Object.assign(loaded, { seconds: 0, latencies: [] })
  return `${rate} | ${p50} | ${p99} | ${memoryOf(server.pid, 'workerd') ?? '–'}`
}

execFileSync('npm', ['run', '--silent', 'generate'], { stdio: 'inherit' })
const servers: ServerProcess[] = []
try {
  const own = await serve(['--var', 'ACCESS:keys', '--var', `ADMIN_KEY:${ADMIN_KEY}`, '--var', 'DEMO_TOOLS:true'])
  servers.push(own)
  const bare = await serve(['--config', 'test/bench/wrangler.toml', '--outdir', 'dist/bare', '--entry', 'bare.js'])
  servers.push(bare)
  const admin = { authorization: `Bearer ${ADMIN_KEY}` }
  const { body } = await own.json('POST', '/keys', { name: 'bench', scopes: ['tools:call'] }, admin)
  const call = { request: { tool_id: 'Calculator.Add@1.0.0', input: { a: 10, b: 5 } } }
  const request = post('/tools/call', call, { authorization: `Bearer ${body.key}` })
  const both = [own, bare].map((server): Loaded => ({ server, request, seconds: 0, latencies: [] }))

  console.log(`${calls} calls of each in slots of ${slot}, ${connections} connections`)
  console.log('| calls | calls/s | p50 ms | p99 ms | MB | bare: calls/s | p50 ms | p99 ms | MB |')
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |')
  const row = (what: string) => console.log(`| ${what} | ${both.map(reading).join(' | ')} |`)
  row('0')
  for (let done = slot; done <= calls; done += slot) {
    // In alternating order, so that drift favors neither
    for (const each of (done / slot) % 2 === 0 ? both : both.toReversed()) await run(each)
    if (done % READ_EVERY === 0 || done + slot > calls) row(done.toLocaleString('en'))
  }
  await sleep(REST_S * 1_000)
  row('at rest')
  const heaps = []
  for (const { server } of both) heaps.push((await collectedHeap(server)).toFixed(1))
  row(`collected (heap: ${heaps.join(' and ')} MB)`)
} finally {
  for (const server of servers) await server.stop()
}
