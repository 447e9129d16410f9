import { base64url } from 'jose'
import { Unreachable } from '../../core/failure/failure.ts'
import { keysFrom, type Purpose } from './derived-key.ts'
import { createKeyring, type Keyring } from './keyring.ts'

/** Seals texts that callers keep, and opens them again: as a keyring does. */
export type Sealer = Pick<Keyring, 'seal' | 'open'>

/** Signs texts that callers keep, and may read. */
export interface Signer {
  /** The signature of a text (HMAC-SHA-256), in Base64url. */
  sign(text: string): Promise<string>
  verify(text: string, signature: string): Promise<boolean>
}

/** What a deployment seals and signs with, each under keys of its own that come of the deployment's one secret. */
export interface DeploymentKeys {
  sealer(purpose: Purpose): Sealer
  signer(purpose: Purpose): Signer
}

const encoder = new TextEncoder()

/**
 * The deployment's keys in one isolate. Their secret is random, made once and kept by the Access Durable Object, which is
 * asked when the first key is needed: later uses do no I/O. While it cannot be asked, nothing is sealed, opened, signed or
 * verified: each throws `Unreachable`.
 */
export function createDeploymentKeys(access: () => { deploymentSecret(): Promise<string> }): DeploymentKeys {
  // Kept is the secret, not its promise: no request may wait for what another one began
  let secret: string | undefined

  async function read(): Promise<string> {
    try {
      return (secret = await access().deploymentSecret())
    } catch (error) {
      throw new Unreachable("Cannot read the deployment's secret", { cause: error })
    }
  }

  return {
    sealer(purpose) {
      let keyring: Keyring | undefined
      const ready = async () => (keyring ??= createKeyring([secret ?? (await read())], purpose))
      return {
        seal: async (...given) => (keyring ?? (await ready())).seal(...given),
        open: async (sealed, bound) => (keyring ?? (await ready())).open(sealed, bound),
      }
    },
    signer(purpose) {
      let key: CryptoKey | undefined
      const ready = async () =>
        (key ??= await (await keysFrom(secret ?? (await read()), purpose)).signature('signature'))
      return {
        async sign(text) {
          const signature = await crypto.subtle.sign('HMAC', key ?? (await ready()), encoder.encode(text))
          return base64url.encode(new Uint8Array(signature))
        },
        async verify(text, signature) {
          const bytes = decoded(signature)
          const by = key ?? (await ready())
          return bytes !== undefined && crypto.subtle.verify('HMAC', by, bytes, encoder.encode(text))
        },
      }
    },
  }
}

/** The bytes of a text in Base64url, spelt as we spell it; undefined for any other. */
function decoded(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.from(base64url.decode(text))
    return base64url.encode(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}
