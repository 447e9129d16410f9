import type { FetchCapability } from '../core/access/principal.ts'
import { decodeBase64, encodeBase64 } from './base64.ts'
import type { GuardedFetch } from './guarded-fetch.ts'

const TIMEOUT_MS = 15_000

export interface WebhookMessage {
  readonly id: string
  readonly body: string
}

/** Signs and posts a message (Standard Webhooks 1.0.0). Gives whether it was received; a redirect is a failure. */
export async function postWebhook(
  { id, body }: WebhookMessage,
  { url, secret }: { readonly url: string; readonly secret: string },
  { guardedFetch, initiator }: { readonly guardedFetch: GuardedFetch; readonly initiator: FetchCapability },
): Promise<boolean> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const bytes = decodeBase64(secret.replace(/^whsec_/, '')) ?? new Uint8Array()
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signed = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`${id}.${timestamp}.${body}`))
  const headers = new Headers({
    'content-type': 'application/json',
    'user-agent': 'switchboard',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${encodeBase64(new Uint8Array(signed))}`,
  })
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const options = { redirect: 'manual', credentialHeaders: [], signal, initiator } as const
  const result = await guardedFetch({ method: 'POST', url, headers, body, ...options })
  return result.ok && result.response.status >= 200 && result.response.status < 300
}
