import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sendJson } from './json.ts'
import type { RunningServer } from './server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const leash = fileURLToPath(new URL('leash.sh', import.meta.url))

export interface ServerProcess extends RunningServer {
  readonly pid: number | undefined
  /** Its exit code, once it has ended; null if a signal ended it. */
  readonly exitCode: Promise<number | null>
  /** Stops the server and all its processes. `keep` leaves its state on disk. */
  stop(options?: { readonly signal?: NodeJS.Signals; readonly keep?: boolean }): Promise<void>
}

/**
 * Starts Switchboard as users do, with a command that accepts the options of `wrangler dev`, on a loopback port that it picks
 * and prints. Waits until it is healthy. `cwd` can be another working tree.
 */
export async function startProcess(command: readonly string[], persistTo?: string, cwd = root): Promise<ServerProcess> {
  const state = persistTo ?? (await mkdtemp(join(tmpdir(), 'switchboard-')))
  const child = spawn(
    leash,
    [...command, '--port', '0', '--ip', '127.0.0.1', '--persist-to', state],
    // A separate process group, so that it can be ended as a whole
    {
      cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' },
    },
  )
  let printed = ''
  child.stdout.on('data', (chunk) => (printed += chunk))
  child.stderr.on('data', (chunk) => (printed += chunk))
  const exitCode = new Promise<number | null>((done) => child.once('exit', done))
  const stop: ServerProcess['stop'] = async ({ signal = 'SIGTERM', keep = false } = {}) => {
    await end(child, signal)
    if (!keep) await rm(state, { recursive: true, force: true })
  }
  const url = await readyUrl(child, () => printed).catch(async (error: unknown) => {
    await stop({ keep: persistTo !== undefined })
    throw error
  })
  return {
    url,
    pid: child.pid,
    exitCode,
    persistTo: state,
    printed: () => printed,
    stop,
    json: (method, path, body, headers) => sendJson(url, method, path, body, headers),
  }
}

/** Waits until a server responds at the address that it prints, and returns the address. */
async function readyUrl(child: ChildProcess, printed: () => string): Promise<string> {
  const until = Date.now() + 90_000
  while (Date.now() < until && child.exitCode === null) {
    const url = /Ready on (http:\/\/127\.0\.0\.1:\d+)/.exec(printed())?.[1]
    // A server that is starting may accept a connection and never respond
    const signal = AbortSignal.timeout(5_000)
    const answer = url && (await fetch(`${url}/health`, { signal }).catch(() => undefined))
    if (url && answer && answer.ok) return url
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new Error(`The server did not become healthy:\n${printed()}`)
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined) return
  const closed = new Promise((done) => child.once('close', done))
  const group = -child.pid
  const send = (which: NodeJS.Signals) => {
    try {
      process.kill(group, which)
    } catch {
      // It has already ended
    }
  }
  send(signal)
  const patience = setTimeout(() => send('SIGKILL'), 5_000)
  const isOver = child.exitCode !== null || child.signalCode !== null
  if (!isOver || child.stdout?.readable) await closed
  clearTimeout(patience)
}
