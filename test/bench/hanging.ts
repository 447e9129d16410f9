import { execFileSync } from 'node:child_process'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { readCommand } from '../../src/node/command.ts'
import { type ServerProcess, startProcess } from '../e2e/process.ts'
import { memoryOf } from '../processes.ts'
import { collectedHeap } from './heap.ts'
import { load, post, quantile } from './load.ts'

const { values } = readCommand(
  'Measures calls of a bundled tool while calls of a server that hangs are in flight, beside the same without, in adjacent slots of ' +
    'one run; and what they leave in memory: the heap of the Worker before, meanwhile and after, each time once V8 has collected, and ' +
    'all that workerd holds. Fails when a round leaves something in the heap that the first did not.',
  {
    rounds: { type: 'string', default: '6', says: 'how many rounds' },
    seconds: { type: 'string', default: '2', says: 'how long a slot is' },
    connections: { type: 'string', default: '16', says: 'calls at the same time' },
    hanging: { type: 'string', default: '500', says: 'calls that hang' },
  },
)
const [rounds, seconds, connections, hanging] = [values.rounds, values.seconds, values.connections, values.hanging].map(
  Number,
) as [number, number, number, number]

/** Limit of one toolkit's concurrent calls to a host: more are refused immediately, and do not hang. */
const A_TOOLKIT = 64
/** Allowed growth of the heap from the first round to the last, in MB; 500 leaked calls would take more. */
const HEAP_MB = 1
const WARM_UP = 20_000
const BEHIND_MS = 3_000

const waiting = new Set<Socket>()
const upstream = createServer((socket) => {
  socket.on('error', () => undefined)
  socket.on('data', () => void waiting.add(socket))
  socket.on('close', () => void waiting.delete(socket))
})
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`

/** Responds to the hanging calls, so that the host counts as slow, not down. */
function answerAll(): void {
  for (const socket of waiting) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}')
}

async function publish(server: ServerProcess, toolkit: string): Promise<void> {
  const definition = { name: 'Hang', description: 'Hangs', inputSchema: { type: 'object' } }
  const implementation = { kind: 'http', method: 'GET', url: `http://${host}/`, timeout_ms: 300_000 }
  const { status, body } = await server.json('POST', '/tools', {
    definition,
    toolkit,
    version: '1.0.0',
    implementation,
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
}

const until = async (isSo: () => boolean) => {
  while (!isSo()) await sleep(20)
}

execFileSync('npm', ['run', '--silent', 'generate'], { stdio: 'inherit' })
const vars = ['ACCESS:open', `ALLOW_HTTP_HOSTS:${host}`].flatMap((each) => ['--var', each])
const server = await startProcess(['node', 'src/node/serve.ts', '--inspector-port', '0', ...vars])
try {
  const toolkits = Array.from({ length: Math.ceil(hanging / A_TOOLKIT) }, (_, index) => `Hanging${index}`)
  for (const toolkit of toolkits) await publish(server, toolkit)
  const request = post('/tools/call', { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } })
  const measure = async () => {
    const { latencies } = await load(Number(new URL(server.url).port), request, connections, { seconds })
    return { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), rps: latencies.length / seconds }
  }
  // Warm up, because the code that V8 compiles is also in the heap
  await load(Number(new URL(server.url).port), request, connections, { requests: WARM_UP })
  console.log(`${rounds} rounds of ${seconds} s slots, ${connections} connections, ${hanging} calls that hang`)
  console.log(
    '| round | p50 ms | p99 ms | calls/s | with them: p50 | p99 | calls/s | ratio of p99 | heap MB | meanwhile | after | workerd MB |',
  )
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |')
  const ratios: number[] = []
  const heaps: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const before = await collectedHeap(server)
    const alone = await measure()
    const calls = Array.from({ length: hanging }, (_, index) =>
      server.json('POST', '/tools/call', { tool_id: `${toolkits[index % toolkits.length]}.Hang`, input: {} }),
    )
    await until(() => waiting.size === hanging)
    const meanwhile = await collectedHeap(server)
    const beside = await measure()
    answerAll()
    const failed = (await Promise.all(calls)).filter(({ body }) => body.result?.success !== true)
    if (failed.length > 0) throw new Error(`${failed.length} calls failed: ${JSON.stringify(failed[0]?.body)}`)
    const ratio = beside.p99 / alone.p99
    ratios.push(ratio)
    // By then, all writes after the calls are done
    await sleep(BEHIND_MS)
    const after = await collectedHeap(server)
    heaps.push(after)
    const times = [alone.p50, alone.p99, alone.rps, beside.p50, beside.p99, beside.rps, ratio]
    const cells = [...times, before, meanwhile, after].map((each) => each.toFixed(2))
    console.log(`| ${[round, ...cells, memoryOf(server.pid, 'workerd') ?? '–'].join(' | ')} |`)
  }
  console.log(`The median of the ratios of p99 is ${quantile(ratios, 0.5).toFixed(2)}`)
  const grown = (heaps.at(-1) ?? 0) - (heaps[0] ?? 0)
  console.log(`From the first round to the last, the heap grew by ${grown.toFixed(2)} MB`)
  if (grown > HEAP_MB) throw new Error('Calls that hung have left something in memory')
} finally {
  await server.stop()
  upstream.close()
}
