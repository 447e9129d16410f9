import { Unreachable } from '../../../core/failure/failure.ts'
import type { Policies, PolicySet, PolicyStore } from '../../../core/access/policy.ts'
import { ALL_POLICIES, kvKey } from '../../keys.ts'
import { createKvReader } from '../../kv-reader.ts'
import { createPolicySet } from '../../../core/access/policy.ts'
import type { PolicyList } from '../policies.ts'
import type { RegistryReach } from './registry-stub.ts'

/** For this long they are taken as they are; then, until they are stale, so too, and they are read again behind that. */
const FRESH_MS = 5_000
const STALE_MS = 25_000
const KEY = kvKey('policies', ALL_POLICIES)

/** How policies are kept up to date in an isolate: no request waits for them but the first, and the first after a while. */
export interface KeptPolicies extends Policies {
  /** `fresh`: there is nothing to do; `old`: to be read, behind a request; `stale`: to be read before it. */
  age(): 'fresh' | 'old' | 'stale'
  /** Reads them. Where they can be read nowhere, those that were known stay; fails with `Unreachable` where none were. */
  read(): Promise<void>
}

/** The policies as an isolate knows them: written through the Registry, read from KV, and at once where they were written. */
export function createKvPolicies({ kv, registry, now }: Pick<RegistryReach, 'kv' | 'registry' | 'now'>): {
  readonly policies: KeptPolicies
  readonly store: PolicyStore
  /** Has this isolate follow a change that was made beside the store. */
  readonly changed: () => Promise<void>
} {
  const reader = createKvReader({ kv, value: (key) => registry().value(key), now })
  let known: PolicySet | undefined
  let freshUntil = -Infinity
  let staleUntil = -Infinity
  let changes = 0

  function keep({ policies, revision }: PolicyList): void {
    freshUntil = now() + FRESH_MS
    staleUntil = now() + STALE_MS
    // What is known stays ready to be asked
    if (known?.revision !== revision) known = createPolicySet(policies, revision)
  }

  const policies: KeptPolicies = {
    now() {
      if (known) return known
      throw new Unreachable('Switchboard cannot reach its policies right now')
    },
    age() {
      const at = now()
      if (at < freshUntil) return 'fresh'
      return known && at < staleUntil ? 'old' : 'stale'
    },
    async read() {
      const before = changes
      // Others go on with what there is meanwhile
      if (known) freshUntil = now() + FRESH_MS
      try {
        const list = await reader.read<PolicyList>(KEY, 'believe')
        // What was changed meanwhile is newer than this answer
        if (changes === before) keep(list ?? { policies: [], revision: 0 })
      } catch (error) {
        if (!(error instanceof Unreachable) || !known) throw error
        staleUntil = now() + FRESH_MS
      }
    },
  }

  async function changed(): Promise<void> {
    changes += 1
    reader.wrote(KEY)
    await policies.read()
  }

  const store: PolicyStore = {
    async list() {
      const text = await registry().value(KEY)
      const list: PolicyList = typeof text === 'string' ? JSON.parse(text) : { policies: [] }
      return list.policies
    },
    async put(policy) {
      const isNew = await registry().putPolicy(policy)
      await changed()
      return isNew
    },
    async remove(pattern) {
      const was = await registry().removePolicy(pattern)
      await changed()
      return was
    },
  }
  return { policies, store, changed }
}
