import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { freePort } from '../free-port.ts'
import type { Desktop } from './desktop.ts'

/**
 * The MCP inspector takes 110 MB with its dependencies, ten times as much as any other client here, and has its own license
 * (MIT and Apache-2.0). So it is not a dependency of this repository: the first test that needs it makes npm install this
 * version into a cache folder, where later tests find it. Install scripts do not run.
 */
const VERSION = '2.12.0'
const cache = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url))
const folder = join(cache, `inspector-${VERSION}`)
const LAUNCHER = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
const NO_NETWORK = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ENOTCACHED)\b/
const run = promisify(execFile)

/** Installs the inspector with npm if it is missing. Returns why that failed, or an empty text. */
export async function bringInspector(): Promise<string> {
  if (existsSync(LAUNCHER)) return ''
  const fresh = `${folder}.${process.pid}`
  await mkdir(fresh, { recursive: true })
  try {
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0']
    await run('npm', ['install', '--prefix', fresh, ...flags, `@modelcontextprotocol/inspector@${VERSION}`])
    await rename(fresh, folder)
    return ''
  } catch (error) {
    if (existsSync(LAUNCHER)) return ''
    const [cause] = NO_NETWORK.exec(String(error)) ?? []
    if (cause === undefined) throw error
    return `(skipped: npm cannot bring the inspector, ${cause})`
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/** The inspector's server, which serves its page and connects on its behalf. */
export interface Inspector {
  /** Its page, for the browser. */
  readonly url: string
  /** Where it stores tokens. */
  readonly secrets: string
  stop(): Promise<void>
}

export async function startInspector({ env, folder: home }: Desktop, server: string): Promise<Inspector> {
  const [port, sandbox, apps] = [await freePort(), await freePort(), await freePort()]
  const child = spawn(process.execPath, [LAUNCHER, '--web', '--transport', 'http', '--server-url', server], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...inspectorEnv(env, home),
      HOST: '127.0.0.1',
      CLIENT_PORT: String(port),
      MCP_SANDBOX_PORT: String(sandbox),
      MCP_APP_ORIGIN_PORT: String(apps),
      MCP_AUTO_OPEN_ENABLED: 'false',
      MCP_INSPECTOR_API_TOKEN: 'a-test',
    },
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => void (printed += String(chunk)))
  try {
    await vi.waitUntil(() => child.exitCode !== null || printed.includes('up and running'), { timeout: 60_000 })
    if (child.exitCode !== null) throw new Error(`The inspector ended:\n${printed}`)
  } catch (error) {
    await end(child)
    throw error
  }
  return {
    url: `http://127.0.0.1:${port}/?MCP_INSPECTOR_API_TOKEN=a-test`,
    secrets: join(home, 'inspector/secrets.json'),
    stop: () => end(child),
  }
}

/** Runs the inspector's command line, which shares its page's tokens. Returns its output, parsed as JSON. */
export async function inspect({ env, folder: home }: Desktop, ...given: readonly string[]): Promise<unknown> {
  const { stdout } = await run(process.execPath, [LAUNCHER, '--cli', ...given], {
    cwd: home,
    env: inspectorEnv(env, home),
  })
  return JSON.parse(stdout)
}

function inspectorEnv(env: Readonly<Record<string, string>>, home: string): Record<string, string> {
  return { ...env, MCP_STORAGE_DIR: join(home, 'inspector'), MCP_INSPECTOR_SECRET_STORE: 'file', NO_COLOR: '1' }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
