/**
 * The processes that published code runs in, and their watchdog. The protocol with them is in
 * `../runners/sandbox/process-runner.ts`; their Worker is `process-host.ts` beside it.
 *
 * A process starts at its first check, for one tenant. It is killed if it does not answer a check in time, or the watchdog's
 * heartbeat within `SILENCE_MS`; if it uses more than `maxMemoryBytes`; and before a check for another tenant or another
 * Worker, which `ProcessState` does not count. It also ends when this process does.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildSync } from 'esbuild'
import { type Request, Response } from 'miniflare'
import { END_REASONS, type EndReason, type ProcessState, SILENCE_MS } from '../runners/sandbox/process-runner.ts'
import { workerd } from './workerd.ts'

const NAMES: readonly string[] = ['shared', 'alone-0', 'alone-1', 'alone-2']
const START_MS = 10_000
const HEARTBEAT_MS = 1_000
const MEMORY_CHECK_MS = 250
/** The limit of a whole process with its 200 isolates: 1 GiB, or half the memory of a small machine. */
const MAX_MEMORY_BYTES = Math.min(1024 * 1024 * 1024, (process.constrainedMemory() || totalmem()) / 2)
/** The socket of the Worker that answers callers: miniflare adds the port to its name. */
const EGRESS = 'egress:0'
/** Miniflare's name for workerd's own RPC. */
const RPC_HOST = 'miniflare-unsafe-internal-capnp-connect'
const HOST = fileURLToPath(new URL('../runners/sandbox/process-host.ts', import.meta.url))

/**
 * The script becomes workerd, and kills it once the other end of the pipe is closed, so that workerd ends with this process,
 * however that ends. A line in the pipe means that workerd has already ended. If memory runs out, Linux kills workerd first.
 */
const LAUNCH = `(read -r _ <&3 || { kill -9 $$; rm -rf "$0"; }) &
echo 1000 2>/dev/null >/proc/self/oom_score_adj
exec "$@" 3<&-`
const PIPE = 3

/** Prepares the processes without starting any. */
export function createSandboxProcesses(log: (line: string) => void, maxMemoryBytes = MAX_MEMORY_BYTES) {
  // Other users cannot access it
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  process.once('exit', () => {
    for (const sandbox of processes.values()) void sandbox.end()
    rmSync(folder, { recursive: true, force: true })
  })
  buildSync({ entryPoints: [HOST], outfile: join(folder, 'host.js'), format: 'esm', target: 'es2024' })
  const processes = new Map(NAMES.map((name) => [name, createSandboxProcess(folder, name, log, maxMemoryBytes)]))
  const external = (name: string) => ({ external: { address: `unix:${join(folder, name)}`, http: {} } })
  return {
    /** The bindings of the Worker that answers callers. */
    serviceBindings: {
      ...Object.fromEntries(NAMES.map((name) => [`SANDBOX_${name.toUpperCase().replace('-', '_')}`, external(name)])),
      async WATCHDOG({ url }: Pick<Request, 'url'>): Promise<Response> {
        const { pathname, searchParams } = new URL(url)
        const tenant = searchParams.get('tenant') ?? ''
        return Response.json(await processes.get(pathname.slice(1))?.check(Number(searchParams.get('silence')), tenant))
      },
    },
    directSocket: { host: `unix:${join(folder, 'egress')}`, port: 0, entrypoint: 'SandboxEgress' },
    /** For `workerd.sh`. */
    runtimeEnv: { SANDBOX_EGRESS: join(folder, EGRESS) },
    /** Call this before serving another Worker, because it loads isolates again. */
    async end(): Promise<void> {
      await Promise.all([...processes.values()].map((sandbox) => sandbox.end()))
    },
  }
}

function createSandboxProcess(folder: string, name: string, log: (line: string) => void, maxMemoryBytes: number) {
  const socket = join(folder, name)
  const config = join(folder, `${name}.capnp`)
  writeFileSync(config, formatConfig(folder, name))
  let running: ReturnType<typeof start> | undefined
  let state: ProcessState = { ends: 0, endedAt: 0, silentSince: 0, reason: 'crashed' }

  function start(tenant: string) {
    rmSync(socket, { force: true })
    const command = ['-c', LAUNCH, folder, workerd, 'serve', '--experimental', config]
    // This process's environment contains secrets
    const env = { TZ: 'UTC', PATH: process.env['PATH'] }
    const child = spawn('/bin/sh', command, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], env })
    const pipe = child.stdio[PIPE]
    let killReason: EndReason | 'replaced' | undefined
    let silentSince: number | undefined
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null
    const exit = once(child, 'exit').then(() => {
      if (pipe instanceof Writable) pipe.end('\n')
      clearInterval(heartbeat)
      clearInterval(memoryCheck)
      running = undefined
      // Linux kills it if memory runs out
      const reason = killReason ?? (child.signalCode === 'SIGKILL' ? 'memory' : 'crashed')
      if (reason === 'replaced') return
      const endedAt = Date.now()
      state = { ends: state.ends + 1, endedAt, silentSince: silentSince ?? endedAt, reason }
      log(`The watchdog ended the sandbox '${name}': a tool in it ${END_REASONS[reason]}`)
    })
    function kill(reason: EndReason | 'replaced'): Promise<void> {
      if (!hasEnded()) killReason ??= reason
      child.kill('SIGKILL')
      return exit
    }
    async function checkMemory(): Promise<void> {
      if ((await readMemory(child.pid)) > maxMemoryBytes) await kill('memory')
    }
    const heartbeat = setInterval(() => void isAnswering(SILENCE_MS), HEARTBEAT_MS).unref()
    const memoryCheck = setInterval(() => void checkMemory(), MEMORY_CHECK_MS).unref()

    /** Waits until the process answers, and kills it if that takes too long. */
    async function isAnswering(timeoutMs: number): Promise<boolean> {
      const deadline = Date.now() + timeoutMs
      for (let leftMs = timeoutMs; leftMs > 0 && !hasEnded(); leftMs = deadline - Date.now()) {
        silentSince ??= Date.now()
        if (await ping(socket, leftMs)) {
          silentSince = undefined
          return true
        }
        await sleep(20)
      }
      // A process that uses too much memory does not answer either: then the reason is memory
      await checkMemory()
      await kill('silent')
      return false
    }
    return { tenant, kill, isAnswering }
  }

  return {
    /** Ends the process if it does not answer in time or served another tenant, and then starts a new one. */
    async check(silenceMs: number, tenant: string): Promise<ProcessState> {
      if (running && running.tenant !== tenant) await running.kill('replaced')
      if (await running?.isAnswering(silenceMs)) return state
      running ??= start(tenant)
      await running.isAnswering(START_MS)
      return state
    },
    end: async () => running?.kill('replaced'),
  }
}

/** The process can reach only the sockets in its folder. */
function formatConfig(folder: string, name: string): string {
  const unix = (socket: string) => JSON.stringify(`unix:${join(folder, socket)}`)
  const http = `(capnpConnectHost = "${RPC_HOST}")`
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "host", worker = (
      modules = [(name = "host.js", esModule = embed "host.js")],
      compatibilityDate = "2026-10-15",
      bindings = [(name = "LOADER", workerLoader = ()), (name = "EGRESS", service = "egress")],
      globalOutbound = "nowhere")),
    (name = "egress", external = (address = ${unix(EGRESS)}, http = ${http})),
    (name = "nowhere", network = (allow = []))],
  sockets = [(name = "host", address = ${unix(name)}, http = ${http}, service = "host")]);
`
}

function ping(socketPath: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const ping = request({ socketPath, agent: false, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    ping.on('error', () => resolve(false))
    ping.end()
  })
}

/** Returns the process's memory in bytes, or 0 if it has ended. */
async function readMemory(pid: number | undefined): Promise<number> {
  try {
    const text =
      process.platform === 'linux'
        ? /^VmRSS:(.*)kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
        : (await promisify(execFile)('ps', ['-o', 'rss=', '-p', `${pid}`])).stdout
    return Number(text ?? 0) * 1024
  } catch {
    return 0
  }
}
