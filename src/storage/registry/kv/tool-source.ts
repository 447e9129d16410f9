/*
 * Reads tools from KV, or from the Registry while KV lags, and installs the bundled tools in the Registry.
 *
 * Installation: each isolate offers the hash of its bundle to the Registry once. If the bundle is new, the Registry asks for
 * the records, and the isolate then requires a manifest of that revision. The installation may take 3 s. After a failure, the
 * first request after 5 s tries again. Until the bundle is installed, bundled tools are read as if it were
 * (`bundled-tools.ts`).
 *
 * Reads that may be up to a minute old, as KV is: `loadTool`, `findByName`, `findDocumentAddress`. They ask the Registry for
 * values that this isolate changed, and if KV fails; names and addresses also if KV has none. `loadRecord` reads by digest,
 * so its answer cannot be old.
 *
 * Reads that are never old: `loadCurrent`, `loadCurrentOrSuggest`, `hasToolkit` and `suggestIds` ask the Registry, after the
 * installation.
 *
 * If the Registry cannot be reached any more, a bundled tool is served from this isolate's memory, with the status that KV
 * has for it. This is so only if this isolate installed the tool, has not changed it since, and KV does not have it yet.
 */
import { UnreachableError } from '../../../core/failure/failure.ts'
import type { DocumentAddress, ToolSource } from '../../../core/tool/tool-source.ts'
import { formatToolId, parseToolId, toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolEntry, ToolRecord } from '../../../core/tool/tool.ts'
import { documentKey, kvKey } from '../../keys.ts'
import { CHANGING_TTL_S, type KvReader, parseKvJson } from '../../kv-reader.ts'
import { withFallback, withTimeout } from '../../reachable-stub.ts'
import type { RegistryReach } from '../registry-stub.ts'
import type { Bundle } from '../write/bundle.ts'
import type { createBundledTools } from './bundled-tools.ts'

export interface DeployedBundle extends Bundle {
  /** Milliseconds since 1970; 0 if the platform does not tell it. */
  readonly deployedAt: number
}

interface ToolSourceOptions extends Pick<RegistryReach, 'registry' | 'now'> {
  readonly bundle: DeployedBundle
  readonly reader: KvReader
  readonly bundledTools: ReturnType<typeof createBundledTools>
  /** The KV keys of bundled tools that this isolate installed and has not changed since. */
  readonly installedKeys: Set<string>
  readonly requireRevision: (revision: number) => void
  readonly onChange: () => void
  readonly attachDocuments: (records: readonly ToolRecord[]) => Promise<readonly ToolRecord[]>
}

const listIds = (tools: readonly { readonly id: string }[]) => tools.map(({ id }) => id)

const WAIT_MS = 3_000
const REST_MS = 5_000

export function createToolSource(options: ToolSourceOptions) {
  const { bundle, reader, bundledTools, installedKeys, requireRevision, onChange, attachDocuments, registry, now } =
    options
  let isBundleInstalled = false
  let cooldownUntil = -Infinity

  async function offerBundle(): Promise<void> {
    const { hash, deployedAt, records, documents } = bundle
    try {
      await withTimeout(WAIT_MS, 'The registry', async () => {
        const { wanted, revision } = await registry().installBundle(hash, deployedAt)
        const answer = wanted ? await registry().installBundle(hash, deployedAt, records, documents) : { revision }
        if (isBundleInstalled) return
        const keys = wanted ? records.map((record) => kvKey('tool', toolKey(record))) : []
        requireRevision(answer.revision)
        // Only answers that were cached after a failed installation can be wrong
        if (cooldownUntil > -Infinity) onChange()
        for (const key of keys) {
          reader.markWritten(key)
          installedKeys.add(key)
        }
        isBundleInstalled = true
      })
    } catch (error) {
      cooldownUntil = now() + REST_MS
      console.error('Cannot install the bundled tools in the registry', error)
    }
  }

  /** Undefined once the bundle is installed, and for 5 s after a failure: requests work without it. */
  const installBundle = (): Promise<void> | undefined =>
    isBundleInstalled || now() < cooldownUntil ? undefined : offerBundle()

  /** The Registry, after the installation: a call that needs no read of it does not wait for that. */
  async function getRegistryWithBundle(): Promise<ReturnType<typeof registry>> {
    await installBundle()
    return registry()
  }

  const readFromRegistry = async <Value>(key: string) =>
    parseKvJson<Value>(await (await getRegistryWithBundle()).value(key))

  /**
   * A tool that KV does not have is undefined: the resolver then asks the Registry by `loadCurrent`. Until the bundle is
   * installed, the bundled tools count as installed.
   */
  async function loadInstalled(key: string): Promise<ToolEntry | undefined> {
    const read = () => reader.read<ToolEntry>(kvKey('tool', key))
    const entry = await read()
    if (isBundleInstalled || bundledTools.isInstalled(key, entry)) return entry
    await installBundle()
    return isBundleInstalled ? read() : bundledTools.mergeEntry(key, entry)
  }

  /**
   * A Registry with a full disk can be lost after it installed the bundled tools, and before KV has them. KV may have an
   * earlier entry of the tool: a tool that was disabled then stays disabled.
   */
  async function loadFromMemoryIfLost(key: string, error: unknown): Promise<ToolEntry | undefined> {
    const target = kvKey('tool', key)
    const mayBeLost = error instanceof UnreachableError && installedKeys.has(target) && reader.isLagging(target)
    const textInKv = mayBeLost ? await reader.reads.text(target, CHANGING_TTL_S) : undefined
    if (textInKv === undefined) throw error
    return bundledTools.mergeEntry(key, parseKvJson(textInKv))
  }

  const source: ToolSource = {
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
      const stored = kvKey('name', name)
      const keyInKv = reader.isLagging(stored) ? null : await reader.reads.text(stored, CHANGING_TTL_S)
      const bundledTool = bundledTools.findByName(name)
      const askRegistry = async () => (await getRegistryWithBundle()).findKeyByName(name)
      const key = keyInKv ?? (await (bundledTool ? withFallback(askRegistry, toolKey(bundledTool)) : askRegistry()))
      return key === undefined ? undefined : parseToolId(key)
    },
    async findDocumentAddress(dialect, id, tool) {
      const key = kvKey('address', documentKey(dialect, id))
      const readAddress = () => reader.readThrough<DocumentAddress>(key)
      // Bundled documents are found without the registry
      const storedAddress = await (bundledTools.hasAddress(dialect, id)
        ? withFallback(readAddress, undefined)
        : readAddress())
      // KV may lack the tools of a new version
      const isComplete = storedAddress?.id !== id || tool === undefined || Object.hasOwn(storedAddress.tools, tool)
      const stored = isComplete ? storedAddress : await readFromRegistry<DocumentAddress>(key)
      const address = bundledTools.chooseAddress(dialect, id, stored)
      return address?.id === id ? address : undefined
    },
    async attachDocument(record) {
      const [completed = record] = await attachDocuments([record])
      return completed
    },
    hasToolkit: async (toolkit) => (await getRegistryWithBundle()).hasToolkit(toolkit),
    suggestIds: async (name) => listIds(await (await getRegistryWithBundle()).suggestTools(formatToolId(name))),
    async loadCurrentOrSuggest({ toolkit, tool }) {
      const answer = await (await getRegistryWithBundle()).loadEntryOrNearest({ toolkit, tool })
      return typeof answer === 'string' ? JSON.parse(answer) : listIds(answer)
    },
  }

  return { source, installBundle }
}
