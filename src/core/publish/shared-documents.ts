import type { Codec } from '../tool/codec.ts'
import { formatToolId } from '../tool/tool-id.ts'
import type { ToolRecord } from '../tool/tool.ts'

/** The documents that several tools were published in: no reader learns by one of a tool that they may not see. */
export interface SharedDocuments {
  /** A record without a document that defines other tools too: it is written then as one of another dialect is. */
  alone(record: ToolRecord): ToolRecord
  /** A record with its document where its reader `sees` every tool that it defines, each asked for by its id and version; else alone. */
  asSeen(record: ToolRecord, sees: (id: string) => Promise<boolean>): Promise<ToolRecord>
}

export function createSharedDocuments(codecs: readonly Codec[]): SharedDocuments {
  /** The codec of a record's document, where that defines several tools. */
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

    async asSeen(record, sees) {
      const codec = codecOfShared(record)
      if (!codec) return record
      const { toolkit, version, source } = record
      const decoded = codec.decode(source.document ?? null, { toolkit, version })
      // One of before, which would not be published now
      if (!decoded.ok) return alone(record)
      const ids = decoded.value.definitions.map(({ tool }) => formatToolId({ toolkit, tool }, version))
      for (const id of ids) if (id !== record.id && !(await sees(id))) return alone(record)
      return record
    },
  }
}
