import type { Keyring } from '../sealing/keyring.ts'

/** Sealed, since a call's arguments may be private. */
export async function sealInput(keyring: Keyring, id: string, input: string): Promise<string> {
  return keyring.isEmpty ? `plain:${input}` : `sealed:${await keyring.seal(input, boundTo(id))}`
}

export async function openInput(keyring: Keyring, id: string, stored: string): Promise<string | undefined> {
  if (stored.startsWith('plain:')) return stored.slice('plain:'.length)
  return (await keyring.open(stored.slice('sealed:'.length), boundTo(id)))?.text
}

function boundTo(id: string): string {
  return JSON.stringify(['input', id])
}
