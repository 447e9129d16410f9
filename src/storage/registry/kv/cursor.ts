import * as base64url from 'jose/base64url'

/** Cursors are opaque to callers. Places are visible ASCII. */
export function encodeCursor(place: string): string {
  return base64url.encode(place)
}

export function decodeCursor(cursor: string): string | undefined {
  try {
    const place = new TextDecoder().decode(base64url.decode(cursor))
    return /^[\x20-\x7e]{1,200}$/.test(place) ? place : undefined
  } catch {
    return undefined
  }
}
