import { decodeBase64 } from '../../outbound/base64.ts'
import { utf8Text } from '../../outbound/utf8.ts'

/** Base64 of UTF-8, since headers have visible ASCII alone; undefined for anything else. */
export function decodeBase64Text(base64: string): string | undefined {
  const bytes = decodeBase64(base64)
  return bytes && utf8Text(bytes)
}
