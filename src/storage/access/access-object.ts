import { DurableObject } from 'cloudflare:workers'
import type { ApiKey } from '../../core/access/api-key.ts'
import type { Expected } from '../../core/tool/revision.ts'
import type { Session } from '../../core/access/session.ts'
import type { Provider } from '../../core/consent/provider.ts'
import { createOutbox } from '../outbox.ts'
import { reachableStub } from '../reachable-stub.ts'
import { type GivenKind, givenText, givenTexts, removeGiven, storeProvider } from './given.ts'
import { changeKey, keyTextOfId, lastUses, noteUse, rotateKey, storeKey } from './key-rows.ts'
import { type SessionRows, sessionRows } from './session-rows.ts'
import { createTables, deploymentSecret } from './tables.ts'

export interface AccessBindings {
  readonly REGISTRY: KVNamespace
}

/**
 * The one Access Durable Object of a deployment: API keys, providers, sessions and the deployment's secret. It is apart
 * from the registry, so that no load of publishers keeps an administrator out. Every change is one SQLite transaction,
 * durable before it is acknowledged; KV follows through an outbox.
 */
export class Access extends DurableObject<AccessBindings> {
  readonly #sql: SqlStorage
  readonly #outbox: ReturnType<typeof createOutbox>
  readonly #sessions: SessionRows

  constructor(state: DurableObjectState, env: AccessBindings) {
    super(state, env)
    const { storage } = state
    this.#sql = storage.sql
    createTables(this.#sql)
    this.#sessions = sessionRows(this.#sql, Date.now)
    this.#outbox = createOutbox({
      storage,
      kv: env.REGISTRY,
      kinds: {
        apiKey: { value: (hash) => givenText(this.#sql, 'apiKey', hash), without: 'delete' },
        provider: { value: (id) => givenText(this.#sql, 'provider', id), without: 'delete' },
      },
    })
    // The platform gives up an alarm that cannot be run for long
    state.waitUntil(this.#outbox.schedule())
  }

  /** It is stored before anybody gets it, and never changes. */
  deploymentSecret(): string {
    return deploymentSecret(this.#sql)
  }

  value(key: string): string | ArrayBuffer | undefined {
    return this.#outbox.value(key)
  }

  createKey(key: ApiKey, hash: string): Promise<void> {
    return this.#change(() => storeKey(this.#sql, key, hash))
  }

  /** Undefined for an unknown id, `stale` where the stored key is not the expected one. */
  changeKey(key: ApiKey, expected?: Expected): Promise<string[] | 'stale' | undefined> {
    return this.#change(() => changeKey(this.#sql, key, expected))
  }

  rotateKey(id: string, hash: string, until: number): Promise<string[] | undefined> {
    return this.#change(() => rotateKey(this.#sql, id, hash, until))
  }

  noteUse(ids: readonly string[], at: number): void {
    noteUse(this.#sql, ids, at)
  }

  lastUses(): Record<string, number> {
    return lastUses(this.#sql)
  }

  putProvider(provider: Provider, expected?: Expected): Promise<boolean | 'stale'> {
    return this.#change(() => storeProvider(this.#sql, provider, expected))
  }

  given(kind: GivenKind): string[] {
    return givenTexts(this.#sql, kind)
  }

  keyWithId(id: string): string | undefined {
    return keyTextOfId(this.#sql, id)
  }

  removeGiven(kind: GivenKind, id: string, expected?: Expected): Promise<boolean | 'stale'> {
    return this.#change(() => removeGiven(this.#sql, kind, id, expected))
  }

  createSession(session: Session, hash: string): void {
    this.ctx.storage.transactionSync(() => this.#sessions.store(session, hash))
  }

  session(hash: string): string | undefined {
    return this.#sessions.find(hash)
  }

  sessions(owner?: string): string[] {
    return this.#sessions.list(owner)
  }

  removeSession(id: string, owner?: string): boolean {
    return this.#sessions.remove(id, owner)
  }

  override async alarm(): Promise<void> {
    await this.#outbox.run()
  }

  async #change<T>(change: () => T): Promise<T> {
    const changed = this.ctx.storage.transactionSync(change)
    await this.#outbox.schedule()
    return changed
  }
}

/** A stub belongs to the request that got it, so a new one is made each time. */
export type AccessStub = () => DurableObjectStub<Access>

export interface AccessReach {
  readonly kv: KVNamespace
  readonly access: AccessStub
  /** Milliseconds since some fixed point. */
  readonly now: () => number
}

const REACH = { what: 'keys and providers', waitMs: 10_000 }

export function accessStub(namespace: DurableObjectNamespace<Access>): AccessStub {
  return () => reachableStub(namespace.getByName('access'), REACH)
}
