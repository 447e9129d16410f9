import { Unreachable } from '../../../core/failure/failure.ts'
import type { ToolkitChange, ToolkitChanged, ToolkitStore } from '../../../core/access/toolkit-owner.ts'
import { hasScope, type Principal } from '../../../core/access/principal.ts'
import type { RegistryArchive } from '../../../core/publish/archive/archive-rows.ts'
import type { Publication, PublicationOutcome, RegistryWriter } from '../../../core/publish/registry.ts'
import type { DocumentAddress, ToolSource } from '../../../core/tool/tool-source.ts'
import { joinedName, parseToolId, toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolDocument, ToolRecord } from '../../../core/tool/tool.ts'
import { documentKey, kvKey } from '../../keys.ts'
import { createKvPolicies } from './kv-policies.ts'
import { createKvCatalogue, type KvCatalogueOptions } from './kv-catalogue.ts'
import { CHANGING_TTL_S, createKvReader, IMMUTABLE_TTL_S, parsed } from '../../kv-reader.ts'
import { createKvReads } from '../../kv-reads.ts'
import { withTimeout } from '../../reachable-stub.ts'
import type { Bundle } from '../bundle.ts'
import type { ToolkitGift } from '../toolkit-change.ts'
import { createBundledTools } from './bundled-tools.ts'
import { createWholeRecords } from './kv-documents.ts'
import { chunksOf } from './chunks.ts'

export interface KvRegistryOptions extends Omit<KvCatalogueOptions, 'whole' | 'policies'> {
  readonly bundle: Bundle
  /** Milliseconds since 1970; 0 where the platform does not say. */
  readonly deployedAt: number
  /** Called after this isolate changed the registry, to drop what it caches of tools. */
  readonly onChange: () => void
}

/** A message to a Durable Object is at most 32 MiB. */
const MAX_MESSAGE_CHARACTERS = 8_000_000
/** Stored in some 30 ms, in which the registry answers nobody else. */
const MAX_PUBLICATIONS = 32
/** Each is a search, so none of a larger submission is judged. */
const MAX_JUDGED = 10
const TAKE_IN_WAIT_MS = 3_000
const TAKE_IN_REST_MS = 5_000
const lengthOf = (publication: Publication) => JSON.stringify(publication).length

/** Reads come from KV, or from the Registry while KV lags; an isolate sees its own writes at once. */
export function createKvRegistry(options: KvRegistryOptions) {
  const { kv, registry, bundle, deployedAt, onChange } = options
  const reads = createKvReads(kv, options.now)
  const carried = createBundledTools(bundle, options.writeLine)
  const whole = createWholeRecords({ ...options, carried: carried.text })
  const { policies, store: policyStore, changed: policiesChanged } = createKvPolicies(options)
  const { catalogue, require } = createKvCatalogue({ ...options, policies, whole, carried: carried.catalogue })
  const reader = createKvReader({ kv, value: (key) => registry().value(key), now: options.now })
  let takenIn = false
  /** Bundled tools by key, as this isolate delivered them and changed none. */
  const delivered = new Set<string>()
  let rests = -Infinity

  function changed(revision: number, keys: Iterable<string>): void {
    require(revision)
    for (const key of keys) {
      reader.wrote(kvKey('tool', key))
      delivered.delete(key)
    }
    onChange()
  }

  const source: ToolSource = {
    async document(name) {
      const key = toolKey(name)
      const stored = kvKey('tool', key)
      let document: ToolDocument | undefined
      try {
        document = await reader.read<ToolDocument>(stored, 'believe')
      } catch (error) {
        const mayBeLost = error instanceof Unreachable && delivered.has(key) && reader.isBehind(stored)
        // With a full disk the registry is lost before KV has them; a tool that was disabled before stays so
        const before = mayBeLost ? await reads.text(stored, CHANGING_TTL_S) : undefined
        if (before === undefined) throw error
        return carried.document(key, parsed(before))
      }
      // Until the registry was reached, the bundled tools count as taken in
      return takenIn ? document : carried.document(key, document)
    },
    async current(name) {
      return parsed<ToolDocument>(await registry().value(kvKey('tool', toolKey(name))))
    },
    async record(digest) {
      const known = carried.record(digest)
      if (known) return known
      const key = kvKey('record', digest)
      const text = await reads.text(key, IMMUTABLE_TTL_S)
      return parsed<ToolRecord>(text ?? (await registry().value(key)))
    },
    async named(asked) {
      const name = asked.toLowerCase()
      const stored = kvKey('name', name)
      const known = reader.isBehind(stored) ? null : await reads.text(stored, CHANGING_TTL_S)
      const own = carried.named(name)
      const key = known ?? (await (own ? orElse(() => registry().named(name), toolKey(own)) : registry().named(name)))
      return key === undefined ? undefined : parseToolId(key)
    },
    async addressed(dialect, id, tool) {
      const key = kvKey('address', documentKey(dialect, id))
      const reading = () => reader.read<DocumentAddress>(key, 'ask')
      // Bundled documents are found without the registry
      const isOwn = carried.holds(id) || carried.addressed(dialect, id, undefined) !== undefined
      const known = await (isOwn ? orElse(reading, undefined) : reading())
      // KV may lack the tools of a new version
      const isComplete = known?.id !== id || tool === undefined || Object.hasOwn(known.tools, tool)
      const stored = isComplete ? known : parsed<DocumentAddress>(await registry().value(key))
      const address = carried.addressed(dialect, id, stored)
      return address?.id === id ? address : undefined
    },
    async whole(record) {
      const [completed = record] = await whole([record])
      return completed
    },
    holds: (toolkit) => registry().holds(toolkit),
    nearest: ({ toolkit, tool }) => registry().nearest({ toolkit, tool }),
    async currentOrNearest({ toolkit, tool }) {
      const answer = await registry().documentOrNearest({ toolkit, tool })
      return typeof answer === 'string' ? JSON.parse(answer) : answer
    },
  }

  const writer: RegistryWriter = {
    async publish(publications, principal) {
      const all: PublicationOutcome[] = []
      for (const chunk of chunksOf(publications, lengthOf, {
        maxSize: MAX_MESSAGE_CHARACTERS,
        maxItems: MAX_PUBLICATIONS,
      })) {
        const { published, revision } = await registry().publish(chunk, principal)
        const left = published.flatMap((each) => ('leftOut' in each ? (each.leftOut ?? []) : []))
        for (const { document } of chunk) {
          if (document?.itself) reader.wrote(kvKey('address', documentKey(document.dialect, document.itself.id)))
        }
        wroteNames(chunk.flatMap(({ records }) => records))
        changed(revision, [
          ...chunk.flatMap(({ records }) => records.map(toolKey)),
          ...left.map((id) => id.toLowerCase()),
        ])
        all.push(...published)
      }
      return withNeighbours(all, principal)
    },

    async change(name, version, change, principal) {
      const answer = await registry().change(name, version, change, principal)
      if (!answer?.ok) return answer
      if (typeof change.name === 'string') reader.wrote(kvKey('name', change.name.toLowerCase()))
      changed(answer.revision, answer.keys)
      return { ok: true, document: JSON.parse(answer.document) }
    },

    denial: ({ toolkit, tool }, principal) => registry().denial({ toolkit, tool }, principal),
  }

  /** Undefined while the registry does not answer: keys are listed all the same. */
  async function published() {
    try {
      return await registry().published()
    } catch (error) {
      console.error('Cannot read what each key has published', error)
      return undefined
    }
  }

  async function withNeighbours(all: readonly PublicationOutcome[], principal: Principal) {
    const created = all.filter(({ outcome }) => outcome === 'created').flatMap(({ ids }) => ids)
    if (created.length === 0 || created.length > MAX_JUDGED || !hasScope(principal, 'tools:read')) return all
    // It is published whether or not it can be judged
    const found = await orElse(() => registry().neighbourWarnings(created, principal), new Map<string, string>())
    return all.map((each) => {
      const own = each.ids.flatMap((id) => found.get(id) ?? [])
      if (each.outcome !== 'created' || own.length === 0) return each
      return { ...each, warnings: [...(each.warnings ?? []), ...own] }
    })
  }

  function wroteNames(records: readonly ToolRecord[]): void {
    for (const record of records) {
      for (const name of [record.name, joinedName(record)]) reader.wrote(kvKey('name', name.toLowerCase()))
    }
  }

  const toolkits: ToolkitStore = {
    find: (toolkit) => registry().toolkit(toolkit),
    give: (toolkit, to, principal) => changeToolkit(toolkit, { to }, principal),
    change: changeToolkit,
    remove: (toolkit, principal) => changeToolkit(toolkit, 'delete', principal),
  }

  async function changeToolkit(
    name: string,
    change: ToolkitChange | ToolkitGift | 'delete',
    principal: Principal,
  ): Promise<ToolkitChanged | undefined> {
    const answer = await registry().changeToolkit(name, change, principal)
    if (!answer?.ok) return answer
    changed(answer.revision, answer.keys)
    return { ok: true, toolkit: answer.toolkit }
  }

  const archive: RegistryArchive = {
    read: (cursor, toolkit) => registry().readArchive(cursor, toolkit),
    async restore(rows, principal) {
      // Needed to know which bundled tools this deployment has
      await takeIn()
      const { outcomes, revision } = await registry().restore(rows, principal)
      for (const row of rows) {
        const itself = row.kind === 'document' ? row.document.itself : undefined
        if (row.kind === 'document' && itself)
          reader.wrote(kvKey('address', documentKey(row.document.dialect, itself.id)))
        if (row.kind === 'name' || row.kind === 'given') reader.wrote(kvKey('name', row.name.toLowerCase()))
      }
      if (rows.some(({ kind }) => kind === 'policy')) await policiesChanged()
      const records = rows.flatMap((row) => (row.kind === 'version' ? row.record : []))
      wroteNames(records)
      changed(revision, records.map(toolKey))
      return outcomes
    },
  }

  const blobs = {
    /** The name is made of the bytes' SHA-256. Once stored they can be read everywhere. */
    store: (name: string, bytes: ArrayBuffer): Promise<void> => registry().putBlob(name, bytes),
    async read(name: string): Promise<ArrayBuffer | undefined> {
      const key = kvKey('blob', name)
      const found = await reads.bytes(key, IMMUTABLE_TTL_S)
      const bytes = found ?? (await registry().value(key))
      return typeof bytes === 'string' ? undefined : bytes
    },
  }

  /** Undefined once done, and for a while after a failure, since requests work without. */
  function takeIn(): Promise<void> | undefined {
    return takenIn || options.now() < rests ? undefined : deliver()
  }

  async function deliver(): Promise<void> {
    const { hash, records, documents } = bundle
    try {
      await withTimeout(TAKE_IN_WAIT_MS, 'The registry', async () => {
        const { wanted, revision } = await registry().takeIn(hash, deployedAt)
        const answer = wanted ? await registry().takeIn(hash, deployedAt, records, documents) : { revision }
        const keys = wanted ? records.map(toolKey) : []
        if (!takenIn) changed(answer.revision, keys)
        for (const key of takenIn ? [] : keys) delivered.add(key)
        takenIn = true
      })
    } catch (error) {
      rests = options.now() + TAKE_IN_REST_MS
      console.error('Cannot have the registry take in the bundled tools', error)
    }
  }

  return { source, writer, published, toolkits, archive, policies, policyStore, catalogue, blobs, takeIn }
}

async function orElse<T, U>(ask: () => Promise<T>, other: U): Promise<T | U> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Unreachable) return other
    throw error
  }
}
