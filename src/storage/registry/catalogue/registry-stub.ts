import type { Memory } from '../../../core/cache/memory.ts'
import { reachableStub } from '../../reachable-stub.ts'
import type { RegistryObject } from '../registry-object.ts'

/** Gets a stub of the one Registry Durable Object. A stub belongs to the request that got it, so it is got each time. */
export type RegistryStub = () => DurableObjectStub<RegistryObject>

const REACH = {
  what: 'registry',
  waitMs: 10_000,
  longer: {
    publish: 30_000,
    changeToolkit: 30_000,
    takeIn: 30_000,
    putBlob: 30_000,
    readArchive: 30_000,
    restore: 30_000,
  },
}

export function registryStub(namespace: DurableObjectNamespace<RegistryObject>): RegistryStub {
  return () => reachableStub(namespace.getByName('registry'), REACH)
}

/** How one isolate reaches the registry. */
export interface RegistryReach {
  readonly kv: KVNamespace
  readonly registry: RegistryStub
  /** What was read is kept there. */
  readonly memory: Memory
  /** Milliseconds since some fixed point. */
  readonly now: () => number
}
