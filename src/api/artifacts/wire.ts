import { fail, type Failure, ok, type Result } from '../../core/failure/failure.ts'
import { handleOf, type StoredArtifact, type Upload } from '../../core/call/artifact-store.ts'
import { optional, string, text, unquoted } from '../../core/tool/json-reader.ts'
import { query } from '../../http/request/query.ts'

export function refusalOf(why: 'forged' | 'expired' | 'missing'): Failure {
  switch (why) {
    case 'forged':
      return { type: 'forbidden', reason: 'The link is not one that was given out: its signature does not fit' }
    case 'expired':
      return { type: 'gone', message: 'The link has expired: call the tool again' }
    case 'missing':
      return { type: 'not-found', message: 'There is no such artifact, or no longer: call the tool again' }
  }
}

/** RFC 9110, section 14.1.2; undefined where all is asked for, and for other units, several parts and malformed ranges. */
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

/** A tool's output is hostile, and comes from our own origin: browsers are to save it, and run nothing of it. */
export function headersOf(
  { contentType, etag }: Pick<StoredArtifact, 'contentType' | 'etag'>,
  id: string,
  /** Seconds since 1970. */
  expires: number,
  now: number,
): Record<string, string> & { readonly etag: string } {
  const left = Math.max(0, Math.floor(expires - now / 1000))
  return {
    'content-type': contentType,
    'content-disposition': `attachment; filename="${id}${endingOf(contentType)}"`,
    'content-security-policy':
      "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex',
    'referrer-policy': 'no-referrer',
    'cache-control': `private, max-age=${left}, immutable`,
    'accept-ranges': 'bytes',
    etag,
  }
}

function endingOf(contentType: string): string {
  if (contentType.startsWith('text/plain')) return '.txt'
  const [, subtype] = /^\w+\/([a-z0-9]{2,5})(?:\+\w+)?(?:;|$)/.exec(contentType) ?? []
  return subtype === undefined ? '' : `.${subtype}`
}

/** The same for a file that has expired and for somebody else's, so that ids cannot be probed. */
export const UNKNOWN_FILE: Failure = { type: 'not-found', message: 'There is no such file of yours, or no longer' }

export const MAX_UPLOAD = 26_214_400
const MAX_FILENAME = 255
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}/

export function readUpload(headers: Headers, filename: string | undefined): Result<Omit<Upload, 'body'>> {
  const length = headers.get('content-length') ?? ''
  if (!/^\d{1,15}$/.test(length)) {
    const message = "Cannot take a file without knowing its length: send the header 'Content-Length'"
    return fail({ type: 'request-malformed', message })
  }
  const size = Number(length)
  if (size > MAX_UPLOAD) return fail({ type: 'body-too-large', limit: MAX_UPLOAD, got: size })
  const contentType = MEDIA_TYPE.exec(headers.get('content-type') ?? '')?.[0] ?? 'application/octet-stream'
  return ok({ size, contentType, filename })
}

function isFilename(name: string): boolean {
  // Characters that are hidden, or turn text around, would show people another name
  return name.length <= MAX_FILENAME && /^[^/\\\p{C}]+$/u.test(name) && !/^\.+$/.test(name) && name.trim() !== ''
}

export const uploadQuery = query({
  filename: optional(
    text(`a name of 1 to ${MAX_FILENAME} characters, without a path or control characters`, isFilename),
  ),
})

export const linkQuery = query({ expires: optional(string()), signature: optional(unquoted(string())) })

export function encodeUpload(id: string, { size, contentType, filename }: Omit<Upload, 'body'>, expires: number) {
  return {
    handle: handleOf(id),
    size,
    content_type: contentType,
    ...(filename === undefined ? {} : { filename }),
    expires_at: new Date(expires * 1000).toISOString(),
  }
}

export interface ArtifactAnswers {
  'POST /artifacts': ReturnType<typeof encodeUpload>
  'GET /artifacts/:id': Response
  'DELETE /artifacts/:id': undefined
}
