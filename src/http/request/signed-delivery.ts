/**
 * Verifies webhook deliveries, whose sender shares a secret with the deployment. A signature covers the bytes of the body, so
 * the body is parsed only after verification. Comparisons take constant time (`crypto.subtle.verify`).
 */
import type { SignatureScheme, WebhookSettings } from '../../core/event/event-source.ts'
import { decodeBase64 } from '../../outbound/base64.ts'

interface SignedParts {
  readonly signatures: readonly (Uint8Array<ArrayBuffer> | undefined)[]
  /** The signed text before the body. */
  readonly prefix?: string
  /** Signed; seconds since 1970. */
  readonly timestamp?: string
  /** Signed; identifies the delivery. */
  readonly id?: string
}

interface Delivery {
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer>
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Applies in both directions, because clocks differ. Recorded deliveries cannot be replayed later. */
const TOLERANCE_MS = 300_000
const MAX_SIGNATURES = 8
const HMAC = { name: 'HMAC', hash: 'SHA-256' }
const encoder = new TextEncoder()

/** Returns values that every copy of the delivery shares; undefined if the signature is invalid or too old. */
export async function verifyDelivery(
  { signature: scheme, header }: Pick<WebhookSettings, 'signature' | 'header'>,
  secret: string,
  { headers, body, now }: Delivery,
) {
  const secretBytes =
    scheme === 'standard-webhooks' ? decodeBase64(secret.replace(/^whsec_/, '')) : encoder.encode(secret)
  if (!secretBytes?.length) return undefined
  const key = await crypto.subtle.importKey('raw', secretBytes, HMAC, false, ['sign', 'verify'])
  if (scheme === 'shared-secret') {
    const code = await crypto.subtle.sign('HMAC', key, secretBytes)
    const isEqual = await crypto.subtle.verify('HMAC', key, code, encoder.encode(headers.get(header) ?? ''))
    return isEqual ? { id: headers.get('webhook-id') ?? undefined, signed: body } : undefined
  }
  const { signatures, prefix = '', timestamp, id } = PARTS[scheme](headers)
  if (timestamp !== undefined && !(Math.abs(now - Number(timestamp) * 1_000) <= TOLERANCE_MS)) return undefined
  const signedBytes = new Uint8Array(await new Blob([prefix, body]).arrayBuffer())
  for (const signature of signatures.slice(0, MAX_SIGNATURES))
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signedBytes)))
      return { id, signed: signedBytes }
  return undefined
}

const PARTS: Readonly<Record<Exclude<SignatureScheme, 'shared-secret'>, (headers: Headers) => SignedParts>> = {
  'standard-webhooks'(headers) {
    const [id = '', timestamp = '', signatures = ''] = ['id', 'timestamp', 'signature'].map(
      (name) => headers.get(`webhook-${name}`) ?? '',
    )
    const decodedSignatures = signatures
      .split(' ')
      .map((signature) => (signature.startsWith('v1,') ? decodeBase64(signature.slice(3)) : undefined))
    return { id, timestamp, prefix: `${id}.${timestamp}.`, signatures: id === '' ? [] : decodedSignatures }
  },
  github: (headers) => ({ signatures: [parseHex(headers.get('x-hub-signature-256'), 'sha256=')] }),
  stripe(headers) {
    const fields = (headers.get('stripe-signature') ?? '').split(',').map((field) => field.trim())
    const timestamp = fields.find((field) => field.startsWith('t='))?.slice(2) ?? ''
    return { timestamp, prefix: `${timestamp}.`, signatures: fields.map((field) => parseHex(field, 'v1=')) }
  },
  slack(headers) {
    const timestamp = headers.get('x-slack-request-timestamp') ?? ''
    return { timestamp, prefix: `v0:${timestamp}:`, signatures: [parseHex(headers.get('x-slack-signature'), 'v0=')] }
  },
}

function parseHex(text: string | null, prefix: string): Uint8Array<ArrayBuffer> | undefined {
  const hex = text?.startsWith(prefix) ? text.slice(prefix.length) : ''
  if (!/^[0-9a-f]{64}$/i.test(hex)) return undefined
  return new Uint8Array((hex.match(/../g) ?? []).map((pair) => parseInt(pair, 16)))
}
