import { decodeBase64 } from '../../outbound/base64.ts'
import { utf8Text } from '../../outbound/utf8.ts'

/** Decodes a header's Base64 to UTF-8 text, because headers carry only ASCII. Undefined if it is anything else. */
export function decodeBase64Text(base64: string): string | undefined {
  const bytes = decodeBase64(base64)
  return bytes && utf8Text(bytes)
}
