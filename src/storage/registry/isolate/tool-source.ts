import { Unreachable } from '../../../core/failure/failure.ts'
import type { DocumentAddress, ToolSource } from '../../../core/tool/tool-source.ts'
import { formatToolId, parseToolId, toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolDocument, ToolRecord } from '../../../core/tool/tool.ts'
import { documentKey, kvKey } from '../../keys.ts'
import { CHANGING_TTL_S, type KvReader, parsed } from '../../kv-reader.ts'
import { orElse, withTimeout } from '../../reachable-stub.ts'
import type { RegistryReach } from '../registry-stub.ts'
import type { Bundle } from '../writing/bundle.ts'
import type { createBundledTools } from './bundled-tools.ts'

export interface Deployed extends Bundle {
  /** Milliseconds since 1970; 0 where the platform does not say. */
  readonly deployedAt: number
}

interface ToolSourceOptions extends Pick<RegistryReach, 'registry' | 'now'> {
  readonly bundle: Deployed
  readonly reader: KvReader
  readonly carried: ReturnType<typeof createBundledTools>
  /** KV keys of bundled tools as this isolate delivered them, and changed none. */
  readonly delivered: Set<string>
  readonly require: (revision: number) => void
  readonly onChange: () => void
  readonly whole: (records: readonly ToolRecord[]) => Promise<readonly ToolRecord[]>
}

const idsOf = (tools: readonly { readonly id: string }[]) => tools.map(({ id }) => id)

const WAIT_MS = 3_000
const REST_MS = 5_000

/** Reads tools, and delivers those that the deployment carries to the registry. */
export function createToolSource(options: ToolSourceOptions) {
  const { bundle, reader, carried, delivered, require, onChange, whole, registry, now } = options
  let isTakenIn = false
  let restsUntil = -Infinity

  async function deliver(): Promise<void> {
    const { hash, deployedAt, records, documents } = bundle
    try {
      await withTimeout(WAIT_MS, 'The registry', async () => {
        const { wanted, revision } = await registry().takeIn(hash, deployedAt)
        const answer = wanted ? await registry().takeIn(hash, deployedAt, records, documents) : { revision }
        if (isTakenIn) return
        const keys = wanted ? records.map((record) => kvKey('tool', toolKey(record))) : []
        require(answer.revision)
        // Only what was looked up after a failure may be otherwise
        if (restsUntil > -Infinity) onChange()
        for (const key of keys) {
          reader.wrote(key)
          delivered.add(key)
        }
        isTakenIn = true
      })
    } catch (error) {
      restsUntil = now() + REST_MS
      console.error('Cannot have the registry take in the bundled tools', error)
    }
  }

  /** Undefined once done, and for a while after a failure, since requests work without. */
  const takeIn = (): Promise<void> | undefined => (isTakenIn || now() < restsUntil ? undefined : deliver())

  /** Calls are let in before the registry has the bundle: what they ask it for waits for that. */
  async function informed(): Promise<ReturnType<typeof registry>> {
    await takeIn()
    return registry()
  }

  const current = async <Value>(key: string) => parsed<Value>(await (await informed()).value(key))

  const source: ToolSource = {
    async document(name) {
      const key = toolKey(name)
      const stored = kvKey('tool', key)
      try {
        const document = await reader.read<ToolDocument>(stored, 'believe')
        if (isTakenIn || carried.areActive(key, document)) return document
        await takeIn()
        // Until the registry was reached, the bundled tools count as taken in
        return isTakenIn ? await reader.read<ToolDocument>(stored, 'believe') : carried.document(key, document)
      } catch (error) {
        const mayBeLost = error instanceof Unreachable && delivered.has(stored) && reader.isBehind(stored)
        // With a full disk the registry is lost before KV has them; a tool that was disabled before stays so
        const before = mayBeLost ? await reader.reads.text(stored, CHANGING_TTL_S) : undefined
        if (before === undefined) throw error
        return carried.document(key, parsed(before))
      }
    },
    current: (name) => current<ToolDocument>(kvKey('tool', toolKey(name))),
    async record(digest) {
      return carried.record(digest) ?? parsed<ToolRecord>(await reader.immutable(kvKey('record', digest), 'text'))
    },
    async named(asked) {
      const name = asked.toLowerCase()
      const stored = kvKey('name', name)
      const known = reader.isBehind(stored) ? null : await reader.reads.text(stored, CHANGING_TTL_S)
      const own = carried.named(name)
      const ask = async () => (await informed()).named(name)
      const key = known ?? (await (own ? orElse(ask, toolKey(own)) : ask()))
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
      const stored = isComplete ? known : await current<DocumentAddress>(key)
      const address = carried.addressed(dialect, id, stored)
      return address?.id === id ? address : undefined
    },
    async whole(record) {
      const [completed = record] = await whole([record])
      return completed
    },
    holds: async (toolkit) => (await informed()).holds(toolkit),
    nearest: async (name) => idsOf(await (await informed()).near(formatToolId(name))),
    async currentOrNearest({ toolkit, tool }) {
      const answer = await (await informed()).documentOrNearest({ toolkit, tool })
      return typeof answer === 'string' ? JSON.parse(answer) : idsOf(answer)
    },
  }

  return { source, takeIn }
}
