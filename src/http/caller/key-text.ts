import * as base64url from 'jose/base64url'

const KEY_PATTERN = /^sb_[\w-]{43}$/

/** Returns the text of a new API key. Throws unless given 32 random bytes. */
export function formatKey(random: Uint8Array): string {
  if (random.byteLength !== 32) throw new RangeError(`Cannot make a key: wanted 32 bytes, got ${random.byteLength}`)
  return `sb_${base64url.encode(random)}`
}

/** 36 of the key's 256 random bits: enough to tell keys apart, and the rest cannot be guessed. */
const PREFIX_CHARACTERS = 'sb_'.length + 6

/** Returns the first characters of a key, which may be stored and shown. */
export function toKeyPrefix(key: string): string {
  return key.slice(0, PREFIX_CHARACTERS)
}

export function isKey(text: string): boolean {
  return KEY_PATTERN.test(text)
}
