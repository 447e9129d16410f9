export const JSON_LINES = 'application/jsonl'
const TYPES = [JSON_LINES, 'application/x-ndjson', 'application/x-jsonlines']

const PART = 768 * 1024

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
  const parts = Math.max(1, Math.ceil(bytes.byteLength / PART))
  for (let part = 0; part < parts; part++) {
    const base64 = encodeBase64(bytes.subarray(part * PART, (part + 1) * PART))
    yield toJsonLine({ kind: 'blob', sha256, part, parts, base64 })
  }
}
