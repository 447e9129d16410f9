import { missingSecret } from '../core/consent/provider.ts'
import type { Fetch } from '../core/tool/platform.ts'
import type { Config } from '../env.ts'
import type { OAuth } from '../oauth-client/oauth.ts'
import { createTextJudge } from '../outbound/allowed-url.ts'
import { asFetch } from '../outbound/as-fetch.ts'
import { createGuardedFetch } from '../outbound/guarded-fetch.ts'
import type { OpenId } from '../sign-in/openid.ts'
import type { SignInProvider } from '../sign-in/routes.ts'

type Reach = Pick<Config, 'allowHttpHosts'>

/** In bytes. */
const MAX_PROVIDER_ANSWER = 1_048_576
const MAX_DOCUMENT = 16_384

export function providerFetch(config: Reach): Fetch {
  return cappedFetch(config, MAX_PROVIDER_ANSWER)
}

export function documentFetch(config: Reach): Fetch {
  return cappedFetch(config, MAX_DOCUMENT)
}

function cappedFetch({ allowHttpHosts }: Reach, maxResponseBytes: number): Fetch {
  return asFetch(createGuardedFetch({ fetch: (...given) => fetch(...given), allowHttpHosts, maxResponseBytes }))
}

/** Its client is loaded with the first sign-in. */
export function signInProvider(config: Config): SignInProvider | undefined {
  const { signIn, people, allowHttpHosts } = config
  if (!signIn) return undefined
  const { issuer, clientId, clientSecret, isOneOfSeveral } = signIn
  const { claims, rules = [] } = people
  const isGroupAsked = rules.some(({ group }) => group !== undefined)
  const isAddressAsked = rules.some(({ domain, address }) => (domain ?? address) !== undefined)
  let loaded: OpenId | undefined
  async function load(): Promise<OpenId> {
    const { createOpenId } = await import('../sign-in/openid.ts')
    const { createServerFinder } = await import('../oauth-client/authorization-server.ts')
    const fetch = providerFetch(config)
    return (loaded ??= createOpenId({
      issuer,
      clientId,
      clientSecret,
      claims: [claims.user ?? 'email', ...(isAddressAsked ? ['email'] : []), ...(isGroupAsked ? [claims.groups] : [])],
      fetch,
      findServer: createServerFinder(fetch, Date.now),
      judgeUrl: createTextJudge(allowHttpHosts),
    }))
  }
  const openId: OpenId = {
    begin: async (...given) => (await load()).begin(...given),
    finish: async (...given) => (await load()).finish(...given),
  }
  return { openId, issuer, prefix: isOneOfSeveral ? `${issuer}|` : '', claims, rules }
}

/** Loaded when a provider is first asked. */
export function oauthOf(config: Config): OAuth {
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
