import type { StoredArtifact, UploadedFile } from '../../core/call/artifact-store.ts'
import { notModified } from './json-response.ts'

type StoredFile = StoredArtifact & Partial<Pick<UploadedFile, 'filename'>>

/** Sends the file or a range; undefined if its bytes are gone. `expires` in seconds, `now` in milliseconds since 1970. */
export async function fileResponse(
  request: Request,
  file: StoredFile,
  id: string,
  expires: number,
  now: number,
): Promise<Response | undefined> {
  const headers = toFileHeaders(file, id, expires, now)
  const unchanged = notModified(request, headers)
  if (unchanged) return unchanged
  const ifRange = request.headers.get('if-range')
  const isCurrent = ifRange === null || ifRange === file.etag
  const range = isCurrent ? readRange(request.headers.get('range'), file.size) : undefined
  if (range === 'unsatisfiable')
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${file.size}` } })
  const fullHeaders = { ...headers, 'content-length': String(file.size) }
  if (request.method === 'HEAD') return new Response(null, { headers: fullHeaders })
  const body = await file.read(range)
  if (!body) return undefined
  if (!range) return new Response(body, { headers: fullHeaders })
  const { offset, length } = range
  const contentRange = `bytes ${offset}-${offset + length - 1}/${file.size}`
  const partHeaders = { ...headers, 'content-range': contentRange, 'content-length': String(length) }
  return new Response(body, { status: 206, headers: partHeaders })
}

/** RFC 9110, section 14.1.2; undefined for the whole file, other units, several ranges and malformed ones. */
export function readRange(header: string | null, size: number) {
  const [, first, last] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { offset: size - length, length }
  }
  const offset = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < offset) return undefined
  return offset >= size ? 'unsatisfiable' : { offset, length: end - offset + 1 }
}

/** A tool's output may be hostile and comes from our origin: browsers must save it, never run it. */
export function toFileHeaders(
  { contentType, etag }: Pick<StoredArtifact, 'contentType' | 'etag'>,
  id: string,
  /** Seconds since 1970. */
  expires: number,
  now: number,
): Record<string, string> & { readonly etag: string } {
  const maxAgeS = Math.max(0, Math.floor(expires - now / 1000))
  return {
    'content-type': contentType,
    'content-disposition': `attachment; filename="${id}${findExtension(contentType)}"`,
    'content-security-policy':
      "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex',
    'referrer-policy': 'no-referrer',
    'cache-control': `private, max-age=${maxAgeS}, immutable`,
    'accept-ranges': 'bytes',
    etag,
  }
}

function findExtension(contentType: string): string {
  if (contentType.startsWith('text/plain')) return '.txt'
  const [, subtype] = /^\w+\/([a-z0-9]{2,5})(?:\+\w+)?(?:;|$)/.exec(contentType) ?? []
  return subtype === undefined ? '' : `.${subtype}`
}
