import { formatNotSetUp } from '../../../src/core/failure/failure-text.ts'
import { describe, expect, it } from 'vitest'
import { notGranted } from '../../../src/storage/vault/grants.ts'
import { asking, browser, CALLBACK, challenged, consent, createWorld, locationOf, tool, type World } from './world.ts'

const look = async (world: World, user: string, more: Parameters<typeof asking>[2] = {}, scopes?: string[]) =>
  world.vault.look(asking(user, scopes, more))
const tablesOf = (world: World, user: string) =>
  world.inVault(world.owner(user), (_, { storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'owner'").toArray(),
  )
const NOT_GRANTED = "'Mail.Get@1.0.0' needs access to 'mail', which the user has not granted yet"

describe('a preview of the token for a call', () => {
  it('creates no vault and no authorization for a user who has none', async () => {
    const world = createWorld()
    const user = world.user('ann')
    const seen = challenged(await look(world, user))
    expect(notGranted('Mail.Get@1.0.0', 'mail')).toBe(NOT_GRANTED)
    expect([seen.reason, seen.authorization, seen.forOperator]).toEqual([NOT_GRANTED, '', undefined])
    expect(await world.vault.list(user)).toEqual([])
    expect(await world.vault.revoke(user, 'mail')).toBe(false)
    expect(await tablesOf(world, user)).toEqual([])
  })

  it('gives the open authorization or the existing token, without a request to the provider', async () => {
    const world = createWorld()
    const user = world.user('ann')
    const asked = challenged(await world.vault.tokenFor(asking(user)))
    expect(asked.reason).toBe(NOT_GRANTED)
    expect(challenged(await look(world, user))).toEqual(asked)
    expect(challenged(await look(world, user, { tool: tool('Other') })).authorization).toBe('')
    await consent(world, user)
    const before = world.provider.requests.length
    expect(await look(world, user)).toEqual({ token: '', account: '' })
    expect(challenged(await look(world, user, {}, ['mail.send', 'mail.all']))).toMatchObject({
      reason: "'Mail.Get@1.0.0' needs more access to 'mail' than the user has granted: mail.send, mail.all",
    })
    expect(challenged(await look(world, user, { hosts: ['a.example', 'b.example'] })).reason).toBe(
      "'Mail.Get@1.0.0' needs the user's consent to act with the access to 'mail', and send it to a.example, b.example",
    )
    expect(challenged(await look(world, user, { tool: tool('Now', { toolkit: 'Weather' }), hosts: [] })).reason).toBe(
      "'Mail.Now@1.0.0' needs the user's consent to act with the access to 'mail'",
    )
    expect(world.provider.requests).toHaveLength(before)
  })

  it.each([
    ['can be renewed', true, 3_600, 'token'],
    ['has no end', false, undefined, 'token'],
    ['has ended', false, 3_600, 'ended'],
  ])('shows a token that %s', async (_, refreshes, expiresIn, then) => {
    const world = createWorld()
    Object.assign(world.provider, { refreshes, expiresIn })
    const user = world.user('ann')
    await consent(world, user)
    world.time += 3_600_000 - 1
    expect(await look(world, user)).toHaveProperty('token')
    world.time += 1
    const seen = await look(world, user)
    if (then === 'token') return expect(seen).toEqual({ token: '', account: '' })
    expect(challenged(seen)).toMatchObject({
      reason: "The user's access to 'mail' has ended or was revoked, and cannot be renewed",
      scopes: ['mail.read'],
    })
    expect(challenged(await world.vault.tokenFor(asking(user))).reason).toContain('has ended or was revoked')
  })

  it('shows several accounts', async () => {
    const world = createWorld()
    const user = world.user('ann')
    for (const account of ['work', 'home']) {
      const { authorization } = challenged(await world.vault.tokenFor(asking(user, ['mail.read'], { account })))
      const step = await world.vault.start(authorization, { browserCookie: browser(user), callback: CALLBACK })
      const url = world.provider.allow(locationOf(step), account)
      expect(await world.vault.finish({ url, browserCookie: browser(user), callback: CALLBACK })).toMatchObject({
        ok: true,
      })
    }
    expect(await look(world, user)).toEqual({ accounts: ['home', 'work'] })
    expect(await look(world, user, { account: 'home' })).toEqual({ token: '', account: 'home' })
  })

  it.each<[string, (world: World) => void, RegExp]>([
    ['without keys', (world) => world.deploy([]), /VAULT_KEYS/],
    ['without the provider', (world) => void world.providers.clear(), /mail/],
    ["without its client's secret", (world) => void (world.secret = undefined), /MAIL/],
  ])('says what the operator must do %s', async (_, change, words) => {
    const world = createWorld()
    const user = world.user('ann')
    const { authorization } = challenged(await world.vault.tokenFor(asking(user)))
    change(world)
    const seen = challenged(await look(world, user))
    expect(seen.forOperator).toMatch(words)
    expect(seen.reason).toBe(formatNotSetUp('mail'))
    expect(seen.authorization).toBe(authorization)
    expect(challenged(await look(world, world.user('new'))).forOperator).toMatch(words)
  })
})

it('the vault of one user cannot be unsealed for another', async () => {
  const world = createWorld()
  const [ann, bob] = [world.user('ann'), world.user('bob')]
  await consent(world, ann)
  const request = {
    userId: bob,
    providerId: 'mail',
    provider: { ok: false, reason: 'none' } as const,
    scopes: [],
    tool: 't',
    toolkit: 'T',
    hosts: [],
    chargedTo: 'p',
  }
  const call = {
    principal: 'p',
    userId: bob,
    tool: 't',
    purpose: 'f',
    requestedBy: undefined,
    chargedTo: 'p',
    invocation: '{}',
    reason: '',
  }
  await world.inVault(world.owner(ann), async (vault) => {
    const remoteName = world.owner(bob)
    for (const open of [
      async () => vault.issue(remoteName, request),
      async () => vault.preview(remoteName, request),
      async () => vault.claim(remoteName, call),
      async () => vault.list(remoteName),
      async () => vault.revoke(remoteName, bob, 'mail', {}),
    ]) {
      await expect(open()).rejects.toThrow('Cannot open the vault of one user for another')
    }
  })
})
