import { base64url } from 'jose'

/** A cursor, which is opaque to callers: the place after which to go on, in Base64url. Places are visible ASCII. */
export function encodeCursor(place: string): string {
  return base64url.encode(place)
}

/** The place that a cursor says; undefined when it can be none of ours. */
export function decodeCursor(cursor: string): string | undefined {
  try {
    const place = new TextDecoder().decode(base64url.decode(cursor))
    return /^[\x20-\x7e]{1,200}$/.test(place) ? place : undefined
  } catch {
    return undefined
  }
}
