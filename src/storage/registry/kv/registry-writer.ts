import { parseTrusted } from '../../../core/tool/json-text.ts'
import type { ToolkitStore } from '../../../core/access/toolkit-owner.ts'
import { hasScope, type Principal } from '../../../core/access/principal.ts'
import type { RegistryArchive } from '../../../core/publish/archive/archive-rows.ts'
import type {
  DefinitionDocument,
  Publication,
  PublicationResult,
  RegistryWriter,
} from '../../../core/publish/registry.ts'
import { toDerivedName, toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { documentKey, kvKey } from '../../keys.ts'
import type { KvReader } from '../../kv-reader.ts'
import { withFallback } from '../../reachable-stub.ts'
import { splitChunks } from './chunks.ts'
import type { RegistryStub } from '../registry-stub.ts'

/** A message to a Durable Object can have at most 32 MiB. */
const MAX_MESSAGE_CHARACTERS = 8_000_000
/** Storing these takes some 30 ms, during which the Registry cannot answer others. */
const MAX_PUBLICATIONS = 32
/** Each needs a search, so a larger submission is not checked at all. */
const MAX_NEIGHBOR_SEARCHES = 10
const measureLength = (publication: Publication) => JSON.stringify(publication).length

const toolKeys = (keys: readonly string[]) => keys.map((key) => kvKey('tool', key))
const nameKey = (name: string) => kvKey('name', name.toLowerCase())

interface RegistryWriterOptions {
  readonly registry: RegistryStub
  readonly reader: Pick<KvReader, 'markWritten'>
  /** The KV keys of bundled tools that this isolate installed and has not changed since. */
  readonly installedKeys: Set<string>
  /** Requires this isolate's catalog to be of this revision or later. */
  readonly require: (revision: number) => void
  /** Called after this isolate changed the Registry, to drop cached tools. */
  readonly onChange: () => void
}

export function createRegistryWriter({ registry, reader, installedKeys, require, onChange }: RegistryWriterOptions) {
  function noteChange(revision: number, keys: readonly string[] = []): void {
    require(revision)
    for (const key of keys) {
      reader.markWritten(key)
      installedKeys.delete(key)
    }
    onChange()
  }

  const writer: RegistryWriter = {
    async publish(publications, principal) {
      const all: PublicationResult[] = []
      const bounds = { maxSize: MAX_MESSAGE_CHARACTERS, maxItems: MAX_PUBLICATIONS }
      for (const chunk of splitChunks(publications, measureLength, bounds)) {
        const { published, revision } = await registry().publish(chunk, principal)
        const removedIds = published.flatMap((result) => (result.ok ? (result.removedIds ?? []) : []))
        const documents = chunk.flatMap(({ document }) => document ?? [])
        const storedKeys = listKvKeys(
          chunk.flatMap(({ records }) => records),
          documents,
        )
        noteChange(revision, [...storedKeys, ...toolKeys(removedIds.map((id) => id.toLowerCase()))])
        all.push(...published)
      }
      return withNeighbors(all, principal)
    },

    async change(name, version, change, principal) {
      const answer = await registry().change(name, version, change, principal)
      if (!answer.ok) return answer
      const names = typeof change.name === 'string' ? [nameKey(change.name)] : []
      noteChange(answer.revision, [...names, ...toolKeys(answer.keys)])
      return { ok: true, document: parseTrusted(answer.document) }
    },

    rights: ({ toolkit, tool }, principal) => registry().getPublisherRights({ toolkit, tool }, principal),
  }

  async function withNeighbors(all: readonly PublicationResult[], principal: Principal) {
    const createdIds = all.flatMap((result) => (result.ok && result.outcome === 'created' ? result.ids : []))
    if (createdIds.length === 0 || createdIds.length > MAX_NEIGHBOR_SEARCHES || !hasScope(principal, 'tools:read'))
      return all
    // The publication succeeds even if this check cannot be made
    const warningsById = await withFallback(
      () => registry().neighborWarnings(createdIds, principal),
      new Map<string, string>(),
    )
    return all.map((result) => {
      if (!result.ok || result.outcome !== 'created') return result
      const messages = result.ids.flatMap((id) => warningsById.get(id) ?? [])
      return { ...result, warnings: [...result.warnings, ...messages.map((message) => ({ path: '', message }))] }
    })
  }

  const toolkits: ToolkitStore = {
    find: (toolkit) => registry().toolkit(toolkit),
    async change(name, change, principal) {
      const answer = await registry().changeToolkit(name, change, principal)
      if (!answer.ok) return answer
      const all = kvKey('tool', `${name.toLowerCase()}.`)
      noteChange(answer.revision, [all, ...[...installedKeys].filter((key) => key.startsWith(all))])
      return { ok: true, toolkit: answer.toolkit }
    },
  }

  const restore: RegistryArchive['restore'] = async (rows, principal) => {
    const { outcomes, revision } = await registry().restore(rows, principal)
    const records = rows.flatMap((row) => (row.kind === 'version' ? row.record : []))
    const documents = rows.flatMap((row) => (row.kind === 'document' ? row.document : []))
    const names = rows.flatMap((row) => (row.kind === 'name' || row.kind === 'given' ? nameKey(row.name) : []))
    noteChange(revision, [...listKvKeys(records, documents), ...names])
    return outcomes
  }

  return { writer, toolkits, restore }
}

function listKvKeys(records: readonly ToolRecord[], documents: readonly DefinitionDocument[]): string[] {
  return [
    ...toolKeys(records.map(toolKey)),
    ...records.flatMap((record) => [nameKey(record.name), nameKey(toDerivedName(record))]),
    ...documents.flatMap(({ dialect, itself }) => (itself ? kvKey('address', documentKey(dialect, itself.id)) : [])),
  ]
}
