import { AuthorizationResponseError, ResponseBodyError } from 'oauth4webapi'
import type { Provider } from '../../core/consent/provider.ts'

/**
 * Why there is none: `denied` by the person; `refused`, this code or refresh token does not hold; `mismatch`, the answer is
 * not to what was asked here; `client`, the provider or this deployment is not set up for the other; `unavailable`, the
 * provider is down, slow, or answers nonsense. Messages are complete, and hold nothing a provider sent but an error's code.
 */
export interface Trouble {
  readonly ok: false
  readonly why: 'denied' | 'refused' | 'mismatch' | 'client' | 'unavailable'
  readonly message: string
  readonly retry_after_ms?: number
}
/** A provider's last answer: its status, and its `Retry-After`. */
export interface Answered {
  readonly status: number
  readonly retryAfter: string | null
}

/** Which of the errors of RFC 6749, section 5.2, are the client's own, and not of one code or token. */
const CLIENT_ERRORS = ['invalid_client', 'unauthorized_client', 'unsupported_grant_type']

/** An authorization response that is none to the request that was made. */
export class Mismatch extends Error {}

/** Words what went wrong between here and a provider, of which `last` was the last answer. */
export function wordedTrouble(provider: Provider, error: unknown, last: Answered | undefined): Trouble {
  const { id } = provider
  if (error instanceof Mismatch)
    return trouble('mismatch', `The answer did not come from '${id}', or not to this request`)
  if (error instanceof AuthorizationResponseError) {
    if (error.error === 'access_denied') return trouble('denied', `Access was refused at '${id}'`)
    if (error.error === 'server_error' || error.error === 'temporarily_unavailable') return unreachable(provider)
    return trouble('client', `'${id}' refused the request with '${codeOf(error.error)}'`)
  }
  if (error instanceof ResponseBodyError && (last?.status ?? 0) < 500) {
    const code = codeOf(error.error)
    if (error.error === 'invalid_grant') return trouble('refused', `'${id}' refused with '${code}'`)
    if (CLIENT_ERRORS.includes(error.error)) {
      const help = 'an administrator must check the client that is set up for it'
      return trouble('client', `'${id}' refused with '${code}': ${help}`)
    }
    return unreachable(provider, `it refused with '${code}'`, last)
  }
  return unreachable(provider, last && `it answered ${last.status}, which makes no sense`, last)
}

export function unreachable(provider: Provider, how?: string, last?: Answered): Trouble {
  const seconds = /^\d{1,6}$/.test(last?.retryAfter ?? '') ? Number(last?.retryAfter) : undefined
  return {
    ...trouble('unavailable', `'${provider.id}' cannot be asked now: ${how ?? 'it does not answer as it should'}`),
    ...(seconds === undefined ? {} : { retry_after_ms: seconds * 1_000 }),
  }
}

/** An error's code as a message may repeat it (RFC 6749, section 5.2). */
function codeOf(error: string): string {
  return /^[\w.-]{1,64}$/.test(error) ? error : 'an unknown error'
}

export function trouble(why: Trouble['why'], message: string): Trouble {
  return { ok: false, why, message }
}
