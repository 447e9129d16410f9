import { describe, expect, it } from 'vitest'
import type { TokenQuery } from '../../../src/core/call/user-tokens.ts'
import {
  approvable,
  asking,
  browser,
  CALLBACK,
  challenged,
  consent,
  createWorld,
  locationOf,
  tool,
  type World,
} from './world.ts'

const WEATHER = tool('Weather', { id: 'Weather.Now@1.0.0', toolkit: 'Weather' })
const weather = (user: string, scopes: readonly string[] = [], more: Partial<TokenQuery> = {}) =>
  asking(user, scopes, { tool: WEATHER, hosts: ['weather.example'], ...more })
const start = (world: World, id: string, from = 'b', account?: string) =>
  world.vault.start(id, {
    browserCookie: browser(from),
    callback: CALLBACK,
    ...(account === undefined ? {} : { account }),
  })
const asked = async (world: World, required: TokenQuery) => challenged(await world.vault.tokenFor(required))

/** A provider granted mail.read for the toolkit Mail, in the browser of that user, on a deployment that is no trial. */
async function granted() {
  const world = createWorld()
  world.isTrialUrl = false
  const user = world.user('ann')
  await consent(world, user)
  return { world, user }
}

describe('a grant', () => {
  it.each([[], ['mail.read']])(
    'is for its toolkit: another one needs its own permission, also for the scopes %j',
    async (...scopes) => {
      const { world, user } = await granted()
      expect(await world.vault.tokenFor(asking(user))).toHaveProperty('token')
      const challenge = await asked(world, weather(user, scopes))
      expect(challenge.reason).toBe(
        "'Weather.Now@1.0.0' needs the user's consent to act with the access to 'mail', and send it to weather.example",
      )
      expect(challenge.scopes).toEqual(['mail.read'])
      expect(await world.vault.find(challenge.authorization)).toMatchObject({
        hosts: ['weather.example'],
        accounts: [''],
        hasProviderGrant: true,
      })
    },
  )

  it('can be extended to another toolkit with one click, in the browser in which it was given', async () => {
    const { world, user } = await granted()
    const { authorization: id } = await asked(world, weather(user))
    const before = world.provider.requests.length
    expect(locationOf(await start(world, id, user))).toBe(`https://sb.example/authorizations/${id}/start`)
    expect(world.provider.requests).toHaveLength(before)
    expect(await world.vault.find(id)).toMatchObject({ status: 'completed' })
    expect(await world.vault.tokenFor(weather(user))).toHaveProperty('token')
    // Mail's permissions have not changed
    expect(await world.vault.tokenFor(asking(user))).toHaveProperty('token')
  })

  it('is never extended by a person who only has the link: the provider asks, and the person confirms there', async () => {
    const { world, user } = await granted()
    const { authorization: id } = await asked(world, weather(user))
    expect(locationOf(await start(world, id, 'agent'))).toMatch(/^https:\/\/mail\.example\/auth/)
    expect(await world.vault.find(id)).toMatchObject({ status: 'pending' })
    await asked(world, weather(user))
  })

  it('is sent to the hosts that were shown, and to no others', async () => {
    const { world, user } = await granted()
    const required = asking(user, ['mail.read'], { hosts: ['api.mail.example', 'collect.example'] })
    const { authorization: id, reason } = await asked(world, required)
    expect(reason).toContain('collect.example')
    await start(world, id, user)
    expect(await world.vault.tokenFor(required)).toHaveProperty('token')
    expect(await world.vault.tokenFor(asking(user))).toHaveProperty('token')
    await asked(world, asking(user, ['mail.read'], { hosts: ['api.mail.example', 'third.example'] }))
  })

  it('covers the scopes that its toolkit was allowed, whatever others may use', async () => {
    const { world, user } = await granted()
    const { authorization: id } = await asked(world, weather(user, ['mail.send']))
    const url = world.provider.allow(locationOf(await start(world, id, user)), user)
    expect(await world.vault.finish({ url, browserCookie: browser(user), callback: CALLBACK })).toMatchObject({
      ok: true,
    })
    expect(await world.vault.tokenFor(weather(user, ['mail.send']))).toHaveProperty('token')
    expect(await world.vault.tokenFor(asking(user))).toHaveProperty('token')
    expect((await asked(world, asking(user, ['mail.send']))).reason).toContain("needs the user's consent")
  })

  it('that the provider revoked as a whole belongs to no toolkit: each one is requested again', async () => {
    const { world, user } = await granted()
    const { authorization: id } = await asked(world, weather(user))
    await start(world, id, user)
    for (const token of world.provider.issued.values()) token.live = false
    world.time += 7_200_000
    await asked(world, asking(user))
    await consent(world, user)
    expect(await world.vault.tokenFor(asking(user))).toHaveProperty('token')
    await asked(world, weather(user))
  })

  it('can be taken from one toolkit, or from all', async () => {
    const { world, user } = await granted()
    const { authorization: id } = await asked(world, weather(user))
    await start(world, id, user)
    expect(await world.vault.revoke(user, 'mail', { toolkit: 'Weather' })).toBe(true)
    expect(await world.vault.revoke(user, 'mail', { toolkit: 'Weather' })).toBe(false)
    await asked(world, weather(user))
    expect(await world.vault.tokenFor(asking(user))).toHaveProperty('token')
    expect(await world.vault.revoke(user, 'mail')).toBe(true)
    await asked(world, asking(user))
    expect(await world.vault.list(user)).toEqual([])
  })
})

describe('several accounts at one provider', () => {
  /** Connects another account, with the name that the call or the person sets. */
  async function connect(world: World, user: string, required: TokenQuery, named?: string) {
    const { authorization: id } = await asked(world, required)
    const step = await start(world, id, user, named)
    const url = world.provider.allow(locationOf(step), `${user} at ${required.account ?? named}`)
    expect(await world.vault.finish({ url, browserCookie: browser(user), callback: CALLBACK })).toMatchObject({
      ok: true,
    })
  }
  const whose = async (world: World, required: TokenQuery) => {
    const result = await world.vault.tokenFor(required)
    return 'token' in result ? world.provider.whose(result.token) : result
  }

  it('are selected by the name that the call gives', async () => {
    const world = createWorld()
    const user = world.user('ann')
    for (const account of ['work', 'home']) await connect(world, user, asking(user, ['mail.read'], { account }))
    for (const account of ['work', 'home']) {
      expect(await whose(world, asking(user, ['mail.read'], { account }))).toBe(`${user} at ${account}`)
    }
    expect(await whose(world, asking(user))).toEqual({ accounts: ['home', 'work'] })
    expect((await world.vault.list(user)).map(({ account }) => account)).toEqual(['home', 'work'])
    expect(await world.vault.revoke(user, 'mail', { account: 'home' })).toBe(true)
    expect(await whose(world, asking(user))).toBe(`${user} at work`)
  })

  it('are named by the person if the call names none', async () => {
    const world = createWorld()
    const user = world.user('ann')
    await connect(world, user, asking(user), 'work')
    expect(await whose(world, asking(user))).toBe(`${user} at work`)
    // A toolkit that may act with none yet is asked for, and the person says with which
    await connect(world, user, weather(user), 'home')
    expect(await whose(world, weather(user))).toBe(`${user} at home`)
    expect(await whose(world, asking(user))).toBe(`${user} at work`)
  })

  it('are selected only by the call and the person', async () => {
    const world = createWorld()
    const user = world.user('ann')
    const accountOf = async (required: TokenQuery) => {
      const result = await world.vault.tokenFor(required)
      return 'token' in result ? result.account : 'reason' in result && result.reason
    }
    await connect(world, user, asking(user), 'work')
    const one = await asked(world, weather(user))
    expect(await world.vault.find(one.authorization)).toMatchObject({ accounts: ['work'], hasProviderGrant: true })
    await connect(world, user, asking(user, ['mail.read'], { account: 'home' }))
    const { authorization: id, reason } = await asked(world, weather(user, ['mail.read']))
    expect(reason).toContain('which the user has not granted yet')
    expect(await world.vault.find(id)).toMatchObject({ accounts: ['home', 'work'], hasProviderGrant: false })
    const location = locationOf(await start(world, id, user))
    expect(location).toMatch(/^https:\/\/mail\.example\/auth/)
    const url = world.provider.allow(location, 'another')
    await world.vault.finish({ url, browserCookie: browser(user), callback: CALLBACK })
    expect(await accountOf(weather(user, ['mail.read']))).toBe('')
    await start(world, one.authorization, user, 'home')
    expect(await world.vault.find(one.authorization)).toMatchObject({ status: 'completed' })
  })

  it("cannot unseal each other's tokens", async () => {
    const world = createWorld()
    const user = world.user('ann')
    for (const account of ['work', 'home']) await connect(world, user, asking(user, ['mail.read'], { account }))
    await world.inVault(world.owner(user), (_, { storage: { sql } }) => {
      sql.exec(
        "UPDATE account_grant SET sealed = (SELECT sealed FROM account_grant WHERE account = 'work') WHERE account = 'home'",
      )
    })
    const { reason } = await asked(world, asking(user, ['mail.read'], { account: 'home' }))
    expect(reason).toContain('cannot be read')
  })
})

describe("a call's approval", () => {
  it('is refused if nobody can be distinguished from the caller, and the message says what to set up', async () => {
    const world = createWorld()
    world.isTrialUrl = false
    const pay = tool('Pay', { securityLevel: 9 })
    const approval = await approvable(pay, world.principal('agent'), world.user('ann'), {})
    const call = { ...approval, requestUrl: () => CALLBACK }
    expect(await world.vault.claim(call)).toEqual({
      refused: expect.stringMatching(/can be told from the caller$/),
      forOperator: expect.stringContaining('USER_VERIFIER_URL'),
    })
    // One that was asked for while it was a trial
    world.isTrialUrl = true
    const { authorization: id } = challenged(await world.vault.claim(call))
    world.isTrialUrl = false
    const visit = { browserCookie: browser(), callback: CALLBACK, approve: true }
    expect(await world.vault.decide(id, visit)).toMatchObject({ ok: false, why: 'refused' })
  })
})
