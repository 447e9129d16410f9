import { ok, type Result } from '../core/call/failure.ts'
import { readBytes } from './body.ts'

/**
 * Reads a form that a browser posts without JavaScript, of at most `limit` bytes. Fails with `media-type-unsupported`,
 * `body-too-large` or `request-malformed`.
 */
export async function readForm(request: Request, limit: number): Promise<Result<URLSearchParams>> {
  const bytes = await readBytes(request, 'application/x-www-form-urlencoded', limit)
  // Bytes that are no UTF-8 become U+FFFD, as they do in browsers: no field that is known has such a name or value
  return bytes.ok ? ok(new URLSearchParams(new TextDecoder().decode(bytes.value))) : bytes
}
