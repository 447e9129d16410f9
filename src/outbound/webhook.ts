import type { FetchCapability } from '../core/access/principal.ts'
import { decodeBase64, encodeBase64 } from './base64.ts'
import {
  createGuardedFetch,
  type GuardedFailureKind,
  type GuardedFetchOptions,
  type GuardedResult,
} from './guarded-fetch.ts'

const TIMEOUT_MS = 15_000
const MAX_RECEIPT_BYTES = 16_384

export interface WebhookMessage {
  readonly id: string
  readonly body: string
}

interface WebhookTarget {
  readonly url: string
  /** Each signs the message, because during a rotation receivers may know only the old or the new secret. */
  readonly secrets: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

type FailureReason = 'address_refused' | 'connection_refused' | 'timeout'
const REASONS: Partial<Record<GuardedFailureKind, FailureReason>> = { refused: 'address_refused', aborted: 'timeout' }

/** A response that is too large to read counts as having an empty body. */
export type WebhookReceipt =
  | { readonly kind: 'received'; readonly body: string }
  | { readonly kind: 'rejected'; readonly reason: `http_${number}` }
  | { readonly kind: 'unanswered'; readonly reason: FailureReason; readonly message: string }

export type PostWebhook = (message: WebhookMessage, target: WebhookTarget) => Promise<WebhookReceipt>

/** Signs and posts messages (Standard Webhooks 1.0.0). Redirects are not followed. */
export function createWebhooks(options: GuardedFetchOptions, initiator: FetchCapability): PostWebhook {
  const guardedFetch = createGuardedFetch({ ...options, maxResponseBytes: MAX_RECEIPT_BYTES })
  return async ({ id, body }, { url, secrets, headers: otherHeaders }) => {
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
    const rules = { redirect: 'manual', credentialHeaders: [], signal, initiator } as const
    return toReceipt(await guardedFetch({ method: 'POST', url, headers, body, ...rules }))
  }
}

function toReceipt(result: GuardedResult): WebhookReceipt {
  if (!result.ok && result.status === undefined)
    return { kind: 'unanswered', reason: REASONS[result.kind] ?? 'connection_refused', message: result.message }
  const status = result.ok ? result.response.status : (result.status ?? 0)
  if (status < 200 || status >= 300) return { kind: 'rejected', reason: `http_${status}` }
  return { kind: 'received', body: result.ok ? new TextDecoder().decode(result.response.body) : '' }
}

async function sign(secret: string, text: string): Promise<string> {
  const bytes = decodeBase64(secret.replace(/^whsec_/, '')) ?? new Uint8Array()
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))
  return `v1,${encodeBase64(new Uint8Array(signature))}`
}
