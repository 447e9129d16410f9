import type { FindingStore } from '../../../core/publish/findings/finding.ts'
import { parseTrusted } from '../../../core/tool/json-text.ts'
import type { RegistryStub } from '../registry-stub.ts'

export function createFindingStore(registry: RegistryStub): FindingStore {
  return {
    remember: (source) => registry().setSource(source.toolkit, JSON.stringify(source)),
    forget: (toolkit) => registry().setSource(toolkit),
    takeSources: async (choice) => (await registry().takeSources(choice)).map(parseTrusted),
    store: (comparison) => registry().storeComparison(JSON.stringify(comparison)),
    takeMessages: (sentIds, limit) => registry().takeMessages(sentIds, limit),
    async list(query, principal) {
      const { items, next } = await registry().listFindings(query, principal)
      const parsed = items.map(({ toolkit, since, seen, body }) => ({ toolkit, ...parseTrusted(body), since, seen }))
      return { items: parsed, ...(next === undefined ? {} : { next }) }
    },
  }
}
