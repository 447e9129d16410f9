import { createSwrCache } from '../../../core/cache/swr-cache.ts'
import { UnreachableError } from '../../../core/failure/failure.ts'
import { MANIFEST_KEY } from '../../keys.ts'
import { CHANGING_TTL_S, parseKvJson } from '../../kv-reader.ts'
import type { KvClient } from '../../kv-reads.ts'
import { applyUpdate, type Manifest } from '../catalog/manifest.ts'
import type { RegistryReach } from '../registry-stub.ts'

interface KvManifestOptions extends RegistryReach {
  readonly reads: KvClient
  readonly loadBundledManifest: () => Promise<Manifest | undefined>
}

/** One request reads it again after this long, while others use the known one. */
const AGES = { fresh: 5_000, stale: Infinity }

export function createKvManifest({ kv, registry, now, reads, loadBundledManifest }: KvManifestOptions) {
  const cache = createSwrCache<Manifest>({ store: new Map(), getAges: () => AGES, now })
  /** The last change that this isolate made, and the one up to which it looked for a manifest. */
  let required = 0
  let lookedUpTo = 0

  async function loadFromRegistry(cachedManifest: Manifest | undefined): Promise<Manifest> {
    return cachedManifest
      ? applyUpdate(cachedManifest, await registry().manifest(cachedManifest.revision))
      : registry().manifest()
  }

  async function load(): Promise<Manifest> {
    const cachedManifest = cache.peek(MANIFEST_KEY)
    // KV does not have this isolate's changes yet
    const isLagging = cachedManifest !== undefined && lookedUpTo < required
    lookedUpTo = required
    const read = isLagging ? undefined : await readKv()
    if (read && read.revision >= required) return read
    try {
      return await loadFromRegistry(newest(read, cachedManifest))
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error
      const manifest = newest(read ?? (await readKv()), cachedManifest) ?? (await loadBundledManifest())
      if (!manifest) throw error
      return manifest
    }
  }

  async function readKv(): Promise<Manifest | undefined> {
    return parseKvJson<Manifest>(await reads.text(MANIFEST_KEY, CHANGING_TTL_S))
  }

  return {
    read: async (): Promise<Manifest> => cache.get(MANIFEST_KEY, load),

    async renew(): Promise<Manifest> {
      cache.expire()
      return cache.get(MANIFEST_KEY, () => loadFromRegistry(cache.peek(MANIFEST_KEY)))
    },

    /** All its pages are in KV, and stay for a while. */
    async replicated(): Promise<Manifest | undefined> {
      return parseKvJson<Manifest>(await kv.get(MANIFEST_KEY, { cacheTtl: CHANGING_TTL_S }))
    },

    require(revision: number): void {
      required = Math.max(required, revision)
      if ((cache.peek(MANIFEST_KEY)?.revision ?? -1) < revision) cache.expire()
    },
  }
}

function newest(one: Manifest | undefined, other: Manifest | undefined): Manifest | undefined {
  return one && other ? (one.revision > other.revision ? one : other) : (one ?? other)
}
