import { decodeBase64 } from '../../outbound/base64.ts'
import { utf8Text } from '../../outbound/utf8.ts'

/** The text of a header that has UTF-8 as Base64, since headers carry ASCII alone; undefined if it is anything else. */
export function decodeBase64Text(base64: string): string | undefined {
  const bytes = decodeBase64(base64)
  return bytes && utf8Text(bytes)
}
