/**
 * The wait for a person. The state of a link is read at its `checkUrl`, which answers when it changes, or after
 * `WAIT_SECONDS`. Reads start at least `POLL_INTERVAL_MS` apart. They end when the state is `completed`, or with
 * `authorization_failed` when it is `failed` or the link has ended.
 */
import { type Connection, sleep } from './connection.ts'
import { isObject, getText } from './json.ts'
import { type Challenge, SwitchboardError } from './switchboard-error.ts'

const WAIT_SECONDS = 59
const POLL_INTERVAL_MS = 1_000

export async function loadChallengeDetails(connection: Connection, challenge: Challenge, signal?: AbortSignal) {
  if (challenge.checkUrl === undefined) return challenge
  try {
    const state = await loadState(connection, challenge.checkUrl, 0, signal)
    const scopes = isObject(state) ? state['scopes'] : undefined
    return {
      ...challenge,
      scopes: Array.isArray(scopes) ? scopes.map(String) : undefined,
      user: getText(state, 'user_id'),
      expiresAt: getText(state, 'expires_at'),
    }
  } catch (error) {
    if (signal?.aborted) throw error
    return challenge
  }
}

export async function pollAuthorization(
  connection: Connection,
  challenge: Challenge,
  signal?: AbortSignal,
): Promise<void> {
  const { checkUrl, id } = challenge
  const toError = (reason: string) => new SwitchboardError('authorization_failed', reason, { challenges: [challenge] })
  if (checkUrl === undefined) throw toError(`Nobody can tell when '${id}' is done: name the user of the call`)
  for (;;) {
    const startedAt = Date.now()
    const state = await loadState(connection, checkUrl, WAIT_SECONDS, signal)
    const status = getText(state, 'status')
    if (status === 'completed') return
    if (status === 'failed') throw toError(getText(state, 'reason') ?? 'It was refused')
    await sleep(Math.max(0, POLL_INTERVAL_MS - (Date.now() - startedAt)), signal)
  }
}

async function loadState(
  connection: Connection,
  checkUrl: string,
  wait: number,
  signal?: AbortSignal,
): Promise<unknown> {
  try {
    // Only the path: the key is never sent to a host that a response names
    const { pathname } = new URL(checkUrl, 'https://switchboard.invalid')
    return await connection.sendJson({
      path: pathname,
      query: wait === 0 ? {} : { wait },
      responseTimeoutMs: 2 * WAIT_SECONDS * 1_000,
      timeoutMs: wait === 0 ? undefined : Infinity,
      signal,
    })
  } catch (error) {
    if (error instanceof SwitchboardError && error.code === 'not_found')
      throw new SwitchboardError('authorization_failed', 'The link has ended', {}, error)
    throw error
  }
}
