/*
 * Reads tools from KV, or from the Registry while KV lags.
 *
 * May be up to a minute old, like KV: `loadTool`, `findByName`, `findDocumentAddress`. They ask the Registry for values that
 * this isolate changed, and if KV fails; for names and addresses, also if KV has none. `loadRecord` reads by digest, so its
 * record is never outdated.
 *
 * Always current: `loadCurrent`, `loadCurrentOrSuggest`, `hasToolkit` and `suggestIds`. They ask the Registry, after the
 * installation.
 *
 * If the Registry can no longer be reached, a bundled tool is served from this isolate's memory, with its status in KV, but
 * only if this isolate installed the tool, has not changed it since, and KV does not have it yet.
 */
import { UnreachableError } from '../../../core/failure/failure.ts'
import type { DocumentAddress, ToolSource } from '../../../core/tool/tool-source.ts'
import { formatToolId, parseToolId, toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolEntry, ToolRecord } from '../../../core/tool/tool.ts'
import { documentKey, kvKey } from '../../keys.ts'
import { CHANGING_TTL_S, type KvReader, parseKvJson } from '../../kv-reader.ts'
import { withFallback } from '../../reachable-stub.ts'
import type { RegistryReach } from '../registry-stub.ts'
import type { BundleInstallation } from './bundle-installation.ts'
import type { BundledTools } from './bundled-tools.ts'

interface ToolSourceOptions extends Pick<RegistryReach, 'registry'>, BundleInstallation {
  readonly reader: KvReader
  readonly bundledTools: BundledTools
  /** The KV keys of bundled tools that this isolate installed and has not changed since. */
  readonly installedKeys: ReadonlySet<string>
  readonly attachDocuments: (records: readonly ToolRecord[]) => Promise<readonly ToolRecord[]>
}

const listIds = (tools: readonly { readonly id: string }[]) => tools.map(({ id }) => id)

export function createToolSource(options: ToolSourceOptions): ToolSource {
  const { reader, bundledTools, installedKeys, attachDocuments, registry, isInstalled, installBundle } = options

  /** Returns the Registry, after the installation. Calls that need no read of it do not wait. */
  async function getRegistryWithBundle(): Promise<ReturnType<typeof registry>> {
    await installBundle()
    return registry()
  }

  const readFromRegistry = async <Value>(key: string) =>
    parseKvJson<Value>(await (await getRegistryWithBundle()).value(key))

  /**
   * Returns undefined if KV lacks a tool: the resolver then asks the Registry with `loadCurrent`. Bundled tools count as
   * installed until the bundle is.
   */
  async function loadInstalled(key: string): Promise<ToolEntry | undefined> {
    const read = () => reader.read<ToolEntry>(kvKey('tool', key))
    const entry = await read()
    if (isInstalled() || bundledTools.isInstalled(key, entry)) return entry
    await installBundle()
    return isInstalled() ? read() : bundledTools.mergeEntry(key, entry)
  }

  /**
   * Serves a tool if the Registry was lost, as with a full disk, after it installed the bundled tools and before KV had them.
   * KV may have an earlier entry of the tool: if that was disabled, the tool stays disabled.
   */
  async function loadFromMemoryIfLost(key: string, error: unknown): Promise<ToolEntry | undefined> {
    const target = kvKey('tool', key)
    const mayBeLost = error instanceof UnreachableError && installedKeys.has(target) && reader.isLagging(target)
    const textInKv = mayBeLost ? await reader.reads.text(target, CHANGING_TTL_S) : undefined
    if (textInKv === undefined) throw error
    return bundledTools.mergeEntry(key, parseKvJson(textInKv))
  }

  return {
    async loadTool(name) {
      const key = toolKey(name)
      try {
        return await loadInstalled(key)
      } catch (error) {
        return loadFromMemoryIfLost(key, error)
      }
    },
    loadCurrent: (name) => readFromRegistry<ToolEntry>(kvKey('tool', toolKey(name))),
    async loadRecord(digest) {
      return (
        bundledTools.record(digest) ?? parseKvJson<ToolRecord>(await reader.immutable(kvKey('record', digest), 'text'))
      )
    },
    async findByName(requestedName) {
      const name = requestedName.toLowerCase()
      const nameEntryKey = kvKey('name', name)
      const keyInKv = reader.isLagging(nameEntryKey) ? null : await reader.reads.text(nameEntryKey, CHANGING_TTL_S)
      const bundledTool = bundledTools.findByName(name)
      const askRegistry = async () => (await getRegistryWithBundle()).findKeyByName(name)
      const key = keyInKv ?? (await (bundledTool ? withFallback(askRegistry, toolKey(bundledTool)) : askRegistry()))
      return key === undefined ? undefined : parseToolId(key)
    },
    async findDocumentAddress(dialect, id, tool) {
      const key = kvKey('address', documentKey(dialect, id))
      const readAddress = () => reader.readThrough<DocumentAddress>(key)
      // Bundled documents are found without the Registry
      const storedAddress = await (bundledTools.hasAddress(dialect, id)
        ? withFallback(readAddress, undefined)
        : readAddress())
      // KV may lack the tools of a new version
      const isComplete = storedAddress?.id !== id || tool === undefined || Object.hasOwn(storedAddress.tools, tool)
      const currentAddress = isComplete ? storedAddress : await readFromRegistry<DocumentAddress>(key)
      const address = bundledTools.chooseAddress(dialect, id, currentAddress)
      return address?.id === id ? address : undefined
    },
    async attachDocument(record) {
      const [completedRecord = record] = await attachDocuments([record])
      return completedRecord
    },
    hasToolkit: async (toolkit) => (await getRegistryWithBundle()).hasToolkit(toolkit),
    suggestIds: async (name) => listIds(await (await getRegistryWithBundle()).suggestTools(formatToolId(name))),
    async loadCurrentOrSuggest({ toolkit, tool }) {
      const answer = await (await getRegistryWithBundle()).loadEntryOrNearest({ toolkit, tool })
      return typeof answer === 'string' ? { entry: JSON.parse(answer) } : { suggestions: listIds(answer) }
    },
  }
}
