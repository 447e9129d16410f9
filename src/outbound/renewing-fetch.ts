import type { Fetch } from '../core/tool/platform.ts'
import type { Invocation } from '../core/call/invocation.ts'
import type { RunContext } from '../core/call/runner.ts'

export function createRenewingTokens(
  tokens: Invocation['tokens'],
  renew: NonNullable<RunContext['renew']>,
  fetch: Fetch,
) {
  const current = new Map([...tokens].map(([provider, { value }]) => [provider, value]))
  const all = [...current].map(([provider, token]) => ({ provider, token }))
  return {
    current,
    all,
    /** Sends a request once more, with a new token, after a 401; not a body that can be read only once. */
    fetch: async (...[input, init]: Parameters<Fetch>) => {
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

const REPLAYABLE = [URLSearchParams, FormData, Blob, ArrayBuffer]

function isReplayable(body: unknown): boolean {
  if (body === undefined || body === null || typeof body === 'string' || ArrayBuffer.isView(body)) return true
  return REPLAYABLE.some((kind) => body instanceof kind)
}
