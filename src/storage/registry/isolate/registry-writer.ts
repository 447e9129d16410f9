import { parseTrusted } from '../../../core/tool/json-text.ts'
import type { ToolkitStore } from '../../../core/access/toolkit-owner.ts'
import { hasScope, type Principal } from '../../../core/access/principal.ts'
import type { RegistryArchive } from '../../../core/publish/archive/archive-rows.ts'
import type { KeptDocument, Publication, PublicationOutcome, RegistryWriter } from '../../../core/publish/registry.ts'
import { joinedName, toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { documentKey, kvKey } from '../../keys.ts'
import type { KvReader } from '../../kv-reader.ts'
import { orElse } from '../../reachable-stub.ts'
import { chunksOf } from '../catalogue/chunks.ts'
import type { RegistryStub } from '../registry-stub.ts'

/** A message to a Durable Object is at most 32 MiB. */
const MAX_MESSAGE_CHARACTERS = 8_000_000
/** Stored in some 30 ms, in which the registry answers nobody else. */
const MAX_PUBLICATIONS = 32
/** Each is a search, so none of a larger submission is judged. */
const MAX_JUDGED = 10
const lengthOf = (publication: Publication) => JSON.stringify(publication).length

const toolKeys = (keys: readonly string[]) => keys.map((key) => kvKey('tool', key))
const nameKey = (name: string) => kvKey('name', name.toLowerCase())

interface RegistryWriterOptions {
  readonly registry: RegistryStub
  readonly reader: Pick<KvReader, 'wrote'>
  /** KV keys of bundled tools that this isolate delivered, and changed none of. */
  readonly delivered: Set<string>
  /** Makes this isolate's catalogue one of the revision or later. */
  readonly require: (revision: number) => void
  /** Called after this isolate changed the registry, to drop what it caches of tools. */
  readonly onChange: () => void
}

export function createRegistryWriter({ registry, reader, delivered, require, onChange }: RegistryWriterOptions) {
  function changed(revision: number, keys: readonly string[] = []): void {
    require(revision)
    for (const key of keys) {
      reader.wrote(key)
      delivered.delete(key)
    }
    onChange()
  }

  const writer: RegistryWriter = {
    async publish(publications, principal) {
      const all: PublicationOutcome[] = []
      const bounds = { maxSize: MAX_MESSAGE_CHARACTERS, maxItems: MAX_PUBLICATIONS }
      for (const chunk of chunksOf(publications, lengthOf, bounds)) {
        const { published, revision } = await registry().publish(chunk, principal)
        const left = published.flatMap((each) => ('leftOut' in each ? (each.leftOut ?? []) : []))
        const documents = chunk.flatMap(({ document }) => document ?? [])
        const stored = keysOf(
          chunk.flatMap(({ records }) => records),
          documents,
        )
        changed(revision, [...stored, ...toolKeys(left.map((id) => id.toLowerCase()))])
        all.push(...published)
      }
      return withNeighbours(all, principal)
    },

    async change(name, version, change, principal) {
      const answer = await registry().change(name, version, change, principal)
      if (!answer?.ok) return answer
      const names = typeof change.name === 'string' ? [nameKey(change.name)] : []
      changed(answer.revision, [...names, ...toolKeys(answer.keys)])
      return { ok: true, document: parseTrusted(answer.document) }
    },

    rights: ({ toolkit, tool }, principal) => registry().rights({ toolkit, tool }, principal),
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

  const toolkits: ToolkitStore = {
    find: (toolkit) => registry().toolkit(toolkit),
    async change(name, change, principal) {
      const answer = await registry().changeToolkit(name, change, principal)
      if (!answer?.ok) return answer
      const all = kvKey('tool', `${name.toLowerCase()}.`)
      changed(answer.revision, [all, ...[...delivered].filter((key) => key.startsWith(all))])
      return { ok: true, toolkit: answer.toolkit }
    },
  }

  const restore: RegistryArchive['restore'] = async (rows, principal) => {
    const { outcomes, revision } = await registry().restore(rows, principal)
    const records = rows.flatMap((row) => (row.kind === 'version' ? row.record : []))
    const documents = rows.flatMap((row) => (row.kind === 'document' ? row.document : []))
    const names = rows.flatMap((row) => (row.kind === 'name' || row.kind === 'given' ? nameKey(row.name) : []))
    changed(revision, [...keysOf(records, documents), ...names])
    return outcomes
  }

  return { writer, toolkits, restore }
}

function keysOf(records: readonly ToolRecord[], documents: readonly KeptDocument[]): string[] {
  return [
    ...toolKeys(records.map(toolKey)),
    ...records.flatMap((record) => [nameKey(record.name), nameKey(joinedName(record))]),
    ...documents.flatMap(({ dialect, itself }) => (itself ? kvKey('address', documentKey(dialect, itself.id)) : [])),
  ]
}
