import { type CheckSecretName, type Policies, type PolicyStore, collectSecrets } from '../core/access/policy.ts'
import type { ProviderStore } from '../core/consent/provider.ts'
import { UnreachableError } from '../core/failure/failure.ts'
import { createCompareToolkit } from '../core/publish/findings/compare-toolkit.ts'
import { createPublish } from '../core/publish/publish.ts'
import type { Config } from '../env.ts'
import { createFindingStore } from '../storage/registry/kv/finding-store.ts'
import { sha256 } from '../storage/sealing/sha256.ts'
import type { Deployment } from './deployment.ts'
import { codecs, formats } from './dialects.ts'
import { yieldToEventLoop } from '../outbound/event-loop.ts'

export type Publishing = Awaited<ReturnType<typeof composePublishing>>

export async function composePublishing({ config, stores, calls, loadRunners }: Deployment) {
  const { runners, plugins, importers } = await loadRunners()
  const { registry, storedProviders } = stores
  const { source, writer, policies, policyStore } = registry
  const findings = createFindingStore(registry.stub)
  const { toolSecrets } = calls
  const yieldControl = yieldToEventLoop
  const publish = createPublish({
    codecs,
    runners,
    formats,
    sha256,
    source,
    toolSecrets,
    writer,
    yieldControl,
  })
  return {
    plugins,
    importers,
    publish,
    findings,
    compare: createCompareToolkit({
      importers,
      publish,
      source,
      toolSecrets,
      findings,
      yieldControl,
      isAnnounced: config.findingsWebhook !== undefined,
    }),
    secretChecks: createSecretChecks(config, { ...policyStore, current: policies.current }, storedProviders),
  }
}

/** Creates checks that no secret belongs both to tools and to a provider's client. */
function createSecretChecks(
  { checkToolSecret, checkClientSecret }: Pick<Config, 'checkToolSecret' | 'checkClientSecret'>,
  policies: Pick<PolicyStore, 'list'> & Policies,
  providers: Pick<ProviderStore, 'list'>,
) {
  /** Falls back to the last known policies if the registry cannot be reached. */
  async function loadPolicySecrets(): Promise<ReadonlySet<string>> {
    try {
      return collectSecrets(await policies.list())
    } catch (error) {
      if (error instanceof UnreachableError) return policies.current().secrets
      throw error
    }
  }

  return {
    async loadToolCheck(): Promise<CheckSecretName> {
      const clientSecrets = new Set((await providers.list()).map(({ client_secret_name: name }) => name))
      return (name) =>
        clientSecrets.has(name)
          ? "Is the secret of a provider's client, and no tool may have it"
          : checkToolSecret(name)
    },
    async loadClientCheck(): Promise<CheckSecretName> {
      const toolSecretNames = await loadPolicySecrets()
      return (name) =>
        toolSecretNames.has(name) ? 'Is a secret of tools, as a policy has it' : checkClientSecret(name)
    },
  }
}
