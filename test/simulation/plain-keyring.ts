import type { Keyring } from '../../src/storage/sealing/keyring.ts'

/** Stores texts unencrypted with their associated data: cryptography uses other threads, which are not simulated. */
export const plainKeyring: Keyring = {
  isEmpty: false,
  seal: async (text, bound) => JSON.stringify([text, bound]),
  async unseal(sealed, bound) {
    const [text, sealedFor]: string[] = JSON.parse(sealed)
    return text !== undefined && sealedFor === bound ? { text, current: true } : undefined
  },
}
