import type { ToolRecord } from '../tool/tool.ts'
import type { Failure } from '../failure/failure.ts'
import type { Credential } from './invocation.ts'
import type { TokenRefusal, TokenQuery, TokenResult, UserTokens } from './user-tokens.ts'
import { toMissingRequirement, toRequirementsFailure } from './missing-requirements.ts'

interface RenewalOptions extends Pick<TokenQuery, 'userId' | 'hosts' | 'requestUrl' | 'chargedTo'> {
  readonly userTokens: UserTokens
  readonly defect: (error: unknown) => void
}

interface RenewableToken {
  readonly account: string
  /** Set for a credential that a person entered, which only they can replace. */
  readonly generation: string | undefined
  current: string
  renewed: boolean
  renewing?: Promise<string | undefined>
  refusal?: TokenRefusal
}

function renewalFailure(provider: string) {
  return { unavailable: `The token of '${provider}' could not be renewed` }
}

/** Renews each provider's token once, then asks the user. Returns undefined if every token is the caller's own. */
export function createTokenRenewer(
  record: ToolRecord,
  credentials: ReadonlyMap<string, Credential>,
  { userTokens, defect, ...way }: RenewalOptions,
) {
  const tokens = new Map<string, RenewableToken>()
  for (const [provider, { value, account, generation }] of credentials) {
    if (account !== undefined) tokens.set(provider, { account, generation, current: value, renewed: false })
  }
  if (tokens.size === 0) return undefined
  const renewedTokens: string[] = []

  async function replace(provider: string, token: RenewableToken): Promise<string | undefined> {
    const requirement = record.requirements.authorization.find(({ id }) => id === provider)
    if (!requirement) return undefined
    let result: TokenResult
    try {
      // Only the same account, since the user may have connected another one meanwhile
      const required = { ...way, requirement, tool: record, account: token.account }
      result = await userTokens.renew(required, token.generation ?? token.current, token.renewed)
    } catch (error) {
      defect(error)
      result = renewalFailure(provider)
    }
    if ('accounts' in result) result = renewalFailure(provider)
    if (!('token' in result)) {
      token.refusal = result
      return undefined
    }
    // The person has entered a new one, which the next call uses
    if (token.generation !== undefined) return undefined
    renewedTokens.push(result.token)
    if (token.renewed) return undefined
    token.current = result.token
    token.renewed = true
    return result.token
  }

  return {
    renewedTokens,
    async renew(provider: string, refused: string): Promise<string | undefined> {
      const token = tokens.get(provider)
      if (!token || token.refusal) return undefined
      if (token.renewing) return token.renewing
      if (refused !== token.current) return token.current
      token.renewing = replace(provider, token)
      try {
        return await token.renewing
      } finally {
        delete token.renewing
      }
    },
    failure(): Failure | undefined {
      return toRequirementsFailure(
        record,
        [...tokens.values()].flatMap(({ refusal }) => (refusal ? toMissingRequirement(refusal) : [])),
      )
    },
  }
}
