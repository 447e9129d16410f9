import type { RegistryArchive } from '../../../core/publish/archive/archive-rows.ts'
import { kvKey } from '../../keys.ts'
import { createKvReader } from '../../kv-reader.ts'
import { orElse } from '../../reachable-stub.ts'
import { createBundledTools } from './bundled-tools.ts'
import { createKvCatalogue, type KvCatalogueOptions } from './kv-catalogue.ts'
import { createWholeRecords } from './kv-pages.ts'
import { createKvPolicies } from './kv-policies.ts'
import { createRegistryWriter } from './registry-writer.ts'
import { createToolSource, type Deployed } from './tool-source.ts'

type KvRegistryOptions = Omit<KvCatalogueOptions, 'whole' | 'policies'> & {
  readonly bundle: Deployed
  readonly onChange: () => void
}

/** Reads come from KV, or from the Registry while KV lags; an isolate sees its own writes at once. */
export function createKvRegistry(options: KvRegistryOptions) {
  const { registry, bundle } = options
  const reader = createKvReader(options.kv, (key) => registry().value(key), options.now)
  const carried = createBundledTools(bundle, options.writeLine)
  const whole = createWholeRecords({ ...options, carried: carried.text })
  const { policies, store: policyStore, changed: policiesChanged } = createKvPolicies(options)
  const { catalogue, require } = createKvCatalogue({ ...options, policies, whole, carried: carried.catalogue })

  const delivered = new Set<string>()
  const { writer, toolkits, restore } = createRegistryWriter({ ...options, reader, delivered, require })
  const { source, takeIn } = createToolSource({ ...options, reader, carried, delivered, require, whole })

  const archive: RegistryArchive = {
    read: (cursor, toolkit) => registry().readArchive(cursor, toolkit),
    async restore(rows, principal) {
      // Needed to know which bundled tools this deployment has
      await takeIn()
      const outcomes = await restore(rows, principal)
      if (rows.some(({ kind }) => kind === 'policy')) await policiesChanged()
      return outcomes
    },
  }

  /** Undefined while the registry does not answer: keys are listed all the same. */
  const published = () => orElse(() => registry().published(), undefined)

  const blobs = {
    /** The name is made of the bytes' SHA-256. Once stored they can be read everywhere. */
    store: (name: string, bytes: ArrayBuffer): Promise<void> => registry().putBlob(name, bytes),
    async read(name: string): Promise<ArrayBuffer | undefined> {
      const bytes = await reader.immutable(kvKey('blob', name), 'bytes')
      return typeof bytes === 'string' ? undefined : bytes
    },
  }

  return { source, writer, published, toolkits, archive, policies, policyStore, catalogue, blobs, takeIn }
}
