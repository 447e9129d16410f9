import type { Stopped } from '../../core/consent/authorization.ts'

/** A value, since an error loses its fields between Durable Object and Worker. */
export function stopped(why: Stopped['why'], message: string): Stopped {
  return { ok: false, why, message }
}

/** A caller has the link to its page too, so a person's word counts only where the person is identified. */
export const NOBODY_TOLD_APART = 'nobody here can be told from the caller'
export const NOBODY_IDENTIFIED =
  "nobody here can be told from the caller: an administrator must set 'SIGN_IN_ISSUER' to the OpenID provider that people sign in with, or 'USER_VERIFIER_URL' to a page that says who is in front of a browser; calls with keys that are no administrator's need neither, as whoever signs in with another approves them"

export const SIGN_IN_FIRST = stopped('refused', 'Sign in first: only the person this is for can continue')
export const SOMEBODY_ELSE = stopped('refused', 'This is not for the person who is signed in')
export const OWN_CALL = stopped('refused', 'The caller of a tool cannot approve the call')

export const GONE = stopped('gone', 'This link has expired. Ask your agent to try again')
export const OTHER_BROWSER = stopped(
  'other-browser',
  'This was started in another browser, and can only be finished there',
)
