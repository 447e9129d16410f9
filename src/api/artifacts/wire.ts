import { fail, type Failure, ok, type Result } from '../../core/failure/failure.ts'
import type { StoredArtifact } from '../../core/call/artifact-store.ts'
import { optional, string, text, unquoted } from '../../core/tool/json-reader.ts'
import { query } from '../../http/request/query.ts'
import { handleOf, type Upload } from '../../core/call/upload-store.ts'

/** A part of something, in bytes. */
export interface Part {
  readonly offset: number
  readonly length: number
}

/** Why a link leads to nothing. */
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

/**
 * The part that a `Range` asks for (RFC 9110, section 14.1.2); undefined where it asks for all, or for what is passed over:
 * other units, several parts, and what is malformed.
 */
export function readRange(header: string | null, size: number): Part | 'unsatisfiable' | undefined {
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

/**
 * The headers of an artifact. What a tool made is hostile until proven otherwise, and comes from our own origin: so browsers
 * save it and show it nowhere, take it for nothing else than it says it is, and where one shows it all the same, run
 * nothing of it.
 */
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

/** What the name of a file of this media type ends with, as far as its subtype says that. */
function endingOf(contentType: string): string {
  if (contentType.startsWith('text/plain')) return '.txt'
  const [, subtype] = /^\w+\/([a-z0-9]{2,5})(?:\+\w+)?(?:;|$)/.exec(contentType) ?? []
  return subtype === undefined ? '' : `.${subtype}`
}

/** Said of a file that there is none of, that is over, and that is somebody else's. */
export const UNKNOWN_FILE: Failure = { type: 'not-found', message: 'There is no such file of yours, or no longer' }

/** The most bytes of a file that is sent. */
export const MAX_UPLOAD = 26_214_400
const MAX_FILENAME = 255
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}/

/**
 * What a request says of the file that its body is, which is not read: its length, as HTTP has it, its media type
 * (`application/octet-stream` where it says none that could be one), and its name, `?filename=`.
 */
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
  // What Unicode hides, or turns around, would show people another name
  return name.length <= MAX_FILENAME && /^[^/\\\p{C}]+$/u.test(name) && !/^\.+$/.test(name) && name.trim() !== ''
}

/** What a file that is sent is called. */
export const uploadQuery = query({
  filename: optional(
    text(`a name of 1 to ${MAX_FILENAME} characters, without a path or control characters`, isFilename),
  ),
})

/** What a link to what a call gave says beside the id: it is the credential. */
export const linkQuery = query({ expires: optional(string()), signature: optional(unquoted(string())) })

/** What is said of a file that was kept. */
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
