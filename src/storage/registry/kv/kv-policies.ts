import { UnreachableError } from '../../../core/failure/failure.ts'
import { createPolicySet, type Policies, type PolicySet, type PolicyStore } from '../../../core/access/policy.ts'
import { createSwrCache } from '../../../core/cache/swr-cache.ts'
import type { WaitUntil } from '../../../core/tool/platform.ts'
import { ALL_POLICIES, kvKey } from '../../keys.ts'
import { createKvReader, parseKvJson } from '../../kv-reader.ts'
import type { PolicyList } from '../policies.ts'
import { withFallback } from '../../reachable-stub.ts'
import type { RegistryReach } from '../registry-stub.ts'

/** A change is visible everywhere within a minute, because KV may be 30 s behind too. */
const AGES = { fresh: 5_000, stale: 25_000, staleIfError: Infinity }
const KEY = kvKey('policies', ALL_POLICIES)

export interface CachedPolicies extends Policies {
  /** Returns undefined if there is nothing to wait for. Rejects with `UnreachableError` if no policies are known. */
  ready(background?: WaitUntil): Promise<void> | undefined
}

export function createKvPolicies({ kv, registry, now }: Pick<RegistryReach, 'kv' | 'registry' | 'now'>) {
  const reader = createKvReader(kv, (key) => registry().value(key), now)
  const cache = createSwrCache<PolicySet>({ store: new Map(), getAges: () => AGES, now })

  async function load(): Promise<PolicySet> {
    const list = (await reader.read<PolicyList>(KEY)) ?? (await loadLost())
    const { policies, revision } = list ?? { policies: [], revision: 0 }
    const cachedPolicies = cache.peek(KEY)
    return cachedPolicies?.revision === revision ? cachedPolicies : createPolicySet(policies, revision)
  }

  /** Asks the Registry, because KV may have lost them. A new deployment starts without policies if that fails. */
  async function loadLost(): Promise<PolicyList | undefined> {
    return parseKvJson(await withFallback(async () => registry().value(KEY), undefined))
  }

  const policies: CachedPolicies = {
    current() {
      const cachedPolicies = cache.peek(KEY)
      if (cachedPolicies) return cachedPolicies
      throw new UnreachableError('Switchboard cannot reach its policies right now')
    },
    ready(background) {
      const loading = cache.get(KEY, load, background)
      return loading instanceof Promise ? loading.then(() => undefined) : undefined
    },
  }

  /** Makes this isolate see a change, wherever it was made. */
  async function refresh(): Promise<void> {
    reader.markWritten(KEY)
    cache.expire()
    await policies.ready()
  }

  const store: Omit<PolicyStore, 'coversTool'> = {
    async list() {
      return parseKvJson<PolicyList>(await registry().value(KEY))?.policies ?? []
    },
    async put(policy, precondition) {
      const result = await registry().putPolicy(policy, precondition)
      await refresh()
      return result
    },
    async remove(pattern, precondition) {
      const result = await registry().removePolicy(pattern, precondition)
      await refresh()
      return result
    },
  }
  return { policies, store, refresh }
}
