import type { LockStore, ToolLock } from '../../../core/access/tool-lock.ts'
import { isLockHash, isToolsetName } from '../../../core/access/toolset-name.ts'
import type { Toolset, ToolsetStore } from '../../../core/access/toolset.ts'
import { type CacheAges, createSwrCache, textBytes } from '../../../core/cache/swr-cache.ts'
import { UnreachableError } from '../../../core/failure/failure.ts'
import type { ArchiveRow } from '../../../core/publish/archive/archive-rows.ts'
import type { WaitUntil } from '../../../core/tool/platform.ts'
import { kvKey } from '../../keys.ts'
import { createKvReader, MAX_MISSES_PER_S, parseKvJson } from '../../kv-reader.ts'
import { createRateCounter } from '../../lookup-budget.ts'
import { sha256 } from '../../sealing/sha256.ts'
import type { RegistryReach } from '../registry-stub.ts'

/** A change is visible everywhere within a minute, because KV may be 30 s behind too. */
const TOOLSET_AGES = { fresh: 5_000, stale: 25_000, staleIfError: 300_000 }
/** A lock never changes, and is removed only to make room. */
const LOCK_AGES = { fresh: 60_000, stale: 600_000, staleIfError: Infinity }
const ABSENT_AGES = { fresh: 3_000 }

export type KvToolsets = ReturnType<typeof createKvToolsets>

export function createKvToolsets(reach: RegistryReach) {
  const { registry } = reach
  const toolsetReads = createReads<Toolset>('toolset', isToolsetName, TOOLSET_AGES, reach)
  const lockReads = createReads<ToolLock>('lock', isLockHash, LOCK_AGES, reach)

  const toolsets: ToolsetStore = {
    find: toolsetReads.find,
    list: () => registry().listToolsets(),
    findFormerOwner: (name) => registry().findFormerOwner(name),
    load: async (name) => parseKvJson<Toolset>(await registry().value(kvKey('toolset', name))),
    async put(toolset, precondition) {
      const result = await registry().putToolset(toolset, precondition)
      toolsetReads.noteChange(toolset.name)
      return result
    },
    async remove(name, precondition) {
      const result = await registry().removeToolset(name, precondition)
      toolsetReads.noteChange(name)
      return result
    },
  }

  const locks: LockStore = {
    find: lockReads.find,
    async put(lock, publisher) {
      const { formatLock, hashLocked, MAX_LOCK_BYTES } = await import('../../../core/access/tool-lock.ts')
      const text = formatLock(lock)
      const hash = await hashLocked(text, sha256)
      if (text.length > MAX_LOCK_BYTES) return { hash, status: 'too-large' }
      const status = await registry().putLock(hash, text, publisher)
      lockReads.noteChange(hash)
      return { hash, status }
    },
    async remove(hash) {
      const wasRemoved = await registry().removeLock(hash)
      lockReads.noteChange(hash)
      return wasRemoved
    },
  }

  function noteRestored(rows: readonly ArchiveRow[]): void {
    for (const row of rows) {
      if (row.kind === 'toolset') toolsetReads.noteChange(row.toolset.name)
      else if (row.kind === 'lock') lockReads.noteChange(row.hash)
    }
  }

  return { toolsets, locks, noteRestored }
}

function createReads<Value>(
  kind: 'toolset' | 'lock',
  isId: (text: string) => boolean,
  ages: CacheAges,
  { kv, registry, memory, now }: RegistryReach,
) {
  const readFromRegistry = (key: string) => registry().value(key)
  const reader = createKvReader(kv, readFromRegistry, now)
  const mayAskOnMiss = createRateCounter(MAX_MISSES_PER_S, now)
  const cache = createSwrCache<Value | undefined>({
    store: memory.partition((value, key) => textBytes(JSON.stringify(value) ?? key)),
    getAges: (value) => (value === undefined ? ABSENT_AGES : ages),
    now,
  })

  /** Asks the Registry if KV lacks a value, which may be new. Throws if it cannot be looked up, because it restricts. */
  async function load(key: string): Promise<Value | undefined> {
    const value = await reader.read<Value>(key)
    if (value !== undefined) return value
    if (!mayAskOnMiss()) throw new UnreachableError(`Too many names of a ${kind} are looked up right now`)
    return parseKvJson<Value>(await readFromRegistry(key))
  }

  return {
    find: (id: string, background?: WaitUntil) => (isId(id) ? cache.get(kvKey(kind, id), load, background) : undefined),
    noteChange(id: string): void {
      const key = kvKey(kind, id)
      reader.markWritten(key)
      cache.invalidate((_, cachedKey) => cachedKey === key)
    },
  }
}
