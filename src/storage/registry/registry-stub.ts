import type { CacheMemory } from '../../core/cache/swr-cache.ts'
import { createReliableStub, type StubOptions } from '../reachable-stub.ts'
import type { RegistryObject } from './registry-object.ts'

export type RegistryStub = () => DurableObjectStub<RegistryObject>

const REACH: StubOptions<DurableObjectStub<RegistryObject>> = {
  what: 'registry',
  waitMs: 10_000,
  waitMsByMethod: {
    publish: 30_000,
    changeToolkit: 30_000,
    installBundle: 30_000,
    putBlob: 30_000,
    readArchive: 30_000,
    restore: 30_000,
  },
}

export function registryStub(namespace: DurableObjectNamespace<RegistryObject>): RegistryStub {
  const stub = createReliableStub(() => namespace.getByName('registry'), REACH)
  return () => stub
}

export interface RegistryReach {
  readonly kv: KVNamespace
  readonly registry: RegistryStub
  readonly memory: CacheMemory
  /** Milliseconds since some fixed point. */
  readonly now: () => number
}
