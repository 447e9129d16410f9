export type Purpose =
  | 'vault'
  | 'state'
  | 'cursor'
  | 'artifact'
  | 'ledger'
  | 'invocation'
  | 'sign-in'
  | 'export'
  | 'content'
  | 'task'
  | 'events'

const encoder = new TextEncoder()

/** Derives keys by HKDF-SHA-256 (RFC 5869). `of` names the key within its purpose. */
export async function keysFrom(secret: string, purpose: Purpose) {
  const bytes = encoder.encode(secret)
  const material = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey', 'deriveBits'])
  const info = (of: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(0),
    info: encoder.encode(`switchboard ${purpose} ${of} 1`),
  })
  return {
    encryption(of: string): Promise<CryptoKey> {
      const algorithm = { name: 'AES-GCM', length: 256 }
      return crypto.subtle.deriveKey(info(of), material, algorithm, false, ['encrypt', 'decrypt'])
    },
    signature(of: string): Promise<CryptoKey> {
      const algorithm = { name: 'HMAC', hash: 'SHA-256', length: 256 }
      return crypto.subtle.deriveKey(info(of), material, algorithm, false, ['sign', 'verify'])
    },
    /** Returns 64 bits that identify the secret without revealing it. */
    async id(of: string): Promise<Uint8Array> {
      return new Uint8Array(await crypto.subtle.deriveBits(info(of), material, 64))
    },
  }
}
