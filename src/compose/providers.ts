import { FetchCapability } from '../core/access/principal.ts'
import { formatMissingSecret } from '../core/consent/provider.ts'
import type { Fetch } from '../core/tool/platform.ts'
import type { Config } from '../env.ts'
import type { OAuth } from '../oauth-client/oauth.ts'
import { createUrlTextCheck } from '../outbound/allowed-url.ts'
import { toFetch } from '../outbound/as-fetch.ts'
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
const SETTINGS = new FetchCapability('settings')

export function providerFetch(reach: Reach): Fetch {
  return toFetch(createFetch(reach, MAX_PROVIDER_ANSWER), SETTINGS)
}

export function documentFetch(reach: Reach): (asker: FetchCapability) => Fetch {
  const guardedFetch = createFetch(reach, MAX_DOCUMENT)
  return (asker) => toFetch(guardedFetch, asker)
}

function createFetch({ allowHttpHosts }: Reach, maxResponseBytes: number): GuardedFetch {
  const bounds = { maxResponseBytes, maxParts: MAX_PARTS }
  return createGuardedFetch({ fetch: (...given) => fetch(...given), allowHttpHosts, ...bounds })
}

/** For a client of OAuth servers, whose code is loaded when one is first asked. */
export async function loadServerFinder(config: Reach) {
  const { createServerFinder } = await import('../oauth-client/provider-server.ts')
  const fetch = providerFetch(config)
  return { fetch, findServer: createServerFinder(fetch, Date.now), checkUrl: createUrlTextCheck(config.allowHttpHosts) }
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

export function createOAuth(config: Config): OAuth {
  const readSecret = (name: string) =>
    config.checkClientSecret(name) === undefined ? config.variableOf(name) : undefined
  let loaded: OAuth | undefined
  async function load(): Promise<OAuth> {
    const { createOAuth } = await import('../oauth-client/oauth.ts')
    return (loaded ??= createOAuth({ ...(await loadServerFinder(config)), readSecret }))
  }
  return {
    unready: (provider) => formatMissingSecret(provider, readSecret),
    begin: async (...given) => (await load()).begin(...given),
    exchange: async (...given) => (await load()).exchange(...given),
    refresh: async (...given) => (await load()).refresh(...given),
    revoke: async (...given) => (await load()).revoke(...given),
  }
}
