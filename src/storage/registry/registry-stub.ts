import type { RegistryObject } from './registry-object.ts'

/** Gets a stub of the one Registry Durable Object. A stub belongs to the request that got it, so it is got each time. */
export type RegistryStub = () => DurableObjectStub<RegistryObject>

export function registryStub(namespace: DurableObjectNamespace<RegistryObject>): RegistryStub {
  return () => namespace.getByName('registry')
}

/** How one isolate reaches the registry. */
export interface RegistryReach {
  readonly kv: KVNamespace
  readonly registry: RegistryStub
  /** Milliseconds since some fixed point. */
  readonly now: () => number
}
