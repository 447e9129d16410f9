import { fail, ok, type Result } from '../core/call/failure.ts'
import { readBytes } from './body.ts'

const FORM = 'application/x-www-form-urlencoded'

/**
 * Reads a form that a browser posts without JavaScript, of at most `limit` bytes. Fails with `media-type-unsupported`,
 * `body-too-large` or `request-malformed`.
 */
export async function readForm(request: Request, limit: number): Promise<Result<URLSearchParams>> {
  const type = request.headers.get('content-type')
  if (type?.split(';')[0]?.trim().toLowerCase() !== FORM) {
    return fail({ type: 'media-type-unsupported', got: type, wanted: FORM })
  }
  const bytes = await readBytes(request, limit)
  // Bytes that are no UTF-8 become U+FFFD, as they do in browsers: no field that is known has such a name or value
  return bytes.ok ? ok(new URLSearchParams(new TextDecoder().decode(bytes.value))) : bytes
}
