import canonicalize from 'canonicalize'
import type { ToolRecord } from './tool.ts'

/** SHA-256 of a text's UTF-8 bytes, in lower-case hex. Passed in, since core has no platform. */
export type Sha256 = (text: string) => Promise<string>

export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('Cannot canonicalize a value that JSON cannot say')
  return text
}

export function digestOf(record: Omit<ToolRecord, 'digest' | 'source'>, sha256: Sha256): Promise<string> {
  return sha256(canonicalJson(record))
}
