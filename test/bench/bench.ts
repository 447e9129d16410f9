import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { readCommand } from '../../src/node/command.ts'
import { type ServerProcess, startProcess } from '../e2e/process.ts'
import { cpuOf } from '../processes.ts'
import { CALL, callsOf, KEYS, mcpCall, moreCallsOf, populate, REVISIONS } from './contenders.ts'
import { load, post, quantile } from './load.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { values } = readCommand(
  'Measures what Switchboard costs beside a bare Hono handler that parses and adds, both served as npm run serve does, the servers ' +
    'pinned to one core and the load to another. A round measures the bare handler and a contender in adjacent slots and keeps their ' +
    'ratio; the table gives medians and quartiles over the rounds.',
  {
    rounds: { type: 'string', default: '9', says: 'how many rounds' },
    seconds: { type: 'string', default: '1', says: 'how long a slot is' },
    connections: { type: 'string', default: '1,16,64', says: 'requests at the same time' },
    tools: { type: 'string', default: '1,10000', says: 'how many tools are published' },
    only: { type: 'string', default: '', says: 'rows with this in their name, such as mcp' },
    beside: { type: 'string', says: 'the folder of another checkout, measured in the same rounds' },
    peers: {
      type: 'boolean',
      default: false,
      says: 'other MCP servers too, which npm install --prefix test/bench/peers brings',
    },
  },
)
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)

/** Without `taskset`, everything shares the cores, and the table says so. */
const isPinned = spawnSync('taskset', ['-cp', '1', String(process.pid)]).status === 0
const pin = isPinned ? ['taskset', '-c', '0'] : []

interface Contender {
  readonly name: string
  readonly server: ServerProcess
  readonly request: Buffer
}

const FIGURES = ['calls', 'cpuMicros', 'p50', 'p99'] as const
type Measured = Readonly<Record<(typeof FIGURES)[number], number>>

const servers: ServerProcess[] = []

async function serve(args: readonly string[], checkout = root): Promise<ServerProcess> {
  const server = await startProcess([...pin, 'node', 'src/node/serve.ts', ...args], undefined, checkout)
  servers.push(server)
  return server
}

/** Starts a checkout of Switchboard, with the requests that it is measured with. */
async function switchboard(checkout: string, label: string): Promise<Contender[]> {
  execFileSync('npm', ['run', '--silent', 'generate'], { cwd: checkout, stdio: 'inherit' })
  const contenders: Contender[] = []
  for (const [index, count] of values.tools.split(',').map(Number).entries()) {
    const server = await serve(KEYS, checkout)
    await populate(server, count)
    const some = await callsOf(server)
    const requests = index === 0 ? { ...some, ...(await moreCallsOf(server)) } : some
    const tools = `${count.toLocaleString('en')} ${count === 1 ? 'tool' : 'tools'}`
    for (const [name, request] of Object.entries(requests))
      contenders.push({ name: `${name}, ${tools}${label}`, server, request })
  }
  const unrecorded = await serve([...KEYS, '--var', 'RECORD_CALLS:none'], checkout)
  const { 'POST /tools/call': request } = await callsOf(unrecorded)
  if (request) contenders.push({ name: `POST /tools/call, no records${label}`, server: unrecorded, request })
  return contenders.filter(({ name }) => name.includes(values.only))
}

async function peers(): Promise<Contender[]> {
  const contenders: Contender[] = []
  for (const peer of ['sdk', 'hono-mcp', 'agents']) {
    const config = `test/bench/peers/${peer}.toml`
    const server = await serve(['--config', config, '--outdir', `dist/${peer}`, '--entry', `${peer}.js`])
    for (const revision of REVISIONS) {
      // Hono's transport uses the older SDK, which does not support the newest revision
      if (peer === 'hono-mcp' && revision !== '2025-11-25') continue
      contenders.push({ name: `${peer}, ${revision}`, server, request: mcpCall(revision, {}) })
    }
  }
  return contenders
}

async function measure({ server, request }: Contender, connections: number, lasting = seconds): Promise<Measured> {
  const before = cpuOf(server.pid)
  const slot = await load(Number(new URL(server.url).port), request, connections, { seconds: lasting })
  return {
    calls: slot.requests / slot.seconds,
    cpuMicros: ((cpuOf(server.pid) - before) * 1_000) / slot.requests,
    p50: quantile(slot.latencies, 0.5),
    p99: quantile(slot.latencies, 0.99),
  }
}

const quartiles = (numbers: readonly number[]) =>
  [quantile(numbers, 0.5), ...[0.25, 0.75].map((part) => quantile(numbers, part))].map((number) => number.toFixed(2))

function row(name: string, own: readonly Measured[], base: readonly Measured[]): string {
  const cells = FIGURES.map((figure) => {
    const ratios = own.map((measured, index) => measured[figure] / (base[index]?.[figure] ?? NaN))
    const [median, low, high] = quartiles(ratios)
    const value = quantile(
      own.map((measured) => measured[figure]),
      0.5,
    )
    return `${value.toFixed(figure.startsWith('p') ? 2 : 0)} | ${median} [${low} ${high}]`
  })
  return `| ${name} | ${cells.join(' | ')} |`
}

async function compare(bare: Contender, own: readonly Contender[], others: readonly Contender[], connections: number) {
  console.log(`\n${connections} ${connections === 1 ? 'connection' : 'connections'}`)
  console.log('| | calls/s | ratio | CPU µs | ratio | p50 ms | ratio | p99 ms | ratio |')
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |')
  const slots = own.map((contender, index) => ({
    entrants: [bare, contender, ...others.slice(index, index + 1)],
    measured: [[], [], []] as [Measured[], Measured[], Measured[]],
  }))
  for (let round = 0; round < rounds; round++) {
    for (const { entrants, measured } of slots) {
      // Each is first in turn, so that drift favors none
      for (let step = 0; step < entrants.length; step++) {
        const at = (round + step) % entrants.length
        const entrant = entrants[at]
        if (entrant) measured[at]?.push(await measure(entrant, connections))
      }
    }
  }
  for (const { entrants, measured } of slots) {
    const [base, first, second] = measured
    console.log(row(entrants[1]?.name ?? '', first, base))
    if (second.length === 0) continue
    console.log(row(entrants[2]?.name ?? '', second, base))
    console.log(row('the first over the second', first, second))
  }
}

try {
  const config = ['--config', 'test/bench/wrangler.toml', '--outdir', 'dist/bare', '--entry', 'bare.js']
  const request = post('/tools/call', CALL, { authorization: 'Bearer none' })
  const bare = { name: 'a bare handler', server: await serve(config), request }
  const own = await switchboard(root, '')
  const others = values.beside === undefined ? [] : await switchboard(values.beside, ', beside')
  if (values.peers) own.push(...(await peers()))
  for (const contender of [bare, ...own, ...others]) await measure(contender, 16, 3)
  console.log(
    `${rounds} rounds of ${seconds} s slots${isPinned ? '' : ', nothing pinned'}; ratios to the bare handler's adjacent slot, quartiles in brackets`,
  )
  for (const connections of values.connections.split(',').map(Number)) await compare(bare, own, others, connections)
} finally {
  for (const server of servers) await server.stop()
}
