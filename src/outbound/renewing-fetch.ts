import type { Fetch } from '../core/tool/platform.ts'
import type { RunContext } from '../core/call/runner.ts'

/** One call's tokens while they are renewed. */
export interface RenewingTokens {
  /** The newest token of each provider. */
  readonly current: ReadonlyMap<string, string>
  /** Every token there was, and whose. */
  readonly all: readonly { readonly provider: string; readonly token: string }[]
  /**
   * A fetch that sends a request once more, with a new token, when its server answers 401 to one in `Authorization`. A body
   * that can be read only once is not sent twice.
   */
  readonly fetch: Fetch
}

/** Keeps the tokens of one call, each replaced once `renew` has given another for it. */
export function createRenewingTokens(
  tokens: RunContext['tokens'],
  renew: NonNullable<RunContext['renew']>,
  fetch: Fetch,
): RenewingTokens {
  const current = new Map([...tokens].map(([provider, { value }]) => [provider, value]))
  const all = [...current].map(([provider, token]) => ({ provider, token }))
  return {
    current,
    all,
    fetch: async (input, init) => {
      const request = input instanceof Request ? input : undefined
      const replayable = isReplayable(init?.body) && (request?.body ?? null) === null
      const { origin } = new URL(request ? request.url : String(input))
      let headers = new Headers(init?.headers ?? request?.headers)
      let response = await fetch(input, init)
      for (;;) {
        const authorization = headers.get('authorization') ?? ''
        const sent = all.findLast(({ token }) => token !== '' && authorization.includes(token))
        // Another origin, where a redirect led, was not shown the token
        if (response.status !== 401 || !sent || URL.parse(response.url)?.origin !== origin) return response
        const token = await renew(sent.provider, sent.token)
        if (token === undefined) return response
        if (current.get(sent.provider) !== token) {
          current.set(sent.provider, token)
          all.push({ provider: sent.provider, token })
        }
        if (!replayable) return response
        headers = new Headers(headers)
        headers.set(
          'authorization',
          authorization.replace(sent.token, () => token),
        )
        response = await fetch(input, { ...init, headers })
      }
    },
  }
}

function isReplayable(body: unknown): boolean {
  return (
    body === undefined ||
    body === null ||
    typeof body === 'string' ||
    body instanceof URLSearchParams ||
    body instanceof FormData ||
    body instanceof Blob ||
    body instanceof ArrayBuffer ||
    ArrayBuffer.isView(body)
  )
}
