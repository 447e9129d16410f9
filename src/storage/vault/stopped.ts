import type { Stopped } from '../../core/consent/authorization.ts'

/** A value, since an error loses its fields between Durable Object and Worker. */
export function stopped(why: Stopped['why'], message: string): Stopped {
  return { ok: false, why, message }
}

export const SIGN_IN_FIRST = stopped('refused', 'Sign in first: only the person this is for can continue')
export const SOMEBODY_ELSE = stopped('refused', 'You are signed in as a different user')
export const OWN_CALL = stopped('refused', 'The caller of a tool cannot approve the call')

export const GONE = stopped('gone', 'This link has expired. Ask your agent to try again')
export const OTHER_BROWSER = stopped(
  'other-browser',
  'This was started in another browser, and can only be finished there',
)
