export const JSON_LINES = 'application/jsonl'
const TYPES = [JSON_LINES, 'application/x-ndjson', 'application/x-jsonlines']

const BLOB_LINE_BYTES = 768 * 1024

export function isJsonLines(contentType: string | null): boolean {
  return TYPES.includes(contentType?.split(';')[0]?.trim().toLowerCase() ?? '')
}

export function toJsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`
}

export function* blobLines(
  sha256: string,
  bytes: Uint8Array,
  encodeBase64: (bytes: Uint8Array) => string,
): Generator<string> {
  const parts = Math.max(1, Math.ceil(bytes.byteLength / BLOB_LINE_BYTES))
  for (let part = 0; part < parts; part++) {
    const base64 = encodeBase64(bytes.subarray(part * BLOB_LINE_BYTES, (part + 1) * BLOB_LINE_BYTES))
    yield toJsonLine({ kind: 'blob', sha256, part, parts, base64 })
  }
}
