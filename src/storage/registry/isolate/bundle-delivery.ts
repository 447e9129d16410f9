import { Unreachable } from '../../../core/failure/failure.ts'
import { toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolDocument } from '../../../core/tool/tool.ts'
import { kvKey } from '../../keys.ts'
import { CHANGING_TTL_S, type KvReader, parsed } from '../../kv-reader.ts'
import { withTimeout } from '../../reachable-stub.ts'
import type { RegistryReach } from '../registry-stub.ts'
import type { Bundle } from '../writing/bundle.ts'
import type { createBundledTools } from './bundled-tools.ts'

export interface Deployed extends Bundle {
  /** Milliseconds since 1970; 0 where the platform does not say. */
  readonly deployedAt: number
}

interface BundleDeliveryOptions extends Pick<RegistryReach, 'registry' | 'now'> {
  readonly bundle: Deployed
  readonly reader: KvReader
  readonly carried: ReturnType<typeof createBundledTools>
  /** KV keys of bundled tools as this isolate delivered them, and changed none. */
  readonly delivered: Set<string>
  readonly changed: (revision: number, keys: readonly string[]) => void
}

const WAIT_MS = 3_000
const REST_MS = 5_000

/** Delivers the bundled tools to the registry. */
export function createBundleDelivery(options: BundleDeliveryOptions) {
  const { bundle, reader, carried, delivered, changed, registry, now } = options
  let isTakenIn = false
  let restsUntil = -Infinity

  async function deliver(): Promise<void> {
    const { hash, deployedAt, records, documents } = bundle
    try {
      await withTimeout(WAIT_MS, 'The registry', async () => {
        const { wanted, revision } = await registry().takeIn(hash, deployedAt)
        const answer = wanted ? await registry().takeIn(hash, deployedAt, records, documents) : { revision }
        if (isTakenIn) return
        const keys = wanted ? records.map((record) => kvKey('tool', toolKey(record))) : []
        changed(answer.revision, keys)
        for (const key of keys) delivered.add(key)
        isTakenIn = true
      })
    } catch (error) {
      restsUntil = now() + REST_MS
      console.error('Cannot have the registry take in the bundled tools', error)
    }
  }

  return {
    /** Undefined once done, and for a while after a failure, since requests work without. */
    takeIn: (): Promise<void> | undefined => (isTakenIn || now() < restsUntil ? undefined : deliver()),

    async document(key: string): Promise<ToolDocument | undefined> {
      const stored = kvKey('tool', key)
      try {
        const document = await reader.read<ToolDocument>(stored, 'believe')
        // Until the registry was reached, the bundled tools count as taken in
        return isTakenIn ? document : carried.document(key, document)
      } catch (error) {
        const mayBeLost = error instanceof Unreachable && delivered.has(stored) && reader.isBehind(stored)
        // With a full disk the registry is lost before KV has them; a tool that was disabled before stays so
        const before = mayBeLost ? await reader.reads.text(stored, CHANGING_TTL_S) : undefined
        if (before === undefined) throw error
        return carried.document(key, parsed(before))
      }
    },
  }
}
