import { expect, it } from 'vitest'
import { asking, browser, CALLBACK, challenged, consent, createWorld, MINUTE, type World } from './world.ts'

const stateOf = async (world: World, user: string) => {
  const [connection, ...others] = await world.vault.listConnections(user)
  expect(others).toEqual([])
  return connection
}

async function tokenOf(world: World, user: string): Promise<string> {
  const result = await world.vault.tokenFor(asking(user))
  return 'token' in result ? result.token : ''
}

const timesOf = (world: World, user: string) =>
  world.inVault(world.owner(user), (_, state) => state.storage.sql.exec('SELECT used_at FROM connection').toArray())

it('a connection is unknown before its first use and works afterwards, and its use is stored once an hour', async () => {
  const world = createWorld()
  world.provider.expiresIn = undefined
  const user = world.user('ann')
  expect(await world.vault.listConnections(user)).toEqual([])
  await consent(world, user)
  expect(await stateOf(world, user)).toMatchObject({ state: 'unknown', provider_name: 'Mail', kind: 'oauth2' })
  expect(await timesOf(world, user)).toEqual([])
  const start = world.time
  for (const [minutes, written] of [
    [0, 0],
    [59, 0],
    [60, 60],
    [119, 60],
  ] as const) {
    world.time = start + minutes * MINUTE
    await tokenOf(world, user)
    expect(await timesOf(world, user)).toEqual([{ used_at: start + written * MINUTE }])
  }
  expect(await stateOf(world, user)).toMatchObject({
    state: 'working',
    last_used_at: new Date(start + 60 * MINUTE).toISOString(),
  })
  // A deleted provider has no kind
  world.providers.clear()
  const orphan = await stateOf(world, user)
  expect(orphan).toMatchObject({ provider_name: 'mail', state: 'working' })
  expect(orphan).not.toHaveProperty('kind')
})

it('a connection whose API refuses a token and its replacement is refused until a call with it succeeds', async () => {
  const world = createWorld()
  const user = world.user('ann')
  await consent(world, user)
  const first = await tokenOf(world, user)
  const renewed = await world.vault.renew(asking(user), first, false)
  if (!('token' in renewed)) throw new Error('Wanted a token')
  expect((await stateOf(world, user))?.state).toBe('working')
  const at = world.time
  challenged(await world.vault.renew(asking(user), renewed.token, true))
  expect(await stateOf(world, user)).toMatchObject({
    state: 'refused',
    last_refused_at: new Date(at).toISOString(),
    reason: "The API of 'mail' refuses the user's token, a new one too",
  })
  // A token of before says nothing of the one that is stored
  await world.vault.renew(asking(user), 'an older token', true)
  expect((await stateOf(world, user))?.state).toBe('working')
  await tokenOf(world, user)
  const working = await stateOf(world, user)
  expect(working).toMatchObject({ state: 'working', last_refused_at: new Date(at).toISOString() })
  expect(working).not.toHaveProperty('reason')
})

it('a connection that the provider ended stays listed as ended until it is connected again', async () => {
  const world = createWorld()
  const user = world.user('ann')
  await consent(world, user)
  await tokenOf(world, user)
  for (const token of world.provider.issued.values()) token.live = false
  world.time += 120 * MINUTE
  const { reason } = challenged(await world.vault.tokenFor(asking(user)))
  expect(reason).toMatch(/'mail' refused with 'invalid_grant'.*no longer accepted/)
  expect(await world.vault.list(user)).toEqual([])
  const ended = await stateOf(world, user)
  expect(ended).toMatchObject({ state: 'ended', toolkits: [], last_refused_at: new Date(world.time).toISOString() })
  expect(ended?.reason).toMatch(/no longer accepted/)
  const { authorization } = challenged(await world.vault.tokenFor(asking(user)))
  const step = await world.vault.start(authorization, { browserCookie: browser(), callback: CALLBACK, account: '' })
  if (!step.ok) throw new Error(step.message)
  const url = world.provider.allow(step.location, 'ann')
  await world.vault.finish({ url, browserCookie: browser(), callback: CALLBACK })
  const anew = await stateOf(world, user)
  expect(anew).toMatchObject({ state: 'unknown' })
  expect(anew).not.toHaveProperty('last_refused_at')
})

it('a connection that cannot be refreshed is refused once its token has ended, or earlier if the API refuses it', async () => {
  const world = createWorld()
  world.provider.refreshes = false
  const [ann, bob] = [world.user('ann'), world.user('bob')]
  for (const user of [ann, bob]) await consent(world, user)
  challenged(await world.vault.renew(asking(ann), await tokenOf(world, ann), false))
  await tokenOf(world, bob)
  expect((await stateOf(world, bob))?.state).toBe('working')
  world.time += 61 * MINUTE
  challenged(await world.vault.tokenFor(asking(bob)))
  const refused = { state: 'refused', reason: expect.stringMatching(/cannot be renewed/) }
  for (const user of [ann, bob]) expect(await stateOf(world, user)).toMatchObject(refused)
})

it('a vault of an older deployment gets connections when it is opened, and keeps its grants', async () => {
  const world = createWorld()
  const user = world.user('ann')
  await consent(world, user)
  await world.inVault(world.owner(user), (_, state) => void state.storage.sql.exec('DROP TABLE connection'))
  world.deploy()
  expect((await stateOf(world, user))?.state).toBe('unknown')
  expect(await tokenOf(world, user)).not.toBe('')
  expect((await stateOf(world, user))?.state).toBe('working')
})

it('a disconnected account leaves no data, and neither does the end of all access', async () => {
  const world = createWorld()
  const [ann, bob] = [world.user('ann'), world.user('bob')]
  for (const user of [ann, bob]) {
    await consent(world, user)
    await tokenOf(world, user)
  }
  await world.vault.revoke(ann, 'mail')
  await world.vault.endAll(bob)
  for (const user of [ann, bob]) {
    expect(await world.vault.listConnections(user)).toEqual([])
    expect(await timesOf(world, user)).toEqual([])
  }
})
