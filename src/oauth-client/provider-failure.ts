import { AuthorizationResponseError, ResponseBodyError } from 'oauth4webapi'
import type { OAuthProvider } from '../core/consent/provider.ts'

/**
 * `denied`: by the person. `refused`: this code or refresh token is invalid. `mismatch`: the response is to another request.
 * `client`: the provider or this deployment is not set up for the other. `unavailable`: the provider is down, slow, or sends
 * invalid responses. Messages quote nothing from a provider except an error code.
 */
export interface ProviderFailure {
  readonly ok: false
  readonly why: 'denied' | 'refused' | 'mismatch' | 'client' | 'unavailable'
  readonly message: string
  readonly forOperator?: string
  readonly retry_after_ms?: number
}

export interface LastAnswer {
  readonly status: number
  readonly retryAfter: string | null
}

/** `unauthorized_client` counts only in responses to a code. For a refresh, see CLIENT_CODE. */
export const CLIENT_ERRORS: readonly string[] = ['invalid_client', 'unauthorized_client', 'unsupported_grant_type']

/** Matches codes of refused refreshes, such as HubSpot's `BAD_CLIENT_ID`. Atlassian's `unauthorized_client` is a dead token. */
const CLIENT_CODE = /(?<!unauthorized_)client/i
const CLIENT_DESCRIPTION = /client[ _](?:secret|credential)/i
const TRANSIENT_CODE = /tempor|unavailable|internal|server_error|fatal|timeout|limit|too_many|slow_down|busy/i
/** The request did not reach a token endpoint, or was sent too early or too often. */
const OTHER_STATUSES = [404, 405, 408, 425, 429]

export class Mismatch extends Error {}

/** A refresh token that the provider no longer accepts. */
export class DeadRefreshToken extends Error {}

/**
 * A refused refresh ends the grant, unless the code or description blames the client or an outage. Vendors use their own
 * codes, and one consent too many is better than a grant that never works again.
 */
export function toDeadRefreshToken(error: unknown, answer: LastAnswer | undefined): unknown {
  if (
    !(error instanceof ResponseBodyError) ||
    !answer ||
    answer.status >= 500 ||
    OTHER_STATUSES.includes(answer.status)
  )
    return error
  const { error: code, error_description: description = '' } = error
  if (CLIENT_CODE.test(code) || CLIENT_DESCRIPTION.test(description) || TRANSIENT_CODE.test(code)) return error
  return new DeadRefreshToken(getCode(code))
}

export function providerFailure(why: ProviderFailure['why'], message: string): ProviderFailure {
  return { ok: false, why, message }
}

export function toSetupFailure({ id }: OAuthProvider, forOperator: string): ProviderFailure {
  const message = `'${id}' gives nothing to this Switchboard as it is set up: its operator must put that right`
  return { ...providerFailure('client', message), forOperator }
}

export function unavailable(provider: OAuthProvider, how?: string, answer?: LastAnswer): ProviderFailure {
  const seconds = /^\d{1,6}$/.test(answer?.retryAfter ?? '') ? Number(answer?.retryAfter) : undefined
  const message = `'${provider.id}' cannot be asked now: ${how ?? 'it does not answer as it should'}`
  return {
    ...providerFailure('unavailable', message),
    ...(seconds === undefined ? {} : { retry_after_ms: seconds * 1_000 }),
  }
}

export function toProviderFailure(
  provider: OAuthProvider,
  error: unknown,
  answer: LastAnswer | undefined,
): ProviderFailure {
  const { id } = provider
  if (error instanceof Mismatch)
    return providerFailure('mismatch', `The answer did not come from '${id}', or not to this request`)
  if (error instanceof DeadRefreshToken) return providerFailure('refused', `'${id}' refused with '${error.message}'`)
  if (error instanceof AuthorizationResponseError) {
    if (error.error === 'access_denied') return providerFailure('denied', `Access was refused at '${id}'`)
    if (error.error === 'server_error' || error.error === 'temporarily_unavailable') return unavailable(provider)
    return providerFailure('client', `'${id}' refused the request with '${getCode(error.error)}'`)
  }
  if (error instanceof ResponseBodyError && (answer?.status ?? 0) < 500) {
    const code = getCode(error.error)
    if (error.error === 'invalid_grant') return providerFailure('refused', `'${id}' refused with '${code}'`)
    if (CLIENT_ERRORS.includes(error.error)) {
      return toSetupFailure(
        provider,
        `'${id}' refused with '${code}': an administrator must check the client that is set up for it`,
      )
    }
    return unavailable(provider, `it refused with '${code}'`, answer)
  }
  return unavailable(provider, answer && `it answered ${answer.status}, which makes no sense`, answer)
}

export function getCode(error: string): string {
  return /^[\w.-]{1,64}$/.test(error) ? error : 'an unknown error'
}
