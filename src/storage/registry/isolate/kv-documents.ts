import type { Json } from '../../../core/tool/json.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { createKvReads } from '../../kv-reads.ts'
import { createKvTexts } from './kv-pages.ts'
import type { RegistryReach } from '../registry-stub.ts'

type WholeRecordsOptions = RegistryReach & { readonly carried?: (hash: string) => string | undefined }

/** Adds documents to records. */
export function createWholeRecords({ kv, now, ...options }: WholeRecordsOptions) {
  const texts = createKvTexts({ ...options, kind: 'document', reads: createKvReads(kv, now) })

  return async function whole(records: readonly ToolRecord[]): Promise<readonly ToolRecord[]> {
    const hashes = [...new Set(records.flatMap(({ source }) => source.hash ?? []))]
    if (hashes.length === 0) return records
    const read = await texts.read(hashes)
    const missing = hashes[read.length]
    if (missing !== undefined) throw new Error(`Cannot read the document '${missing}' that a record names`)
    const documents = new Map<string | undefined, Json>(read.map((text, at) => [hashes[at], JSON.parse(text)]))
    return records.map((record) => {
      const { hash, ...source } = record.source
      const document = documents.get(hash)
      return document === undefined ? record : { ...record, source: { ...source, document } }
    })
  }
}
