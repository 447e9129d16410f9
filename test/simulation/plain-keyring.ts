import type { Keyring } from '../../src/storage/sealing/keyring.ts'

/** Keeps texts as they are, and whom they are for: cryptography takes another thread's time, and is not what is simulated. */
export const plainKeyring: Keyring = {
  isEmpty: false,
  seal: async (text, bound) => JSON.stringify([text, bound]),
  async unseal(sealed, bound) {
    const [text, sealedFor]: string[] = JSON.parse(sealed)
    return text !== undefined && sealedFor === bound ? { text, current: true } : undefined
  },
}
