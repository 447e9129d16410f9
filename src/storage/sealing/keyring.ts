import { base64url } from 'jose'
import { keysFrom, type Purpose } from './derived-key.ts'

/** Encrypts under the first of a deployment's secrets, and opens what is under any of them. */
export interface Keyring {
  /** Whether there is no secret to encrypt under: then it opens nothing, and sealing is a defect. */
  readonly isEmpty: boolean
  /**
   * Seals a text for `bound`: only who names the same opens it. The sealed text has URL-safe characters alone. For what must compare equal it can be sealed the same each time: then whoever sees two knows whether they are.
   */
  seal(text: string, bound: string, how?: 'the same each time'): Promise<string>
  /** Undefined for what no secret opens, or is bound to something else. `current`: it is under the first secret. */
  open(sealed: string, bound: string): Promise<{ readonly text: string; readonly current: boolean } | undefined>
}

interface Derived {
  /** Tells which key a text is under; it says nothing of the key. */
  readonly id: string
  readonly key: CryptoKey
  /** Makes IVs of what is sealed the same each time. */
  readonly ivKey: CryptoKey
}

const IV = 12
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Makes a keyring of secrets, which may be any texts. AES-256-GCM (NIST SP 800-38D) with a random IV (or one made of all that is sealed), under keys that
 * HKDF-SHA-256 (RFC 5869) derives; `bound` is the additional data. A sealed text is the key's id, a dot, and Base64url of
 * iv and ciphertext. What lies in vaults was sealed so: another derivation or format would lose it.
 */
export function createKeyring(secrets: readonly string[], purpose: Purpose): Keyring {
  // Keys are kept, not their promises: no request may wait for what another one began
  const derived = new Map<string, Derived>()
  async function keyOf(secret: string): Promise<Derived> {
    const known = derived.get(secret) ?? (await derive(secret, purpose))
    derived.set(secret, known)
    return known
  }

  return {
    isEmpty: secrets.length === 0,
    async seal(text, bound, how) {
      const [first] = secrets
      if (first === undefined) throw new Error('Cannot seal without a secret')
      const { id, key, ivKey } = await keyOf(first)
      const iv = how === undefined ? crypto.getRandomValues(new Uint8Array(IV)) : await ivOf(ivKey, bound, text)
      const sealed = await crypto.subtle.encrypt(parameters(iv, bound), key, encoder.encode(text))
      const all = new Uint8Array(IV + sealed.byteLength)
      all.set(iv)
      all.set(new Uint8Array(sealed), IV)
      return `${id}.${base64url.encode(all)}`
    },
    async open(sealed, bound) {
      const [id, body = ''] = sealed.split('.', 2)
      for (const secret of secrets) {
        const candidate = await keyOf(secret)
        if (candidate.id !== id) continue
        try {
          const all = Uint8Array.from(base64url.decode(body))
          const iv = all.subarray(0, IV)
          const plain = await crypto.subtle.decrypt(parameters(iv, bound), candidate.key, all.subarray(IV))
          return { text: decoder.decode(plain), current: secret === secrets[0] }
        } catch {
          return undefined
        }
      }
      return undefined
    },
  }
}

function parameters(iv: Uint8Array<ArrayBuffer>, bound: string) {
  return { name: 'AES-GCM', iv, additionalData: encoder.encode(bound) }
}

/** An IV that no other text or purpose has: a synthetic one, as in RFC 8452. */
async function ivOf(key: CryptoKey, bound: string, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const mac = await crypto.subtle.sign('HMAC', key, encoder.encode(JSON.stringify([bound, text])))
  return new Uint8Array(mac, 0, IV)
}

async function derive(secret: string, purpose: Purpose): Promise<Derived> {
  const keys = await keysFrom(secret, purpose)
  const [key, id, ivKey] = await Promise.all([keys.encryption('key'), keys.id('key id'), keys.signature('iv')])
  return { id: base64url.encode(id), key, ivKey }
}
