import type { StoredConnection } from '../../core/consent/connection.ts'
import type { CredentialProvider } from '../../core/consent/credential-provider.ts'
import type { OAuthProvider } from '../../core/consent/provider.ts'
import type { Grants, TokenRequest, VaultDeployment } from './grants.ts'

const NO_CHECK =
  "The provider has no check. For OAuth, the scope 'openid' and an issuer with a 'userinfo_endpoint' make one"
const TOKEN = { name: 'token', label: 'Token', isSecret: true } as const

/**
 * Asks the provider whether an account's grant works, and notes the result. Uses the provider's check of entered credentials,
 * or its UserInfo endpoint (OpenID Connect Core, section 5.3), where a refused token is refreshed once.
 */
export async function checkConnection(
  query: Pick<TokenRequest, 'userId' | 'provider'> & { readonly account: string },
  grants: Grants,
  { oauth, checkCredential }: VaultDeployment,
): Promise<StoredConnection | undefined> {
  const { provider, account } = query
  const isGrant = (item: StoredConnection) => item.provider === provider.id && item.account === account
  const answer = (more: Partial<StoredConnection>) =>
    grants.list().flatMap((item) => (isGrant(item) ? { ...item, ...more } : []))[0]
  const answerUnknown = (reason: string) => answer({ state: 'unknown', reason })
  const ask = (refused?: TokenRequest['refused']) =>
    grants.token({ ...query, scopes: [], tool: '', toolkit: '', hosts: [], isCheck: true, ...(refused && { refused }) })

  let tokenResult = await ask()
  const checkable =
    provider.kind === undefined ? await withUserInfoCheck(provider, answer({})?.scopes, oauth) : provider
  for (const final of [false, true]) {
    if (!('token' in tokenResult)) break
    if (!checkable.check) return answerUnknown(NO_CHECK)
    const { token, parts = new Map([[TOKEN.name, { value: token }]]) } = tokenResult
    const values = Object.fromEntries([...parts].map(([name, { value }]) => [name, value]))
    const result = await checkCredential(checkable, values)
    if (result.ok) grants.noteSuccess(provider.id, account)
    if (result.ok) return answer({ answered_as: result.account })
    // UserInfo may refuse a token that the API accepts, such as one with too few scopes
    const isUnclear = provider.kind === undefined && result.status !== 401
    if (result.why === 'unavailable' || isUnclear) return answerUnknown(result.message)
    tokenResult = await ask({ token: tokenResult.generation ?? token, final })
  }
  if ('unavailable' in tokenResult) return answerUnknown(tokenResult.unavailable)
  const isKnown = /refused|ended/.test(answer({})?.state ?? '')
  return 'scopes' in tokenResult && !isKnown ? answerUnknown(tokenResult.reason) : answer({})
}

/** Returns a provider that checks a token as if a person had entered it. */
async function withUserInfoCheck(
  provider: OAuthProvider,
  scopes: readonly string[] = [],
  { findUserInfo }: VaultDeployment['oauth'],
): Promise<CredentialProvider> {
  const url = scopes.includes('openid') ? await findUserInfo(provider) : undefined
  const account = scopes.includes('email') ? '/email' : '/sub'
  const check = { method: 'GET', headers: { authorization: 'Bearer {token}' }, account } as const
  const { id, name } = provider
  return { id, name, kind: 'bearer', fields: [TOKEN], ...(url === undefined ? {} : { check: { url, ...check } }) }
}
