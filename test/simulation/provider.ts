import type { Provider } from '../../src/core/consent/provider.ts'
import type { Fetch } from '../../src/core/tool/platform.ts'
import type { Network } from './network.ts'
import type { Door } from './object-host.ts'
import { Violation } from './violation.ts'

const SITE = 'https://mail.example'
export const MAIL: Provider = {
  id: 'mail',
  name: 'Mail',
  client_id: 'c1',
  authorization_endpoint: `${SITE}/auth`,
  token_endpoint: `${SITE}/token`,
  revocation_endpoint: `${SITE}/revoke`,
}
/** Lifetime of an access token. */
const LIFETIME_S = 120

interface Issued {
  readonly account: string
  /** The consent that it results from. */
  readonly family: number
  /** The code or refresh token that it was issued for. */
  readonly by: string | undefined
  live: boolean
}

/** A refresh token on its way to the provider. */
interface Sent {
  /** The vault instance that sent it. */
  readonly by: Door
  isLost: boolean
}

export interface ProviderOptions {
  readonly network: Network
  readonly defect: (error: unknown) => void
}

/**
 * Creates a provider that rotates refresh tokens and accepts each once: reuse revokes all tokens of the consent (RFC 9700,
 * section 4.14.2). So none may be sent twice, unless it is unknown whether it arrived: the response was lost, or the instance
 * that sent it ended.
 */
export function createProvider({ network, defect }: ProviderOptions) {
  const issued = new Map<string, Issued>()
  const sent = new Map<string, Sent>()
  /** The refresh tokens whose access token was given to a caller. */
  const settled = new Set<string>()
  const refused = new Set<string>()
  let count = 0

  function issue(kind: string, of: Omit<Issued, 'live'>): string {
    count += 1
    const text = `${kind}-${count}`
    issued.set(text, { ...of, live: true })
    return text
  }

  function end(family: number | undefined): void {
    for (const each of issued.values()) if (each.family === family) each.live = false
  }

  function answer(path: string, form: URLSearchParams): Response {
    const token = form.get('token') ?? form.get('refresh_token') ?? form.get('code') ?? ''
    const found = issued.get(token)
    if (path === '/token' && found?.live) {
      found.live = false
      const of = { account: found.account, family: found.family, by: token }
      return Response.json({
        token_type: 'Bearer',
        access_token: issue('access', of),
        refresh_token: issue('refresh', of),
        expires_in: LIFETIME_S,
      })
    }
    end(found?.family)
    if (path === '/revoke') return new Response(null, { status: 200 })
    if (found) refused.add(found.account)
    return Response.json({ error: 'invalid_grant' }, { status: 400 })
  }

  function send(token: string, by: Door): Sent {
    const before = sent.get(token)
    if (settled.has(token)) defect(new Violation(`'${token}' is used again, and what came of it was given out`))
    if (before && before.by === by && !before.isLost) defect(new Violation(`'${token}' is used twice`))
    const now = { by, isLost: false }
    sent.set(token, now)
    return now
  }

  return {
    /** Returns the account of an access token that was given to a caller. */
    given(token: string): string | undefined {
      const found = issued.get(token)
      if (found?.by !== undefined) settled.add(found.by)
      return found?.account
    },

    /** Whether it ever refused a token that it had issued to this account. */
    hasRefused: (account: string) => refused.has(account),

    /** The person allows an authorization request. Returns where the browser is redirected. */
    allow(location: string, account: string): string {
      const asked = new URL(location).searchParams
      const back = new URL(asked.get('redirect_uri') ?? '')
      count += 1
      back.searchParams.set('code', issue('code', { account, family: count, by: undefined }))
      back.searchParams.set('state', asked.get('state') ?? '')
      return back.href
    },

    /** Returns the `fetch` with which a vault instance reaches it. */
    reachedBy:
      (door: Door): Fetch =>
      (input, init) =>
        door(async () => {
          const { pathname } = new URL(String(input))
          const form = new URLSearchParams(String(init?.body))
          const token = form.get('refresh_token')
          const message = token === null ? undefined : send(token, door)
          const aborted = new Promise<never>((_, reject) => {
            init?.signal?.addEventListener('abort', () => reject(new DOMException('It took too long', 'TimeoutError')))
          })
          const answered = (async () => {
            await network.travel(`→ mail ${pathname} ${token ?? ''}`)
            const response = answer(pathname, form)
            await network.travel(`← mail ${pathname}`)
            return response
          })()
          try {
            return await Promise.race([answered, aborted])
          } catch (error) {
            if (message) message.isLost = true
            answered.catch(() => undefined)
            throw error
          }
        }),
  }
}

export type MailProvider = ReturnType<typeof createProvider>
