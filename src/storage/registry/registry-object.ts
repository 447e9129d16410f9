import { DurableObject } from 'cloudflare:workers'
import type { ApiKey } from '../../core/access/api-key.ts'
import { maySee, type Principal } from '../../core/access/principal.ts'
import type { Provider } from '../../core/consent/provider.ts'
import type { Publication, Published } from '../../core/publish/registry.ts'
import type { ListQuery } from '../../core/access/catalogue.ts'
import { toolKey, type ToolName } from '../../core/tool/tool-id.ts'
import type { ToolStatus } from '../../core/tool/version.ts'
import { readBlob, storeBlob } from './blobs.ts'
import { type Bundle, type Deployment, isNews, noteDeployment, takeInBundle } from './bundle.ts'
import { keyOfName } from './names.ts'
import { createOutbox } from './outbox.ts'
import { type Head, pageText, settlePages, type WriteLine } from './pages.ts'
import { store } from './publication.ts'
import { providerText, providerTexts, removeProvider, storeProvider } from './providers.ts'
import { type Found, query } from './query.ts'
import { nearestNames } from './search.ts'
import { catalogueRevision, createTables, nextRevision, queue } from './tables.ts'
import { documentText, recordTextByDigest, storeStatus, versionsOf } from './versions.ts'

export interface RegistryOptions {
  /** Writes a record as one line of the listing. */
  readonly writeLine: WriteLine
}

/**
 * Makes the class of the Registry Durable Object: the only writer of the registry. Every change is one SQLite
 * transaction, durable before it is acknowledged; KV follows through the outbox. Records, documents and pages travel as
 * the JSON text they are stored as. An error thrown here reaches the caller without its fields, so what may go wrong is
 * in the answers.
 */
export function defineRegistry({ writeLine }: RegistryOptions) {
  return class Registry extends DurableObject<{ readonly REGISTRY: KVNamespace }> {
    readonly #sql: SqlStorage
    readonly #outbox: ReturnType<typeof createOutbox>

    constructor(state: DurableObjectState, env: { readonly REGISTRY: KVNamespace }) {
      super(state, env)
      this.#sql = state.storage.sql
      createTables(this.#sql)
      this.#outbox = createOutbox({ storage: state.storage, kv: env.REGISTRY, writeLine, now: Date.now })
    }

    async publish(publications: readonly Publication[]): Promise<{ published: Published[]; revision: number }> {
      const published = publications.map((publication) =>
        this.ctx.storage.transactionSync(() => store(this.#sql, publication, () => nextRevision(this.#sql))),
      )
      return { published, revision: await this.#changed() }
    }

    /** Gives the tool's document after the change; null when there is no such version. */
    async setStatus(
      key: string,
      version: string,
      status: ToolStatus,
    ): Promise<{ document: string; revision: number } | null> {
      if (!versionsOf(this.#sql, key).some((each) => each.version === version)) return null
      this.ctx.storage.transactionSync(() => storeStatus(this.#sql, key, version, status, nextRevision(this.#sql)))
      const document = documentText(this.#sql, key)
      return document === undefined ? null : { document, revision: await this.#changed() }
    }

    /** Takes in a deployment's bundle. Without its records, says whether they are wanted. */
    async takeIn(
      hash: string,
      deployment: Deployment,
      records?: Bundle['records'],
    ): Promise<{ wanted: boolean; revision: number }> {
      if (!isNews(this.#sql, hash, deployment)) {
        noteDeployment(this.#sql, hash, deployment)
        return { wanted: false, revision: await this.#changed() }
      }
      if (!records) return { wanted: true, revision: catalogueRevision(this.#sql) }
      this.ctx.storage.transactionSync(() =>
        takeInBundle(this.#sql, { hash, records }, deployment, nextRevision(this.#sql)),
      )
      return { wanted: false, revision: await this.#changed() }
    }

    document(key: string): string | null {
      return documentText(this.#sql, key) ?? null
    }

    record(digest: string): string | null {
      return recordTextByDigest(this.#sql, digest) ?? null
    }

    /** A tool's document, or the names near one that is unknown: an unknown name costs one message. */
    documentOrNearest(name: ToolName): string | ToolName[] {
      return documentText(this.#sql, toolKey(name)) ?? nearestNames(this.#sql, name)
    }

    /** The key of the tool that is, or was, exposed under a name. A name that is asked for goes to KV. */
    async named(name: string): Promise<string | null> {
      const key = keyOfName(this.#sql, name)
      if (key === undefined) return null
      queue(this.#sql, `name/${name.toLowerCase()}`, nextRevision(this.#sql))
      await this.#outbox.schedule()
      return key
    }

    async head(): Promise<Head> {
      const head = await settlePages(this.#sql, writeLine, Date.now())
      await this.#outbox.schedule()
      return head
    }

    page(hash: string): string | null {
      return pageText(this.#sql, hash, writeLine) ?? null
    }

    query(
      listQuery: ListQuery,
      limit: number,
      principal: Principal,
    ): { found: readonly Found[]; next?: string } | null {
      return query(this.#sql, listQuery, limit, (record) => maySee(principal, record)) ?? null
    }

    async createKey(key: ApiKey, hash: string): Promise<void> {
      this.#sql.exec('INSERT INTO api_key VALUES (?, ?, ?)', key.id, hash, JSON.stringify(key))
      queue(this.#sql, `key/${hash}`, nextRevision(this.#sql))
      await this.#changed()
    }

    keys(): string[] {
      return this.#sql
        .exec<{ body: string }>('SELECT body FROM api_key ORDER BY rowid')
        .toArray()
        .map(({ body }) => body)
    }

    keyByHash(hash: string): string | null {
      return (
        this.#sql.exec<{ body: string }>('SELECT body FROM api_key WHERE hash = ?', hash).toArray()[0]?.body ?? null
      )
    }

    async removeKey(id: string): Promise<boolean> {
      const removed = this.#sql
        .exec<{ hash: string }>('DELETE FROM api_key WHERE id = ? RETURNING hash', id)
        .toArray()[0]
      if (!removed) return false
      queue(this.#sql, `key/${removed.hash}`, nextRevision(this.#sql))
      await this.#changed()
      return true
    }

    async putProvider(provider: Provider): Promise<boolean> {
      const isNew = this.ctx.storage.transactionSync(() => storeProvider(this.#sql, provider))
      await this.#changed()
      return isNew
    }

    providers(): string[] {
      return providerTexts(this.#sql)
    }

    provider(id: string): string | null {
      return providerText(this.#sql, id) ?? null
    }

    async removeProvider(id: string): Promise<boolean> {
      const removed = this.ctx.storage.transactionSync(() => removeProvider(this.#sql, id))
      await this.#changed()
      return removed
    }

    /** Keeps bytes under their hash, for ever. */
    async putBlob(hash: string, bytes: ArrayBuffer): Promise<void> {
      const isNew = this.ctx.storage.transactionSync(() => storeBlob(this.#sql, hash, bytes))
      if (isNew) queue(this.#sql, `blob/${hash}`, nextRevision(this.#sql))
      await this.#changed()
    }

    blob(hash: string): ArrayBuffer | null {
      return readBlob(this.#sql, hash) ?? null
    }

    override async alarm(): Promise<void> {
      await this.#outbox.run()
    }

    /** Gives the revision that a head must have to show every change of the catalogue so far. */
    async #changed(): Promise<number> {
      await this.#outbox.schedule()
      return catalogueRevision(this.#sql)
    }
  }
}

export type RegistryObject = InstanceType<ReturnType<typeof defineRegistry>>
