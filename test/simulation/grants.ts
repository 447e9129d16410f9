import type { TokenQuery, TokenResult } from '../../src/core/call/user-tokens.ts'
import type { ToolRecord } from '../../src/core/tool/tool.ts'
import { isFault } from './network.ts'
import { holds } from './violation.ts'
import type { Place, World } from './world.ts'

/** A request that was sent at `from` and acknowledged at `until`; without an acknowledgment, its result is unknown. */
interface Done {
  readonly from: number
  until: number
}

interface User {
  readonly id: string
  readonly consents: Done[]
  readonly revocations: Done[]
  /** The last token that a call received. */
  token?: string
}

const CALLBACK = 'https://switchboard.example/oauth/callback'

/** Simulates users and calls that use grants, and checks the tokens. */
export function createGrantClients(world: World, tool: ToolRecord) {
  const { clock, chance, provider } = world
  const users: readonly User[] = ['ann', 'bob'].map((id) => ({ id, consents: [], revocations: [] }))

  const required = ({ id }: User): TokenQuery => ({
    userId: id,
    requirement: { id: 'mail', oauth2: { scopes: ['mail.read'] } },
    tool,
    hosts: [],
    chargedTo: 'key:k1',
    requestUrl: () => CALLBACK,
  })

  function begin(list: Done[]): Done {
    const done = { from: clock.now(), until: Infinity }
    list.push(done)
    return done
  }

  /** Does all the steps of a person's consent. */
  async function consent({ vault }: Place, user: User): Promise<void> {
    const asked = await token(vault.tokenFor(required(user)), user)
    if (!('challenge' in asked) || asked.challenge.authorization === undefined) return
    const done = begin(user.consents)
    const visit = { browserCookie: user.id.padEnd(43, '_'), callback: CALLBACK }
    const step = await vault.start(asked.challenge.authorization, visit)
    if (!step.ok) return
    if (new URL(step.location).pathname !== '/auth') {
      done.until = clock.now()
      return
    }
    const ended = await vault.finish({ ...visit, url: provider.allow(step.location, user.id) })
    if (ended.ok) done.until = clock.now()
  }

  /** Checks a call's token: it is the user's, and exists if and only if the user consented and did not revoke. */
  async function token(asking: Promise<TokenResult>, user: User): Promise<TokenResult> {
    const at = clock.now()
    const result = await asking
    const { id, consents, revocations } = user
    if ('token' in result) {
      user.token = result.token
      holds(provider.given(result.token) === id, `'${id}' is given a token of '${provider.given(result.token)}'`)
      const revoked = revocations.findLast(({ until }) => until < at)
      const isBack = consents.some(({ until }) => until >= (revoked?.from ?? 0))
      holds(!revoked || isBack, `'${id}' revoked the grant, and a call is given a token`)
    } else if ('challenge' in result) {
      const granted = consents.findLast(({ until }) => until < at)
      const mayBeGone = revocations.some(({ until }) => until >= (granted?.from ?? 0)) || provider.hasRefused(id)
      holds(!granted || mayBeGone, `'${id}' consented, and is asked again: ${result.reason}`)
    } else {
      holds(!world.isFair, `'${id}' gets no token: ${JSON.stringify(result)}`)
    }
    return result
  }

  async function revoke({ vault }: Place, user: User): Promise<void> {
    const done = begin(user.revocations)
    await vault.revoke(user.id, 'mail')
    done.until = clock.now()
  }

  const anyUser = () => users[chance.below(users.length)]
  const doing = (act: (place: Place, user: User) => Promise<unknown>) => () => {
    const user = anyUser()
    return async (place: Place) => user && act(place, user)
  }

  return {
    consent: doing(consent),
    token: doing(({ vault }, user) => token(vault.tokenFor(required(user)), user)),
    /** The provider's API refuses the token that two calls received. */
    renew: doing(async ({ vault }, user) => {
      const { token: refused } = user
      if (refused === undefined) return
      const renewals = [1, 2].map(() => token(vault.renew(required(user), refused, false), user))
      const results = await Promise.allSettled(renewals)
      const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
      if (failed.length > 0) throw failed.find((error) => !isFault(error)) ?? failed[0]
    }),
    revoke: doing(revoke),
    /** Once all is quiet, checks that every user who can consent gets a token. */
    async settled(places: readonly Place[]): Promise<void> {
      const [place] = places
      for (const user of users) {
        if (!place) continue
        await consent(place, user)
        for (const { vault } of places) {
          holds('token' in (await token(vault.tokenFor(required(user)), user)), `'${user.id}' consented in vain`)
        }
      }
    },
  }
}
