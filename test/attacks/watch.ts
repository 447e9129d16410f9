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

/** What a watch found. */
interface Found {
  readonly asks: number
  /** How long the server said nothing, at most. */
  readonly longestMs: number
  /** Why it could not go on: a server that is gone was ended by an attack. */
  readonly failure?: string
}

const WATCHER = fileURLToPath(new URL('health-watcher.ts', import.meta.url))

const watches = new Set<() => Promise<Found>>()

/**
 * Has a process of its own ask a server all the time whether it is well, until that is stopped or `neverSilent` asks what came
 * of it. Each file of attacks watches its servers.
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
  // Whoever stops it ends the watch first: a server that is gone before was ended by an attack
  server.stop = async (options) => {
    await ended()
    await stop(options)
  }
  return server
}

/** Starts the app on the platform of this run, and watches it. */
export async function startWatched(options: AppOptions = {}): Promise<RunningServer> {
  return watched(await startApp(options))
}

/** Starts a server on workerd, and watches it. */
export async function startWatchedServer(options: ServerOptions = {}): Promise<Server> {
  return watched(await startServer(options))
}

/**
 * Fails where a server that was watched in this file was gone. The longest silence is printed
 * alone, since a busy machine makes any clock lie; what an attack may cost is held by budgets, in `core/worst-inputs.test.ts`.
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
