import { parseTrusted } from '../../../core/tool/json-text.ts'
import type { Json } from '../../../core/tool/json.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { textBytes } from '../../../core/cache/swr-cache.ts'
import { kvKey } from '../../keys.ts'
import { createKvClient } from '../../kv-client.ts'
import { IMMUTABLE_TTL_S } from '../../kv-reader.ts'
import type { RegistryReach } from '../registry-stub.ts'

/** A bulk read from KV returns at most 25 MB. */
const MAX_BULK_KEYS = 50

export interface KvTextsOptions extends RegistryReach {
  readonly kind: 'document' | 'page'
  readonly findBundledText: (hash: string) => string | undefined
}

/** Reads texts by their hash: from the isolate's memory, KV, the bundle or the Registry, in this order. */
export function createKvTexts({ kind, kv, now, registry, memory, findBundledText }: KvTextsOptions) {
  const reads = createKvClient(kv, now)
  const cache = memory.partition<string>(textBytes)

  /** Returns the texts in the order of the hashes, up to the first that is missing everywhere. */
  return async function readTexts(hashes: readonly string[]): Promise<readonly string[]> {
    const missingHashes = hashes.filter((hash) => !cache.has(hash))
    const textsInKv = new Map<string, string | null>()
    for (let at = 0; at < missingHashes.length; at += MAX_BULK_KEYS) {
      const keys = missingHashes.slice(at, at + MAX_BULK_KEYS).map((hash) => kvKey(kind, hash))
      for (const [key, text] of await reads.texts(keys, IMMUTABLE_TTL_S)) textsInKv.set(key, text)
    }
    async function findMissing(hash: string): Promise<string | undefined> {
      const key = kvKey(kind, hash)
      const text = textsInKv.get(key) ?? findBundledText(hash) ?? (await registry().value(key))
      if (typeof text !== 'string') return undefined
      cache.set(hash, text)
      return text
    }
    const texts: string[] = []
    for (const hash of hashes) {
      const text = cache.get(hash) ?? (await findMissing(hash))
      if (text === undefined) break
      texts.push(text)
    }
    return texts
  }
}

/** Adds to records the definition documents that they name. */
export function createDocumentJoiner(options: Omit<KvTextsOptions, 'kind'>) {
  const readTexts = createKvTexts({ ...options, kind: 'document' })

  return async function attachDocuments(records: readonly ToolRecord[]): Promise<readonly ToolRecord[]> {
    const hashes = [...new Set(records.flatMap(({ source }) => source.hash ?? []))]
    if (hashes.length === 0) return records
    const texts = await readTexts(hashes)
    const missing = hashes[texts.length]
    if (missing !== undefined) throw new Error(`Cannot read the document '${missing}' that a record names`)
    const documents = new Map<string | undefined, Json>(texts.map((text, at) => [hashes[at], parseTrusted(text)]))
    return records.map((record) => {
      const { hash, ...source } = record.source
      const document = documents.get(hash)
      return document === undefined ? record : { ...record, source: { ...source, document } }
    })
  }
}
