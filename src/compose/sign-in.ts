import type { Config } from '../env.ts'
import { createTextJudge } from '../outbound/allowed-url.ts'
import type { OpenId } from '../sign-in/openid.ts'
import type { SignInProvider } from '../sign-in/routes.ts'
import { providerFetch } from './capped-fetch.ts'

/**
 * The provider that people sign in with, where there is one; what it is asked goes through the guarded fetch. What asks it is
 * loaded with the first who signs in.
 */
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
