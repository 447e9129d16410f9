import type { Authorization, Step } from '../../core/consent/authorization.ts'
import type { Failure } from '../../core/call/failure.ts'
import { isObject } from '../../core/tool/json.ts'

const MAX_WAIT_S = 59

/** An authorization as `GET /authorizations/{id}` shows it. */
export function encodeAuthorization(authorization: Authorization) {
  const { id, provider, userId, scopes, status, reason, expiresAt } = authorization
  return {
    id,
    provider,
    ...(userId !== undefined && { user_id: userId }),
    scopes,
    status,
    ...(reason !== undefined && { reason }),
    expires_at: new Date(expiresAt).toISOString(),
  }
}

/** Reads `?wait=`, whole seconds from 0 to 59, into milliseconds; undefined when it is anything else. */
export function decodeWait(wait: string | undefined): number | undefined {
  if (wait === undefined) return 0
  return /^\d{1,2}$/.test(wait) && Number(wait) <= MAX_WAIT_S ? Number(wait) * 1_000 : undefined
}

/** Reads the body of `POST /authorizations/{id}/confirm`, or says what is wrong with it. */
export function decodeConfirmation(body: unknown): { readonly flow: string; readonly userId: string } | string {
  if (!isObject(body)) return 'The body must be an object'
  const { flow, user_id, ...unknown } = body
  const [extra] = Object.keys(unknown)
  if (extra !== undefined) return `Unknown field '${extra.slice(0, 50)}'`
  if (typeof flow !== 'string' || flow === '' || flow.length > 1_000) {
    return "'flow' must be the text that the browser was sent with"
  }
  if (typeof user_id !== 'string' || user_id === '' || user_id.length > 256) {
    return "'user_id' must be a text of 1 to 256 characters"
  }
  return { flow, userId: user_id }
}

/** A step that was not taken, for whoever asked for it server to server. */
export function stepFailure({ why, message }: Extract<Step, { ok: false }>): Failure {
  switch (why) {
    case 'gone':
      return { type: 'not-found', message }
    case 'other-browser':
    case 'refused':
      return { type: 'forbidden', reason: message }
    case 'unavailable':
      return { type: 'unavailable', message }
  }
}
