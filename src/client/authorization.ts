/**
 * Waits for a person by polling the `checkUrl` of a link until it is `completed`. Fails with `authorization_failed` if it is
 * `failed` or the link has ended.
 */
import type { Connection } from './connection.ts'
import { isObject, getText } from './json.ts'
import { pollState } from './poll-state.ts'
import { type Challenge, SwitchboardError } from './switchboard-error.ts'

export async function loadChallengeDetails(connection: Connection, challenge: Challenge, signal?: AbortSignal) {
  if (challenge.checkUrl === undefined) return challenge
  try {
    const state: unknown = await connection.sendJson({ path: toPath(challenge.checkUrl), signal })
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
  const isCompleted = (state: unknown) => {
    const status = getText(state, 'status')
    if (status === 'failed') throw toError(getText(state, 'reason') ?? 'It was refused')
    return status === 'completed' || undefined
  }
  await pollState(connection, toPath(checkUrl), isCompleted, signal).catch((error: unknown) => {
    if (!(error instanceof SwitchboardError) || error.code !== 'not_found') throw error
    throw new SwitchboardError('authorization_failed', 'The link has ended', {}, error)
  })
}

/** Takes only the path, so that the key is never sent to a host that a response names. */
function toPath(checkUrl: string): string {
  return new URL(checkUrl, 'https://switchboard.invalid').pathname
}
