import {
  allowInsecureRequests,
  type AuthorizationServer,
  AuthorizationResponseError,
  type Client,
  customFetch,
  validateAuthResponse,
} from 'oauth4webapi'
import type { Fetch, Signal } from '../core/tool/platform.ts'
import { type LastAnswer, Mismatch } from './provider-failure.ts'

/** A request as the library has it made. */
interface Asked {
  readonly method: string
  readonly headers: Record<string, string>
  readonly redirect: 'manual'
  readonly signal?: Signal
  readonly body?: URLSearchParams | undefined
}

/**
 * What requests of ours to a provider have in common: they leave by `fetch`, which alone says which hosts may be asked over
 * http, and end with `signal`. `read` makes of an answer what the library understands; `lastAnswer` is what came last.
 */
export function requestsOf(fetch: Fetch, signal: Signal, read: (response: Response) => Response | Promise<Response>) {
  let last: LastAnswer | undefined
  return {
    options: {
      signal,
      [allowInsecureRequests]: true,
      async [customFetch](href: string, { body, ...asked }: Asked) {
        const response = await fetch(href, body === undefined ? asked : { ...asked, body })
        last = { status: response.status, retryAfter: response.headers.get('retry-after') }
        return read(response)
      },
    },
    lastAnswer: () => last,
  }
}

/**
 * The one code of an authorization response, whose `state` and `iss` (RFC 9207) are those that were asked for. Throws
 * `AuthorizationResponseError` for a refusal, and `Mismatch` for what is not the answer to this request.
 */
export function answeredCode(
  as: AuthorizationServer,
  client: Client,
  parameters: URLSearchParams,
  state: string,
): URLSearchParams {
  let answered: URLSearchParams
  try {
    answered = validateAuthResponse(as, client, parameters, state)
  } catch (error) {
    throw error instanceof AuthorizationResponseError ? error : new Mismatch()
  }
  if (answered.getAll('code').length !== 1) throw new Mismatch()
  return answered
}
