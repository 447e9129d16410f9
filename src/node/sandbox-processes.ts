/**
 * The processes that people's code runs in, and their watchdog. What is said to them, and when they are ended, is in
 * `../runners/sandbox/process-runner.ts`; their Worker is `process-host.ts` beside it.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildSync } from 'esbuild'
import { type Request, Response } from 'miniflare'
import { END_REASONS, type EndReason, type ProcessState, SILENCE_MS } from '../runners/sandbox/process-runner.ts'

/** Each is started when it is first needed. */
const NAMES: readonly string[] = ['shared', 'alone-0', 'alone-1', 'alone-2']
const START_MS = 10_000
const HEARTBEAT_MS = 1_000
const MEMORY_CHECK_MS = 250
/** Of a whole process, with its 200 isolates; half of a small machine. */
const MAX_MEMORY_BYTES = Math.min(1024 * 1024 * 1024, (process.constrainedMemory() || totalmem()) / 2)
/** Miniflare's name for workerd's own RPC. */
const RPC_HOST = 'miniflare-unsafe-internal-capnp-connect'
const HOST = fileURLToPath(new URL('../runners/sandbox/process-host.ts', import.meta.url))

/**
 * Becomes workerd, and ends it once nobody holds the other end of the pipe: so it ends with this process, however that ends.
 * A line there says that it has ended already. Where memory is short, Linux ends it first.
 */
const LAUNCH = `(read -r _ <&3 || { kill -9 $$; rm -rf "$0"; }) &
echo 1000 2>/dev/null >/proc/self/oom_score_adj
exec "$@" 3<&-`
const PIPE = 3

/** Starts none: a process is started when it is first tended. They end with this one. */
export function createSandboxProcesses(log: (line: string) => void) {
  // Nobody else may enter it
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  buildSync({ entryPoints: [HOST], outfile: join(folder, 'host.js'), format: 'esm', target: 'es2024' })
  const processes = new Map(NAMES.map((name) => [name, createSandboxProcess(folder, name, log)]))
  setInterval(() => claimEgress(folder), HEARTBEAT_MS).unref()
  const external = (name: string) => ({ external: { address: `unix:${join(folder, name)}`, http: {} } })
  return {
    /** Of the Worker that answers callers. */
    serviceBindings: {
      ...Object.fromEntries(NAMES.map((name) => [`SANDBOX_${name.toUpperCase().replace('-', '_')}`, external(name)])),
      async WATCHDOG({ url }: Request): Promise<Response> {
        const { pathname, searchParams } = new URL(url)
        return Response.json(await processes.get(pathname.slice(1))?.tend(Number(searchParams.get('silence'))))
      },
    },
    directSocket: { host: `unix:${join(folder, EGRESS)}`, port: 0, entrypoint: 'SandboxEgress' },
    /** As for a new Worker, whose isolates would be loaded beside those of the one before. */
    async end(): Promise<void> {
      claimEgress(folder)
      for (const each of processes.values()) await each.end()
    },
  }
}

function createSandboxProcess(folder: string, name: string, log: (line: string) => void) {
  const socket = join(folder, name)
  const config = join(folder, `${name}.capnp`)
  writeFileSync(config, formatConfig(folder, name))
  let running: ReturnType<typeof start> | undefined
  let state: ProcessState = { ended: 0, at: 0, silentSince: 0, reason: 'crashed' }
  let isStopping = false
  process.once('exit', () => running?.kill('crashed'))

  function start() {
    rmSync(socket, { force: true })
    const command = ['-c', LAUNCH, folder, findWorkerd(), 'serve', '--experimental', config]
    // It knows nothing that this process knows
    const env = { TZ: 'UTC', PATH: process.env['PATH'] }
    const child = spawn('/bin/sh', command, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], env })
    const pipe = child.stdio[PIPE]
    let reason: EndReason | undefined
    let silentSince: number | undefined
    const isGone = () => child.exitCode !== null || child.signalCode !== null
    const gone = once(child, 'exit').then(() => {
      if (pipe instanceof Writable) pipe.end('\n')
      clearInterval(heartbeat)
      clearInterval(memoryCheck)
      running = undefined
      const at = Date.now()
      state = { ended: state.ended + 1, at, silentSince: silentSince ?? at, reason: reason ?? 'crashed' }
      if (!isStopping) log(`The watchdog ended the sandbox '${name}': a tool in it ${END_REASONS[state.reason]}`)
    })
    function kill(why: EndReason): Promise<void> {
      if (!isGone()) reason ??= why
      child.kill('SIGKILL')
      return gone
    }
    const heartbeat = setInterval(() => void tend(SILENCE_MS), HEARTBEAT_MS).unref()
    const memoryCheck = setInterval(async () => {
      if ((await readMemory(child.pid)) > MAX_MEMORY_BYTES) await kill('memory')
    }, MEMORY_CHECK_MS).unref()

    /** Until it says so, or has ended. */
    async function isAnswering(withinMs: number): Promise<boolean> {
      const until = Date.now() + withinMs
      for (let left = withinMs; left > 0 && !isGone(); left = until - Date.now()) {
        silentSince ??= Date.now()
        if (await ping(socket, left)) {
          silentSince = undefined
          return true
        }
        await sleep(20)
      }
      return false
    }
    return { kill, isAnswering }
  }

  async function tend(silenceMs: number): Promise<ProcessState> {
    claimEgress(folder)
    const found = running
    if (found && (await found.isAnswering(silenceMs))) return state
    await found?.kill('silent')
    running ??= start()
    await running.isAnswering(START_MS)
    return state
  }

  return {
    tend,
    async end(): Promise<void> {
      isStopping = true
      await running?.kill('crashed')
      isStopping = false
    },
  }
}

/** It reaches nothing but the sockets in its folder. */
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

const EGRESS = 'egress'

/** Under its name with a port, which miniflare adds, a socket would be in the way of the one that is opened after a restart. */
function claimEgress(folder: string): void {
  const opened = join(folder, `${EGRESS}:0`)
  if (existsSync(opened)) renameSync(opened, join(folder, EGRESS))
}

function findWorkerd(): string {
  const { default: path }: { readonly default: string } = createRequire(import.meta.resolve('miniflare'))('workerd')
  return process.env['MINIFLARE_WORKERD_PATH'] ?? path
}

function ping(socketPath: string, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request({ socketPath, agent: false, signal: AbortSignal.timeout(withinMs) }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    sent.on('error', () => resolve(false))
    sent.end()
  })
}

/** In bytes; 0 for a process that has ended. */
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
