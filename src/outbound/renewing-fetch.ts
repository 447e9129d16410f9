import type { Fetch } from '../core/tool/platform.ts'
import type { Invocation } from '../core/call/invocation.ts'
import type { RunContext } from '../core/call/runner.ts'

export function createRenewingTokens(
  tokens: Invocation['tokens'],
  renew: NonNullable<RunContext['renew']>,
  fetch: Fetch,
) {
  const current = new Map([...tokens].map(([provider, { value }]) => [provider, value]))
  const usedTokens = [...current].map(([provider, token]) => ({ provider, token }))
  return {
    current,
    usedTokens,
    /** After a 401, resends a request with a new token, unless its body can be read only once. */
    fetch: async (...[input, init]: Parameters<Fetch>) => {
      const request = input instanceof Request ? input : undefined
      const replayable = isReplayable(init?.body) && (request?.body ?? null) === null
      const { origin } = new URL(request ? request.url : String(input))
      let headers = new Headers(init?.headers ?? request?.headers)
      let response = await fetch(input, init)
      for (;;) {
        const authorization = headers.get('authorization') ?? ''
        const sentToken = usedTokens.findLast(({ token }) => token !== '' && authorization.includes(token))
        // After a redirect to another origin, that origin did not receive the token
        if (response.status !== 401 || !sentToken || URL.parse(response.url)?.origin !== origin) return response
        const token = await renew(sentToken.provider, sentToken.token)
        if (token === undefined) return response
        if (current.get(sentToken.provider) !== token) {
          current.set(sentToken.provider, token)
          usedTokens.push({ provider: sentToken.provider, token })
        }
        if (!replayable) return response
        headers = new Headers(headers)
        headers.set(
          'authorization',
          authorization.replace(sentToken.token, () => token),
        )
        response = await fetch(input, { ...init, headers })
      }
    },
  }
}

const REPLAYABLE = [URLSearchParams, FormData, Blob, ArrayBuffer]

function isReplayable(body: unknown): boolean {
  if (body === undefined || body === null || typeof body === 'string' || ArrayBuffer.isView(body)) return true
  return REPLAYABLE.some((kind) => body instanceof kind)
}
