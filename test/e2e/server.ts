import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface RunningServer {
  readonly url: string
  /** Everything the server printed so far. */
  readonly printed: () => string
  readonly persistTo: string
  /** Ends the server with all its processes. `keep` leaves its state on disk. */
  stop(options?: { readonly signal?: NodeJS.Signals; readonly keep?: boolean }): Promise<void>
  /** Sends JSON and reads JSON back. */
  json(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // What came back is what a test is about to look at
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export interface ServerOptions {
  /** `dev` is `wrangler dev`, `serve` the production bundle on workerd. */
  readonly script?: 'dev' | 'serve' | 'fixtures'
  readonly vars?: Record<string, string>
  readonly persistTo?: string
}

/** Starts Switchboard as its user does, on a free loopback port, and waits until it is healthy. */
export async function startServer({
  script = 'dev',
  vars = {},
  persistTo,
}: ServerOptions = {}): Promise<RunningServer> {
  const port = await freePort()
  const state = persistTo ?? (await mkdtemp(join(tmpdir(), 'switchboard-')))
  const variables = Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`])
  const inspector = script !== 'serve' ? ['--inspector-port', String(await freePort())] : []
  const child = spawn(
    'npm',
    [
      'run',
      '--silent',
      script,
      '--',
      '--port',
      String(port),
      '--ip',
      '127.0.0.1',
      '--persist-to',
      state,
      ...inspector,
      ...variables,
    ],
    // A group of its own, so that it can be ended as a whole
    {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' },
    },
  )
  let printed = ''
  child.stdout.on('data', (chunk) => (printed += chunk))
  child.stderr.on('data', (chunk) => (printed += chunk))
  const url = `http://127.0.0.1:${port}`
  const server: RunningServer = {
    url,
    persistTo: state,
    printed: () => printed,
    async stop({ signal = 'SIGTERM', keep = false } = {}) {
      await end(child, signal)
      if (!keep) await rm(state, { recursive: true, force: true })
    },
    async json(method, path, body, headers = {}) {
      const response = await fetch(url + path, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
    },
  }
  await healthy(server, child)
  return server
}

async function healthy(server: RunningServer, child: ChildProcess): Promise<void> {
  const until = Date.now() + 90_000
  while (Date.now() < until) {
    if (child.exitCode !== null) break
    // A server that starts may take a connection and never answer it
    const signal = AbortSignal.timeout(5_000)
    const answer = await fetch(`${server.url}/health`, { signal }).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((done) => setTimeout(done, 100))
  }
  await server.stop()
  throw new Error(`The server did not become healthy:\n${server.printed()}`)
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined) return
  const closed = new Promise((done) => child.once('close', done))
  const group = -child.pid
  const send = (which: NodeJS.Signals) => {
    try {
      process.kill(group, which)
    } catch {
      // It has ended by itself
    }
  }
  send(signal)
  const patience = setTimeout(() => send('SIGKILL'), 5_000)
  const isOver = child.exitCode !== null || child.signalCode !== null
  if (!isOver || child.stdout?.readable) await closed
  clearTimeout(patience)
}

export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('No port')),
      )
    })
  })
}
