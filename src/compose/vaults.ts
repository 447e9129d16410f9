import { clientVariables, knownProvider } from '../core/consent/known-providers.ts'
import { missingSecret, type Providers } from '../core/consent/provider.ts'
import type { Config, Env } from '../env.ts'
import { isLoopback } from '../http/caller/loopback.ts'
import { createTextJudge } from '../outbound/allowed-url.ts'
import { createKeyring } from '../storage/sealing/keyring.ts'
import type { VaultDeployment } from '../storage/vault/grants.ts'
import type { OAuth } from '../oauth-client/oauth.ts'
import { createVault } from '../storage/vault/vaults.ts'
import { providerFetch } from './capped-fetch.ts'

/** The users' vaults, as requests reach them. */
export function openVaults(env: Pick<Env, 'Vault'>, config: Config, providers: Providers) {
  const { vaultKeys, vaultKeysArePublic, userVerifierUrl, signIn } = config
  const isTrial = isTrialOf(config)
  return createVault({
    namespace: env.Vault,
    providers,
    variablesOf: (id) => (knownProvider(id) ? clientVariables(id) : undefined),
    keepsGrants: (url) => vaultKeys.length > 0 && (!vaultKeysArePublic || isLoopback(new URL(url).hostname)),
    identifies: (url) => userVerifierUrl !== undefined || signIn !== undefined || isTrial(url),
  })
}

/** What all vaults are of one deployment. They run outside of any request of `createApp`'s. */
export function vaultDeployment(config: Config): VaultDeployment {
  return {
    keyring: createKeyring(config.vaultKeys, 'vault'),
    oauth: oauthOf(config),
    verifierUrl: config.userVerifierUrl,
    signsIn: config.signIn !== undefined,
    isTrial: isTrialOf(config),
    now: Date.now,
  }
}

/** The client's side of OAuth, which is loaded when a provider is first asked: to know what a client lacks, none is. */
function oauthOf(config: Config): OAuth {
  const secretOf = (name: string) => (config.judgeClientSecret(name) === undefined ? config.secretOf(name) : undefined)
  let loaded: OAuth | undefined
  async function load(): Promise<OAuth> {
    const { createOAuth } = await import('../oauth-client/oauth.ts')
    const { createServerFinder } = await import('../oauth-client/authorization-server.ts')
    const fetch = providerFetch(config)
    const judgeUrl = createTextJudge(config.allowHttpHosts)
    return (loaded ??= createOAuth({ fetch, findServer: createServerFinder(fetch, Date.now), judgeUrl, secretOf }))
  }
  return {
    unready: (provider) => missingSecret(provider, secretOf),
    begin: async (...given) => (await load()).begin(...given),
    exchange: async (...given) => (await load()).exchange(...given),
    refresh: async (...given) => (await load()).refresh(...given),
    revoke: async (...given) => (await load()).revoke(...given),
  }
}

/** Whether the deployment is open to whoever reaches it, as on the machine of whoever tries it out. */
function isTrialOf({ access }: Pick<Config, 'access'>): (url: string) => boolean {
  return (url) => access === 'open' && isLoopback(new URL(url).hostname)
}
