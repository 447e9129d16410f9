// Loaded before the clock is simulated, because that clock does not wait for modules
import '../../src/storage/events/source-events.ts'
import '../../src/storage/vault/charged-hour.ts'
import '../../src/storage/vault/authorization-flow.ts'
import { createHash } from 'node:crypto'
import { toListLine } from '../../src/dialects/oxp/encode.ts'
import { Access } from '../../src/storage/access/access-object.ts'
import {
  defineIdempotencyStore,
  type IdempotencyStoreObject,
} from '../../src/storage/idempotency/idempotency-store-object.ts'
import { defineEvents, type EventsObject } from '../../src/storage/events/events-object.ts'
import type { EventDelivery } from '../../src/storage/events/delivery.ts'
import { defineRegistry, type RegistryObject } from '../../src/storage/registry/registry-object.ts'
import { createOAuth } from '../../src/oauth-client/oauth.ts'
import { createServerFinder } from '../../src/oauth-client/provider-server.ts'
import { defineVault, type VaultObject } from '../../src/storage/vault/vault-object.ts'
import type { Clock } from './clock.ts'
import { plainKeyring } from './plain-keyring.ts'
import type { Kv } from './kv.ts'
import { createHost, type Door, type Host, type HostOptions } from './object-host.ts'
import { part } from './part.ts'
import type { MailProvider } from './provider.ts'

type Platform = Omit<HostOptions<object>, 'name' | 'id' | 'start'>

/** Creates a deployment's Durable Objects, each on its own host, when they are first used. */
export function createObjects(platform: Platform, kv: Kv, provider: MailProvider) {
  const { clock, chance } = platform
  const hosts = new Map<string, Host>()
  /** How far the objects' clocks are ahead of the alarms' clock. */
  const ahead = chance.below(4_001) - 2_000
  const now = () => clock.now() + ahead

  function hostOf(name: string, make: () => Host): Host {
    const host = hosts.get(name) ?? make()
    hosts.set(name, host)
    return host
  }

  const Registry = defineRegistry(toListLine, () => ({ documents: 1_000_000, bytes: 1_000_000_000 }))
  const registry = hostOf('Registry', () =>
    createHost<RegistryObject>({
      ...platform,
      name: 'Registry',
      start: (state, door) => new Registry(state, { REGISTRY: kv.writer(door) }),
    }),
  )

  const access = hostOf('Access', () =>
    createHost<Access>({
      ...platform,
      name: 'Access',
      start: (state, door) => new Access(state, { REGISTRY: kv.writer(door) }),
    }),
  )

  const IdempotencyStore = defineIdempotencyStore<object>(now)
  const idempotencyStores = part<DurableObjectNamespace<IdempotencyStoreObject>>({
    getByName(principal) {
      const name = `IdempotencyStore of ${principal}`
      const start = (state: DurableObjectState) => new IdempotencyStore(state, {})
      return hostOf(name, () => createHost<IdempotencyStoreObject>({ ...platform, name, start })).stub()
    },
  })

  const names = new Map<string, string>()
  function idOf(name: string): DurableObjectId {
    const hex = createHash('sha256').update(name).digest('hex')
    names.set(hex, name)
    return part<DurableObjectId>({ toString: () => hex, name })
  }
  const vaults = part<DurableObjectNamespace<VaultObject>>({
    idFromName: idOf,
    idFromString(hex) {
      const name = names.get(hex)
      if (name === undefined) throw new TypeError('Invalid Durable Object ID')
      return idOf(name)
    },
    get(id) {
      const name = `Vault of ${id.name}`
      const start = (state: DurableObjectState, door: Door) => new (vaultClass(door))(state, {})
      return hostOf(name, () => createHost<VaultObject>({ ...platform, name, id, start })).stub()
    },
  })

  /** Creates a vault class whose requests to the provider go through one door. */
  function vaultClass(door: Door) {
    const fetch = provider.reachedBy(door)
    return defineVault(() => ({
      charge: async () => true,
      keyring: plainKeyring,
      checkCredential: async () => ({ ok: true }),
      oauth: createOAuth({
        fetch,
        findServer: createServerFinder(fetch, now),
        checkUrl: () => undefined,
        readSecret: () => undefined,
        timeout: clock.timeout,
      }),
      signInMethod: 'none',
      isTrialUrl: () => true,
      now,
    }))
  }

  /** Opens the object of one event source, with its own clock. Its deliveries go through one door. */
  function openEvents(itsClock: Clock, deliver: (door: Door) => EventDelivery): DurableObjectStub<EventsObject> {
    const start = (state: DurableObjectState, door: Door) => {
      const Events = defineEvents<object>(async () => deliver(door), itsClock.now)
      return new Events(state, {})
    }
    return hostOf('Events', () =>
      createHost<EventsObject>({ ...platform, clock: itsClock, name: 'Events', start }),
    ).stub()
  }

  /** Finds the databases of the objects whose name starts with `start`. */
  const databases = (start: string) => [...hosts].filter(([name]) => name.startsWith(start)).map(([, { sql }]) => sql)
  return {
    registry,
    access,
    idempotencyStores,
    vaults,
    openEvents,
    databases,
    close: () => hosts.forEach(({ close }) => close()),
  }
}
