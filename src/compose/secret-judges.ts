import type { JudgeSecret, PolicyStore } from '../core/access/policy.ts'
import type { ProviderStore } from '../core/consent/provider.ts'
import type { Config } from '../env.ts'

/** Judges which of the deployment's secrets may be named where, as of now: none is a tool's and a provider's client's at once. */
export interface SecretJudges {
  /** By policies, for tools. */
  ofTools(): Promise<JudgeSecret>
  /** By providers, for the deployment's clients there. */
  ofClients(): Promise<JudgeSecret>
}

export function createSecretJudges(
  { judgeToolSecret, judgeClientSecret }: Pick<Config, 'judgeToolSecret' | 'judgeClientSecret'>,
  policies: Pick<PolicyStore, 'list'>,
  providers: Pick<ProviderStore, 'list'>,
): SecretJudges {
  return {
    async ofTools() {
      const held = new Set((await providers.list()).map(({ client_secret_name: name }) => name))
      return (name) =>
        held.has(name) ? "Is the secret of a provider's client, and no tool may have it" : judgeToolSecret(name)
    },
    async ofClients() {
      const named = new Set((await policies.list()).flatMap(({ secrets = [] }) => secrets))
      return (name) => (named.has(name) ? 'Is a secret of tools, as a policy has it' : judgeClientSecret(name))
    },
  }
}
