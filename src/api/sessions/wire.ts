import type { Session } from '../../core/access/session.ts'

/** Never the cookie, nor its key's hash. */
export function encodeSession({ id, by, owner, origin, browser, created_at, expires_at }: Session) {
  const person = 'person' in by ? { user_id: by.person.user } : {}
  return { id, principal: owner, ...person, origin, browser, created_at, expires_at }
}

export interface SessionAnswers {
  'GET /sessions': { readonly items: readonly ReturnType<typeof encodeSession>[] }
  'DELETE /sessions/:id': undefined
}
