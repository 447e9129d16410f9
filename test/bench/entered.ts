/**
 * Sends each request three times, and a fourth time under V8's precise coverage. A file counts if a named function of it ran
 * before the response. A storage statement is an SQL statement or a KV operation. A fifth request counts the promises.
 * `test/entered.test.ts` fails if one of the three counts rises.
 */
import { createHook } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import { readCommand } from '../../src/node/command.ts'
import { createKv } from '../simulation/kv.ts'
import { createHost, type Host } from '../simulation/object-host.ts'
import { part } from '../simulation/part.ts'

const { values } = readCommand(
  'Counts the files of src that a warm request enters, the promises made and the statements of storage until the response ' +
    'is there. The Worker runs in this process over the simulation.',
  {
    list: { type: 'boolean', says: 'name the files, in the order of their folders' },
    json: { type: 'boolean', says: 'print the counts alone, as JSON' },
    only: { type: 'string', default: '', says: 'requests with this in their name, such as tools/call' },
  },
)

/** The part of the platform's module that is used before a sandbox runs. */
const PLATFORM = `
  export class DurableObject { constructor(ctx, env) { this.ctx = ctx; this.env = env } }
  export class WorkerEntrypoint {}
  export const exports = {}
  export const waitUntil = () => undefined
  export const tracing = { enterSpan: (name, work) => work({ setAttributes() {} }) }`

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'cloudflare:workers'
      ? { url: `data:text/javascript,${encodeURIComponent(PLATFORM)}`, shortCircuit: true }
      : next(specifier, specifier.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
  load(url, context, next) {
    if (url.endsWith('/package.json')) {
      const { version } = JSON.parse(readFileSync(fileURLToPath(url), 'utf8'))
      return { format: 'module', source: `export const version = '${version}'`, shortCircuit: true }
    }
    if (!url.endsWith('.tsx')) return next(url, context)
    const written = readFileSync(fileURLToPath(url), 'utf8')
    const jsx = { loader: 'tsx', jsx: 'automatic', jsxImportSource: 'hono/jsx' } as const
    return { format: 'module', source: transformSync(written, jsx).code, shortCircuit: true }
  },
})

// Fixed, because otherwise a stale value could be read again in one measurement and not in the next
const begun = Date.now()
Date.now = () => begun

const session = new Session()
session.connect()
await session.post('Profiler.enable')
// Enabled before the import, because code that is already compiled has no counters
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
const worker = await import('../../src/index.ts')

/** Ideal conditions: nothing is lost, late or refused. */
const never = { below: () => 0, happens: () => false, oneOf: <T>(choices: readonly [T, ...T[]]) => choices[0] }
const weather = { lost: 0, ends: 0, refused: 0, hanging: 0, repeated: 0, slow: 0, lag: 0 }
const timers = new Map<number, ReturnType<typeof setTimeout>>()
let timed = 0
const clock = {
  now: Date.now,
  elapsed: () => 0,
  set(ring: () => void, ms = 0): number {
    // Node would run a timer with a longer delay immediately
    if (ms < 2 ** 31) timers.set(++timed, setTimeout(ring, ms))
    return timed
  },
  clear: (id = 0): unknown => clearTimeout(timers.get(id)),
  sleep: (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms)),
  timeout: AbortSignal.timeout,
  next: () => undefined,
  ring: () => undefined,
  pass: () => undefined,
}
/** The functions of the Worker that ran during the measured request, by file. */
let entered: Map<string, Set<string>> | undefined
let statements = 0

/** Takes the coverage since the last call, and counts or discards it. */
async function take(isCounted: boolean): Promise<void> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  for (const { url, functions } of isCounted ? result : []) {
    const [, file] = /\/src\/(.+)$/.exec(url) ?? /\/(node_modules\/.+)$/.exec(url) ?? []
    if (file === undefined || file.startsWith('generated/')) continue
    for (const { functionName, ranges } of functions) {
      const [{ count } = { count: 0 }] = ranges
      if (functionName === '' || count === 0) continue
      entered?.set(file, (entered.get(file) ?? new Set()).add(functionName))
    }
  }
}

/** Separates the objects, which also run in this process, from the Worker. */
async function travel(what: string): Promise<void> {
  if (what.includes(' KV ')) statements += Number(what.startsWith('→'))
  if (entered && !what.includes(' KV ')) await take(what.startsWith('→'))
}
const network = { travel, due: () => undefined, deliver: async () => undefined }
const kv = createKv({ clock, chance: never, weather, network })
const place = kv.place()
const writer = kv.writer((send) => send())

/** Creates a minimal namespace of a class of objects: each object has its own host, by name. */
function namespaceOf<Instance extends object>(Class: new (state: DurableObjectState, env: any) => Instance): any {
  const hosts = new Map<string, Host>()
  const idOf = (name: string) => part<DurableObjectId>({ toString: () => name, name })
  const note = () => undefined
  const start = (state: DurableObjectState) => {
    const { sql } = state.storage
    const exec = sql.exec.bind(sql)
    sql.exec = (query, ...bindings) => {
      statements += 1
      return exec(query, ...bindings)
    }
    return new Class(state, env)
  }
  function stub(name: string): object {
    const options = { name, id: idOf(name), clock, chance: never, weather, network, note, defect: console.error, start }
    const host = hosts.get(name) ?? createHost<Instance>(options)
    hosts.set(name, host)
    return host.stub()
  }
  return { getByName: stub, idFromName: idOf, idFromString: idOf, get: (id: DurableObjectId) => stub(String(id)) }
}

const ADMIN_KEY = 'an-administrators-key-of-a-measurement'
const env: any = {
  REGISTRY: { get: place.get, put: writer.put, delete: writer.delete },
  Registry: namespaceOf(worker.Registry),
  Access: namespaceOf(worker.Access),
  IdempotencyStore: namespaceOf(worker.IdempotencyStore),
  Vault: namespaceOf(worker.Vault),
  Connect: namespaceOf(worker.Connect),
  Records: namespaceOf(worker.Records),
  Tasks: namespaceOf(worker.Tasks),
  Events: namespaceOf(worker.Events),
  ACCESS: 'keys',
  DEMO_TOOLS: 'true',
  ADMIN_KEY,
}

const waiting: Promise<unknown>[] = []
const context: any = { waitUntil: (work: Promise<unknown>) => waiting.push(work), props: {} }

interface Sent {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

async function send({ path, body, headers, method = body === undefined ? 'GET' : 'POST' }: Sent, key: string) {
  const text = body === undefined ? '' : JSON.stringify(body)
  const content = { 'content-type': 'application/json', 'content-length': String(text.length) }
  const request: any = new Request(`https://switchboard.example${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : content), ...headers },
    ...(body === undefined ? {} : { body: text }),
  })
  const response = await worker.default.fetch(request, env, context)
  return { status: response.status, text: await response.text() }
}

/** Waits for the work after a response, which does not count. */
async function settle(): Promise<void> {
  while (waiting.length > 0) await Promise.allSettled(waiting.splice(0))
  await clock.sleep(20)
}

const INPUT = { a: 10, b: 5 }
const ACCEPT = { accept: 'application/json, text/event-stream' }
const TOOL = { name: 'Calculator_Add', arguments: INPUT }

function mcpCall(revision: string, params: object): Sent {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const standard = revision === '2026-07-28' ? { 'mcp-method': 'tools/call', 'mcp-name': TOOL.name } : {}
  return { path: '/mcp', body, headers: { ...ACCEPT, 'mcp-protocol-version': revision, ...standard } }
}

let published = 0
const toPublish = (): Sent => ({
  path: '/tools',
  body: {
    id: `Measured.Tool${++published}@1.0.0`,
    name: `Measured_Tool${published}`,
    description: 'Looks for something.',
    version: '1.0.0',
    input_schema: { parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] } },
    output_schema: { type: 'object' },
  },
})

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const header = {
  version: '1.0',
  timestamp: new Date().toISOString(),
  messageType: 'request',
  source: 'client',
  destination: 'server',
}
const WAYS: Readonly<Record<string, () => Sent>> = {
  'OXP POST /tools/call': () => ({ path: '/tools/call', body: { tool_id: 'Calculator.Add', input: INPUT } }),
  'MCP 2026-07-28 tools/call': () => mcpCall('2026-07-28', { ...TOOL, _meta: meta }),
  'MCP 2025-11-25 tools/call': () => mcpCall('2025-11-25', TOOL),
  'Open Tool Calling POST /worker/tools/invoke': () => ({
    path: '/worker/tools/invoke',
    body: {
      run_id: 'run',
      execution_id: `execution-${++published}`,
      created_at: '2026-01-01T00:00:00Z',
      tool: { name: 'Add', toolkit: 'Calculator', version: '1.0.0' },
      inputs: INPUT,
      context: {},
    },
  }),
  'Machine Context POST /machine-context/execute': () => ({
    path: '/machine-context/execute',
    body: {
      header: { ...header, messageId: `message-${++published}` },
      payload: { tool: { id: 'toolkit:Calculator', capability: 'Add', parameters: INPUT }, context: {} },
    },
  }),
  'Plugin POST /plugin/call': () => ({ path: '/plugin/call', body: { params: TOOL } }),
  'GET /tools': () => ({ path: '/tools' }),
  'GET /tools?q=': () => ({ path: '/tools?q=add' }),
  'POST /tools, one tool': toPublish,
}

// Silence the log of the calls
console.log = () => undefined
const key: string = JSON.parse(
  (
    await send(
      { path: '/keys', body: { name: 'measured', scopes: ['tools:read', 'tools:call', 'tools:publish'] } },
      ADMIN_KEY,
    )
  ).text,
).key

let promises = 0
const promising = createHook({ init: (_, type) => void (promises += Number(type === 'PROMISE')) })

/** Counts the promises created before the response. */
async function countPromises(sent: Sent): Promise<number> {
  promises = 0
  promising.enable()
  await send(sent, key)
  promising.disable()
  await settle()
  return promises
}

const all: Record<string, Readonly<Record<'files' | 'promises' | 'statements', number>>> = {}
if (!values.json) {
  console.info('| | files | promises | statements |')
  console.info('| --- | --- | --- | --- |')
}
for (const [name, make] of Object.entries(WAYS)) {
  if (!name.includes(values.only)) continue
  for (let time = 0; time < 3; time++) {
    const { status, text } = await send(make(), key)
    if (status >= 300) throw new Error(`${name}: ${status} ${text}`)
    await settle()
  }
  const sent = make()
  await take(false)
  entered = new Map()
  statements = 0
  await send(sent, key)
  const stored = statements
  await take(true)
  const files = [...entered]
    .filter(([file]) => !file.startsWith('node_modules/'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  entered = undefined
  await settle()
  const counts = { files: files.length, promises: await countPromises(make()), statements: stored }
  all[name] = counts
  if (values.json) continue
  console.info(`| ${name} | ${counts.files} | ${counts.promises} | ${counts.statements} |`)
  if (!values.list) continue
  for (const [file, functions] of files) console.info(`  ${file}: ${[...functions].join(', ')}`)
}
if (values.json) console.info(JSON.stringify(all))
process.exit()
