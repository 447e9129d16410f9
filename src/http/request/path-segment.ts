import { fail, ok, type Result } from '../../core/failure/failure.ts'

/**
 * A segment of a URL's path, decoded: 1 is the first. Fails with `request-malformed` where its percent-encoding is no
 * UTF-8 (RFC 3986, section 2.1), which a router would let through as it stands.
 */
export function pathSegment(url: string, index: number): Result<string> {
  const segment = new URL(url).pathname.split('/')[index] ?? ''
  try {
    return ok(decodeURIComponent(segment))
  } catch {
    return fail({ type: 'request-malformed', message: 'Cannot read the path: its percent-encoding is malformed' })
  }
}
