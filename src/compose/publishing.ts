import { type JudgeSecret, type Policies, type PolicyStore, secretsOf } from '../core/access/policy.ts'
import type { ProviderStore } from '../core/consent/provider.ts'
import { Unreachable } from '../core/failure/failure.ts'
import { createPublish } from '../core/publish/publish.ts'
import type { Config } from '../env.ts'
import { sha256 } from '../storage/sealing/sha256.ts'
import type { Deployment } from './deployment.ts'
import { codecs, formats } from './dialects.ts'
import { giveWay } from '../http/request/body.ts'

export type Publishing = Awaited<ReturnType<typeof composePublishing>>

export async function composePublishing({ config, stores, calls, loadRunners }: Deployment) {
  const { runners, plugins, importers } = await loadRunners()
  const { registry, givenProviders } = stores
  const { source, writer, policies, policyStore } = registry
  const { toolSecrets } = calls
  return {
    plugins,
    importers,
    publish: createPublish({ codecs, runners, formats, sha256, source, toolSecrets, writer, giveWay }),
    secretJudges: createSecretJudges(config, { ...policyStore, now: policies.now }, givenProviders),
  }
}

/** No secret may be a tool's and a provider's client's at once. */
function createSecretJudges(
  { judgeToolSecret, judgeClientSecret }: Pick<Config, 'judgeToolSecret' | 'judgeClientSecret'>,
  policies: Pick<PolicyStore, 'list'> & Policies,
  providers: Pick<ProviderStore, 'list'>,
) {
  /** The last known ones while the registry cannot be reached, so that administrators need not wait for it. */
  async function secretsOfPolicies(): Promise<ReadonlySet<string>> {
    try {
      return secretsOf(await policies.list())
    } catch (error) {
      if (error instanceof Unreachable) return policies.now().secrets
      throw error
    }
  }

  return {
    async ofTools(): Promise<JudgeSecret> {
      const held = new Set((await providers.list()).map(({ client_secret_name: name }) => name))
      return (name) =>
        held.has(name) ? "Is the secret of a provider's client, and no tool may have it" : judgeToolSecret(name)
    },
    async ofClients(): Promise<JudgeSecret> {
      const named = await secretsOfPolicies()
      return (name) => (named.has(name) ? 'Is a secret of tools, as a policy has it' : judgeClientSecret(name))
    },
  }
}
