import type { FlowError } from '../../core/consent/authorization.ts'

/** Returns a value, because a thrown error loses its fields between Durable Object and Worker. */
export function flowError(why: FlowError['why'], message: string): FlowError {
  return { ok: false, why, message }
}

export const SIGN_IN_FIRST = flowError('refused', 'Sign in first: only the person this is for can continue')
export const WRONG_PERSON = flowError('refused', 'You are signed in as a different user')
export const OWN_CALL = flowError('refused', 'The caller of a tool cannot approve the call')

export const PROVIDER_CHANGED = flowError(
  'unavailable',
  'The settings of the provider were changed meanwhile. Open the link again',
)

export const EXPIRED_LINK = flowError('expired', 'This link has expired. Ask your agent to try again')
export const OTHER_BROWSER = flowError(
  'other-browser',
  'This was started in another browser, and can only be finished there',
)
