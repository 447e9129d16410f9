import { FetchCapability } from '../core/access/principal.ts'
import { findMissingSecret, type TestProvider } from '../core/consent/provider.ts'
import type { Fetch } from '../core/tool/platform.ts'
import type { Config } from '../env.ts'
import type { OAuth } from '../oauth-client/oauth.ts'
import { createUrlTextCheck } from '../outbound/allowed-url.ts'
import { toFetch } from '../outbound/as-fetch.ts'
import type { CheckCredential } from '../outbound/credential-check.ts'
import { createGuardedFetch, type GuardedFetch } from '../outbound/guarded-fetch.ts'
import type { OpenId } from '../sign-in/openid.ts'
import type { SignInProvider } from '../sign-in/routes.ts'

type OutboundConfig = Pick<Config, 'allowHttpHosts'>

/** In bytes. */
const MAX_PROVIDER_BYTES = 1_048_576
const MAX_DOCUMENT_BYTES = 16_384
/** In parts of JSON. The keys of a large provider have about a thousand. */
const MAX_PARTS = 10_000

/** For URLs from settings and from administrators' providers, not from callers. */
const SETTINGS_CAPABILITY = new FetchCapability('settings')

export function providerFetch(config: OutboundConfig): Fetch {
  return toFetch(createFetch(config, MAX_PROVIDER_BYTES), SETTINGS_CAPABILITY)
}

export function documentFetch(config: OutboundConfig): (capability: FetchCapability) => Fetch {
  const guardedFetch = createFetch(config, MAX_DOCUMENT_BYTES)
  return (capability) => toFetch(guardedFetch, capability)
}

function createFetch({ allowHttpHosts }: OutboundConfig, maxResponseBytes: number): GuardedFetch {
  const limits = { maxResponseBytes, maxParts: MAX_PARTS }
  return createGuardedFetch({ fetch: (...request) => fetch(...request), allowHttpHosts, ...limits })
}

/** Loads the code on the first request to an OAuth server. */
export async function loadServerFinder(config: OutboundConfig) {
  const { createServerFinder } = await import('../oauth-client/provider-server.ts')
  const fetch = providerFetch(config)
  return { fetch, findServer: createServerFinder(fetch, Date.now), checkUrl: createUrlTextCheck(config.allowHttpHosts) }
}

export function signInProvider(config: Config, needsTokens: () => Promise<boolean>): SignInProvider | undefined {
  const { signIn, people, hasSeveralIssuers } = config
  if (!signIn) return undefined
  const { claims, rules = [] } = people
  const needsGroups = rules.some(({ group }) => group !== undefined)
  const needsAddress = rules.some(({ domain, address }) => (domain ?? address) !== undefined)
  const claimNames = [
    claims.user ?? 'email',
    ...(needsAddress ? ['email'] : []),
    ...(needsGroups ? [claims.groups] : []),
  ]
  let openId: OpenId | undefined
  const loadOpenId = async (): Promise<OpenId> => {
    const { createOpenId } = await import('../sign-in/openid.ts')
    const finder = await loadServerFinder(config)
    return (openId ??= createOpenId({ ...signIn, ...finder, claims: claimNames, needsTokens }))
  }
  const { issuer } = signIn
  return { loadOpenId, issuer, prefix: hasSeveralIssuers ? `${issuer}|` : '', claims, rules }
}

export function createProviderOAuth(config: Config): OAuth {
  const readSecret = (name: string) =>
    config.checkClientSecret(name) === undefined ? config.readVariable(name) : undefined
  let oauth: OAuth | undefined
  async function load(): Promise<OAuth> {
    const { createOAuth } = await import('../oauth-client/oauth.ts')
    const { issuer = '', clientId: client_id = '', clientSecret: secret = '' } = config.signIn ?? {}
    const company = config.signIn && { provider: { id: issuer, name: issuer, issuer, client_id }, secret }
    return (oauth ??= createOAuth({ ...(await loadServerFinder(config)), readSecret, company }))
  }
  return {
    findMissingSecret: (provider) => findMissingSecret(provider, readSecret),
    begin: async (...parameters) => (await load()).begin(...parameters),
    exchange: async (...parameters) => (await load()).exchange(...parameters),
    assertIdentity: async (...parameters) => (await load()).assertIdentity(...parameters),
    refreshTokens: async (...parameters) => (await load()).refreshTokens(...parameters),
    findUserInfo: async (...parameters) => (await load()).findUserInfo(...parameters),
    revoke: async (...parameters) => (await load()).revoke(...parameters),
    test: async (...parameters) => (await load()).test(...parameters),
  }
}

/** Loads the code when a person first enters a credential. */
export function createCredentialCheck(config: OutboundConfig): CheckCredential {
  return async (provider, values) => {
    const { checkCredential } = await import('../outbound/credential-check.ts')
    return checkCredential(provider, values, providerFetch(config))
  }
}

export function createProviderTest(config: Config, { test }: Pick<OAuth, 'test'>): TestProvider {
  return async (provider, callback) => {
    if (provider.kind === undefined) return test(provider, callback)
    const { testCredentialCheck } = await import('../outbound/credential-check.ts')
    return testCredentialCheck(provider, providerFetch(config))
  }
}
