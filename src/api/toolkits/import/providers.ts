import { hasScope, type Principal } from '../../../core/access/principal.ts'
import { credentialProviderReader } from '../../../core/consent/credential-provider-reader.ts'
import type { AllProviders, ProviderStore } from '../../../core/consent/provider.ts'
import type { ImportedProvider, ImportItem } from '../../../core/publish/import.ts'
import type { ImportResult } from '../../../core/publish/import-tools.ts'
import type { JsonObject } from '../../../core/tool/json.ts'
import { parseValue } from '../../../core/tool/json-reader.ts'

export interface ImportProvidersDeps {
  readonly providers: Pick<AllProviders, 'list'>
  readonly providerStore: Pick<ProviderStore, 'put'>
  readonly checkUrl: (url: string) => string | undefined
}

/** An administrator's import adds `new` providers. An administrator must add `missing` ones, with `body`. */
export interface ProviderReport extends Pick<ImportedProvider, 'id' | 'kind'> {
  readonly schemes: readonly string[]
  readonly state: 'existing' | 'new' | 'missing'
  readonly body?: JsonObject
}

/** Finds the providers that an import needs for credentials of individual users. */
export async function createImportProviders(
  { providers, providerStore, checkUrl }: ImportProvidersDeps,
  principal: Principal,
) {
  const loadKinds = async () => new Map((await providers.list()).map(({ id, kind }) => [id, kind ?? 'oauth2']))
  const kinds = await loadKinds()
  const needs = new Map<string, ImportedProvider & { readonly schemes: Set<string> }>()

  /** Finds a conflict of kinds: tools would send a password as a token, or request credentials that nobody can enter. */
  function findConflict({ id, kind, scheme }: ImportedProvider): string | undefined {
    const present = kinds.get(id) ?? needs.get(id)?.kind ?? kind
    if (present === kind) return undefined
    const advice = `name another provider for it in 'providers', such as {"${scheme}": "${id}-2"}`
    return `The security scheme '${scheme}' needs a provider of the kind '${kind}', and '${id}' is '${present}': ${advice}`
  }

  return {
    /** Skips tools that need a provider with another kind than it has, here or in the same import. */
    *check(items: Iterable<ImportItem>): Generator<ImportItem> {
      for (const item of items) {
        const needed = 'tool' in item ? (item.tool.providers ?? []) : []
        const [reason] = needed.flatMap((provider) => findConflict(provider) ?? [])
        if (reason !== undefined && 'tool' in item) {
          yield { skipped: { name: item.tool.definition.tool, reason, about: item.tool.about } }
          continue
        }
        for (const provider of needed) {
          const need = needs.get(provider.id) ?? { ...provider, schemes: new Set() }
          needs.set(provider.id, need)
          need.schemes.add(provider.scheme)
        }
        yield item
      }
    },

    report(result: Pick<ImportResult, 'imported'>): readonly ProviderReport[] {
      const ids = new Set(result.imported.flatMap(({ requirements }) => requirements.authorization.map(({ id }) => id)))
      const importedNeeds = [...needs.values()].filter(({ id }) => ids.has(id))
      return importedNeeds.map(({ id, kind, body, schemes }) => {
        const fields = { id, kind, schemes: [...schemes] }
        if (kinds.has(id)) return { ...fields, state: 'existing' }
        return { ...fields, state: hasScope(principal, 'admin') && kind !== 'oauth2' ? 'new' : 'missing', body }
      })
    },

    /** Adds new providers, except those added by others since the import started. */
    async add(reports: readonly ProviderReport[]): Promise<readonly string[]> {
      const missing = reports.filter(({ state }) => state === 'new')
      const present = missing.length > 0 ? await loadKinds() : kinds
      const addedReports = missing.filter(({ id }) => !present.has(id))
      for (const { id, body } of addedReports) {
        const read = parseValue(credentialProviderReader(id, checkUrl), body)
        if (!read.ok) throw new Error(`The provider '${id}' of an import is not valid`)
        await providerStore.put(read.value)
      }
      return addedReports.map(({ id }) => id)
    },
  }
}
