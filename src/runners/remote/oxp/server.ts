import type { Signal } from '../../../core/tool/platform.ts'
import type { GuardedFetch, GuardedResult } from '../../../outbound/guarded-fetch.ts'
import type { Endpoint } from '../endpoint.ts'

export interface OxpDeps {
  readonly guardedFetch: GuardedFetch
  /** The time in milliseconds. */
  readonly now: () => number
}

/** Sends one request to a route of an OXP server, whose URL the route is added to. */
export function askServer(
  route: string,
  { url, headers, credentialHeaders }: Endpoint,
  asking: { readonly query?: Readonly<Record<string, string>>; readonly body?: string; readonly signal: Signal },
  guardedFetch: GuardedFetch,
): Promise<GuardedResult> {
  const target = new URL(url)
  target.pathname = `${url.pathname.replace(/\/+$/, '')}${route}`
  for (const [name, value] of Object.entries(asking.query ?? {})) target.searchParams.set(name, value)
  const sent = new Headers(headers)
  sent.set('accept', 'application/json')
  if (asking.body !== undefined) sent.set('content-type', 'application/json')
  return guardedFetch({
    method: asking.body === undefined ? 'GET' : 'POST',
    url: target,
    headers: sent,
    body: asking.body,
    credentialHeaders,
    signal: asking.signal,
  })
}

/** The JSON of an answer; undefined for what is none. */
export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
