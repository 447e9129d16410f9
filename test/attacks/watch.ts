import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import {
  type AppOptions,
  type RunningServer,
  type Server,
  type ServerOptions,
  startApp,
  startServer,
} from '../e2e/server.ts'

/** The findings of a watch. */
interface Found {
  readonly asks: number
  /** The longest time without a response. */
  readonly longestMs: number
  /** Why the watch stopped: if the server is gone, an attack ended it. */
  readonly failure?: string
}

const WATCHER = fileURLToPath(new URL('health-watcher.ts', import.meta.url))

const watches = new Set<() => Promise<Found>>()

/**
 * Watches a server's health from a separate process until the server is stopped or `neverSilent` reads the findings. Each
 * attack file watches its servers.
 */
export function watched<T extends RunningServer>(server: T): T {
  const watcher = spawn(process.execPath, [WATCHER, server.url], { stdio: ['pipe', 'pipe', 'inherit'] })
  const said = text(watcher.stdout)
  const closed = once(watcher, 'close')
  let found: Promise<Found> | undefined
  async function end(): Promise<Found> {
    watcher.stdin.end()
    await closed
    return JSON.parse(await said)
  }
  const ended = () => (found ??= end())
  watches.add(ended)
  const { stop } = server
  // Stopping the server ends the watch first, so a server that disappears during a watch was ended by an attack
  server.stop = async (options) => {
    await ended()
    await stop(options)
  }
  return server
}

/** Starts the app on this run's platform, and watches it. */
export async function startWatched(options: AppOptions = {}): Promise<RunningServer> {
  return watched(await startApp(options))
}

/** Starts a server on workerd, and watches it. */
export async function startWatchedServer(options: ServerOptions = {}): Promise<Server> {
  return watched(await startServer(options))
}

/**
 * Fails if a watched server of this file disappeared. The longest silence is only printed, because times on a busy machine
 * are unreliable; `core/worst-inputs.test.ts` checks the budgets that limit the cost of an attack.
 */
export async function neverSilent(): Promise<readonly Found[]> {
  const found = await Promise.all([...watches].map((ended) => ended()))
  watches.clear()
  expect(found.length).toBeGreaterThan(0)
  for (const { asks, failure, longestMs } of found) {
    expect(asks).toBeGreaterThan(0)
    expect(failure).toBeUndefined()
    console.log(`Asked ${asks} times, silent for ${Math.round(longestMs)} ms at most`)
  }
  return found
}
