/*
 * Installs the bundled tools in the Registry.
 *
 * Each isolate offers the hash of its bundle to the Registry once. If the bundle is new, the Registry asks for the records,
 * and the isolate then requires a manifest of that revision. The installation may take 3 s. After a failure, the first
 * request after 5 s tries again. Until the bundle is installed, bundled tools are read as if it were (`bundled-tools.ts`).
 */
import { toolKey } from '../../../core/tool/tool-id.ts'
import { kvKey } from '../../keys.ts'
import type { KvReader } from '../../kv-reader.ts'
import { withTimeout } from '../../reachable-stub.ts'
import type { RegistryReach } from '../registry-stub.ts'
import type { Bundle } from '../write/bundle.ts'

export interface DeployedBundle extends Bundle {
  /** Milliseconds since 1970; 0 if the platform does not provide it. */
  readonly deployedAt: number
}

export interface BundleInstallationOptions extends Pick<RegistryReach, 'registry' | 'now'> {
  readonly bundle: DeployedBundle
  readonly reader: Pick<KvReader, 'markWritten'>
  /** The KV keys of bundled tools that this isolate installed and has not changed since. */
  readonly installedKeys: Set<string>
  readonly requireRevision: (revision: number) => void
  readonly onChange: () => void
}

const WAIT_MS = 3_000
const REST_MS = 5_000

export type BundleInstallation = ReturnType<typeof createBundleInstallation>

export function createBundleInstallation(options: BundleInstallationOptions) {
  const { bundle, reader, installedKeys, requireRevision, onChange, registry, now } = options
  let isInstalled = false
  let cooldownUntil = -Infinity

  async function offerBundle(): Promise<void> {
    const { hash, deployedAt, records, documents } = bundle
    try {
      await withTimeout(WAIT_MS, 'The registry', async () => {
        const { wanted, revision } = await registry().installBundle(hash, deployedAt)
        const answer = wanted ? await registry().installBundle(hash, deployedAt, records, documents) : { revision }
        if (isInstalled) return
        const keys = wanted ? records.map((record) => kvKey('tool', toolKey(record))) : []
        requireRevision(answer.revision)
        // Only values cached after a failed installation can be wrong
        if (cooldownUntil > -Infinity) onChange()
        for (const key of keys) {
          reader.markWritten(key)
          installedKeys.add(key)
        }
        isInstalled = true
      })
    } catch (error) {
      cooldownUntil = now() + REST_MS
      console.error('Cannot install the bundled tools in the registry', error)
    }
  }

  return {
    isInstalled: () => isInstalled,

    /** Returns undefined once the bundle is installed, and for 5 s after a failure, because requests work without it. */
    installBundle: (): Promise<void> | undefined => (isInstalled || now() < cooldownUntil ? undefined : offerBundle()),
  }
}
