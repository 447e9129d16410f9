import * as base64url from 'jose/base64url'
import { UnreachableError } from '../../core/failure/failure.ts'
import { keysFrom, type Purpose } from './derived-key.ts'
import { createKeyring, type Keyring } from './keyring.ts'

export type Sealer = Pick<Keyring, 'seal' | 'unseal'>

export interface Signer {
  /** HMAC-SHA-256 in Base64url. */
  sign(text: string): Promise<string>
  verify(text: string, signature: string): Promise<boolean>
}

const encoder = new TextEncoder()

/**
 * Derives the keys of each purpose from the deployment's one secret, which the Access Durable Object stores. It is loaded on
 * first use. Until that succeeds, each use may throw `UnreachableError`.
 */
export function createDeploymentKeys(access: { deploymentSecret(): Promise<string> }) {
  // Caches the secret, not its promise: a request cannot wait for the work of another
  let secret: string | undefined

  async function read(): Promise<string> {
    try {
      return (secret = await access.deploymentSecret())
    } catch (error) {
      throw new UnreachableError("Cannot read the deployment's secret", { cause: error })
    }
  }

  return {
    sealer(purpose: Purpose): Sealer {
      let keyring: Keyring | undefined
      const ready = async () => (keyring ??= createKeyring([secret ?? (await read())], purpose))
      return {
        seal: async (...parameters) => (keyring ?? (await ready())).seal(...parameters),
        unseal: async (sealed, bound) => (keyring ?? (await ready())).unseal(sealed, bound),
      }
    },
    signer(purpose: Purpose): Signer {
      let key: CryptoKey | undefined
      const ready = async () =>
        (key ??= await (await keysFrom(secret ?? (await read()), purpose)).signature('signature'))
      return {
        async sign(text) {
          const signature = await crypto.subtle.sign('HMAC', key ?? (await ready()), encoder.encode(text))
          return base64url.encode(new Uint8Array(signature))
        },
        async verify(text, signature) {
          const bytes = decodeSignature(signature)
          const by = key ?? (await ready())
          return bytes !== undefined && crypto.subtle.verify('HMAC', by, bytes, encoder.encode(text))
        },
      }
    },
  }
}

/** Returns undefined unless the text is exactly as our encoder writes it. */
function decodeSignature(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.from(base64url.decode(text))
    return base64url.encode(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}
