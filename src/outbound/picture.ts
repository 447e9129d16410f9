import type { IconImage } from '../core/tool/appearance.ts'
import { binaryText, decodeBase64, fromBinaryString } from './base64.ts'

const MAGIC: readonly (readonly [IconImage['type'], RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\cZ\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
  // Excludes entity declarations, which can expand, and other documents that contain an image
  ['image/svg+xml', /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE svg[^>[]*>\s*)?<svg[\s/>]/],
]
/** In bytes. Only this part is searched for the type. */
const MAX_HEAD = 2_048

/** Detects the type of an image from its first bytes, whatever type its server declares. */
export function parseIconImage(bytes: Uint8Array<ArrayBuffer> | undefined): IconImage | undefined {
  if (!bytes) return undefined
  const head = binaryText(bytes.subarray(0, MAX_HEAD)).replaceAll(/<!--(?:[^]*?-->|[^]*)/g, '')
  const [type] = MAGIC.find(([, begins]) => begins.test(head)) ?? []
  return type && { type, bytes }
}

/** Decodes a `data:` URL (RFC 2397). */
export function decodeDataUrl(url: string): Uint8Array<ArrayBuffer> | undefined {
  const [, base64, data] = /^data:[^,]*?(;base64)?,([^]*)$/i.exec(url) ?? []
  if (data === undefined) return undefined
  const text = binaryText(new TextEncoder().encode(data)).replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return base64 === undefined ? fromBinaryString(text) : decodeBase64(text)
}
