import * as base64url from 'jose/base64url'
import { keysFrom, type Purpose } from './derived-key.ts'

/** Encrypts under the first of a deployment's secrets, and decrypts under any of them. */
export interface Keyring {
  /** If true, nothing can be unsealed, and sealing is a defect. */
  readonly isEmpty: boolean
  /** `unseal` needs the same `associatedData`. With `deterministic`, equal texts are sealed equally, and so recognizable. */
  seal(text: string, associatedData: string, options?: { readonly deterministic: true }): Promise<string>
  /** Returns undefined for other secrets or other `associatedData`. `current`: sealed under the first secret. */
  unseal(
    sealed: string,
    associatedData: string,
  ): Promise<{ readonly text: string; readonly current: boolean } | undefined>
}

interface Derived {
  readonly id: string
  readonly key: CryptoKey
  readonly ivKey: CryptoKey
}

const IV = 12
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * AES-256-GCM (NIST SP 800-38D); `associatedData` is its additional data. A sealed text is the key's id, a dot, and Base64url
 * of IV and ciphertext. Vaults depend on this format and derivation: changing either would lose them.
 */
export function createKeyring(secrets: readonly string[], purpose: Purpose): Keyring {
  // Caches keys, not their promises: a request cannot wait for the work of another
  const derived = new Map<string, Derived>()
  async function deriveKey(secret: string): Promise<Derived> {
    const keys = derived.get(secret) ?? (await derive(secret, purpose))
    derived.set(secret, keys)
    return keys
  }

  return {
    isEmpty: secrets.length === 0,
    async seal(text, associatedData, options) {
      const [first] = secrets
      if (first === undefined) throw new Error('Cannot seal without a secret')
      const { id, key, ivKey } = await deriveKey(first)
      const iv =
        options === undefined ? crypto.getRandomValues(new Uint8Array(IV)) : await deriveIv(ivKey, associatedData, text)
      const ciphertext = await crypto.subtle.encrypt(parameters(iv, associatedData), key, encoder.encode(text))
      const all = new Uint8Array(IV + ciphertext.byteLength)
      all.set(iv)
      all.set(new Uint8Array(ciphertext), IV)
      return `${id}.${base64url.encode(all)}`
    },
    async unseal(sealed, associatedData) {
      const [id, body = ''] = sealed.split('.', 2)
      for (const secret of secrets) {
        const candidate = await deriveKey(secret)
        if (candidate.id !== id) continue
        try {
          const all = Uint8Array.from(base64url.decode(body))
          const iv = all.subarray(0, IV)
          const plain = await crypto.subtle.decrypt(parameters(iv, associatedData), candidate.key, all.subarray(IV))
          return { text: decoder.decode(plain), current: secret === secrets[0] }
        } catch {
          return undefined
        }
      }
      return undefined
    },
  }
}

function parameters(iv: Uint8Array<ArrayBuffer>, associatedData: string) {
  return { name: 'AES-GCM', iv, additionalData: encoder.encode(associatedData) }
}

/** Derives a synthetic IV, as in RFC 8452, so that no other text or purpose has it. */
async function deriveIv(key: CryptoKey, associatedData: string, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const mac = await crypto.subtle.sign('HMAC', key, encoder.encode(JSON.stringify([associatedData, text])))
  return new Uint8Array(mac, 0, IV)
}

async function derive(secret: string, purpose: Purpose): Promise<Derived> {
  const keys = await keysFrom(secret, purpose)
  const [key, id, ivKey] = await Promise.all([keys.encryption('key'), keys.id('key id'), keys.signature('iv')])
  return { id: base64url.encode(id), key, ivKey }
}
