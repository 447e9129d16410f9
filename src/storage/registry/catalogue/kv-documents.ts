import type { Json } from '../../../core/tool/json.ts'
import { bytesOfText } from '../../../core/cache/kept.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { kvKey } from '../../keys.ts'
import { IMMUTABLE_TTL_S } from '../../kv-reader.ts'
import { createKvReads } from '../../kv-reads.ts'
import type { RegistryReach } from './registry-stub.ts'

const KV_BULK = 50

export interface WholeRecordsOptions extends RegistryReach {
  readonly carried?: (hash: string) => string | undefined
}

/** Adds documents to records, read from KV by hash, or from the registry while KV lacks them. */
export function createWholeRecords({ kv, registry, now, memory, carried }: WholeRecordsOptions) {
  const reads = createKvReads(kv, now)
  const texts = memory.part<string>(bytesOfText)

  return async function whole(records: readonly ToolRecord[]): Promise<readonly ToolRecord[]> {
    const hashes = [...new Set(records.flatMap(({ source }) => source.hash ?? []))]
    if (hashes.length === 0) return records
    const read = new Map<string, string | null>()
    const missing = hashes.filter((hash) => !texts.has(hash)).map((hash) => kvKey('document', hash))
    for (let at = 0; at < missing.length; at += KV_BULK) {
      const found = await reads.texts(missing.slice(at, at + KV_BULK), IMMUTABLE_TTL_S)
      for (const [key, text] of found) read.set(key, text)
    }
    const documents = new Map<string, Json>()
    for (const hash of hashes) {
      const key = kvKey('document', hash)
      const text = texts.get(hash) ?? read.get(key) ?? carried?.(hash) ?? (await registry().value(key))
      if (typeof text !== 'string') throw new Error(`Cannot read the document '${hash}' that a record names`)
      texts.set(hash, text)
      documents.set(hash, JSON.parse(text))
    }
    return records.map((record) => {
      const { hash, ...source } = record.source
      const document = hash === undefined ? undefined : documents.get(hash)
      return document === undefined ? record : { ...record, source: { ...source, document } }
    })
  }
}
