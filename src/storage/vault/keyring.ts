import { base64url } from 'jose'

/** What is sealed opens only with a key of the ring, and for what it was bound to. */
export interface Keyring {
  seal(text: string, bound: string): Promise<string>
  /** Undefined for what no key of the ring opens, or is bound to something else. `current`: under the first key. */
  open(sealed: string, bound: string): Promise<{ readonly text: string; readonly current: boolean } | undefined>
}

/** Why nothing can be granted to a deployment that has no keys. */
export const NO_KEYS =
  "This Switchboard keeps no grants yet: an administrator must set the Worker secret 'VAULT_KEYS', to what `openssl rand -base64 32` gives"

/** The ring of a deployment that has no keys: what is stored stays closed, and nothing is added. */
export const NO_RING: Keyring = {
  seal: () => Promise.reject(new Error('Cannot seal without keys')),
  open: async () => undefined,
}

interface Derived {
  /** Tells which key a text is under; it says nothing of the key. */
  readonly id: string
  readonly key: CryptoKey
}

const IV = 12
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * A ring of secrets, any texts: the first encrypts, all decrypt. AES-256-GCM (NIST SP 800-38D) with a random IV, under keys
 * that HKDF-SHA-256 (RFC 5869) derives; what a text is bound to is the additional data. A sealed text is the key's id, a
 * dot, and Base64url of iv and ciphertext.
 */
export function createKeyring(secrets: readonly [string, ...string[]]): Keyring {
  // Keys are kept, not their promises, as more than one Durable Object may share an isolate
  const derived = new Map<string, Derived>()
  async function keyOf(secret: string): Promise<Derived> {
    const known = derived.get(secret) ?? (await derive(secret))
    derived.set(secret, known)
    return known
  }

  return {
    async seal(text, bound) {
      const { id, key } = await keyOf(secrets[0])
      const iv = crypto.getRandomValues(new Uint8Array(IV))
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

async function derive(secret: string): Promise<Derived> {
  const bytes = encoder.encode(secret)
  const material = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey', 'deriveBits'])
  const info = (of: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(0),
    info: encoder.encode(`switchboard vault ${of} 1`),
  })
  const aes = { name: 'AES-GCM', length: 256 }
  const [key, id] = await Promise.all([
    crypto.subtle.deriveKey(info('key'), material, aes, false, ['encrypt', 'decrypt']),
    crypto.subtle.deriveBits(info('key id'), material, 64),
  ])
  return { id: base64url.encode(new Uint8Array(id)), key }
}
