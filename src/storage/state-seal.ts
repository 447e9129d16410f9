import { base64url } from 'jose'
import type { Seal } from '../core/call/seal.ts'
import { createKeyring } from './keyring.ts'

export interface StateSealOptions {
  /** What the key is derived from, the same in every isolate; absent: a key that only this isolate has. */
  readonly secret?: string | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A person may take a while to answer. */
const TTL_MS = 3_600_000

/** Seals what callers hand back later. What is encrypted is the time it expires, a space, and the text. */
export function createStateSeal({ secret, now }: StateSealOptions): Seal {
  const keyring = createKeyring([secret ?? base64url.encode(crypto.getRandomValues(new Uint8Array(32)))], 'state')
  return {
    seal: (text, bound) => keyring.seal(`${now() + TTL_MS} ${text}`, bound),
    async unseal(sealed, bound) {
      const opened = await keyring.open(sealed, bound)
      const [expires = ''] = opened?.text.split(' ', 1) ?? []
      return opened && now() < Number(expires) ? opened.text.slice(expires.length + 1) : undefined
    },
  }
}
