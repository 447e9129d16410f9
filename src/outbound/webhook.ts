import type { FetchCapability } from '../core/access/principal.ts'
import { decodeBase64, encodeBase64 } from './base64.ts'
import type { GuardedFetch, GuardedResult } from './guarded-fetch.ts'

const TIMEOUT_MS = 15_000

export interface WebhookMessage {
  readonly id: string
  readonly body: string
}

export interface WebhookTarget {
  readonly url: string
  /** Each signs the message: while one is replaced by another, receivers know either. */
  readonly secrets: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

export type PostWebhook = (message: WebhookMessage, target: WebhookTarget) => Promise<GuardedResult>

/** Signs and posts a message (Standard Webhooks 1.0.0), and follows no redirect. */
export async function postWebhook(
  { id, body }: WebhookMessage,
  { url, secrets, headers: otherHeaders }: WebhookTarget,
  { guardedFetch, initiator }: { readonly guardedFetch: GuardedFetch; readonly initiator: FetchCapability },
): Promise<GuardedResult> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const signatures = await Promise.all(secrets.map((secret) => sign(secret, `${id}.${timestamp}.${body}`)))
  const headers = new Headers({
    ...otherHeaders,
    'content-type': 'application/json',
    'user-agent': 'switchboard',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  })
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const options = { redirect: 'manual', credentialHeaders: [], signal, initiator } as const
  return guardedFetch({ method: 'POST', url, headers, body, ...options })
}

/** Undefined if there was no answer. One that cannot be read, as it is too large, is an answer too. */
export function findStatus(result: GuardedResult): number | undefined {
  return result.ok ? result.response.status : result.status
}

export function isReceived(result: GuardedResult): boolean {
  const status = findStatus(result) ?? 0
  return status >= 200 && status < 300
}

async function sign(secret: string, text: string): Promise<string> {
  const bytes = decodeBase64(secret.replace(/^whsec_/, '')) ?? new Uint8Array()
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signed = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))
  return `v1,${encodeBase64(new Uint8Array(signed))}`
}
