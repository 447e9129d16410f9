import type { Codec } from '../tool/codec.ts'
import { formatToolId } from '../tool/tool-id.ts'
import type { ToolRecord } from '../tool/tool.ts'

function findSharedCodec({ source: { dialect, document } }: ToolRecord, codecs: readonly Codec[]): Codec | undefined {
  const codec = document === undefined ? undefined : codecs.find((candidate) => candidate.dialect === dialect)
  return document !== undefined && codec?.countTools && codec.countTools(document) > 1 ? codec : undefined
}

/** Removes a document that defines several tools, so that readers do not learn of tools that they may not see. */
export function dropSharedDocument(record: ToolRecord, codecs: readonly Codec[]): ToolRecord {
  if (!findSharedCodec(record, codecs)) return record
  const { document: _, ...source } = record.source
  return { ...record, source }
}

export async function redactSharedDocument(
  record: ToolRecord,
  codecs: readonly Codec[],
  maySee: (id: string) => Promise<boolean>,
) {
  const codec = findSharedCodec(record, codecs)
  if (!codec) return record
  const { toolkit, version, source } = record
  const decodedDocument = codec.decode(source.document ?? null, { toolkit, version })
  // The document was published before, but today's codec refuses it
  if (!decodedDocument.ok) return dropSharedDocument(record, codecs)
  const ids = decodedDocument.value.definitions.map(({ tool }) => formatToolId({ toolkit, tool }, version))
  for (const id of ids) if (id !== record.id && !(await maySee(id))) return dropSharedDocument(record, codecs)
  return record
}
