import { Unreachable } from '../../../core/failure/failure.ts'
import type { Policies, PolicySet, PolicyStore } from '../../../core/access/policy.ts'
import { createKept } from '../../../core/cache/kept.ts'
import type { Background } from '../../../core/tool/platform.ts'
import { ALL_POLICIES, kvKey } from '../../keys.ts'
import { createKvReader } from '../../kv-reader.ts'
import { createPolicySet } from '../../../core/access/policy.ts'
import type { PolicyList } from '../policies.ts'
import type { RegistryReach } from './registry-stub.ts'

/** A change is seen everywhere within a minute: KV may be as much behind again. */
const AGES = { fresh: 5_000, stale: 25_000, lastResort: Infinity }
const KEY = kvKey('policies', ALL_POLICIES)

/** The policies as an isolate knows them. */
export interface KeptPolicies extends Policies {
  /**
   * Sees that they are known and not stale, for `now`: undefined where nothing is to be waited for. Where they can be read
   * nowhere, those that were known stay; fails with `Unreachable` where none were.
   */
  ready(background?: Background): Promise<void> | undefined
}

/** The policies of a registry: written through the Registry, read from KV, and at once where they were written. */
export function createKvPolicies({ kv, registry, now }: Pick<RegistryReach, 'kv' | 'registry' | 'now'>): {
  readonly policies: KeptPolicies
  readonly store: PolicyStore
  /** Has this isolate follow a change that was made beside the store. */
  readonly changed: () => Promise<void>
} {
  const reader = createKvReader({ kv, value: (key) => registry().value(key), now })
  const kept = createKept<PolicySet>({ store: new Map(), agesOf: () => AGES, now })

  async function load(): Promise<PolicySet> {
    const list = await reader.read<PolicyList>(KEY, 'believe')
    const { policies, revision } = list ?? { policies: [], revision: 0 }
    const known = kept.peek(KEY)
    // A set that was made has compiled its patterns
    return known?.revision === revision ? known : createPolicySet(policies, revision)
  }

  const policies: KeptPolicies = {
    now() {
      const known = kept.peek(KEY)
      if (known) return known
      throw new Unreachable('Switchboard cannot reach its policies right now')
    },
    ready(background) {
      const known = kept.get(KEY, load, background)
      return known instanceof Promise ? known.then(() => undefined) : undefined
    },
  }

  async function changed(): Promise<void> {
    reader.wrote(KEY)
    kept.expire()
    await policies.ready()
  }

  const store: PolicyStore = {
    async list() {
      const text = await registry().value(KEY)
      const list: PolicyList = typeof text === 'string' ? JSON.parse(text) : { policies: [] }
      return list.policies
    },
    async put(policy, expected) {
      const isNew = await registry().putPolicy(policy, expected)
      await changed()
      return isNew
    },
    async remove(pattern, expected) {
      const was = await registry().removePolicy(pattern, expected)
      await changed()
      return was
    },
  }
  return { policies, store, changed }
}
