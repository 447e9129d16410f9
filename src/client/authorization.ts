import { type Connection, sleep } from './connection.ts'
import { isObject, textIn } from './json.ts'
import { type Challenge, SwitchboardError } from './switchboard-error.ts'

const WAIT = 59
const PACE_MS = 1_000

export async function formatAuthorization(connection: Connection, challenge: Challenge, signal?: AbortSignal) {
  if (challenge.checkUrl === undefined) return challenge
  try {
    const state = await loadState(connection, challenge.checkUrl, 0, signal)
    const scopes = isObject(state) ? state['scopes'] : undefined
    return {
      ...challenge,
      scopes: Array.isArray(scopes) ? scopes.map(String) : undefined,
      user: textIn(state, 'user_id'),
      expiresAt: textIn(state, 'expires_at'),
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
  const failed = (why: string) => new SwitchboardError('authorization_failed', why, { challenges: [challenge] })
  if (checkUrl === undefined) throw failed(`Nobody can tell when '${id}' is done: name the user of the call`)
  for (;;) {
    const asked = Date.now()
    const state = await loadState(connection, checkUrl, WAIT, signal)
    const status = textIn(state, 'status')
    if (status === 'completed') return
    if (status === 'failed') throw failed(textIn(state, 'reason') ?? 'It was refused')
    await sleep(Math.max(0, PACE_MS - (Date.now() - asked)), signal)
  }
}

async function loadState(
  connection: Connection,
  checkUrl: string,
  wait: number,
  signal?: AbortSignal,
): Promise<unknown> {
  try {
    // The path alone: whatever an answer says, the key goes nowhere else
    const { pathname } = new URL(checkUrl, 'https://switchboard.invalid')
    return await connection.json({
      path: pathname,
      query: wait === 0 ? {} : { wait },
      answerWithin: 2 * WAIT * 1_000,
      signal,
    })
  } catch (error) {
    if (error instanceof SwitchboardError && error.code === 'not_found')
      throw new SwitchboardError('authorization_failed', 'The link has ended', {}, error)
    throw error
  }
}
