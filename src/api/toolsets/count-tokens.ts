import type { LockStore } from '../../core/access/tool-lock.ts'
import { EMPTY_VIEW, type ToolView } from '../../core/access/tool-view.ts'
import { hasScope, type Principal } from '../../core/access/principal.ts'
import type { ToolsetVersion } from '../../core/access/toolset.ts'
import type { Catalog } from '../../core/catalog/catalog.ts'
import type { Result } from '../../core/failure/failure.ts'
import { createLruCache } from '../../core/tool/recently-used.ts'

export interface TokenCountDeps {
  /** Counts the definitions that MCP lists to the principal. */
  readonly countTokens: (principal: Principal) => Promise<Result<number>>
  readonly locks: Pick<LockStore, 'find'>
  readonly catalog: Pick<Catalog, 'etag'>
}

const MAX_CACHED = 1_000

/** Counts a toolset's tokens for a model, of tools that the principal may see; undefined if they are too large to count. */
export function createToolsetTokenCounter({ countTokens, locks, catalog }: TokenCountDeps) {
  const cache = createLruCache<number>(MAX_CACHED)

  async function loadView(name: string, { definition, digest }: ToolsetVersion): Promise<ToolView> {
    const { lock: hash } = definition
    const view = { key: `${digest} ${hash}`, toolset: { name, definition } }
    if (hash === undefined) return view
    const lock = await locks.find(hash)
    return lock ? { ...view, lock: { ...lock, hash } } : EMPTY_VIEW
  }

  return async (name: string, version: ToolsetVersion, principal: Principal): Promise<number | undefined> => {
    if (!hasScope(principal, 'tools:read')) return undefined
    const key = [principal.id, version.digest, await catalog.etag()].join(' ')
    const cachedCount = cache.get(key)
    if (cachedCount !== undefined) return cachedCount
    const count = await countTokens({ ...principal, view: await loadView(name, version) })
    if (!count.ok) return undefined
    cache.set(key, count.value)
    return count.value
  }
}
