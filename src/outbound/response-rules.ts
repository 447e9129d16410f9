/** Statuses whose responses have no body (Fetch Standard, "null body status"). */
const NULL_BODY = new Set([101, 103, 204, 205, 304])
/** They describe the bytes on the wire, which fetch has decoded. */
const WIRE_HEADERS = ['content-encoding', 'content-length', 'transfer-encoding']

/** Whether a response of this status may have a body: none can be constructed with one that may not. */
export function mayHaveBody(status: number): boolean {
  return !NULL_BODY.has(status)
}

/** The headers of a response as they are true of its decoded body. */
export function decodedHeaders(headers: Headers): Headers {
  const copy = new Headers(headers)
  for (const name of WIRE_HEADERS) copy.delete(name)
  return copy
}
