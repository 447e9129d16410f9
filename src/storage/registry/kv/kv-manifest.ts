import { createSwrCache } from '../../../core/cache/swr-cache.ts'
import { UnreachableError } from '../../../core/failure/failure.ts'
import { MANIFEST_KEY } from '../../keys.ts'
import { CHANGING_TTL_S, parseKvJson } from '../../kv-reader.ts'
import type { KvClient } from '../../kv-client.ts'
import { applyUpdate, type Manifest } from '../catalog/manifest.ts'
import type { RegistryReach } from '../registry-stub.ts'

interface KvManifestOptions extends RegistryReach {
  readonly reads: KvClient
  readonly loadBundledManifest: () => Manifest | undefined
}

/** One request reads it again after this long, while others use the known one. */
const AGES = { fresh: 5_000, stale: Infinity }
const REGISTRY_TRIES = 3

/**
 * An isolate's manifest is KV's, or the Registry's after the isolate's own changes, which KV does not have yet. The Registry
 * sends only the pages that changed since the isolate's manifest.
 */
export function createKvManifest({ registry, now, reads, loadBundledManifest }: KvManifestOptions) {
  const cache = createSwrCache<Manifest>({ store: new Map(), getAges: () => AGES, now })
  /** The revision of the last change that this isolate made. */
  let required = 0

  async function loadFromRegistry(cachedManifest: Manifest | undefined): Promise<Manifest> {
    return cachedManifest
      ? applyUpdate(cachedManifest, await registry().manifest(cachedManifest.revision))
      : registry().manifest()
  }

  async function load(): Promise<Manifest> {
    const cachedManifest = cache.peek(MANIFEST_KEY)
    const kvIsBehind = cachedManifest !== undefined && cachedManifest.revision < required
    const read = kvIsBehind ? undefined : await readKv()
    if (read && read.revision >= required) return read
    try {
      return await loadFromRegistry(newest(read, cachedManifest))
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error
      const manifest = newest(read ?? (await readKv()), cachedManifest) ?? loadBundledManifest()
      if (!manifest) throw error
      return manifest
    }
  }

  async function readKv(): Promise<Manifest | undefined> {
    return parseKvJson<Manifest>(await reads.text(MANIFEST_KEY, CHANGING_TTL_S))
  }

  const read = async (): Promise<Manifest> => cache.get(MANIFEST_KEY, load)

  return {
    read,

    /**
     * The manifests to list by, until the pages of one can be read. The Registry's current one may lose a page again while it
     * is read. KV's is older, but its pages are in KV and stay for a while.
     */
    async *candidates(): AsyncGenerator<Manifest> {
      yield await read()
      for (let tries = 0; tries < REGISTRY_TRIES; tries += 1) {
        cache.expire()
        yield await cache.get(MANIFEST_KEY, () => loadFromRegistry(cache.peek(MANIFEST_KEY)))
      }
      const replicated = await readKv()
      if (replicated) yield replicated
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
