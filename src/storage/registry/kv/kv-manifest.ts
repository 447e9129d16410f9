import { createSwrCache } from '../../../core/cache/swr-cache.ts'
import { MANIFEST_KEY } from '../../keys.ts'
import { createKvClient } from '../../kv-client.ts'
import { CHANGING_TTL_S, parseKvJson } from '../../kv-reader.ts'
import { withFallback } from '../../reachable-stub.ts'
import { applyUpdate, type Manifest } from '../catalog/manifest.ts'
import type { RegistryReach } from '../registry-stub.ts'

interface KvManifestOptions extends RegistryReach {
  readonly getBundledManifest: () => Manifest
}

/** After this long, one request reads it again, while others use the cached one. */
const AGES = { fresh: 5_000, stale: Infinity }

/**
 * Creates the manifest of an isolate: KV's, or the Registry's after the isolate's own changes, which KV does not have yet. The
 * Registry sends only the pages that changed since the isolate's manifest.
 */
export function createKvManifest({ kv, registry, now, getBundledManifest }: KvManifestOptions) {
  const reads = createKvClient(kv, now)
  const cache = createSwrCache<Manifest>({ store: new Map(), getAges: () => AGES, now })
  /** The revision of the last change that this isolate made. */
  let requiredRevision = 0

  const readKv = async () => parseKvJson<Manifest>(await reads.text(MANIFEST_KEY, CHANGING_TTL_S))

  async function loadFromRegistry(known: Manifest | undefined): Promise<Manifest> {
    return applyUpdate(known, await registry().manifest(known?.revision))
  }

  async function load(): Promise<Manifest> {
    const known = cache.peek(MANIFEST_KEY)
    const isBehind = known !== undefined && known.revision < requiredRevision
    const storedManifest = isBehind ? undefined : await readKv()
    if (storedManifest && storedManifest.revision >= requiredRevision) return storedManifest
    const current = await withFallback(() => loadFromRegistry(chooseNewer(storedManifest, known)), undefined)
    return current ?? chooseNewer(storedManifest ?? (await readKv()), known) ?? getBundledManifest()
  }

  return {
    /** Reads KV's manifest; undefined if it cannot be read. */
    readKv,

    read: async (): Promise<Manifest> => cache.get(MANIFEST_KEY, load),

    /** Reads the Registry's current manifest. */
    async readRegistry(): Promise<Manifest> {
      const manifest = await loadFromRegistry(cache.peek(MANIFEST_KEY))
      cache.expire()
      return cache.get(MANIFEST_KEY, async () => manifest)
    },

    /** Requires the isolate's manifest to be of this revision or later. */
    require(revision: number): void {
      requiredRevision = Math.max(requiredRevision, revision)
      if ((cache.peek(MANIFEST_KEY)?.revision ?? -1) < revision) cache.expire()
    },
  }
}

function chooseNewer(one: Manifest | undefined, other: Manifest | undefined): Manifest | undefined {
  return one && other ? (one.revision > other.revision ? one : other) : (one ?? other)
}
