import type { RegistryArchive } from '../../../core/publish/archive/archive-rows.ts'
import type { Principal } from '../../../core/access/principal.ts'
import { kvKey } from '../../keys.ts'
import type { PolicyStore } from '../../../core/access/policy.ts'
import { createKvReader } from '../../kv-reader.ts'
import { withFallback } from '../../reachable-stub.ts'
import { createBundleInstallation, type DeployedBundle } from './bundle-installation.ts'
import { createBundledTools } from './bundled-tools.ts'
import { createKvPolicies } from './kv-policies.ts'
import { createLazyToolsets } from './lazy-toolsets.ts'
import { createDocumentJoiner } from './kv-texts.ts'
import { createRegistryCatalog, type RegistryCatalogOptions } from './registry-catalog.ts'
import { createRegistryWriter } from './registry-writer.ts'
import { createToolSource } from './tool-source.ts'

type KvRegistryOptions = Omit<RegistryCatalogOptions, 'attachDocuments' | 'policies' | 'bundledTools'> & {
  readonly bundle: DeployedBundle
  readonly onChange: () => void
}

/** Reads from KV, or from the Registry while KV lags. An isolate sees its own writes at once. */
export function createKvRegistry(options: KvRegistryOptions) {
  const { registry, bundle } = options
  const reader = createKvReader(options.kv, (key) => registry().value(key), options.now)
  const bundledTools = createBundledTools(bundle, options.writeLine)
  const attachDocuments = createDocumentJoiner({ ...options, findBundledText: bundledTools.text })
  const { policies, store, refresh: refreshPolicies } = createKvPolicies(options)
  const { toolsets, locks, load: loadToolsets } = createLazyToolsets(options)
  const { catalog, require } = createRegistryCatalog({ ...options, policies, attachDocuments, bundledTools })

  const installedKeys = new Set<string>()
  const { writer, toolkits, restore } = createRegistryWriter({ ...options, reader, installedKeys, require })
  const installation = createBundleInstallation({ ...options, reader, installedKeys, requireRevision: require })
  const { installBundle } = installation
  const source = createToolSource({ ...installation, registry, reader, bundledTools, installedKeys, attachDocuments })

  const policyStore: PolicyStore = {
    ...store,
    async coversTool(pattern) {
      await installBundle()
      return registry().coversTool(pattern)
    },
  }

  /** Lists the patterns that match no tool that the principal may see. */
  async function listUnmatched(patterns: readonly string[], principal: Principal): Promise<readonly string[]> {
    await installBundle()
    return registry().listUnmatched(patterns, principal)
  }

  const archive: RegistryArchive = {
    read: (cursor, toolkit) => registry().readArchive(cursor, toolkit),
    async restore(rows, principal) {
      // Needed to know which bundled tools this deployment has
      await installBundle()
      const outcomes = await restore(rows, principal)
      if (rows.some(({ kind }) => kind === 'policy')) await refreshPolicies()
      if (rows.some(({ kind }) => kind === 'toolset' || kind === 'lock')) (await loadToolsets()).noteRestored(rows)
      return outcomes
    },
  }

  /** Returns undefined if the Registry cannot be reached, so that keys can still be listed. */
  const published = () => withFallback(() => registry().listPublishedTotals(), undefined)

  const blobs = {
    /** `name` is derived from the bytes' SHA-256. Stored bytes can be read everywhere. */
    store: (name: string, bytes: ArrayBuffer): Promise<void> => registry().putBlob(name, bytes),
    async read(name: string): Promise<ArrayBuffer | undefined> {
      const bytes = await reader.immutable(kvKey('blob', name), 'bytes')
      return typeof bytes === 'string' ? undefined : bytes
    },
  }

  const settings = { policies, policyStore, toolsets, locks, listUnmatched }
  return { source, writer, stub: registry, published, toolkits, archive, ...settings, catalog, blobs, installBundle }
}
