import { toDerivedName, toolKey, type ToolName } from '../../../core/tool/tool-id.ts'
import type { DocumentAddress } from '../../../core/tool/tool-source.ts'
import type { ToolEntry, ToolRecord } from '../../../core/tool/tool.ts'
import { chooseVersion } from '../../../core/tool/version.ts'
import { documentKey } from '../../keys.ts'
import type { Bundle } from '../write/bundle.ts'
import type { Manifest } from '../catalog/manifest.ts'
import { formatListedTool, type WriteLine, formatPage } from '../catalog/listed-tools.ts'

/** The bundled tools, served from memory until the Registry has been reached. */
export function createBundledTools({ hash, records, documents }: Bundle, writeLine: WriteLine) {
  const byKey = Map.groupBy(records, toolKey)
  const byDigest = new Map(records.map((record) => [record.digest, record]))
  const byName = new Map(records.map((record) => [toDerivedName(record).toLowerCase(), toolKey(record)]))
  const toolkits = new Set(records.map(({ toolkit }) => toolkit.toLowerCase()))
  const hasToolkit = (toolkit: string) => toolkits.has(toolkit.toLowerCase())
  const addresses = new Map(
    documents.flatMap(({ dialect, itself, toolkit, tools }) =>
      itself ? [[documentKey(dialect, itself.id), { id: itself.id, toolkit, tools }] as const] : [],
    ),
  )
  const texts = new Map(documents.map((document) => [document.hash, document.text]))
  const pageHash = `tools of ${hash}`

  /** Returns a tool's entry with the bundle. Bundled versions replace stored ones of the same number and take their status. */
  function mergeEntry(key: string, stored: ToolEntry | undefined): ToolEntry | undefined {
    const bundledRecords = byKey.get(key)
    const [first] = bundledRecords ?? []
    if (!bundledRecords || !first) return stored
    const bundledVersions = bundledRecords.map(({ version, digest }) => {
      const storedStatus = stored?.versions.find((each) => each.version === version)?.status
      const status = storedStatus && storedStatus.state !== 'pending' ? storedStatus : { state: 'active' as const }
      return { version, digest, status, publisher: { principal: 'bundle', trusted: true } }
    })
    const rest = (stored?.versions ?? []).filter(
      ({ version }) => !bundledVersions.some((each) => each.version === version),
    )
    const versions = [...rest, ...bundledVersions]
    const { toolkit, tool } = first
    const { newest: before, isDeleted: _, ...others }: ToolEntry = stored ?? { toolkit, tool, versions }
    const mergedEntry = { ...others, versions }
    const newest = chooseVersion(mergedEntry)
    const record = [...bundledRecords, ...(before ? [before] : [])].find(({ digest }) => digest === newest?.digest)
    return record ? { ...mergedEntry, newest: record } : mergedEntry
  }

  function listNewest(): ToolRecord[] {
    return [...byKey.keys()].toSorted().flatMap((key) => mergeEntry(key, undefined)?.newest ?? [])
  }

  return {
    mergeEntry,

    /**
     * Whether the stored entry shows that this bundle is installed: its versions of the tool are active, and bundled versions
     * that it no longer has are disabled.
     */
    isInstalled(key: string, stored: ToolEntry | undefined): boolean {
      const bundledRecords = byKey.get(key) ?? []
      const isActive = ({ version, digest }: ToolRecord) =>
        stored?.versions.some(
          (each) => each.version === version && each.digest === digest && each.status.state === 'active',
        )
      const isDropped = ({ version, status, publisher }: ToolEntry['versions'][number]) =>
        publisher.principal === 'bundle' &&
        status.state !== 'disabled' &&
        !bundledRecords.some((each) => each.version === version)
      return (
        !stored?.isDeleted &&
        !stored?.isRemovedFromDocument &&
        bundledRecords.every(isActive) &&
        !stored?.versions.some(isDropped)
      )
    },

    record: (digest: string): ToolRecord | undefined => byDigest.get(digest),
    text: (documentHash: string): string | undefined => texts.get(documentHash),

    /** Whether a bundled document or toolkit has the id. */
    hasAddress: (dialect: string, id: string): boolean => hasToolkit(id) || addresses.has(documentKey(dialect, id)),

    /** Prefers bundled documents and toolkits to others of the same id. */
    chooseAddress(dialect: string, id: string, stored: DocumentAddress | undefined): DocumentAddress | undefined {
      const bundledAddress = addresses.get(documentKey(dialect, id))
      if (bundledAddress) return stored?.toolkit === bundledAddress.toolkit ? stored : bundledAddress
      const isOthers = stored !== undefined && !hasToolkit(stored.toolkit)
      return isOthers && hasToolkit(id) ? undefined : stored
    },

    findByName(name: string): ToolName | undefined {
      return byKey.get(byName.get(name.toLowerCase()) ?? '')?.[0]
    },

    /** Returns a manifest of one page. Its revision is -1, so that the Registry sends the whole manifest. */
    getManifest(): Manifest {
      const count = listNewest().length
      return { revision: -1, etag: hash, count, pages: [{ first: '', count, hash: pageHash }] }
    },

    findPageText: (requestedHash: string): string | undefined =>
      requestedHash === pageHash
        ? formatPage(
            listNewest().map((record) => ({
              ...formatListedTool(record, record.name, [], writeLine),
              record: JSON.stringify(record),
            })),
          )
        : undefined,
  }
}

export type BundledTools = ReturnType<typeof createBundledTools>
