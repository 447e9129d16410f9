import type { Config } from '../env.ts'
import { createTextJudge } from '../outbound/allowed-url.ts'
import { createOpenId } from '../sign-in/openid.ts'
import type { SignInProvider } from '../sign-in/routes.ts'
import { createServerFinder } from '../storage/vault/authorization-server.ts'
import { providerFetch } from './vaults.ts'

/** The provider that people sign in with, where there is one; what it is asked goes through the guarded fetch. */
export function signInProvider(config: Config): SignInProvider | undefined {
  const { signIn, people, allowHttpHosts } = config
  if (!signIn) return undefined
  const { issuer, clientId, clientSecret, isOneOfSeveral } = signIn
  const { claims, rules = [] } = people
  const isGroupAsked = rules.some(({ group }) => group !== undefined)
  const isAddressAsked = rules.some(({ domain, address }) => (domain ?? address) !== undefined)
  const fetch = providerFetch(config)
  const openId = createOpenId({
    issuer,
    clientId,
    clientSecret,
    claims: [claims.user ?? 'email', ...(isAddressAsked ? ['email'] : []), ...(isGroupAsked ? [claims.groups] : [])],
    fetch,
    findServer: createServerFinder(fetch, Date.now),
    judgeUrl: createTextJudge(allowHttpHosts),
  })
  return { openId, issuer, prefix: isOneOfSeveral ? `${issuer}|` : '', claims, rules }
}
