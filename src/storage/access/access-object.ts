import { DurableObject } from 'cloudflare:workers'
import type { ApiKey, KeyChange } from '../../core/access/api-key.ts'
import type { Expected } from '../../core/tool/revision.ts'
import type { Session } from '../../core/access/session.ts'
import type { Provider } from '../../core/consent/provider.ts'
import { createOutbox } from '../kv-outbox.ts'
import { reachableStub } from '../reachable-stub.ts'
import { type GivenKind, givenText, givenTexts, removeGiven, storeProvider } from './given.ts'
import { changeKey, type KeyChanged, storedKeyOfId, lastUses, noteUse, rotateKey, storeKey } from './key-rows.ts'
import { type SessionRows, sessionRows } from './session-rows.ts'
import { createTables, deploymentSecret } from './tables.ts'

/** The one Access Durable Object, apart from the registry so that no load of publishers keeps an administrator out. */
export class Access extends DurableObject<{ readonly REGISTRY: KVNamespace }> {
  readonly #sql: SqlStorage
  readonly #outbox: ReturnType<typeof createOutbox>
  readonly #sessions: SessionRows

  constructor(state: DurableObjectState, env: { readonly REGISTRY: KVNamespace }) {
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

  deploymentSecret(): string {
    return deploymentSecret(this.#sql)
  }

  value(key: string): string | ArrayBuffer | undefined {
    return this.#outbox.value(key)
  }

  createKey(key: ApiKey, hash: string): Promise<void> {
    return this.#change(() => storeKey(this.#sql, key, hash))
  }

  changeKey(id: string, change: KeyChange, expected?: Expected): Promise<KeyChanged | 'stale' | undefined> {
    return this.#change(() => changeKey(this.#sql, id, change, expected))
  }

  rotateKey(id: string, hash: string, until: number): Promise<KeyChanged | undefined> {
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
    return storedKeyOfId(this.#sql, id)
  }

  removeGiven(kind: GivenKind, id: string, expected?: Expected): Promise<boolean | 'stale'> {
    return this.#change(() => removeGiven(this.#sql, kind, id, expected))
  }

  createSession(session: Session, hash: string): void {
    this.ctx.storage.transactionSync(() => this.#sessions.store(session, hash))
  }

  session(hash: string): Session | undefined {
    return this.#sessions.find(hash)
  }

  sessions(owner?: string): Session[] {
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

export type AccessStub = () => DurableObjectStub<Access>

export interface AccessReach {
  readonly kv: KVNamespace
  readonly access: AccessStub
  readonly now: () => number
}

const REACH = { what: 'keys and providers', waitMs: 10_000 }

export function accessStub(namespace: DurableObjectNamespace<Access>): AccessStub {
  return () => reachableStub(namespace.getByName('access'), REACH)
}
