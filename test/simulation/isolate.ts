import { createAuthenticator } from '../../src/http/caller/authenticate.ts'
import { createCacheMemory } from '../../src/core/cache/swr-cache.ts'
import { createCallableTool } from '../../src/core/call/callable-tool.ts'
import { createResolver } from '../../src/core/call/resolve-tool.ts'
import { toListLine } from '../../src/dialects/oxp/encode.ts'
import type { AccessStub } from '../../src/storage/access/access-object.ts'
import { createKvKeys } from '../../src/storage/access/kv-keys.ts'
import { createIdempotencyRecords } from '../../src/storage/idempotency/idempotency-records.ts'
import type { IdempotencyStoreObject } from '../../src/storage/idempotency/idempotency-store-object.ts'
import type { Bundle } from '../../src/storage/registry/write/bundle.ts'
import { createKvRegistry } from '../../src/storage/registry/kv/kv-registry.ts'
import type { RegistryStub } from '../../src/storage/registry/registry-stub.ts'
import { sha256 } from '../../src/storage/sealing/sha256.ts'
import type { VaultObject } from '../../src/storage/vault/vault-object.ts'
import { createVault } from '../../src/storage/vault/vaults.ts'
import type { Clock } from './clock.ts'
import { plainKeyring } from './plain-keyring.ts'
import { MAIL } from './provider.ts'

/** The same as in `compose/stores.ts`. */
const MEMORY_BYTES = 40_000_000

export interface IsolateOptions {
  readonly clock: Clock
  /** How far its clock is ahead, in milliseconds. */
  readonly ahead: number
  /** KV as seen from the isolate's place. */
  readonly kv: KVNamespace
  readonly registry: RegistryStub
  readonly access: AccessStub
  readonly idempotencyStores: DurableObjectNamespace<IdempotencyStoreObject>
  readonly vaults: DurableObjectNamespace<VaultObject>
  readonly bundle: Bundle
  /** When its deployment was created. */
  readonly deployedAt: number
  readonly newId: () => string
  /** Receives the errors that the code reports. */
  readonly unlessFault: (error: unknown) => void
}

/** Creates an isolate's access to tools and callers from the real code, with its caches, composed as in `app.ts`. */
export function createIsolate(options: IsolateOptions) {
  const { clock, ahead, kv, registry, access, idempotencyStores, vaults, bundle, deployedAt, newId, unlessFault } =
    options
  const now = () => clock.now() + ahead
  const memory = createCacheMemory(MEMORY_BYTES)
  const tools = createKvRegistry({
    kv,
    registry,
    memory,
    writeLine: toListLine,
    now,
    yieldControl: async () => undefined,
    bundle: { ...bundle, deployedAt },
    sealer: plainKeyring,
    onChange: () => resolver.invalidate(),
  })
  const resolver = createResolver({
    memory,
    source: tools.source,
    now,
    makeCallable: (record) =>
      createCallableTool({
        record,
        runnable: { ok: false, reason: 'Nothing is run here' },
        validateInput: () => [],
        validateOutput: () => [],
      }),
  })
  const keys = createKvKeys(kv, access, now)
  const authenticator = createAuthenticator({ access: 'keys', adminKey: undefined, findKey: keys.find, sha256, now })
  const idempotencyRecords = createIdempotencyRecords({
    namespace: idempotencyStores,
    sealer: plainKeyring,
    newId,
    defect: unlessFault,
  })
  const vault = createVault({
    grantHolders: { note: async () => 0, forget: async () => undefined },
    writeAuditEvent: () => undefined,
    namespace: vaults,
    providers: { find: async () => MAIL },
    clientVariablesFor: () => undefined,
    canStoreGrants: () => true,
    canBeApproved: () => true,
  })
  return { ...tools, resolver, idempotencyRecords, vault, keys, authenticator, now }
}

export type Isolate = ReturnType<typeof createIsolate>
