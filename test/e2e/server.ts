import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { convertV4MiniflareOptions, Miniflare, type Request, type Response, type V4WorkerOptions } from 'miniflare'
import { bundle, modulesIn, withAssetsFromDisk } from '../../src/node/bundle.ts'
import { NETWORK, type networkFor, networkWorker } from '../../src/node/network.ts'
import { createSandboxProcesses } from '../../src/node/sandbox-processes.ts'
import { isFull } from '../extent.ts'
import { type Answer, sendJson } from './json.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface RunningServer {
  readonly url: string
  /** Everything that the Worker has written to its log. */
  readonly printed: () => string
  readonly persistTo: string
  /** `keep` leaves its state on disk. */
  stop(options?: { readonly keep?: boolean }): Promise<void>
  /** Sends JSON and reads JSON back. */
  json(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export interface Server extends RunningServer {
  readonly miniflare: Miniflare
}

export interface ServerOptions {
  /** Variables and secrets, which override those of `wrangler.toml`. */
  readonly vars?: Readonly<Record<string, unknown>>
  /** Initial state, kept from another server. */
  readonly persistTo?: string
  /** The port to listen on; by default, workerd picks one. */
  readonly port?: number
  /** Handles every outgoing request of the Worker; without it, they are sent. */
  readonly outbound?: (request: Request) => Response | Promise<Response>
  /** The hosts that the Worker may reach, as in `serve`; by default, all. */
  readonly network?: Awaited<ReturnType<typeof networkFor>>
  /** Whether there is a Worker Loader; by default, yes. */
  readonly loader?: boolean
  /** Whether there is a bucket for artifacts; by default, yes. */
  readonly bucket?: boolean
  /** Requests of one caller that are allowed in ten seconds; by default, the limit of `wrangler.toml`. */
  readonly rateLimit?: number
  /** Whether to print the events that a streaming tail Worker would receive, one per line. */
  readonly tail?: boolean
  /** The folder of another bundle. */
  readonly bundle?: string
  /** A class of Durable Objects whose storage is unreachable. */
  readonly broken?: 'Access' | 'Connect' | 'Events' | 'IdempotencyStore' | 'Records' | 'Registry' | 'Tasks' | 'Vault'
}

/** Builds the production bundle, with the tools of `test/fixtures/tools`, into a new folder. */
export async function buildBundle(): Promise<{ readonly folder: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bundle-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const tools = { from: 'test/fixtures/tools', to: 'test/fixtures/generated' }
  const { signal } = new AbortController()
  const built = await bundle({ config: 'wrangler.toml', outdir: folder, tools, signal })
  if (built.ok) return { folder, remove }
  remove()
  throw new Error(`Cannot build the Worker:\n${built.message}`)
}

/**
 * Starts the production bundle on workerd on a free loopback port, open to every caller, through miniflare as
 * `src/node/serve.ts` does, but in this process: so it ends with the process, and tests can handle its requests to other
 * services and access its storage. `startProcess` starts the real commands, but takes ten times as long.
 */
export async function startServer({
  vars,
  persistTo,
  port = 0,
  outbound,
  network,
  loader = true,
  bucket = true,
  rateLimit,
  bundle: own,
  broken,
  tail = false,
}: ServerOptions = {}): Promise<Server> {
  const folder = own ?? (await bundleFolder())
  const state = persistTo ?? (await mkdtemp(join(tmpdir(), 'switchboard-')))
  const worker = await workerOptionsIn(folder)
  let printed = ''
  const sandboxes = loader ? createSandboxProcesses((line) => void (printed += `${line}\n`)) : undefined
  const main: V4WorkerOptions = {
    ...worker,
    ...(loader ? {} : { workerLoaders: {} }),
    ...(broken ? { durableObjects: { ...Object(worker.durableObjects), [broken]: { className: broken } } } : {}),
    ...(bucket ? {} : { r2Buckets: {} }),
    ...(rateLimit === undefined
      ? {}
      : { ratelimits: { RATE_LIMIT: { namespace_id: '1001', simple: { limit: rateLimit, period: 10 } } } }),
    modulesRoot: folder,
    modules: await modulesIn(folder, 'index.mjs'),
    bindings: { ...Object(worker.bindings), ACCESS: 'open', TOOL_SECRETS, ...vars },
    serviceBindings: { ...Object(worker.serviceBindings), ...sandboxes?.serviceBindings },
    unsafeDirectSockets: [{ host: '127.0.0.1', port }, ...(sandboxes ? [sandboxes.directSocket] : [])],
    ...(outbound ? { outboundService: outbound } : {}),
    ...(network ? { outboundService: NETWORK } : {}),
  }
  const shared = {
    port: 0,
    resourcePersistencePath: state,
    ...(sandboxes ? { unsafeRuntimeEnv: sandboxes.runtimeEnv } : {}),
    handleStructuredLogs: ({ message }: { readonly message: string }) => void (printed += `${message}\n`),
  }
  const others = [...(tail ? [TAIL] : []), ...(network ? [networkWorker(network)] : [])]
  const workers = { workers: [tail ? { ...main, streamingTails: [TAIL.name] } : main, ...others] }
  const miniflare = new Miniflare(convertV4MiniflareOptions({ ...shared, ...workers }))
  await miniflare.ready
  const { origin: url } = await miniflare.unsafeGetDirectURL()
  return {
    miniflare,
    url,
    persistTo: state,
    printed: () => printed,
    async stop({ keep = false } = {}) {
      await miniflare.dispose()
      await sandboxes?.end()
      if (!keep) await rm(state, { recursive: true, force: true })
    },
    json: (method, path, body, headers) => sendJson(url, method, path, body, headers),
  }
}

export type AppOptions = Pick<ServerOptions, 'vars' | 'outbound' | 'loader' | 'bucket' | 'broken'>

/**
 * Starts the app on this run's platform: in this process in `npm test`, on workerd in `npm run test:full`. For tests of
 * behavior that both share, so without restarts or the headers that the platform's `fetch` adds.
 */
export async function startApp(options: AppOptions = {}): Promise<RunningServer> {
  if (isFull) return startServer(options)
  const { startInProcess } = await import('../platform/in-process.ts')
  return startInProcess({ ...options, vars: { ACCESS: 'open', TOOL_SECRETS, ...options.vars } })
}

const TAIL = {
  name: 'tail',
  modules: true,
  compatibilityDate: '2026-10-15',
  script: `const plain = (_, value) => (typeof value === 'bigint' ? Number(value) : value)
    const tell = ({ event, spanContext }) => console.log(JSON.stringify({ event, spanContext }, plain))
    export default { tailStream: (first) => (tell(first), tell) }`,
}

/** As in `wrangler.toml`, even if a deployment has changed it there. */
const TOOL_SECRETS = { TWILIO_API_KEY: ['SMS.Send'] }

/** Returns the Worker of `wrangler.toml`, cached next to its bundle: loading wrangler takes longer than starting a server. */
export async function workerOptionsIn(folder: string): Promise<V4WorkerOptions> {
  const file = join(folder, 'worker-options.json')
  if (!existsSync(file)) {
    const { unstable_getMiniflareWorkerOptions: readWorkerOptions } = await import('wrangler')
    const { modulesRules: _, ...worker } = readWorkerOptions(join(root, 'wrangler.toml')).workerOptions
    writeFileSync(file, JSON.stringify(withAssetsFromDisk(worker)))
  }
  return JSON.parse(readFileSync(file, 'utf8'))
}

let built: ReturnType<typeof buildBundle> | undefined

/** Returns the bundle that `build-once.ts` built for all files, or else one that is deleted with this process. */
export async function bundleFolder(): Promise<string> {
  const shared = process.env['SWITCHBOARD_BUNDLE']
  if (shared !== undefined) return shared
  built ??= buildBundle().then((made) => {
    process.once('exit', made.remove)
    return made
  })
  return (await built).folder
}
