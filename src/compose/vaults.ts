import { createServerFinder } from '../storage/vault/authorization-server.ts'
import { createKeyring } from '../storage/keyring.ts'
import { createOAuth } from '../storage/vault/oauth.ts'
import type { VaultDeployment } from '../storage/vault/grants.ts'
import type { Fetch } from '../core/tool/platform.ts'
import type { Config } from '../env.ts'
import { createTextJudge } from '../outbound/allowed-url.ts'
import { createGuardedFetch } from '../outbound/guarded-fetch.ts'
import { isLoopback } from '../http/loopback.ts'
import { asFetch } from '../outbound/as-fetch.ts'

/** Bytes of a provider's answer that are read. */
const MAX_PROVIDER_ANSWER = 1_048_576

/** What all vaults are of one deployment. They run outside of any request of `createApp`'s. */
export function vaultDeployment(config: Config): VaultDeployment {
  const { allowHttpHosts, judgeClientSecret, secretOf, userVerifierUrl } = config
  const { now } = Date
  const fetchGuarded = providerFetch(config)
  return {
    keyring: createKeyring(config.vaultKeys, 'vault'),
    oauth: createOAuth({
      fetch: fetchGuarded,
      findServer: createServerFinder(fetchGuarded, now),
      judgeUrl: createTextJudge(allowHttpHosts),
      secretOf: (name) => (judgeClientSecret(name) === undefined ? secretOf(name) : undefined),
    }),
    verifierUrl: userVerifierUrl,
    signsIn: config.signIn !== undefined,
    isTrial: isTrialOf(config),
    now,
  }
}

/** What providers are asked with: it guards where requests go, and caps answers. */
export function providerFetch({ allowHttpHosts }: Pick<Config, 'allowHttpHosts'>): Fetch {
  return asFetch(
    createGuardedFetch({
      fetch: (...given) => fetch(...given),
      allowHttpHosts,
      maxResponseBytes: MAX_PROVIDER_ANSWER,
    }),
  )
}

/** Whether the deployment is open to whoever reaches it, as on the machine of whoever tries it out. */
export function isTrialOf({ access }: Pick<Config, 'access'>): (url: string) => boolean {
  return (url) => access === 'open' && isLoopback(new URL(url).hostname)
}
