import { Admission } from '../core/access/principal.ts'
import { missingSecret } from '../core/consent/provider.ts'
import type { Fetch } from '../core/tool/platform.ts'
import type { Config } from '../env.ts'
import type { OAuth } from '../oauth-client/oauth.ts'
import { createTextJudge } from '../outbound/allowed-url.ts'
import { asFetch } from '../outbound/as-fetch.ts'
import { createGuardedFetch, type GuardedFetch } from '../outbound/guarded-fetch.ts'
import type { OpenId } from '../sign-in/openid.ts'
import type { SignInProvider } from '../sign-in/routes.ts'

type Reach = Pick<Config, 'allowHttpHosts'>

/** In bytes. */
const MAX_PROVIDER_ANSWER = 1_048_576
const MAX_DOCUMENT = 16_384
/** Parts of JSON: the keys of a large provider have some thousand. */
const MAX_PARTS = 10_000

/** Addresses of settings and of administrators' providers; whoever asks, they are the same. */
const SETTINGS = new Admission('settings')

export function providerFetch(reach: Reach): Fetch {
  return asFetch(guardedFetchOf(reach, MAX_PROVIDER_ANSWER), SETTINGS)
}

export function documentFetch(reach: Reach): (asker: Admission) => Fetch {
  const guardedFetch = guardedFetchOf(reach, MAX_DOCUMENT)
  return (asker) => asFetch(guardedFetch, asker)
}

function guardedFetchOf({ allowHttpHosts }: Reach, maxResponseBytes: number): GuardedFetch {
  const bounds = { maxResponseBytes, maxParts: MAX_PARTS }
  return createGuardedFetch({ fetch: (...given) => fetch(...given), allowHttpHosts, ...bounds })
}

/** For a client of OAuth servers, whose code is loaded when one is first asked. */
export async function loadServerFinder(config: Reach) {
  const { createServerFinder } = await import('../oauth-client/provider-server.ts')
  const fetch = providerFetch(config)
  return { fetch, findServer: createServerFinder(fetch, Date.now), judgeUrl: createTextJudge(config.allowHttpHosts) }
}

export function signInProvider(config: Config): SignInProvider | undefined {
  const { signIn, people, hasSeveralIssuers } = config
  if (!signIn) return undefined
  const { claims, rules = [] } = people
  const wantsGroups = rules.some(({ group }) => group !== undefined)
  const wantsAddress = rules.some(({ domain, address }) => (domain ?? address) !== undefined)
  const wanted = [claims.user ?? 'email', ...(wantsAddress ? ['email'] : []), ...(wantsGroups ? [claims.groups] : [])]
  let loaded: OpenId | undefined
  const loadOpenId = async (): Promise<OpenId> => {
    const { createOpenId } = await import('../sign-in/openid.ts')
    return (loaded ??= createOpenId({ ...signIn, claims: wanted, ...(await loadServerFinder(config)) }))
  }
  const { issuer } = signIn
  return { loadOpenId, issuer, prefix: hasSeveralIssuers ? `${issuer}|` : '', claims, rules }
}

export function oauthOf(config: Config): OAuth {
  const secretOf = (name: string) =>
    config.judgeClientSecret(name) === undefined ? config.variableOf(name) : undefined
  let loaded: OAuth | undefined
  async function load(): Promise<OAuth> {
    const { createOAuth } = await import('../oauth-client/oauth.ts')
    return (loaded ??= createOAuth({ ...(await loadServerFinder(config)), secretOf }))
  }
  return {
    unready: (provider) => missingSecret(provider, secretOf),
    begin: async (...given) => (await load()).begin(...given),
    exchange: async (...given) => (await load()).exchange(...given),
    refresh: async (...given) => (await load()).refresh(...given),
    revoke: async (...given) => (await load()).revoke(...given),
  }
}
