import type { Keyring } from '../sealing/keyring.ts'

/** The input of a call that waits for approval, as it is kept: sealed, since it may hold what is nobody's business. */
export async function sealInput(keyring: Keyring, id: string, input: string): Promise<string> {
  return keyring.isEmpty ? `plain:${input}` : `sealed:${await keyring.seal(input, boundTo(id))}`
}

/** What `sealInput` was given; undefined when the keys that are left do not open it. */
export async function openInput(keyring: Keyring, id: string, stored: string): Promise<string | undefined> {
  if (stored.startsWith('plain:')) return stored.slice('plain:'.length)
  return (await keyring.open(stored.slice('sealed:'.length), boundTo(id)))?.text
}

function boundTo(id: string): string {
  return JSON.stringify(['input', id])
}
