import { type Connection, sleep } from './connection.ts'
import { getText } from './json.ts'

const WAIT_SECONDS = 59
const POLL_INTERVAL_MS = 1_000

/**
 * Polls the state at a path until `read` finds a result in it. Each later request waits for a change, up to `WAIT_SECONDS`.
 * Requests start at least `POLL_INTERVAL_MS` apart.
 */
export async function pollState<T>(
  connection: Connection,
  path: string,
  read: (state: unknown) => T | undefined,
  signal?: AbortSignal,
): Promise<T> {
  let updated_at: string | undefined
  for (let wait = 0; ; wait = WAIT_SECONDS) {
    const startedAt = Date.now()
    const responseTimeoutMs = 2 * WAIT_SECONDS * 1_000
    const query = wait === 0 ? {} : { wait, updated_at }
    const state = await connection.sendJson({ path, query, responseTimeoutMs, timeoutMs: Infinity, signal })
    const result = read(state)
    if (result !== undefined) return result
    updated_at = getText(state, 'updated_at')
    await sleep(Math.max(0, POLL_INTERVAL_MS - (Date.now() - startedAt)), signal)
  }
}
