import { clientVariables, knownProvider } from '../core/consent/known-providers.ts'
import type { Providers } from '../core/consent/provider.ts'
import type { Config, Env } from '../env.ts'
import { isLoopback } from '../http/caller/loopback.ts'
import { createKeyring } from '../storage/sealing/keyring.ts'
import type { VaultDeployment } from '../storage/vault/grants.ts'
import { createVault } from '../storage/vault/vaults.ts'
import { oauthOf } from './providers.ts'

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

/** Vaults run outside of any request of `createApp`'s. */
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

/** Anybody who reaches it is let in, as on a developer's machine. */
function isTrialOf({ access }: Pick<Config, 'access'>): (url: string) => boolean {
  return (url) => access === 'open' && isLoopback(new URL(url).hostname)
}
