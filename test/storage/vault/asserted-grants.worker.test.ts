import { expect, it } from 'vitest'
import {
  asking,
  browser,
  CALLBACK,
  challenged,
  createWorld,
  HOSTS,
  locationOf,
  MAIL,
  ORIGIN,
  type World,
} from './world.ts'

const ID_TOKEN = 'the-id-token-of-a-sign-in'
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'

/** Creates a world where the company asserts each person's identity, and returns a user who has signed in. */
async function signedIn() {
  const world = createWorld()
  const settings = { audience: MAIL.id, resource: `https://${HOSTS[0]}`, toolkits: ['Mail'] }
  world.providers.set('mail', { ...MAIL, identity_assertion: settings })
  let count = 0
  world.provider.bend = async (path) => {
    const type = world.provider.requests.at(-1)?.form.get('grant_type') ?? ''
    if (path !== '/token' || !type.startsWith('urn:')) return undefined
    if (type.endsWith('token-exchange'))
      return Response.json({ issued_token_type: ID_JAG, access_token: `jag-${++count}`, token_type: 'N_A' })
    return Response.json({ access_token: `access-${count}`, token_type: 'Bearer', expires_in: 3_600 })
  }
  const user = world.user('ann')
  await world.vault.keepSignIn(user, { access_token: ID_TOKEN, expires_in: 7_200 }, ORIGIN)
  return { world, user }
}

const exchanges = ({ provider }: World) =>
  provider.requests.filter(({ form }) => form.get('grant_type')?.endsWith('token-exchange')).length
const stored = (world: World, user: string) =>
  world.inVault(world.owner(user), (_, { storage }) =>
    JSON.stringify(storage.sql.exec('SELECT * FROM account_grant').toArray()),
  )

it('stores the tokens of a sign-in, and those obtained with it, under the keys of the vault', async () => {
  const { world, user } = await signedIn()
  expect(await world.vault.tokenFor(asking(user))).toMatchObject({ token: 'access-1', account: '' })
  const rows = await stored(world, user)
  for (const secret of [ID_TOKEN, 'jag-1', 'access-1']) expect(rows).not.toContain(secret)
  world.deploy(['another key of the vault, long enough'])
  const { authorization, forOperator } = challenged(await world.vault.tokenFor(asking(user, ['mail.send'])))
  expect(authorization).not.toBe('')
  expect(forOperator).toContain('cannot be read')
  expect(exchanges(world)).toBe(1)
})

it('sends the tokens of a sign-in to no other issuer', async () => {
  const { world, user } = await signedIn()
  world.companyIssuer = 'https://elsewhere.example'
  world.deploy()
  challenged(await world.vault.tokenFor(asking(user)))
  expect(exchanges(world)).toBe(0)
})

it('stores nothing without keys of the vault', async () => {
  const { world } = await signedIn()
  const bob = world.user('bob')
  world.canStoreGrants = false
  await world.vault.keepSignIn(bob, { access_token: ID_TOKEN }, ORIGIN)
  world.canStoreGrants = true
  expect(await world.vault.list(bob)).toEqual([])
})

it('asks again a minute before a token ends, and gives the link once the ID token has expired', async () => {
  const { world, user } = await signedIn()
  expect(await world.vault.tokenFor(asking(user))).toMatchObject({ token: 'access-1' })
  world.time += 3_539_000
  expect(await world.vault.tokenFor(asking(user))).toMatchObject({ token: 'access-1' })
  world.time += 1_000
  expect(await world.vault.look(asking(user))).toMatchObject({ token: '' })
  expect(await world.vault.tokenFor(asking(user))).toMatchObject({ token: 'access-2' })
  world.time += 7_200_000
  challenged(await world.vault.look(asking(user)))
  challenged(await world.vault.tokenFor(asking(user)))
})

it.each<[string, (world: World, user: string) => Promise<unknown>]>([
  ["the user's access ends", ({ vault }, user) => vault.endAll(user)],
  ['the user revokes the sign-in', ({ vault }, user) => vault.revoke(user, 'sign-in')],
])('stores no token, and revokes it, if %s while the provider is asked', async (_, end) => {
  const { world, user } = await signedIn()
  const { bend } = world.provider
  world.provider.bend = async (path, signal) => {
    const answer = await bend(path, signal)
    if (world.provider.requests.at(-1)?.form.get('grant_type')?.endsWith('jwt-bearer')) await end(world, user)
    return answer
  }
  challenged(await world.vault.tokenFor(asking(user)))
  expect(world.provider.requests.findLast(({ path }) => path === '/revoke')?.form.get('token')).toBe('access-1')
  expect(await world.vault.list(user)).toEqual([])
})

it('does not replace a user’s own grant by an administrator’s decision', async () => {
  const { world, user } = await signedIn()
  const { vault, provider } = world
  expect(await vault.tokenFor(asking(user))).toMatchObject({ token: 'access-1' })
  // The toolkit Other is not named, so the user consents, to a grant in place of the one by sign-in
  const other = asking(user, ['mail.read'], { tool: { ...asking(user).tool, id: 'Other.Get@1.0.0', toolkit: 'Other' } })
  const { authorization } = challenged(await vault.tokenFor(other))
  const visit = { browserCookie: browser(user), callback: CALLBACK }
  const url = provider.allow(locationOf(await vault.start(authorization, visit)), user)
  expect(await vault.finish({ url, ...visit })).toMatchObject({ ok: true })
  expect(await vault.tokenFor(other)).toMatchObject({ token: expect.stringContaining('access-token') })
  challenged(await vault.tokenFor(asking(user)))
  expect(exchanges(world)).toBe(1)
})
