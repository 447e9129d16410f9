import type { Authorization, FlowStep } from '../../core/consent/authorization.ts'
import type { Failure } from '../../core/failure/failure.ts'
import { identifier } from '../../core/call/call-options.ts'
import { defineQuery, WAIT } from '../../http/request/query.ts'
import { object, string, hideValue } from '../../core/tool/json-reader.ts'

export const waitQuery = defineQuery(WAIT)

export const confirmation = object({ flow: hideValue(string({ min: 1, max: 1_000 })), user_id: identifier })

export function encodeAuthorization(authorization: Authorization) {
  const { id, provider, userId, scopes, status, reason, expiresAt } = authorization
  return { id, provider, user_id: userId, scopes, status, reason, expires_at: new Date(expiresAt).toISOString() }
}

export function stepFailure({ why, message }: Extract<FlowStep, { ok: false }>): Failure {
  if (why === 'expired') return { type: 'not-found', message }
  return why === 'unavailable' ? { type: 'unavailable', message } : { type: 'forbidden', reason: message }
}
