import type { Keyring } from '../sealing/keyring.ts'

/** Seals an invocation, because a call's arguments and answers may be private. */
export async function sealInvocation(keyring: Keyring, id: string, invocation: string): Promise<string> {
  return keyring.isEmpty ? `plain:${invocation}` : `sealed:${await keyring.seal(invocation, boundTo(id))}`
}

export async function openInvocation(keyring: Keyring, id: string, sealedText: string): Promise<string | undefined> {
  if (sealedText.startsWith('plain:')) return sealedText.slice('plain:'.length)
  return (await keyring.unseal(sealedText.slice('sealed:'.length), boundTo(id)))?.text
}

function boundTo(id: string): string {
  return JSON.stringify(['invocation', id])
}
