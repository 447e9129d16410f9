import type { Signal } from '../../../core/tool/platform.ts'
import { parseJson } from '../../../core/tool/json.ts'
import type { GuardedFetch } from '../../../outbound/guarded-fetch.ts'
import { utf8Text } from '../../../outbound/utf8.ts'
import { type BadAnswer, type FailedCall, unanswered } from '../../shared/server-failure.ts'
import type { Endpoint } from '../endpoint.ts'
import { failed } from '../failed-call.ts'

interface OxpAnswer extends BadAnswer {
  readonly ok: true
  /** In bytes. */
  readonly size: number
  readonly document: unknown
}

export async function askServer(
  route: string,
  { url, headers, credentialHeaders, host, redact, asker }: Endpoint,
  asking: { readonly query?: Readonly<Record<string, string>>; readonly body?: string; readonly signal: Signal },
  guardedFetch: GuardedFetch,
): Promise<OxpAnswer | { readonly ok: false; readonly failed: FailedCall }> {
  const target = new URL(url)
  target.pathname = `${url.pathname.replace(/\/+$/, '')}${route}`
  for (const [name, value] of Object.entries(asking.query ?? {})) target.searchParams.set(name, value)
  const sent = new Headers(headers)
  sent.set('accept', 'application/json')
  if (asking.body !== undefined) sent.set('content-type', 'application/json')
  const answer = await guardedFetch({
    method: asking.body === undefined ? 'GET' : 'POST',
    url: target,
    headers: sent,
    body: asking.body,
    credentialHeaders,
    signal: asking.signal,
    asker,
  })
  if (!answer.ok) return { ok: false, failed: unanswered(answer, host, redact) }
  const { status, headers: answered, body } = answer.response
  const text = utf8Text(body)
  if (text === undefined)
    return { ok: false, failed: failed(`${host} answered what is not UTF-8`, undefined, { redact }) }
  return { ok: true, status, headers: answered, text, size: body.byteLength, document: parseJson(text) }
}
