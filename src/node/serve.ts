/**
 * Serves the production bundle on workerd, with the options of `wrangler dev` but without its proxies.
 *
 * Start: locks the folder of state, so that no second server uses it; checks the inspector's port; builds (except with
 * `--built`, which serves the contents of `--outdir`); starts the Worker, and prints its address. Any error ends the process
 * with code 1. Lines that the Worker logs while it starts are printed once it has started.
 *
 * With `--watch` (`npm run dev`), each change triggers a build. If the build fails, the Worker keeps running; if a Worker
 * does not start, the previous one replaces it. Sandboxes end before the Worker is replaced (`sandbox-processes.ts`).
 *
 * Stop: on SIGINT, SIGTERM or the end of npm, ends the build and exits with code 0. The Worker and the sandboxes end with the
 * process, however that ends. If the Worker crashes, it is started again; if that fails, the process exits with code 1.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { convertV4MiniflareOptions, Miniflare, Response } from 'miniflare'
import { unstable_getMiniflareWorkerOptions as readWorkerOptions, unstable_readConfig as readConfig } from 'wrangler'
import { type Config, loadConfig } from '../env.ts'
import { NO_ADMINISTRATOR } from '../http/caller/authenticate.ts'
import { isLoopback } from '../core/tool/loopback.ts'
import { bundle, type Bundled, modulesIn, sourcePlaces, withAssetsFromDisk } from './bundle.ts'
import { holdFolder } from './hold-folder.ts'
import { readServeOptions } from './options.ts'
import { NETWORK, networkFor, networkWorker } from './network.ts'
import { createSandboxProcesses } from './sandbox-processes.ts'
import { onChange, type Watched } from './watch.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const stopping = new AbortController()
const options = getOrExit(() => readServeOptions(process.argv.slice(2)))
const outdir =
  options.outdir === undefined && options.watch ? createTempFolder() : resolve(root, options.outdir ?? 'dist/worker')
const origin = `http://${options.ip.includes(':') ? `[${options.ip}]` : options.ip}`
let locateInSources = (text: string) => text
// workerd has no Unix sockets on Windows
const sandboxes = process.platform === 'win32' ? undefined : createSandboxProcesses((line) => console.error(line))
let startLines: string[] | undefined = []
let lacksAdministrator = false
let comparisonMs = 0
const MINUTE_MS = 60_000
/** The Worker that starts scheduled work. Nobody else knows its name, so no page or program on this machine can call it. */
const SCHEDULER = `scheduler-${randomUUID()}`

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
// npm's shell does not forward signals, so this process ends once npm's process has ended
const parent = process.ppid
const isOrphan = () => process.env['npm_lifecycle_event'] !== undefined && process.ppid !== parent
setInterval(() => isOrphan() && stop(), 500).unref()

getOrExit(() => holdFolder(storage().resourcePersistencePath))
if (options.inspectorPort) await checkPortIsFree(options.inspectorPort)
if (!options.built) {
  const built = await buildBundle()
  if (!built.ok) exitWithError(built.message)
}
let servedOptions = await buildWorkerOptions(options.port).catch((error: unknown) => exitWithError(toMessage(error)))
const running = new Miniflare(servedOptions)
await running.ready.catch((error: unknown) => {
  return exitWithError(explainAddressError(error, 'ERR_ADDRESS_IN_USE', `${options.ip}:${options.port}`, '--port'))
})
printStartLines()
const { port } = await running.unsafeGetDirectURL()
const url = `${origin}:${port}`
if (options.inspectorPort !== undefined) console.log(`Inspector on ${await running.getInspectorURL()}`)
console.log(`Ready on ${url}`)
if (lacksAdministrator) console.log(NO_ADMINISTRATOR)
schedule('serve', () => comparisonMs)
schedule('* * * * *', () => MINUTE_MS - (Date.now() % MINUTE_MS))

if (options.watch) onChange(listWatchedFolders(), refresh)

async function refresh(): Promise<void> {
  console.log('Building what changed …')
  try {
    const built = await buildBundle()
    if (!built.ok) return console.error(`${built.message}\nWhat was served before goes on at ${url}`)
    const nextOptions = await buildWorkerOptions(Number(port))
    if (isDeepStrictEqual(nextOptions, servedOptions)) return console.log(`Ready on ${url}, as before`)
    startLines = []
    await replaceWorker(nextOptions)
    servedOptions = nextOptions
    printStartLines()
    console.log(`Ready on ${url}, with what changed`)
  } catch (error) {
    const reason = explainError(error)
    await replaceWorker(servedOptions)
    printStartLines()
    console.error(`${reason}\nWhat was served before goes on at ${url}`)
  }
}

/**
 * Replaces Cloudflare's Cron Triggers. A run starts only after the previous one has ended.
 *
 * Does not use Miniflare's `getWorker`, which blocks this process until the Worker responds: the Worker may be waiting for this
 * process to read its log lines, and then neither would ever continue.
 */
function schedule(cron: string, getWaitMs: () => number): void {
  const waitMs = getWaitMs()
  if (waitMs === 0) return
  const run = async () => {
    const headers = { 'MF-Route-Override': SCHEDULER }
    const response = await running.dispatchFetch('http://localhost', { method: 'POST', body: cron, headers })
    if (!response.ok) throw new Error(await response.text())
  }
  const handleError = (error: unknown) => {
    // The Worker crashed and could not be restarted, which Miniflare tries once
    if (Object(error).code === 'ERR_RUNTIME_FAILURE') exitWithError(toMessage(error))
    console.error(`Cannot run scheduled work: ${toMessage(error)}`)
  }
  const repeat = () => schedule(cron, getWaitMs)
  setTimeout(() => void run().catch(handleError).finally(repeat), waitMs).unref()
}

async function replaceWorker(workerOptions: typeof servedOptions): Promise<void> {
  await sandboxes?.end()
  await running.setOptions(workerOptions)
}

function printStartLines(): void {
  for (const line of startLines ?? []) console.log(line)
  startLines = undefined
}

function explainError(error: unknown): string {
  const thrown = startLines?.filter((line) => line.startsWith('service core:user:')) ?? []
  startLines = []
  return thrown.join('\n') || toMessage(error)
}

function explainAddressError(error: unknown, errorCode: string, address: string, option: string): string {
  return Object(error).code === errorCode
    ? `Cannot listen on ${address}: it is taken, give another ${option}`
    : explainError(error)
}

/** Checks the inspector's port, because Miniflare waits forever if it is taken. */
async function checkPortIsFree(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  const isListening = once(server, 'listening')
  await isListening.catch((error: unknown) =>
    exitWithError(explainAddressError(error, 'EADDRINUSE', `127.0.0.1:${port}`, '--inspector-port')),
  )
  await new Promise((closed) => server.close(closed))
}

function buildBundle(): Promise<Bundled> {
  const { config, tools, watch } = options
  return bundle({ config, outdir, tools, readable: watch, signal: stopping.signal })
}

async function buildWorkerOptions(port: number) {
  const { workerOptions } = readWorkerOptions(join(root, options.config))
  const { modulesRules: _, ...worker } = workerOptions
  if (options.watch) locateInSources = sourcePlaces(outdir)
  const bindings = { ...Object(worker.bindings), ...options.variables, SELF_HOSTED: 'true' }
  const config = tryLoadConfig(bindings)
  comparisonMs = 1_000 * (config?.comparisonSeconds ?? 0)
  lacksAdministrator = config?.access === 'keys' && config.adminKey === undefined && config.jwt === undefined
  if (config?.access === 'open' && !isLoopback(URL.parse(origin)?.hostname ?? '')) {
    throw new Error(
      `Cannot serve ACCESS=open on ${options.ip}: whoever reaches that address could do anything. Leave out --ip, or give --var ACCESS:keys and set ADMIN_KEY`,
    )
  }
  const { resourcePersistencePath, ...storageOptions } = storage()
  const workerWithAssets = withAssetsFromDisk(worker)
  const sandboxed = Object(worker.workerLoaders).LOADER ? sandboxes : undefined
  const main = {
    ...workerWithAssets,
    serviceBindings: {
      ...Object(workerWithAssets.serviceBindings),
      DISK: readFreeDiskSpace,
      ...sandboxed?.serviceBindings,
    },
    ...storageOptions,
    modulesRoot: outdir,
    modules: await modulesIn(outdir, options.entry),
    bindings,
    outboundService: NETWORK,
    unsafeDirectSockets: [{ host: options.ip, port }, ...(sandboxed ? [sandboxed.directSocket] : [])],
  }
  return convertV4MiniflareOptions({
    resourcePersistencePath,
    port: 0,
    ...(options.inspectorPort === undefined ? {} : { inspectorPort: options.inspectorPort }),
    handleStructuredLogs: print,
    unsafeHandleRuntimeRestart: printRestart,
    ...(sandboxed ? { unsafeRuntimeEnv: sandboxed.runtimeEnv } : {}),
    workers: [main, networkWorker(await networkFor(config)), schedulerWorker(storage().name)],
  })
}

function schedulerWorker(main = '') {
  return {
    name: SCHEDULER,
    modules: true,
    script: `export default { async fetch(request, { MAIN }) {
      const { outcome } = await MAIN.scheduled({ cron: await request.text() })
      return new Response(outcome, { status: outcome === 'ok' ? 200 : 500 })
    } }`,
    compatibilityDate: '2026-10-15',
    compatibilityFlags: ['service_binding_extra_handlers'],
    serviceBindings: { MAIN: main },
  }
}

/** Returns undefined for invalid settings. The Worker then responds to each request with the problem. */
function tryLoadConfig(bindings: object): Config | undefined {
  try {
    return loadConfig(bindings)
  } catch {
    return undefined
  }
}

function storage() {
  const folder = resolve(options['persist-to'] ?? join(root, '.wrangler/state'))
  if (!options.watch) return { resourcePersistencePath: folder }
  const { name = 'worker' } = readConfig({ config: join(root, options.config) }, { hideWarnings: true })
  return { name, resourcePersistencePath: join(folder, 'v3') }
}

async function readFreeDiskSpace(): Promise<Response> {
  const { bavail, bsize } = await statfs(storage().resourcePersistencePath)
  return new Response(String(bavail * bsize))
}

function listWatchedFolders(): Watched[] {
  const isGenerated = (file: string) => /^generated(?:[/\\]|$)/.test(file)
  const isSetting = (file: string) => file === options.config || file.startsWith('.dev.vars')
  return [
    { folder: join(root, 'src'), counts: (file) => !isGenerated(file), isDeep: true },
    { folder: join(root, options.tools?.from ?? 'tools'), counts: () => true, isDeep: true },
    { folder: root, counts: isSetting, isDeep: false },
  ]
}

function createTempFolder(): string {
  const parent = join(root, '.wrangler/tmp')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'dev-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function print({ level, message }: { readonly level: string; readonly message: string }): void {
  const write = level === 'error' || level === 'warn' ? console.error : console.log
  if (startLines) startLines.push(locateInSources(message))
  else write(locateInSources(message))
}

function printRestart(): void {
  console.error('The Worker ended unexpectedly, and was started again')
}

/** Miniflare and the sandboxes end as this process exits. On a signal, Miniflare would exit first, with another code. */
function stop(): never {
  stopping.abort()
  process.exit(0)
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function exitWithError(message: string): never {
  console.error(message)
  process.exit(1)
}

function getOrExit<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    return exitWithError(toMessage(error))
  }
}
