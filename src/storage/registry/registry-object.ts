import { DurableObject } from 'cloudflare:workers'
import type { Principal } from '../../core/access/principal.ts'
import type { Precondition } from '../../core/tool/precondition.ts'
import type { Policy } from '../../core/access/policy.ts'
import type { PublishedTotals } from '../../core/publish/publisher-quota.ts'
import type { Toolkit, ToolkitMutation } from '../../core/access/toolkit-owner.ts'
import type { LockPublisher } from '../../core/access/tool-lock.ts'
import type { Toolset, ToolsetSummary } from '../../core/access/toolset.ts'
import type { ArchiveCursor, ArchiveRow } from '../../core/publish/archive/archive-rows.ts'
import type { Publication, PublisherRights, VersionChange } from '../../core/publish/registry.ts'
import type { FindingQuery, SourceChoice } from '../../core/publish/findings/finding.ts'
import type { ListQuery, UnknownName } from '../../core/catalog/catalog.ts'
import type { SkillContent, SkillName, SkillQuery, SkillRow } from '../../core/skill/skill.ts'
import { formatToolId, toolKey, type ToolName } from '../../core/tool/tool-id.ts'
import { yieldToEventLoop } from '../../outbound/event-loop.ts'
import { kvKey } from '../keys.ts'
import { createRateCounter } from '../lookup-budget.ts'
import { storeBlob } from './blobs.ts'
import type { Bundle } from './write/bundle.ts'
import { isNewBundle, recordDeployment } from './write/installed-bundle.ts'
import { keyOfName } from './write/exposed-names.ts'
import { createRegistryOutbox } from './catalog/registry-outbox.ts'
import type { WriteLine } from './catalog/listed-tools.ts'
import { loadManifestUpdate, rebuildLines } from './catalog/pages.ts'
import { coversTool, policiesText, buildPolicySet, queueFirstPolicies, removePolicy, storePolicy } from './policies.ts'
import { levelIndex, renewIndex } from './search/search-index.ts'
import type { NearTool } from './search/unknown.ts'
import { publishedByAll } from './write/quota.ts'
import { createTables, nextRevision, queue, readNumber } from './tables.ts'
import { getPublisherRights } from './toolkit-rights.ts'
import { loadToolkit } from './toolkits.ts'
import { findFormerOwner, listToolsets } from './toolsets.ts'
import { toolEntryText, hasStoredToolkit, findSimilarKey } from './versions.ts'

/** Limits the searches per second that made-up names can cause. */
const SUGGESTIONS_PER_S = 100
/** Limits the searches per second for similar tools, so that publishing stays cheap in a large registry. */
const NEIGHBOR_SEARCHES_PER_S = 10

const loadFindings = () => import('./findings.ts')
const loadSkills = () => import('./skills.ts')

/**
 * The Registry's only writer. Each change is one SQLite transaction, and KV follows through the outbox. Failures are results,
 * because a thrown error loses its fields on the way. `readQuota` is called late, because it throws if the configuration is
 * wrong.
 */
export function defineRegistry<Env extends { readonly REGISTRY: KVNamespace }>(
  writeLine: WriteLine,
  readQuota: (env: Env) => PublishedTotals,
) {
  return class Registry extends DurableObject<Env> {
    readonly #sql: SqlStorage
    readonly #outbox: ReturnType<typeof createRegistryOutbox>
    #lastTurn: Promise<void> = Promise.resolve()
    readonly #mayLookNear = createRateCounter(SUGGESTIONS_PER_S, () => Date.now())
    readonly #mayJudge = createRateCounter(NEIGHBOR_SEARCHES_PER_S, () => Date.now())

    constructor(state: DurableObjectState, env: Env) {
      super(state, env)
      this.#sql = state.storage.sql
      createTables(this.#sql)
      renewIndex(this.#sql)
      rebuildLines(this.#sql)
      this.#outbox = createRegistryOutbox(state.storage, env.REGISTRY, writeLine)
      // Reschedules, because the platform drops an alarm that it cannot run for a long time
      state.waitUntil(this.#outbox.schedule())
    }

    /** Stores or refuses each publication separately. `revision` is that of the catalog that shows all of them. */
    async publish(publications: readonly Publication[], principal: Principal) {
      const { storePublication } = await import('./write/publication.ts')
      const quota = readQuota(this.env)
      const store = (publication: Publication) => storePublication(this.#sql, publication, { principal, quota })
      const publication = await this.#takeTurn(() =>
        publications.map((publication) => this.ctx.storage.transactionSync(() => store(publication))),
      )
      return { published: publication, revision: this.revision() }
    }

    /** Returns warnings by id. Versions beyond the searches allowed this second get none. */
    async neighborWarnings(ids: readonly string[], principal: Principal): Promise<Map<string, string>> {
      const { neighborWarnings } = await import('./search/neighbors.ts')
      return neighborWarnings(this.#sql, ids, principal, this.#mayJudge)
    }

    async change(name: ToolName, version: string, change: VersionChange, principal: Principal) {
      const { changeVersion } = await import('./write/change-version.ts')
      return this.#change(() => changeVersion(this.#sql, name, version, change, principal))
    }

    getPublisherRights(name: ToolName, principal: Principal): PublisherRights {
      return getPublisherRights(this.#sql, principal, name)
    }

    /** Returns the catalog's revision. Health checks call this, because it proves that the object and its tables work. */
    revision(): number {
      return readNumber(this.#sql, 'catalogue')
    }

    listPublishedTotals(): Record<string, PublishedTotals> {
      return publishedByAll(this.#sql)
    }

    toolkit(name: string): Toolkit | undefined {
      return loadToolkit(this.#sql, name)
    }

    async changeToolkit(name: string, change: ToolkitMutation, principal: Principal) {
      const { applyToolkitMutation } = await import('./write/change-toolkit.ts')
      return this.#change(() => applyToolkitMutation(this.#sql, name, change, principal, Date.now()))
    }

    async readArchive(cursor: ArchiveCursor | undefined, toolkit: string | undefined) {
      const { readArchive } = await import('./archive/export.ts')
      return readArchive(this.#sql, cursor, toolkit)
    }

    async restore(rows: readonly ArchiveRow[], principal: Principal) {
      const { restoreRows } = await import('./archive/restore.ts')
      const restoreAll = () => restoreRows(this.#sql, rows, principal)
      const hasPolicies = rows.some(({ kind }) => kind === 'policy')
      const outcomes = await this.#change(() => (hasPolicies ? this.#levelled(restoreAll) : restoreAll()))
      return { outcomes, revision: this.revision() }
    }

    async installBundle(
      hash: string,
      deployedAt: number,
      records?: Bundle['records'],
      documents: Bundle['documents'] = [],
    ) {
      const bundle = records && { hash, records, documents }
      const { writeBundle } = bundle ? await import('./write/bundle.ts') : {}
      const isNew = await this.#change(() => {
        queueFirstPolicies(this.#sql)
        const isNew = isNewBundle(this.#sql, hash, deployedAt)
        if (!isNew) recordDeployment(this.#sql, hash, deployedAt)
        else if (bundle) writeBundle?.(this.#sql, bundle, deployedAt)
        return isNew
      })
      return { wanted: isNew && !records, revision: this.revision() }
    }

    value(key: string): string | ArrayBuffer | undefined {
      return this.#outbox.value(key)
    }

    /** Returns the tool's entry as JSON, or suggestions if the tool is unknown, in one message. */
    async loadEntryOrNearest(name: ToolName): Promise<string | NearTool[]> {
      const key = toolKey(name)
      const loadSimilar = () => toolEntryText(this.#sql, findSimilarKey(this.#sql, key) ?? '')
      return toolEntryText(this.#sql, key) ?? loadSimilar() ?? this.suggestTools(formatToolId(name))
    }

    hasToolkit(toolkit: string): boolean {
      return hasStoredToolkit(this.#sql, toolkit)
    }

    /** Returns no suggestions if too many were requested this second. */
    async suggestTools(name: string, principal?: Principal): Promise<NearTool[]> {
      const { toolsNear } = await import('./search/unknown.ts')
      return this.#mayLookNear() ? toolsNear(this.#sql, name, principal) : []
    }

    async toolkitCounts(principal: Principal, query?: Pick<ListQuery, 'callable'>) {
      const { toolkitCounts } = await import('./toolkit-counts.ts')
      return toolkitCounts(this.#sql, principal, query)
    }

    async describeUnknown(name: string, principal: Principal): Promise<UnknownName | undefined> {
      const { isSeen, suggestForUnknown: unknown } = await import('./search/unknown.ts')
      if (isSeen(this.#sql, name, principal)) return undefined
      return this.#mayLookNear() ? unknown(this.#sql, name, principal) : { name, known: [], isNear: false }
    }

    /** Also queues the name for KV. It may lead to a tool that was once exposed under it. */
    async findKeyByName(name: string): Promise<string | undefined> {
      const key = keyOfName(this.#sql, name)
      if (key === undefined) return undefined
      await this.#change(() => {
        nextRevision(this.#sql)
        queue(this.#sql, kvKey('name', name.toLowerCase()))
      })
      return key
    }

    async manifest(since?: number) {
      const update = await loadManifestUpdate(this.#sql, writeLine, since)
      await this.#outbox.schedule()
      return update
    }

    async query(listQuery: ListQuery, principal: Principal) {
      const { searchTools } = await import('./search/query.ts')
      return searchTools(this.#sql, listQuery, principal)
    }

    async putPolicy(policy: Policy, precondition?: Precondition) {
      return this.#change(() => this.#levelled(() => storePolicy(this.#sql, policy, precondition)))
    }

    async coversTool(pattern: string): Promise<boolean> {
      return coversTool(this.#sql, pattern)
    }

    async removePolicy(pattern: string, precondition?: Precondition) {
      return this.#change(() => this.#levelled(() => removePolicy(this.#sql, pattern, precondition)))
    }

    async listUnmatched(patterns: readonly string[], principal: Principal): Promise<string[]> {
      const { listUnmatched } = await import('./search/unknown.ts')
      return listUnmatched(this.#sql, patterns, principal)
    }

    async putToolset(toolset: Toolset, precondition?: Precondition) {
      const { storeToolset } = await import('./write/change-toolset.ts')
      return this.#change(() => storeToolset(this.#sql, toolset, precondition))
    }

    async removeToolset(name: string, precondition?: Precondition) {
      const { removeToolset } = await import('./write/change-toolset.ts')
      return this.#change(() => removeToolset(this.#sql, name, precondition))
    }

    findFormerOwner(name: string): string | undefined {
      return findFormerOwner(this.#sql, name)
    }

    listToolsets(): ToolsetSummary[] {
      return listToolsets(this.#sql)
    }

    async putLock(hash: string, text: string, publisher: LockPublisher) {
      const { publishLock } = await import('./write/change-toolset.ts')
      return this.#change(() => publishLock(this.#sql, { hash, text }, publisher, readQuota(this.env)))
    }

    async removeLock(hash: string): Promise<boolean> {
      const { removeLock } = await import('./write/change-toolset.ts')
      return this.#change(() => removeLock(this.#sql, hash))
    }

    async putBlob(hash: string, bytes: ArrayBuffer): Promise<void> {
      await this.#change(() => storeBlob(this.#sql, hash, bytes))
    }

    /** Without a source, removes the toolkit's source. */
    async setSource(toolkit: string, source?: string): Promise<void> {
      const { forgetSource, rememberSource } = await loadFindings()
      await this.#change(() =>
        source === undefined ? forgetSource(this.#sql, toolkit) : rememberSource(this.#sql, source),
      )
    }

    async takeSources(choice: SourceChoice): Promise<string[]> {
      const { takeSources } = await loadFindings()
      return this.#change(() => takeSources(this.#sql, choice, Date.now()))
    }

    async storeComparison(comparison: string): Promise<void> {
      const { storeComparison } = await loadFindings()
      await this.#change(() => storeComparison(this.#sql, comparison, Date.now()))
    }

    async takeMessages(sentIds: readonly string[], limit: number) {
      const { takeMessages } = await loadFindings()
      return this.#change(() => takeMessages(this.#sql, sentIds, limit))
    }

    async listFindings(query: FindingQuery, principal: Principal) {
      const { listFindings } = await loadFindings()
      return listFindings(this.#sql, query, principal)
    }

    async publishSkill(name: SkillName, content: SkillContent, principal: Principal) {
      const { publishSkill } = await loadSkills()
      return this.#change(() => publishSkill(this.#sql, name, content, { principal, quota: readQuota(this.env) }))
    }

    async changeSkill(name: SkillName, state: SkillRow['state'], principal: Principal) {
      const { changeSkill } = await loadSkills()
      return this.#change(() => changeSkill(this.#sql, name, state, principal))
    }

    async listSkills(query: SkillQuery, principal: Principal) {
      return (await loadSkills()).listSkills(this.#sql, query, principal)
    }

    async findSkill(name: SkillName, principal: Principal, path?: string) {
      return (await loadSkills()).findSkill(this.#sql, name, principal, path)
    }

    override async alarm(): Promise<void> {
      await this.#outbox.run()
    }

    #levelled<T>(change: () => T): T {
      const result = change()
      levelIndex(this.#sql, buildPolicySet(policiesText(this.#sql)))
      return result
    }

    async #change<T>(change: () => T): Promise<T> {
      return this.#takeTurn(() => this.ctx.storage.transactionSync(change))
    }

    /** Runs a write after those that arrived earlier. A write may take 200 ms, so reads can run between two writes. */
    async #takeTurn<T>(write: () => T): Promise<T> {
      const turn = this.#lastTurn.then(write)
      this.#lastTurn = turn.then(yieldToEventLoop, yieldToEventLoop)
      const writeResult = await turn
      await this.#outbox.schedule()
      return writeResult
    }
  }
}

export type RegistryObject = InstanceType<ReturnType<typeof defineRegistry>>
