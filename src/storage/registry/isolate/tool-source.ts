import type { DocumentAddress, ToolSource } from '../../../core/tool/tool-source.ts'
import { parseToolId, toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolDocument, ToolRecord } from '../../../core/tool/tool.ts'
import { documentKey, kvKey } from '../../keys.ts'
import { CHANGING_TTL_S, type KvReader, parsed } from '../../kv-reader.ts'
import { orElse } from '../../reachable-stub.ts'
import type { createBundledTools } from './bundled-tools.ts'
import type { RegistryStub } from '../registry-stub.ts'

interface ToolSourceOptions {
  readonly registry: RegistryStub
  readonly reader: KvReader
  readonly carried: ReturnType<typeof createBundledTools>
  readonly document: (key: string) => Promise<ToolDocument | undefined>
  readonly whole: (records: readonly ToolRecord[]) => Promise<readonly ToolRecord[]>
}

export function createToolSource({ registry, reader, carried, document, whole }: ToolSourceOptions): ToolSource {
  const current = async <Value>(key: string) => parsed<Value>(await registry().value(key))

  return {
    document: (name) => document(toolKey(name)),
    current: (name) => current<ToolDocument>(kvKey('tool', toolKey(name))),
    async record(digest) {
      return carried.record(digest) ?? parsed<ToolRecord>(await reader.immutable(kvKey('record', digest), 'text'))
    },
    async named(asked) {
      const name = asked.toLowerCase()
      const stored = kvKey('name', name)
      const known = reader.isBehind(stored) ? null : await reader.reads.text(stored, CHANGING_TTL_S)
      const own = carried.named(name)
      const ask = () => registry().named(name)
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
    holds: (toolkit) => registry().holds(toolkit),
    nearest: ({ toolkit, tool }) => registry().nearest({ toolkit, tool }),
    async currentOrNearest({ toolkit, tool }) {
      const answer = await registry().documentOrNearest({ toolkit, tool })
      return typeof answer === 'string' ? JSON.parse(answer) : answer
    },
  }
}
