import { describe, expect, it } from 'vitest'
import { asking, CALLBACK, challenged, consent, createWorld, locationOf, SECRET, type World } from './world.ts'

const [OLD, NEW] = ['the old key of the vault', 'the new key of the vault']
const has = async (world: World, user: string) => 'token' in (await world.vault.tokenFor(asking(user)))

describe('the keys of the vault', () => {
  it('rotate: a grant under the old key works, moves to the new key when used, and then needs no old key', async () => {
    const world = createWorld({ keys: [OLD] })
    const [moved, unmoved] = [world.user('moved'), world.user('unmoved')]
    for (const user of [moved, unmoved]) await consent(world, user)
    world.deploy([NEW, OLD])
    expect(await has(world, moved)).toBe(true)
    world.deploy([NEW])
    expect(await has(world, moved)).toBe(true)
    const { reason, forOperator } = challenged(await world.vault.tokenFor(asking(unmoved)))
    expect(reason).toMatch(/cannot be read any more: the user has to grant it again$/)
    expect(forOperator).toMatch(/cannot be read.*VAULT_KEYS/)
    expect(await world.vault.list(unmoved)).toMatchObject([{ provider: 'mail' }])
    // The row is as it was, should its key come back
    world.deploy([NEW, OLD])
    expect(await has(world, unmoved)).toBe(true)
    world.deploy(['a third key of the vault'])
    await consent(world, unmoved)
    expect(await has(world, unmoved)).toBe(true)
    expect(world.provider.count('refresh_token')).toBe(0)
  })

  it('that changed while a person was at the provider stop that flow, which can begin again', async () => {
    const world = createWorld({ keys: [OLD] })
    const user = world.user('ann')
    const { authorization } = challenged(await world.vault.tokenFor(asking(user)))
    const browser = 'b'.repeat(43)
    const begun = locationOf(await world.vault.start(authorization, { browserCookie: browser, callback: CALLBACK }))
    world.deploy([NEW])
    const url = world.provider.allow(begun, 'ann')
    expect(await world.vault.finish({ url, browserCookie: browser, callback: CALLBACK })).toMatchObject({
      ok: false,
      why: 'unavailable',
    })
    await consent(world, user)
    expect(await has(world, user)).toBe(true)
  })

  it.each<[string, (world: World) => void]>([
    ['are not set', (world) => world.deploy([])],
    ['are for loopback hosts alone', (world) => void (world.canStoreGrants = false)],
  ])('%s: a challenge says what to set', async (_, change) => {
    const world = createWorld()
    change(world)
    const { reason, forOperator } = challenged(await world.vault.tokenFor(asking(world.user('ann'))))
    expect(forOperator).toContain('openssl rand -base64 32')
    expect(reason).not.toContain('VAULT_KEYS')
    expect(await world.vault.list(world.user('ann'))).toEqual([])
  })
})

describe('the stored data of a vault', () => {
  it('contains no token, verifier, secret or cookie, in any encoding', async () => {
    const world = createWorld({ keys: [OLD] })
    world.provider.rotate = true
    const user = world.user('ann')
    const cookie = 'c'.repeat(43)
    const { authorization } = challenged(await world.vault.tokenFor(asking(user, ['mail.send'])))
    const begun = locationOf(await world.vault.start(authorization, { browserCookie: cookie, callback: CALLBACK }))
    const dump = () =>
      world.inVault(world.owner(user), (_, { storage }) => {
        const tables = storage.sql
          .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
          .toArray()
        const rows = tables.flatMap(({ name }) =>
          name.startsWith('_cf') ? [] : storage.sql.exec(`SELECT * FROM "${name}"`).toArray(),
        )
        return JSON.stringify(rows)
      })
    const underWay = await dump()
    await consent(world, user)
    world.time += 3_700_000
    await world.vault.tokenFor(asking(user))
    const stored = `${underWay}${await dump()}`
    expect(stored).toContain('mail.send')
    expect(stored).toContain('"sealed"')

    const state = new URL(begun).searchParams.get('state') ?? ''
    const verifiers = world.provider.requests.flatMap(({ form }) => form.get('code_verifier') ?? [])
    expect(verifiers).toHaveLength(1)
    const tokens = [...world.provider.issued.keys()]
    expect(tokens.length).toBeGreaterThan(4)
    for (const secret of [...tokens, ...verifiers, SECRET, OLD, cookie, state]) {
      for (const text of [secret, btoa(secret).replace(/=+$/, ''), encodeURIComponent(secret)]) {
        expect(stored).not.toContain(text)
      }
    }
  })

  it('can be unsealed for its own user and provider only', async () => {
    const world = createWorld()
    const [ann, bob] = [world.user('ann'), world.user('bob')]
    for (const user of [ann, bob]) await consent(world, user)
    const sealedOf = (user: string) =>
      world.inVault(
        world.owner(user),
        (_, { storage }) => storage.sql.exec<{ sealed: string }>('SELECT sealed FROM account_grant').one().sealed,
      )
    const annsTokens = await sealedOf(ann)
    await world.inVault(
      world.owner(bob),
      (_, { storage }) => void storage.sql.exec('UPDATE account_grant SET sealed = ?', annsTokens),
    )
    expect(challenged(await world.vault.tokenFor(asking(bob))).reason).toContain('cannot be read')
    await world.inVault(world.owner(ann), (vault) => {
      expect(() => vault.list(world.owner(bob))).toThrow('for another')
    })
  })
})
