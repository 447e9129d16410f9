import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { readCommand } from '../../src/node/command.ts'
import { type ServerProcess, startProcess } from '../e2e/process.ts'
import { memoryOf, workOf } from '../processes.ts'
import { startUpstream } from '../upstream.ts'
import { quantile } from './load.ts'
import { answersIn, type Reader, readersFor } from './worst-shapes.ts'

const { values } = readCommand(
  'Measures, for each reader of what somebody sends, the worst input that is found among many shapes within its bounds, beside ' +
    '/health with a body of the same size and a call of plain text of it: ratios of medians in one run.',
  {
    rounds: { type: 'string', default: '7', says: 'how many rounds' },
    only: { type: 'string', default: '', says: 'readers whose name matches this expression' },
    shape: { type: 'string', default: '', says: 'shapes whose name matches this expression' },
    shapes: { type: 'boolean', default: false, says: 'print what each shape takes' },
    memory: {
      type: 'boolean',
      default: false,
      says: 'also what workerd holds at most while ten of the worst are read at once',
    },
  },
)
const AT_ONCE = 10
const rounds = Number(values.rounds)
const only = new RegExp(values.only)
const ofShape = new RegExp(values.shape)

interface Sent {
  readonly method: string
  readonly path: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

execFileSync('npm', ['run', '--silent', 'generate'], { stdio: 'inherit' })
const upstream = await startUpstream(({ url }, response) => {
  const { type, text } = answersIn.get(url.replace('/tools/call', '')) ?? { type: 'text/plain', text: '' }
  response.writeHead(200, { 'content-type': type }).end(text)
})
const vars = ['ACCESS:open', `ALLOW_HTTP_HOSTS:${upstream.host}`].flatMap((each) => ['--var', each])
// Cloudflare limits an isolate to 128 MB. Without a limit, V8 leaves hundreds of MB of garbage
if (values.memory) process.env['MINIFLARE_WORKERD_V8_FLAGS'] ??= '--max-old-space-size=96'
const start = () => startProcess(['node', 'src/node/serve.ts', ...vars])
let server: ServerProcess = await start()

interface Took {
  readonly ms: number
  /** CPU time of workerd, which other processes on a busy machine do not affect. */
  readonly cpuMs: number
  readonly status: number
}

async function send(request: Sent): Promise<Took> {
  const { method, path, body, headers } = request
  const from = performance.now()
  const worked = workOf(server.pid, 'workerd')
  const sent = {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  }
  const answer = await fetch(server.url + path, sent).catch(() => undefined)
  // A server that does not read the body may close the connection while it is sent
  if (!answer) return send(request)
  await answer.arrayBuffer()
  const ms = performance.now() - from
  return { ms, cpuMs: workOf(server.pid, 'workerd') - worked, status: answer.status }
}

const health = (size: number): Sent => ({ method: 'POST', path: '/health', body: 'x'.repeat(size) })
const plain = (size: number): Sent =>
  size > 4_000_000
    ? { method: 'POST', path: '/tools', body: `{"definition":"${'x'.repeat(size - 40)}"}` }
    : { method: 'POST', path: '/tools/call', body: `{"tool_id":"Calculator.Add","input":{"a":"${'x'.repeat(size)}"}}` }

interface Measured {
  readonly reader: Reader
  readonly shape: string
  readonly request: Sent
  readonly size: number
}

const worst: Measured[] = []
try {
  const readers = await readersFor(server, upstream.origin)
  for (const reader of readers.filter(({ name }) => only.test(name))) {
    let found: Measured | undefined
    let most = 0
    for (const [shape, make] of Object.entries(reader.shapes)) {
      if (!ofShape.test(shape)) continue
      const { request, size } = make()
      await send(request)
      const taken = [await send(request), await send(request)]
      const bare = [await send(health(size)), await send(health(size))]
      const [own = 0, least = 1] = [taken, bare].map((each) => Math.min(...each.map(({ cpuMs }) => cpuMs)))
      const per = own / least
      if (values.shapes)
        console.log(
          `  ${reader.name}: ${shape}: ${taken.map(({ cpuMs, status }) => `${cpuMs.toFixed(0)} ms (${status})`)} ${size}`,
        )
      if (per <= most) continue
      most = per
      found = { reader, shape, request, size }
    }
    if (found) worst.push(found)
  }
  console.log('| reader | worst shape | kB | ms | of /health | of plain text | CPU ms | of /health | of plain text |')
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |')
  for (const { reader, shape, request, size } of worst) {
    const took: [Took[], Took[], Took[]] = [[], [], []]
    for (let round = 0; round < rounds; round++) {
      for (const [at, each] of [request, health(size), plain(size)].entries()) took[at]?.push(await send(each))
    }
    const medians = (figure: 'ms' | 'cpuMs') =>
      took.map((each) =>
        quantile(
          each.map((one) => one[figure]),
          0.5,
        ),
      )
    const cells = (['ms', 'cpuMs'] as const).flatMap((figure) => {
      const [own = NaN, bare = NaN, text = NaN] = medians(figure)
      return [own.toFixed(1), (own / bare).toFixed(1), (own / text).toFixed(1)]
    })
    console.log(`| ${[reader.name, shape, Math.round(size / 1_000), ...cells].join(' | ')} |`)
  }
  if (values.memory) {
    console.log('| reader | shape | at rest MB | at most MB over it |')
    console.log('| --- | --- | --- | --- |')
    await server.stop()
    for (const {
      reader: { name },
      shape,
    } of worst) {
      server = await start()
      const again = (await readersFor(server, upstream.origin)).find((each) => each.name === name)?.shapes[shape]?.()
      if (!again) throw new Error(`Cannot make ${name} again`)
      for (let warm = 0; warm < 20; warm++) await send(health(1_000))
      await send(again.request)
      await sleep(1_000)
      const rest = memoryOf(server.pid, 'workerd') ?? 0
      let peak = 0
      const look = setInterval(() => (peak = Math.max(peak, memoryOf(server.pid, 'workerd') ?? 0)), 5)
      const statuses = (await Promise.all(Array.from({ length: AT_ONCE }, () => send(again.request)))).map(
        ({ status }) => status,
      )
      clearInterval(look)
      console.log(`| ${name} | ${shape} | ${rest} | ${peak - rest} (${[...new Set(statuses)].join(' ')}) |`)
      await server.stop()
    }
  }
} finally {
  await server.stop()
  await upstream.close()
}
