/**
 * The production bundle on workerd, without the proxies of `wrangler dev`, whose options it takes. `--built` serves
 * what `--outdir` holds. With `--watch` (`npm run dev`), what was served goes on until a change can be built.
 */
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
const options = orEnd(() => readServeOptions(process.argv.slice(2)))
const outdir =
  options.outdir === undefined && options.watch ? ownFolder() : resolve(root, options.outdir ?? 'dist/worker')
const place = `http://${options.ip.includes(':') ? `[${options.ip}]` : options.ip}`
let inSources = (text: string) => text
// workerd has no Unix sockets on Windows
const sandboxes = process.platform === 'win32' ? undefined : createSandboxProcesses((line) => console.error(line))
let miniflare: Miniflare | undefined
let unwatch: (() => void) | undefined
let starting: string[] | undefined = []
let lacksAdministrator = false

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
// npm's shell passes no signal on, so this ends when that has ended
const parent = process.ppid
const isOrphan = () => process.env['npm_lifecycle_event'] !== undefined && process.ppid !== parent
setInterval(() => void (isOrphan() && stop()), 500).unref()

orEnd(() => holdFolder(storage().resourcePersistencePath))
if (options.inspectorPort) await probe(options.inspectorPort)
if (!options.built) {
  const made = await make()
  if (!made.ok) end(made.message)
}
let served = await buildWorkerOptions(options.port).catch((error: unknown) => end(toMessage(error)))
const running = new Miniflare(served)
miniflare = running
await running.ready.catch((error: unknown) => {
  return end(whyNot(error, 'ERR_ADDRESS_IN_USE', `${options.ip}:${options.port}`, '--port'))
})
hasStarted()
const { port } = await running.unsafeGetDirectURL()
const url = `${place}:${port}`
if (options.inspectorPort !== undefined) console.log(`Inspector on ${await running.getInspectorURL()}`)
console.log(`Ready on ${url}`)
if (lacksAdministrator) console.log(NO_ADMINISTRATOR)

if (options.watch) unwatch = onChange(sources(), refresh)

async function refresh(): Promise<void> {
  console.log('Building what changed …')
  try {
    const made = await make()
    if (!made.ok) return console.error(`${made.message}\nWhat was served before goes on at ${url}`)
    const next = await buildWorkerOptions(Number(port))
    if (isDeepStrictEqual(next, served)) return console.log(`Ready on ${url}, as before`)
    starting = []
    await replaceWorker(next)
    served = next
    hasStarted()
    console.log(`Ready on ${url}, with what changed`)
  } catch (error) {
    if (stopping.signal.aborted) return
    const reason = why(error)
    await replaceWorker(served)
    hasStarted()
    console.error(`${reason}\nWhat was served before goes on at ${url}`)
  }
}

async function replaceWorker(workerOptions: typeof served): Promise<void> {
  await sandboxes?.end()
  await running.setOptions(workerOptions)
}

function hasStarted(): void {
  for (const line of starting ?? []) console.log(line)
  starting = undefined
}

function why(error: unknown): string {
  const thrown = starting?.filter((line) => line.startsWith('service core:user:')) ?? []
  starting = []
  return thrown.join('\n') || toMessage(error)
}

function whyNot(error: unknown, taken: string, address: string, option: string): string {
  return Object(error).code === taken ? `Cannot listen on ${address}: it is taken, give another ${option}` : why(error)
}

/** Miniflare waits for ever where the port of its inspector is taken. */
async function probe(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  const isListening = once(server, 'listening')
  await isListening.catch((error: unknown) => end(whyNot(error, 'EADDRINUSE', `127.0.0.1:${port}`, '--inspector-port')))
  await new Promise((closed) => server.close(closed))
}

function make(): Promise<Bundled> {
  const { config, tools, watch } = options
  return bundle({ config, outdir, tools, readable: watch, signal: stopping.signal })
}

async function buildWorkerOptions(port: number) {
  const { workerOptions } = readWorkerOptions(join(root, options.config))
  const { modulesRules: _, ...worker } = workerOptions
  if (options.watch) inSources = sourcePlaces(outdir)
  const bindings = { ...Object(worker.bindings), ...options.variables, SELF_HOSTED: 'true' }
  const config = tryLoadConfig(bindings)
  lacksAdministrator = config?.access === 'keys' && config.adminKey === undefined && config.jwt === undefined
  if (config?.access === 'open' && !isLoopback(URL.parse(place)?.hostname ?? '')) {
    throw new Error(
      `Cannot serve ACCESS=open on ${options.ip}: whoever reaches that address could do anything. Leave out --ip, or give --var ACCESS:keys and set ADMIN_KEY`,
    )
  }
  const { resourcePersistencePath, ...named } = storage()
  const read = withAssetsFromDisk(worker)
  const sandboxed = Object(worker.workerLoaders).LOADER ? sandboxes : undefined
  const main = {
    ...read,
    serviceBindings: { ...Object(read.serviceBindings), DISK: roomOnDisk, ...sandboxed?.serviceBindings },
    ...named,
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
    workers: [main, networkWorker(await networkFor(config))],
  })
}

/** None of settings that are wrong: the Worker says so to each request, and does nothing else. */
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

async function roomOnDisk(): Promise<Response> {
  const { bavail, bsize } = await statfs(storage().resourcePersistencePath)
  return new Response(String(bavail * bsize))
}

function sources(): Watched[] {
  const isGenerated = (file: string) => /^generated(?:[/\\]|$)/.test(file)
  const isSetting = (file: string) => file === options.config || file.startsWith('.dev.vars')
  return [
    { folder: join(root, 'src'), counts: (file) => !isGenerated(file), isDeep: true },
    { folder: join(root, options.tools?.from ?? 'tools'), counts: () => true, isDeep: true },
    { folder: root, counts: isSetting, isDeep: false },
  ]
}

function ownFolder(): string {
  const parent = join(root, '.wrangler/tmp')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'dev-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function print({ level, message }: { readonly level: string; readonly message: string }): void {
  const write = level === 'error' || level === 'warn' ? console.error : console.log
  if (starting) starting.push(inSources(message))
  else write(inSources(message))
}

async function stop(): Promise<void> {
  if (stopping.signal.aborted) return
  stopping.abort()
  unwatch?.()
  await miniflare?.dispose()
  process.exit(0)
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function end(message: string): never {
  console.error(message)
  process.exit(1)
}

function orEnd<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    return end(toMessage(error))
  }
}
