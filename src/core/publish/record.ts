import { digestOf, type Sha256 } from '../tool/digest.ts'
import type { Json } from '../tool/json.ts'
import { formatToolId } from '../tool/tool-id.ts'
import { type Definition, derivedSecurityLevel, type Implementation, type ToolRecord } from '../tool/tool.ts'

export interface RecordParts {
  readonly definition: Definition
  readonly called?: string | undefined
  readonly implementation?: Implementation | undefined
  readonly dialect: string
  readonly document: Json
  readonly hash?: string | undefined
}

export async function recordOf(
  { definition, called, implementation, dialect, document, hash }: RecordParts,
  sha256: Sha256,
): Promise<ToolRecord> {
  const visible = {
    ...definition,
    ...(called === undefined || called === definition.tool ? {} : { called }),
    id: formatToolId(definition, definition.version),
    securityLevel: definition.securityLevel ?? derivedSecurityLevel(definition.requirements),
    ...(implementation ? { implementation } : {}),
  }
  const source = hash === undefined ? { dialect, document } : { dialect, hash }
  return { ...visible, source, digest: await digestOf(visible, sha256) }
}
