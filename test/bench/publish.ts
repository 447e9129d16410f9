import { readCommand } from '../../src/node/command.ts'
import { inventedTool } from './contenders.ts'
import { execFileSync } from 'node:child_process'
import { cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ServerProcess, startProcess } from '../e2e/process.ts'
import { cpuOf } from '../processes.ts'
import { quantile } from './load.ts'

const ADMIN_KEY = 'an-admin-key-for-the-bench'
const { values } = readCommand(
  'Measures how long a publication takes where few and where many tools are there already, through the running server, alone and ' +
    "while others list all of them; in adjacent slots of one run, whose ratios are to the smallest registry's.",
  {
    tools: { type: 'string', default: '1000,10000,100000', says: 'how many tools are there already' },
    rounds: { type: 'string', default: '6', says: 'how many rounds' },
    publications: { type: 'string', default: '100', says: 'publications of a slot' },
    publishers: { type: 'string', default: '4', says: 'how many publish at the same time' },
    readers: { type: 'string', default: '50', says: 'how many list at the same time' },
    batch: { type: 'string', default: '1', says: 'tools in a publication' },
    toolkits: { type: 'string', default: '200', says: 'how many toolkits the tools are in' },
    settle: {
      type: 'string',
      default: '0',
      says: 'milliseconds to count work for afterwards; heads may wait a minute',
    },
    keep: { type: 'string', says: 'a folder that keeps what was filled, which each run copies' },
  },
)
const [rounds, publications, publishers, readers, batchSize, toolkits, settle] = [
  values.rounds,
  values.publications,
  values.publishers,
  values.readers,
  values.batch,
  values.toolkits,
  values.settle,
].map(Number) as [number, number, number, number, number, number, number]

const A_BATCH = 500
/** A server that uses less than this fraction of a core has written all publications to KV. */
const QUIET = 0.05
const QUIET_AFTER_MS = 400
/** Few enough that no key reaches its rate limit. */
const READERS_A_KEY = 5

const agent = new Agent({ keepAlive: true })
const folder = await mkdtemp(join(tmpdir(), 'switchboard-bench-'))
const outdir = join(folder, 'dist')

function send(server: ServerProcess, method: string, path: string, body?: unknown, key = ADMIN_KEY) {
  const { promise, resolve, reject } = Promise.withResolvers<{ readonly status: number; readonly body: any }>()
  const headers = { 'content-type': 'application/json', 'authorization': `Bearer ${key}` }
  const sent = request(`${server.url}${path}`, { method, agent, headers }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk) => chunks.push(chunk))
    response.on('end', () => {
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString() || 'null') })
    })
  })
  sent.on('error', reject)
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  return promise
}

async function start(persistTo: string): Promise<ServerProcess> {
  const isBuilt = await stat(join(outdir, 'index.mjs')).catch(() => undefined)
  const variables = ['ACCESS:keys', 'DEMO_TOOLS:true', `ADMIN_KEY:${ADMIN_KEY}`].flatMap((each) => ['--var', each])
  return startProcess(
    ['node', 'src/node/serve.ts', '--outdir', outdir, ...(isBuilt ? ['--built'] : []), ...variables],
    persistTo,
  )
}

/** Waits until a server is idle. */
async function quiet({ pid }: ServerProcess): Promise<void> {
  for (let calm = 0; calm < 3;) {
    const before = cpuOf(pid)
    await sleep(QUIET_AFTER_MS)
    calm = cpuOf(pid) - before < QUIET * QUIET_AFTER_MS ? calm + 1 : 0
  }
}

/** Ignores errors, because files come and go while they are counted. */
const megabytes = (path: string) => Number(execFileSync('sh', ['-c', 'du -sm "$0" 2>/dev/null | cut -f1', path]))

/** Returns the folder of a registry with `count` tools: a copy of a saved one, or a new one. */
async function filled(count: number): Promise<string> {
  const own = join(folder, String(count))
  const kept = values.keep === undefined ? own : join(values.keep, String(count))
  const isFilled = await stat(join(kept, 'filled')).catch(() => undefined)
  if (!isFilled) {
    const server = await start(kept)
    try {
      const began = Date.now()
      let most = 0
      for (let at = 0; at < count; at += A_BATCH) {
        const batch = Array.from({ length: Math.min(A_BATCH, count - at) }, (_, index) =>
          inventedTool(`Bench${(at + index) % toolkits}.Tool${at + index}`),
        )
        const { status, body } = await send(server, 'POST', '/tools', batch)
        if (status !== 200 && status !== 201 && status !== 207) throw new Error(JSON.stringify(body).slice(0, 1_000))
        if (at % (10 * A_BATCH) === 0) most = Math.max(most, megabytes(kept))
      }
      const published = Date.now()
      await quiet(server)
      const seconds = (from: number, to: number) => ((to - from) / 1_000).toFixed(1)
      console.log(
        `${count} tools published in ${seconds(began, published)} s, quiet ${seconds(published, Date.now())} s later;`,
        `on disk ${Math.max(most, megabytes(kept))} MB at most`,
      )
    } finally {
      await server.stop({ keep: true })
    }
    await writeFile(join(kept, 'filled'), '')
  }
  if (kept !== own) await cp(kept, own, { recursive: true })
  return own
}

interface Slot {
  /** Duration of each publication, in milliseconds. */
  readonly latencies: readonly number[]
  readonly perSecond: number
  /** The server's CPU time per publication until the last response, and until KV had everything. */
  readonly cpuMsAnswered: number
  readonly cpuMsEach: number
  readonly listed: number
}

const median = (numbers: readonly number[]) => quantile(numbers, 0.5)

let count = 0

/** Publishes while `readerCount` readers repeatedly list all tools, page by page. */
async function measure(server: ServerProcess, keys: readonly string[], readerCount: number): Promise<Slot> {
  let isOver = false
  let listed = 0
  async function read(at: number): Promise<void> {
    let cursor = ''
    while (!isOver) {
      const { status, body } = await send(server, 'GET', `/tools?limit=100${cursor}`, undefined, keys[at % keys.length])
      if (status !== 200) throw new Error(JSON.stringify(body))
      cursor = body.next_cursor === undefined ? '' : `&cursor=${body.next_cursor}`
      listed += 1
    }
  }
  const latencies: number[] = []
  const next = () => inventedTool(`Bench${(count += 1) % toolkits}.New${count}`)
  async function publish(): Promise<void> {
    while (latencies.length * batchSize < publications) {
      const body = batchSize === 1 ? next() : Array.from({ length: batchSize }, next)
      const began = performance.now()
      const answer = await send(server, 'POST', '/tools', body)
      if (answer.status >= 300) throw new Error(JSON.stringify(answer.body).slice(0, 1_000))
      latencies.push(performance.now() - began)
    }
  }
  // An idle connection may be closed just as it is reused
  agent.destroy()
  const reading = Array.from({ length: readerCount }, (_, at) => read(at))
  if (readerCount > 0) await sleep(1_000)
  const [before, began] = [cpuOf(server.pid), performance.now()]
  await Promise.all(Array.from({ length: publishers }, publish))
  const [seconds, after] = [(performance.now() - began) / 1_000, cpuOf(server.pid)]
  const published = latencies.length * batchSize
  isOver = true
  await Promise.all(reading)
  await sleep(settle)
  await quiet(server)
  return {
    latencies,
    perSecond: published / seconds,
    cpuMsAnswered: (after - before) / published,
    cpuMsEach: (cpuOf(server.pid) - before) / published,
    listed: Math.round(listed / seconds),
  }
}

const servers: ServerProcess[] = []
try {
  execFileSync('npm', ['run', '--silent', 'generate'], { stdio: 'inherit' })
  const sizes = values.tools.split(',').map(Number)
  const contenders: { readonly size: number; readonly server: ServerProcess; readonly keys: readonly string[] }[] = []
  for (const size of sizes) {
    const server = await start(await filled(size))
    servers.push(server)
    const made = Array.from({ length: Math.ceil(readers / READERS_A_KEY) }, (_, at) =>
      send(server, 'POST', '/keys', { name: `reader ${at}`, scopes: ['tools:read'] }),
    )
    contenders.push({ size, server, keys: (await Promise.all(made)).map(({ body }) => String(body.key)) })
  }
  const modes = readers > 0 ? [0, readers] : [0]
  for (const { server, keys } of contenders) await measure(server, keys, 0)
  const slots = new Map<string, Slot[]>()
  for (let round = 0; round < rounds; round += 1) {
    // In another order each time, so that drift favors none
    const order = contenders.map((_, at) => contenders[(at + round) % contenders.length])
    for (const mode of modes) {
      for (const contender of order) {
        if (!contender) continue
        const name = `${contender.size} ${mode}`
        slots.set(name, [...(slots.get(name) ?? []), await measure(contender.server, contender.keys, mode)])
      }
    }
  }
  console.log(
    `${rounds} rounds of ${publications} publications, ${batchSize} in a request, ${publishers} at a time; medians, and their ratios`,
  )
  console.log(
    '| tools | readers | publications/s | ratio | ms each | ratio | CPU ms answered | ratio | CPU ms each | ratio | pages listed/s |',
  )
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |')
  for (const mode of modes) {
    for (const size of sizes) {
      const own = slots.get(`${size} ${mode}`) ?? []
      const least = slots.get(`${sizes[0]} ${mode}`) ?? []
      const cell = (of: (slot: Slot) => number, digits: number, isRate = false) => {
        const ratios = own.map((slot, at) => of(slot) / of(least[at] ?? slot)).map((each) => (isRate ? 1 / each : each))
        return `${median(own.map(of)).toFixed(digits)} | ${median(ratios).toFixed(2)}`
      }
      const cells = [
        cell(({ perSecond }) => perSecond, 0, true),
        cell(({ latencies }) => median(latencies), 2),
        cell(({ cpuMsAnswered }) => cpuMsAnswered, 2),
        cell(({ cpuMsEach }) => cpuMsEach, 2),
      ]
      console.log(`| ${size} | ${mode} | ${cells.join(' | ')} | ${median(own.map(({ listed }) => listed))} |`)
    }
  }
} finally {
  agent.destroy()
  for (const server of servers) await server.stop({ keep: true })
  await rm(folder, { recursive: true, force: true })
}
