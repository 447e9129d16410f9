import { BEHIND_MS } from '../../kv-reader.ts'
import { withTimeout } from '../../reachable-stub.ts'
import type { Bundle } from '../writing/bundle.ts'
import type { RegistryReach } from '../registry-stub.ts'

export interface Deployed extends Bundle {
  /** Milliseconds since 1970; 0 where the platform does not say. */
  readonly deployedAt: number
}

const WAIT_MS = 3_000
const REST_MS = 5_000

/** Has the registry take in the bundled tools. */
export function createBundleDelivery(
  { hash, records, documents, deployedAt }: Deployed,
  { registry, now }: Pick<RegistryReach, 'registry' | 'now'>,
  changed: (revision: number) => void,
) {
  let isTakenIn = false
  let carriedUntil = Infinity
  let restsUntil = -Infinity

  async function deliver(): Promise<void> {
    try {
      await withTimeout(WAIT_MS, 'The registry', async () => {
        const { wanted, revision } = await registry().takeIn(hash, deployedAt)
        const answer = wanted ? await registry().takeIn(hash, deployedAt, records, documents) : { revision }
        if (isTakenIn) return
        isTakenIn = true
        carriedUntil = wanted ? now() + BEHIND_MS : -Infinity
        changed(answer.revision)
      })
    } catch (error) {
      restsUntil = now() + REST_MS
      console.error('Cannot have the registry take in the bundled tools', error)
    }
  }

  return {
    /** Until KV has them, however the registry fares: with a full disk it is lost before they are there. */
    areCarried: (): boolean => now() < carriedUntil,
    /** Undefined once done, and for a while after a failure, since requests work without. */
    takeIn: (): Promise<void> | undefined => (isTakenIn || now() < restsUntil ? undefined : deliver()),
  }
}
