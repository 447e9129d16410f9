/** Statuses whose responses have no body (Fetch Standard, "null body status"). */
const NULL_BODY = new Set([101, 103, 204, 205, 304])
/** Headers that describe the bytes on the wire, which fetch has decoded. */
const WIRE_HEADERS = ['content-encoding', 'content-length', 'transfer-encoding']

/** The encodings that the platform decodes. Other encodings, or a second one, would remain. */
const DECODED = new Set(['', 'identity', 'gzip', 'br'])
const PARTIAL = 206

/** Returns why a response cannot be searched for secrets: unknown encodings hide them, and a part may contain half of one. */
export function findUnreadableReason({ status, headers, body }: Response, allowsPartial: boolean): string | undefined {
  const encoding = (headers.get('content-encoding') ?? '').trim().toLowerCase()
  if (body !== null && !DECODED.has(encoding)) return `its content encoding is '${encoding.slice(0, 40)}'`
  const isPartial = status === PARTIAL || headers.has('content-range')
  return isPartial && !allowsPartial ? 'it is only a part' : undefined
}

export function isEncoded({ headers }: Pick<Response, 'headers'>): boolean {
  return headers.has('content-encoding')
}

/** For other statuses, the platform cannot construct a response with a body. */
export function allowsBody(status: number): boolean {
  return !NULL_BODY.has(status)
}

export function decodedHeaders(headers: Headers): Headers {
  const copy = new Headers(headers)
  for (const name of WIRE_HEADERS) copy.delete(name)
  return copy
}
