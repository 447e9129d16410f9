import type { Seal } from '../core/call/seal.ts'

export interface StateSealOptions {
  /** What the key is derived from, the same in every isolate; absent: a key that only this isolate has. */
  readonly secret?: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly ttlMs?: number
}

/** A person may take a while to answer. */
const TTL_MS = 3_600_000
const IV = 12
const STAMP = 8
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * Seals with AES-GCM (NIST SP 800-38D) under a key of its own that HKDF (RFC 5869) derives from the secret; what a text is
 * bound to is the additional data. A sealed text is iv, then the encrypted time of expiry and text, in Base64url.
 */
export function createStateSeal({ secret, now, ttlMs = TTL_MS }: StateSealOptions): Seal {
  const bytes =
    secret === undefined ? crypto.getRandomValues(new Uint8Array(32)) : new Uint8Array(encoder.encode(secret))
  let derived: CryptoKey | undefined
  // The key is kept, not its promise: a request must not wait for what another one began
  const key = async () => (derived ??= await deriveKey(bytes))

  return {
    async seal(text, bound) {
      const iv = crypto.getRandomValues(new Uint8Array(IV))
      const body = encoder.encode(text)
      const plain = new Uint8Array(STAMP + body.length)
      new DataView(plain.buffer).setFloat64(0, now() + ttlMs)
      plain.set(body, STAMP)
      const sealed = await crypto.subtle.encrypt(parameters(iv, bound), await key(), plain)
      const all = new Uint8Array(IV + sealed.byteLength)
      all.set(iv)
      all.set(new Uint8Array(sealed), IV)
      return base64url(all)
    },
    async unseal(sealed, bound) {
      try {
        const all = fromBase64url(sealed)
        const plain = await crypto.subtle.decrypt(parameters(all.subarray(0, IV), bound), await key(), all.subarray(IV))
        if (!(now() < new DataView(plain).getFloat64(0))) return undefined
        return decoder.decode(plain.slice(STAMP))
      } catch {
        return undefined
      }
    },
  }
}

function parameters(iv: Uint8Array<ArrayBuffer>, bound: string) {
  return { name: 'AES-GCM', iv, additionalData: encoder.encode(bound) }
}

async function deriveKey(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey'])
  return crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: encoder.encode('switchboard state seal 1') },
    material,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
}

function base64url(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]*$/.test(text)) throw new TypeError('Cannot read what is no Base64url')
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
}
