import type { Codec } from '../tool/codec.ts'
import { formatToolId } from '../tool/tool-id.ts'
import type { ToolRecord } from '../tool/tool.ts'

/** Documents that define several tools: no reader of one may learn of a tool they may not see. */
export function createSharedDocuments(codecs: readonly Codec[]) {
  function codecOfShared({ source: { dialect, document } }: ToolRecord): Codec | undefined {
    const codec = document === undefined ? undefined : codecs.find((each) => each.dialect === dialect)
    return document !== undefined && codec?.toolsIn && codec.toolsIn(document) > 1 ? codec : undefined
  }

  function alone(record: ToolRecord): ToolRecord {
    if (!codecOfShared(record)) return record
    const { document: _, ...source } = record.source
    return { ...record, source }
  }

  return {
    alone,

    async asSeen(record: ToolRecord, sees: (id: string) => Promise<boolean>): Promise<ToolRecord> {
      const codec = codecOfShared(record)
      if (!codec) return record
      const { toolkit, version, source } = record
      const decoded = codec.decode(source.document ?? null, { toolkit, version })
      // Published before, and refused by today's codec
      if (!decoded.ok) return alone(record)
      const ids = decoded.value.definitions.map(({ tool }) => formatToolId({ toolkit, tool }, version))
      for (const id of ids) if (id !== record.id && !(await sees(id))) return alone(record)
      return record
    },
  }
}
