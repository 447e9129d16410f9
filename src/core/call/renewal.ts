import type { Failure } from './failure.ts'
import { type RequiredToken, type TokenResult, type UserTokens, unavailableFailure } from './requirements.ts'
import type { Credential, RunContext } from './runner.ts'
import { formatToolId } from '../tool/tool-id.ts'
import type { ToolRecord } from '../tool/tool.ts'

/** What became of the tokens that a running tool wanted in place of refused ones. */
export interface Renewals {
  readonly renew: NonNullable<RunContext['renew']>
  /** Every token that was given in place of another. */
  readonly given: readonly string[]
  /** What the call comes to when its run does not succeed, since a provider gave no token; undefined when none refused. */
  failure(): Failure | undefined
}

interface RenewalDeps {
  readonly asking: (provider: string) => RequiredToken | undefined
  readonly userTokens: UserTokens
  readonly defect: (error: unknown) => void
}

/** How it stands with one provider's token. */
interface Held {
  current: string
  renewed: boolean
  renewing?: Promise<string | undefined>
  ended?: Exclude<TokenResult, { readonly token: string }>
}

/**
 * Renews the tokens of a deployment during one call: for each provider at most once; the second time the user is asked
 * instead. Requests that were refused at the same time, for the same token, lead to one renewal.
 */
export function createRenewals(
  record: ToolRecord,
  tokens: ReadonlyMap<string, Credential>,
  { asking, userTokens, defect }: RenewalDeps,
): Renewals {
  const held = new Map<string, Held>()
  for (const [provider, { value, from }] of tokens) {
    if (from === 'deployment') held.set(provider, { current: value, renewed: false })
  }
  const given: string[] = []

  async function replace(provider: string, token: Held): Promise<string | undefined> {
    const wanted = asking(provider)
    if (!wanted) return undefined
    let granted: TokenResult
    try {
      granted = await userTokens.renew(wanted, token.current, token.renewed)
    } catch (error) {
      defect(error)
      granted = { unavailable: `The token of '${provider}' could not be renewed` }
    }
    if (!('token' in granted)) {
      token.ended = granted
      return undefined
    }
    given.push(granted.token)
    // Another call has been given a newer grant meanwhile; this one has had its second chance
    if (token.renewed) return undefined
    token.current = granted.token
    token.renewed = true
    return granted.token
  }

  return {
    given,
    async renew(provider, refused) {
      const token = held.get(provider)
      if (!token || token.ended) return undefined
      if (token.renewing) return token.renewing
      if (refused !== token.current) return token.current
      token.renewing = replace(provider, token)
      try {
        return await token.renewing
      } finally {
        delete token.renewing
      }
    },
    failure() {
      const ended = [...held.values()].flatMap(({ ended: each }) => each ?? [])
      const challenges = ended.filter((each) => 'challenge' in each)
      const [first] = ended
      if (first === undefined) return undefined
      if (challenges.length === 0 && 'unavailable' in first) return unavailableFailure(first)
      return {
        type: 'requirements-missing',
        tool: formatToolId(record),
        authorization: challenges.map(({ challenge }) => challenge),
        secrets: [],
        user_id: false,
        detail: ended.map((each) => ('challenge' in each ? each.reason : each.unavailable)).join('; '),
      }
    },
  }
}
