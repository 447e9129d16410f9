import type { Failure } from '../../core/call/failure.ts'
import type { StoredArtifact } from '../../core/call/artifact-store.ts'

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
  expires: string,
  now: number,
): Record<string, string> & { readonly etag: string } {
  const left = Math.max(0, Math.floor(Number(expires) - now / 1000))
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
