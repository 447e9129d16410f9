import { afterAll, beforeAll, expect, it } from 'vitest'
import { connected, refresh, rpc } from './oauth/agent.ts'
import { asAdmin, type ConnectWorld, startConnectWorld } from './oauth/connect-world.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { signIn } from './oauth/sign-in.ts'

const RULES = [{ group: 'staff', toolkits: ['Calculator'] }]

let world: ConnectWorld
beforeAll(async () => {
  world = await startConnectWorld({ SIGN_IN_RULES: JSON.stringify(RULES) })
})
afterAll(() => world?.stop())

/** What the provider says of Ann from now on. */
function saysOfAnn(groups: readonly string[]): void {
  world.provider.claims['ann'] = { email: 'ann@acme.test', email_verified: true, groups }
}

it('a group that a person left still applies until they sign in again, or their sessions are ended as the guide says', async () => {
  const { server } = world
  saysOfAnn(['staff'])
  const ann = await world.findSession('ann')
  const { agent, tokens } = await connected(ann, server.url, ['Calculator'])
  saysOfAnn([])
  const status = async () => [
    (await rpc(server.url, tokens.access_token, 'tools/list')).status,
    (await ann.open(`${server.url}/sessions`)).status,
  ]
  expect(await status()).toEqual([200, 200])
  const again = await signIn(new HttpPerson(), server.url, 'ann')
  expect([again.status, again.text.includes('SIGN_IN_RULES grants')]).toEqual([403, true])

  const send = async (method: string, path: string) => (await server.json(method, path, undefined, asAdmin)).body
  await send('DELETE', '/users/ann%40acme.test/agents')
  const { items } = await send('GET', '/sessions')
  const remoteName = items.filter((each: { user_id?: string }) => each.user_id === 'ann@acme.test')
  expect(remoteName).toHaveLength(1)
  for (const { id } of remoteName) await send('DELETE', `/sessions/${id}`)
  expect(await status()).toEqual([401, 401])
  expect((await refresh(agent, tokens.refresh_token)).status).toBe(400)
})
