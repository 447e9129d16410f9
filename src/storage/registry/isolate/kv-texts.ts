import { bytesOfText } from '../../../core/cache/kept.ts'
import { kvKey } from '../../keys.ts'
import { IMMUTABLE_TTL_S } from '../../kv-reader.ts'
import type { KvReads } from '../../kv-reads.ts'
import type { RegistryReach } from '../registry-stub.ts'

/** KV answers a bulk read with 25 MB at most. */
const KV_BULK = 50

interface KvTextsOptions extends Pick<RegistryReach, 'registry' | 'memory'> {
  readonly kind: 'document' | 'page'
  readonly reads: KvReads
  readonly carried?: (hash: string) => string | undefined
}

/** Texts that never change, by their hash: kept in the isolate, else read from KV, else of the deployment, else asked for. */
export function createKvTexts({ kind, reads, registry, memory, carried }: KvTextsOptions) {
  const kept = memory.part<string>(bytesOfText)

  return {
    keep: (hash: string, text: string) => kept.set(hash, text),

    /** In the order of the hashes, up to the first that nobody has. */
    async read(hashes: readonly string[]): Promise<readonly string[]> {
      const missing = hashes.filter((hash) => !kept.has(hash)).map((hash) => kvKey(kind, hash))
      const found = new Map<string, string | null>()
      for (let at = 0; at < missing.length; at += KV_BULK) {
        const some = await reads.texts(missing.slice(at, at + KV_BULK), IMMUTABLE_TTL_S)
        for (const [key, text] of some) found.set(key, text)
      }
      const texts: string[] = []
      for (const hash of hashes) {
        const key = kvKey(kind, hash)
        const text = kept.get(hash) ?? found.get(key) ?? carried?.(hash) ?? (await registry().value(key))
        if (typeof text !== 'string') break
        kept.set(hash, text)
        texts.push(text)
      }
      return texts
    },
  }
}
