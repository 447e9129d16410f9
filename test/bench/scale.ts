import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCommand } from '../../src/node/command.ts'
import { type ServerProcess, startProcess } from '../e2e/process.ts'
import { cpuOf } from '../processes.ts'
import { populate } from './contenders.ts'
import { quantile } from './load.ts'

const { values } = readCommand(
  'Measures what grows with the number of tools: pages of the console and lists, in adjacent slots of one run, with their ratio to the ' +
    "smallest registry's; and how long one caller's calls take while all tools are exported, restored into another server, and while a " +
    'description is imported there.',
  {
    tools: { type: 'string', default: '5000,50000', says: 'how many tools are published' },
    rounds: { type: 'string', default: '9', says: 'how many rounds' },
    description: {
      type: 'string',
      default: 'node_modules/@octokit/openapi/generated/api.github.com.json',
      says: 'the OpenAPI description',
    },
  },
)
const PATHS = ['/', '/toolkits', '/tools?limit=30&format=summary', '/tools?status=pending', '/?q=Tool77', '/?q=does']
const A_SLOT = 12
const folder = await mkdtemp(join(tmpdir(), 'switchboard-bench-'))

async function start(): Promise<ServerProcess> {
  const built = ['--outdir', join(folder, 'dist'), ...(servers.length > 0 ? ['--built'] : [])]
  const server = await startProcess(['node', 'src/node/serve.ts', ...built, '--var', 'ACCESS:open'])
  servers.push(server)
  return server
}

/** Returns the text of the response, and its time in milliseconds. */
async function ask(
  { url }: ServerProcess,
  path: string,
  body?: string,
  type = 'application/json',
): Promise<readonly [string, number]> {
  const began = performance.now()
  const init = body === undefined ? {} : { method: 'POST', headers: { 'content-type': type }, body }
  const answer = await fetch(`${url}${path}`, init)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`)
  return [text, performance.now() - began]
}

/** Does some work while a caller repeatedly calls a bundled tool. */
async function beside(what: string, server: ServerProcess, work: () => Promise<readonly [string, number]>) {
  const call = JSON.stringify({ tool_id: 'Calculator.Add', input: { a: 1, b: 2 } })
  let isOver = false
  const latencies: number[] = []
  const before = cpuOf(server.pid)
  const done = work().finally(() => (isOver = true))
  while (!isOver) latencies.push((await ask(server, '/tools/call', call))[1])
  const [text, ms] = await done
  const [p50, p99, most] = [0.5, 0.99, 1].map((part) => quantile(latencies, part).toFixed(1))
  const cpu = (cpuOf(server.pid) - before) / 1_000
  console.log(`| ${what} | ${(ms / 1_000).toFixed(1)} | ${cpu.toFixed(1)} | ${p50} | ${p99} | ${most} |`)
  return text
}

const servers: ServerProcess[] = []
try {
  execFileSync('npm', ['run', '--silent', 'generate'], { stdio: 'inherit' })
  const sizes = values.tools.split(',').map(Number)
  const filled: ServerProcess[] = []
  for (const size of sizes) {
    const server = await start()
    await populate(server, size)
    filled.push(server)
  }
  console.log(
    `| ms, medians of ${values.rounds} | ${sizes.join(' | ')} | ratio |\n| --- | ${sizes.map(() => '--- | ').join('')}--- |`,
  )
  for (const path of PATHS) {
    const slots = filled.map((): number[] => [])
    for (let round = 0; round <= Number(values.rounds); round += 1) {
      for (const [at, server] of filled.entries()) {
        const each: number[] = []
        for (let n = 0; n < A_SLOT; n += 1) each.push((await ask(server, path))[1])
        // The first round is a warm-up
        if (round > 0) slots[at]?.push(quantile(each, 0.5))
      }
    }
    const medians = slots.map((slot) => quantile(slot, 0.5))
    const ratio = (medians.at(-1) ?? NaN) / (medians[0] ?? NaN)
    console.log(`| ${path} | ${medians.map((each) => each.toFixed(2)).join(' | ')} | ${ratio.toFixed(2)} |`)
  }
  console.log('\n| while | s | CPU s | calls: p50 ms | p99 | most |\n| --- | --- | --- | --- | --- | --- |')
  const [source, target] = [filled.at(-1), await start()]
  if (!source) throw new Error('No size was given')
  const exported = await beside(`${sizes.at(-1)} tools are exported`, source, () => ask(source, '/export'))
  await beside('they are restored', target, () => ask(target, '/import?trust=1', exported, 'application/jsonl'))
  const openapi = await readFile(values.description, 'utf8')
  const body = JSON.stringify({ toolkit: 'Described', from: { openapi } })
  await beside('a description is imported', target, () => ask(target, '/toolkits/import', body))
} finally {
  for (const server of servers) await server.stop()
  await rm(folder, { recursive: true, force: true })
}
