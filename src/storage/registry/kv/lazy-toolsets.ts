import type { LockStore } from '../../../core/access/tool-lock.ts'
import type { ToolsetStore } from '../../../core/access/toolset.ts'
import type { RegistryReach } from '../registry-stub.ts'
import type { KvToolsets } from './kv-toolsets.ts'

/** Loads the code with the first toolset or lock, because most calls need none. */
export function createLazyToolsets(reach: RegistryReach) {
  let stores: KvToolsets | undefined

  /** Caches no promise: in workerd, a request cannot wait for the work of another. */
  async function load(): Promise<KvToolsets> {
    const { createKvToolsets } = await import('./kv-toolsets.ts')
    return (stores ??= createKvToolsets(reach))
  }

  const toolsets: ToolsetStore = {
    find: (...parameters) =>
      stores ? stores.toolsets.find(...parameters) : load().then(({ toolsets }) => toolsets.find(...parameters)),
    list: async () => (await load()).toolsets.list(),
    load: async (name) => (await load()).toolsets.load(name),
    findFormerOwner: async (name) => (await load()).toolsets.findFormerOwner(name),
    put: async (...parameters) => (await load()).toolsets.put(...parameters),
    remove: async (...parameters) => (await load()).toolsets.remove(...parameters),
  }
  const locks: LockStore = {
    find: (...parameters) =>
      stores ? stores.locks.find(...parameters) : load().then(({ locks }) => locks.find(...parameters)),
    put: async (...parameters) => (await load()).locks.put(...parameters),
    remove: async (hash) => (await load()).locks.remove(hash),
  }
  return { toolsets, locks, load }
}
