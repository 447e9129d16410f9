import canonicalize from 'canonicalize'
import type { Json } from './json.ts'
import { formatToolId } from './tool-id.ts'
import { type Definition, deriveSecurityLevel, type Implementation, type ToolRecord } from './tool.ts'

/** SHA-256 of a text's UTF-8 bytes, in lowercase hex. Injected, because core is platform-independent. */
export type Sha256 = (text: string) => Promise<string>

export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('Cannot canonicalize a value that JSON cannot say')
  return text
}

export function computeDigest(record: Omit<ToolRecord, 'digest' | 'source'>, sha256: Sha256): Promise<string> {
  return sha256(canonicalJson(record))
}

interface RecordParts {
  readonly definition: Definition
  readonly sourceName?: string | undefined
  readonly implementation?: Implementation | undefined
  readonly dialect: string
  readonly document: Json
  readonly hash?: string | undefined
}

export async function createToolRecord(
  { definition, sourceName, implementation, dialect, document, hash }: RecordParts,
  sha256: Sha256,
): Promise<ToolRecord> {
  const visible = {
    ...definition,
    ...(sourceName === undefined || sourceName === definition.tool ? {} : { sourceName }),
    id: formatToolId(definition, definition.version),
    securityLevel: definition.securityLevel ?? deriveSecurityLevel(definition.requirements),
    ...(implementation ? { implementation } : {}),
  }
  const source = hash === undefined ? { dialect, document } : { dialect, hash }
  return { ...visible, source, digest: await computeDigest(visible, sha256) }
}
