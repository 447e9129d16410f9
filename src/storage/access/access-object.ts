import { DurableObject } from 'cloudflare:workers'
import type { ApiKey, KeyChange } from '../../core/access/api-key.ts'
import { applyKeyChange } from '../../core/access/stored-key.ts'
import {
  type Precondition,
  matchesPrecondition,
  type PutResult,
  type RemoveResult,
} from '../../core/tool/precondition.ts'
import type { DirectoryResult, Identity, Membership } from '../../core/access/directory.ts'
import type { Session } from '../../core/access/session.ts'
import type { UserPageRequest, UserSummary } from '../../core/access/user.ts'
import type { SourceRun } from '../../core/event/event-source.ts'
import { kvKey } from '../keys.ts'
import { createOutbox } from '../kv-outbox.ts'
import { createReliableStub } from '../reachable-stub.ts'
import { column, readField, firstRow, rows } from '../rows.ts'
import type { DirectoryRows } from './directory-rows.ts'
import { type SessionRows, sessionRows } from './session-rows.ts'
import { createTables, deploymentSecret, queue } from './tables.ts'
import { type UserAgents, type UserRows, userRows } from './user-rows.ts'

const SETTING_TABLES = {
  apiKey: { table: 'api_key', address: 'hash', order: 'rowid' },
  provider: { table: 'provider', address: 'id', order: 'id' },
  eventSource: { table: 'event_source', address: 'id', order: 'id' },
} as const

type SettingKind = keyof typeof SETTING_TABLES
/** Settings that an administrator replaces as a whole. */
export type WholeSetting = Exclude<SettingKind, 'apiKey'>

export interface ChangedKey {
  /** The key's current state, as JSON. */
  readonly body: string
  /** KV has the key under these hashes. */
  readonly hashes: readonly string[]
}

/**
 * Stores API keys, providers and sessions. Separate from the Registry, so that load from publishers cannot lock out
 * administrators.
 */
export class Access extends DurableObject<{ readonly REGISTRY: KVNamespace }> {
  readonly #sql: SqlStorage
  readonly #outbox: ReturnType<typeof createOutbox>
  readonly #sessions: SessionRows
  readonly #users: UserRows
  #directory: DirectoryRows | undefined

  constructor(state: DurableObjectState, env: { readonly REGISTRY: KVNamespace }) {
    super(state, env)
    const { storage } = state
    this.#sql = storage.sql
    createTables(this.#sql)
    this.#sessions = sessionRows(this.#sql, Date.now)
    this.#users = userRows(this.#sql, Date.now)
    this.#outbox = createOutbox({
      storage,
      kv: env.REGISTRY,
      values: {
        apiKey: (hash) => this.#keyText(hash),
        provider: (id) => this.#settingText('provider', id),
        eventSource: (id) => this.#settingText('eventSource', id),
      },
    })
    // Reschedules, because the platform drops an alarm that it cannot run for a long time
    state.waitUntil(this.#outbox.schedule())
  }

  deploymentSecret(): string {
    return deploymentSecret(this.#sql)
  }

  value(key: string): string | ArrayBuffer | undefined {
    return this.#outbox.value(key)
  }

  listSettings(kind: SettingKind): string[] {
    const { table, order } = SETTING_TABLES[kind]
    return column<string>(this.#sql, `SELECT body FROM ${table} ORDER BY ${order}`)
  }

  removeSetting(kind: SettingKind, id: string, expected?: Precondition): Promise<RemoveResult> {
    const { table, address } = SETTING_TABLES[kind]
    return this.#change(() => {
      const before = readField<string>(this.#sql, `SELECT body FROM ${table} WHERE id = ?`, id)
      if (before !== undefined && !matchesPrecondition(before, expected)) return 'precondition-failed'
      if (kind === 'apiKey') {
        this.#forgetEarlier(id)
        this.#sql.exec('DELETE FROM key_use WHERE id = ?', id)
      }
      if (kind === 'eventSource') this.#sql.exec('DELETE FROM source_run WHERE id = ?', id)
      const storedAddress = readField<string>(this.#sql, `DELETE FROM ${table} WHERE id = ? RETURNING ${address}`, id)
      if (storedAddress !== undefined) queue(this.#sql, kvKey(kind, storedAddress), 'revocation')
      return storedAddress === undefined ? 'not-found' : 'removed'
    })
  }

  putSetting(kind: WholeSetting, setting: { readonly id: string }, expected?: Precondition): Promise<PutResult> {
    return this.#change(() => {
      const { id } = setting
      const before = this.#settingText(kind, id)
      if (!matchesPrecondition(before, expected)) return 'precondition-failed'
      const isNew = before === undefined
      const put = `INSERT OR REPLACE INTO ${SETTING_TABLES[kind].table} VALUES (?, ?)`
      const body = JSON.stringify(setting)
      this.#sql.exec(put, id, body)
      if (kind === 'eventSource' && body !== before) this.#restartSource(id)
      queue(this.#sql, kvKey(kind, id), isNew ? 'publication' : 'status')
      return isNew ? 'created' : 'replaced'
    })
  }

  /** Drops the last run, which was of another schedule or poll. A schedule starts now, and a poll is due. */
  #restartSource(id: string): void {
    const begin = `INSERT OR REPLACE INTO source_run
      SELECT id, iif(body ->> 'kind' = 'schedule', ?, 0), NULL FROM event_source WHERE id = ?`
    this.#sql.exec(begin, Date.now(), id)
  }

  /** Idempotent, because a caller that lost the response retries. */
  createKey(key: ApiKey, hash: string): Promise<void> {
    return this.#change(() => {
      this.#sql.exec('INSERT OR IGNORE INTO api_key VALUES (?, ?, ?)', key.id, hash, JSON.stringify(key))
      queue(this.#sql, kvKey('apiKey', hash))
    })
  }

  findKeyText(id: string): string | undefined {
    return readField<string>(this.#sql, 'SELECT body FROM api_key WHERE id = ?', id)
  }

  /** Returns undefined if the id is unknown. */
  changeKey(
    id: string,
    change: KeyChange,
    expected?: Precondition,
  ): Promise<ChangedKey | 'precondition-failed' | undefined> {
    return this.#change(() => {
      const before = this.findKeyText(id)
      if (before === undefined) return undefined
      if (!matchesPrecondition(before, expected)) return 'precondition-failed'
      const body = JSON.stringify(applyKeyChange(JSON.parse(before), change))
      const update = 'UPDATE api_key SET body = ? WHERE id = ? RETURNING hash'
      const hashes = [...column<string>(this.#sql, update, body, id), ...this.#earlierHashes(id)]
      for (const keyHash of hashes) queue(this.#sql, kvKey('apiKey', keyHash), 'revocation')
      return { body, hashes }
    })
  }

  /** The previous secret works until `until`. Earlier secrets stop working. */
  rotateKey(id: string, hash: string, prefix: string, until: number): Promise<ChangedKey | undefined> {
    return this.#change(() => {
      const query = 'SELECT hash, body FROM api_key WHERE id = ?'
      const key = firstRow<{ hash: string; body: string }>(this.#sql, query, id)
      if (!key) return undefined
      const before = key.hash
      const body = JSON.stringify({
        ...JSON.parse(key.body),
        prefix,
        previous_expires_at: new Date(until).toISOString(),
      })
      const earlier = this.#earlierHashes(id)
      if (before === hash) return { body, hashes: [hash, ...earlier] }
      this.#forgetEarlier(id)
      this.#sql.exec('INSERT INTO earlier_key VALUES (?, ?, ?)', before, id, until)
      this.#sql.exec('UPDATE api_key SET hash = ?, body = ? WHERE id = ?', hash, body, id)
      queue(this.#sql, kvKey('apiKey', hash))
      queue(this.#sql, kvKey('apiKey', before), 'revocation')
      return { body, hashes: [hash, before, ...earlier] }
    })
  }

  noteUse(ids: readonly string[], at: number): void {
    const use = `INSERT INTO key_use SELECT id, ? FROM api_key WHERE id = ?
      ON CONFLICT DO UPDATE SET at = max(at, excluded.at)`
    for (const id of ids) this.#sql.exec(use, at, id)
  }

  listLastUses(): Record<string, number> {
    const uses = rows<{ id: string; at: number }>(this.#sql, 'SELECT id, at FROM key_use')
    return Object.fromEntries(uses.map(({ id, at }) => [id, at]))
  }

  /** Takes the source as JSON. Has no effect if it was changed meanwhile. */
  noteSourceRun(source: string, { at, digest }: SourceRun): void {
    const note = 'INSERT OR REPLACE INTO source_run SELECT id, ?, ? FROM event_source WHERE body = ?'
    this.#sql.exec(note, at, digest, source)
  }

  /** Lists the schedules and polls, as JSON, with the last run of each. */
  listSourceRuns(): (SourceRun & { readonly source: string })[] {
    const query = `SELECT body AS source, at, digest FROM source_run JOIN event_source USING (id)
      WHERE body ->> 'kind' <> 'webhook'`
    return rows<{ source: string; at: number; digest: string | null }>(this.#sql, query)
  }

  createSession(session: Session, hash: string): void {
    this.ctx.storage.transactionSync(() => this.#sessions.store(session, hash))
  }

  findSession(hash: string): Session | undefined {
    return this.#sessions.find(hash)
  }

  listSessions(owner?: string): Session[] {
    return this.#sessions.list(owner)
  }

  removeSession(id: string, owner?: string): boolean {
    return this.#sessions.remove(id, owner)
  }

  removeSessions(owner: string, exceptId?: string): number {
    return this.#sessions.removeAll(owner, exceptId)
  }

  noteGrantHolder(user: string, at: number): number {
    return this.#users.noteGrantHolder(user, at)
  }

  forgetGrantHolder(user: string, until: number): void {
    this.#users.forgetGrantHolder(user, until)
  }

  listUsers(page: UserPageRequest, agents: readonly UserAgents[]): UserSummary[] {
    return this.#users.list(page, agents)
  }

  async changeDirectory(...parameters: Parameters<DirectoryRows['change']>): Promise<DirectoryResult> {
    const { change } = await this.#loadDirectory()
    return this.ctx.storage.transactionSync(() => change(...parameters))
  }

  async removeDirectoryEntry(id: string): Promise<void> {
    const { remove } = await this.#loadDirectory()
    this.ctx.storage.transactionSync(() => remove(id))
  }

  async listDirectory(...parameters: Parameters<DirectoryRows['list']>): Promise<ReturnType<DirectoryRows['list']>> {
    return (await this.#loadDirectory()).list(...parameters)
  }

  async findMembership(person: Identity): Promise<Membership | undefined> {
    return (await this.#loadDirectory()).findMembership(person)
  }

  /** Loads the directory's code on first use. */
  async #loadDirectory(): Promise<DirectoryRows> {
    const { directoryRows } = await import('./directory-rows.ts')
    return (this.#directory ??= directoryRows(this.#sql))
  }

  override async alarm(): Promise<void> {
    await this.#outbox.run()
  }

  async #change<T>(change: () => T): Promise<T> {
    const result = this.ctx.storage.transactionSync(change)
    await this.#outbox.schedule()
    return result
  }

  /** Finds a key by its hash or, until the overlap of a rotation ends, by the hash of its previous secret. */
  #keyText(hash: string): string | undefined {
    const body = readField<string>(this.#sql, 'SELECT body FROM api_key WHERE hash = ?', hash)
    if (body !== undefined) return body
    const earlier = 'SELECT body, until FROM earlier_key JOIN api_key USING (id) WHERE earlier_key.hash = ?'
    const before = firstRow<{ body: string; until: number }>(this.#sql, earlier, hash)
    if (!before) return undefined
    const key: ApiKey = JSON.parse(before.body)
    const until = Math.min(before.until, key.expires_at === undefined ? Infinity : Date.parse(key.expires_at))
    return JSON.stringify({ ...key, expires_at: new Date(until).toISOString() })
  }

  #settingText(kind: WholeSetting, id: string): string | undefined {
    return readField<string>(this.#sql, `SELECT body FROM ${SETTING_TABLES[kind].table} WHERE id = ?`, id)
  }

  #earlierHashes(id: string): string[] {
    return column<string>(this.#sql, 'SELECT hash FROM earlier_key WHERE id = ?', id)
  }

  #forgetEarlier(id: string): void {
    for (const hash of column<string>(this.#sql, 'DELETE FROM earlier_key WHERE id = ? RETURNING hash', id))
      queue(this.#sql, kvKey('apiKey', hash), 'revocation')
  }
}

export type AccessStub = DurableObjectStub<Access>

const REACH = { what: 'keys and providers', waitMs: 10_000 }

export function accessStub(namespace: DurableObjectNamespace<Access>): AccessStub {
  return createReliableStub(() => namespace.getByName('access'), REACH)
}
