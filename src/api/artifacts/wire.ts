import { fail, type Failure, ok, type Result } from '../../core/failure/failure.ts'
import { toFileHandle, type Upload } from '../../core/call/artifact-store.ts'
import { OCTET_STREAM, mediaType } from '../../core/call/storable-content.ts'
import { optional, string, stringMatching, hideValue } from '../../core/tool/json-reader.ts'
import { defineQuery } from '../../http/request/query.ts'

export const LINK_FAILURES: Readonly<Record<'forged' | 'expired' | 'missing', Failure>> = {
  forged: { type: 'forbidden', reason: 'The link is not from this Switchboard: its signature is wrong' },
  expired: { type: 'gone', message: 'The link has expired: call the tool again' },
  missing: { type: 'not-found', message: 'The artifact does not exist, or has expired: call the tool again' },
}

/** The same for expired files and the files of others, so that ids cannot be probed. */
export const UNKNOWN_FILE: Failure = {
  type: 'not-found',
  message: 'The file does not exist, is not yours, or has expired',
}

export const MAX_UPLOAD_BYTES = 26_214_400
const MAX_FILENAME_CHARACTERS = 255

export function readUpload(headers: Headers, filename: string | undefined): Result<Omit<Upload, 'body'>> {
  const length = headers.get('content-length') ?? ''
  if (!/^\d{1,15}$/.test(length)) {
    const message = "Cannot take a file without knowing its length: send the header 'Content-Length'"
    return fail({ type: 'request-malformed', message })
  }
  const size = Number(length)
  if (size > MAX_UPLOAD_BYTES) return fail({ type: 'body-too-large', limit: MAX_UPLOAD_BYTES, size })
  const contentType = mediaType(headers.get('content-type') ?? '', OCTET_STREAM)
  return ok({ size, contentType, filename })
}

function isFilename(name: string): boolean {
  // Invisible or reordering characters would show people a different name
  return (
    name.length <= MAX_FILENAME_CHARACTERS && /^[^/\\\p{C}]+$/u.test(name) && !/^\.+$/.test(name) && name.trim() !== ''
  )
}

export const uploadQuery = defineQuery({
  filename: optional(
    stringMatching(
      `a name of 1 to ${MAX_FILENAME_CHARACTERS} characters, without a path or control characters`,
      isFilename,
    ),
  ),
})

export const linkQuery = defineQuery({ expires: optional(string()), signature: optional(hideValue(string())) })

export function encodeUpload(id: string, { size, contentType, filename }: Omit<Upload, 'body'>, expires: number) {
  return {
    handle: toFileHandle(id),
    size,
    content_type: contentType,
    ...(filename === undefined ? {} : { filename }),
    expires_at: new Date(expires * 1000).toISOString(),
  }
}
