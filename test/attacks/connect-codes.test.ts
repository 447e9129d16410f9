import { afterAll, beforeAll, expect, it } from 'vitest'
import { askToken, codeFor, connected, newAgent, redeem, refresh, rpc, type Tokens } from '../e2e/oauth/agent.ts'
import { type ConnectWorld, startConnectWorld } from '../e2e/oauth/connect-world.ts'
import type { HttpPerson } from '../e2e/oauth/http-person.ts'
import { neverSilent, watched } from './watch.ts'

let world: ConnectWorld
let origin: string
let ann: HttpPerson

beforeAll(async () => {
  world = await startConnectWorld()
  watched(world.server)
  origin = world.server.url
  ann = await world.findSession('ann')
})
afterAll(() => world?.stop())
afterAll(neverSilent)

const works = async (token: string) => (await rpc(origin, token, 'tools/list')).status === 200
const errorOf = async (response: Response) => {
  const { error }: { error?: string } = await response.json()
  return [response.status, error]
}
const GRANT = [400, 'invalid_grant']

it.each<[string, (agent: Awaited<ReturnType<typeof newAgent>>) => Promise<Record<string, string>>, unknown]>([
  ['by another client', async () => ({ client_id: (await newAgent(origin)).clientId }), GRANT],
  ['by a client that there is none of', async () => ({ client_id: 'nobody' }), [401, 'invalid_client']],
  ['with another verifier', async () => ({ code_verifier: 'x'.repeat(43) }), GRANT],
  ['without a verifier', async () => ({ code_verifier: '' }), [400, 'invalid_request']],
  ['with another redirect URI', async () => ({ redirect_uri: 'http://127.0.0.1:7777/other' }), GRANT],
  ['for another resource', async () => ({ resource: 'https://evil.test/mcp' }), [400, 'invalid_target']],
  ["for keys' door", async () => ({ resource: `${origin}/mcp` }), [400, 'invalid_target']],
])('a code is not redeemed %s, and can still be redeemed correctly', async (_, wrong, refusal) => {
  const agent = await newAgent(origin)
  const code = await codeFor(ann, agent, ['Calculator'])
  expect(await errorOf(await redeem(agent, code, await wrong(agent)))).toEqual(refusal)
  const tokens: Tokens = await (await redeem(agent, code)).json()
  expect(await works(tokens.access_token)).toBe(true)
})

it.each(['grant_type', 'code', 'client_id', 'redirect_uri', 'code_verifier'])(
  'a code is not redeemed with %s twice in either order, and can still be redeemed correctly',
  async (name) => {
    const agent = await newAgent(origin)
    const code = await codeFor(ann, agent, ['Calculator'])
    const of = { grant_type: 'authorization_code', code, client_id: agent.clientId, code_verifier: agent.verifier }
    const form = Object.entries({ ...of, redirect_uri: agent.redirectUri, resource: `${origin}/connect/mcp` })
    const again: [string, string] = [name, 'x']
    for (const twice of [
      [...form, again],
      [again, ...form],
    ]) {
      const body = new URLSearchParams(twice)
      const response = await fetch(`${origin}/connect/token`, { method: 'POST', body })
      expect(await errorOf(response)).toEqual([400, 'invalid_request'])
    }
    const tokens: Tokens = await (await redeem(agent, code)).json()
    expect(await works(tokens.access_token)).toBe(true)
  },
)

it('redeeming a code a second time revokes its tokens', async () => {
  const agent = await newAgent(origin)
  const code = await codeFor(ann, agent, ['Calculator'])
  const tokens: Tokens = await (await redeem(agent, code)).json()
  expect(await errorOf(await redeem(agent, code))).toEqual(GRANT)
  expect(await works(tokens.access_token)).toBe(false)
  expect(await errorOf(await refresh(agent, tokens.refresh_token))).toEqual(GRANT)
})

it('only one of 50 concurrent requests redeems a code', async () => {
  const agent = await newAgent(origin)
  const code = await codeFor(ann, agent, ['Calculator'])
  const answers = await Promise.all(Array.from({ length: 50 }, () => redeem(agent, code)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(49)
})

it.each(['', ':', '::', 'a:b:c', 'a'.repeat(60_000), '{"a":1}', 'grant:x:y', '%00:\u0000:\u{1f600}'])(
  'a malformed code is refused (%#)',
  async (code) => {
    const answer = await redeem(await newAgent(origin), code)
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('"error"')
  },
)

it("each refresh replaces the refresh token, and using one that was replaced ends the agent's access", async () => {
  const { agent, tokens } = await connected(ann, origin, ['Calculator'])
  const second: Tokens = await (await refresh(agent, tokens.refresh_token)).json()
  expect(second.refresh_token).not.toBe(tokens.refresh_token)
  const third: Tokens = await (await refresh(agent, second.refresh_token)).json()
  expect(await works(third.access_token)).toBe(true)
  // Someone else has the first refresh token
  expect(await errorOf(await refresh(agent, tokens.refresh_token))).toEqual(GRANT)
  expect(await works(third.access_token)).toBe(false)
  expect(await errorOf(await refresh(agent, third.refresh_token))).toEqual(GRANT)
  const { items } = JSON.parse((await ann.open(`${origin}/users/ann%40acme.test/agents`)).text)
  expect(items.map(({ client }: { client: { id: string } }) => client.id)).not.toContain(agent.clientId)
})

it('a refresh token is recognized as replaced even if the form also has a code or token', async () => {
  const { agent, tokens } = await connected(ann, origin, ['Calculator'])
  const beside = { code: `${'x'.repeat(22)}:y:z`, token: `${'x'.repeat(22)}:y:z` }
  const second: Tokens = await (await refresh(agent, tokens.refresh_token, beside)).json()
  const third: Tokens = await (await refresh(agent, second.refresh_token, beside)).json()
  expect(await errorOf(await refresh(agent, tokens.refresh_token, beside))).toEqual(GRANT)
  expect(await works(third.access_token)).toBe(false)
  expect(await errorOf(await refresh(agent, third.refresh_token))).toEqual(GRANT)
})

it('a refresh token can be used again if its response was lost, and the lost access token stops working', async () => {
  const { agent, tokens } = await connected(ann, origin, ['Calculator'])
  const lost: Tokens = await (await refresh(agent, tokens.refresh_token)).json()
  const found: Tokens = await (await refresh(agent, tokens.refresh_token)).json()
  expect(await works(found.access_token)).toBe(true)
  expect(await works(lost.access_token)).toBe(false)
})

it('concurrent refreshes leave an agent one working access token', async () => {
  const { agent, tokens } = await connected(ann, origin, ['Calculator'])
  const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(agent, tokens.refresh_token)))
  const given = await Promise.all(
    answers.filter(({ status }) => status === 200).map(async (each): Promise<Tokens> => each.json()),
  )
  const alive = await Promise.all(given.map(({ access_token }) => works(access_token)))
  expect(alive.filter((each) => each)).toHaveLength(1)
  const stillGood = await Promise.all(given.map(({ refresh_token }) => refresh(agent, refresh_token)))
  expect(stillGood.filter(({ status }) => status === 200)).toHaveLength(1)
})

it('a refresh token is refused to another client, and cannot widen the access', async () => {
  const { agent, tokens } = await connected(ann, origin, ['Calculator'])
  const other = await newAgent(origin)
  expect(await errorOf(await refresh(other, tokens.refresh_token))).toEqual(GRANT)
  expect(await errorOf(await refresh(agent, tokens.refresh_token, { resource: 'https://evil.test/' }))).toEqual([
    400,
    'invalid_target',
  ])
  const answer = await refresh(agent, tokens.refresh_token, { scope: 'tools:read admin tools:publish' })
  const narrowed: Tokens = await answer.json()
  expect(narrowed.scope).toBe('tools:read')
  expect((await rpc(origin, narrowed.access_token, 'tools/list')).status).toBe(200)
  const sum = { name: 'Calculator_Add', arguments: { a: 1, b: 2 } }
  const called = await rpc(origin, narrowed.access_token, 'tools/call', sum)
  expect(JSON.stringify(called.body)).toContain("This needs the scope 'tools:call'")
})

it('an access token cannot be used as a refresh token, nor the reverse', async () => {
  const { agent, tokens } = await connected(ann, origin, ['Calculator'])
  expect(await works(tokens.refresh_token)).toBe(false)
  expect(await errorOf(await refresh(agent, tokens.access_token))).toEqual(GRANT)
})

it("an access token does not contain its person's user name", async () => {
  const { tokens } = await connected(ann, origin, ['Calculator'])
  // Neither plain nor encoded; a shorter text could appear by chance
  const forms = (['utf8', 'base64url', 'hex'] as const).map((encoding) => Buffer.from('ann@acme').toString(encoding))
  for (const token of [tokens.access_token, tokens.refresh_token])
    for (const form of forms) expect(token).not.toContain(form)
})

it('a revoked access token stops working at once, and another client cannot revoke it', async () => {
  const { agent, tokens } = await connected(ann, origin, ['Calculator'])
  const other = await newAgent(origin)
  await askToken(origin, { token: tokens.access_token, client_id: other.clientId })
  await askToken(origin, { token: tokens.refresh_token, client_id: other.clientId })
  expect(await works(tokens.access_token)).toBe(true)
  expect((await askToken(origin, { token: tokens.refresh_token, client_id: agent.clientId })).status).toBe(200)
  expect(await works(tokens.access_token)).toBe(false)
  const { items } = JSON.parse((await ann.open(`${origin}/users/ann%40acme.test/agents`)).text)
  expect(items.map(({ client }: { client: { id: string } }) => client.id)).not.toContain(agent.clientId)
})

it("an access token forged with a real agent's id gives no access, and does not end the agent's", async () => {
  const { agent, tokens } = await connected(ann, origin, ['Calculator'])
  const [id = '', grant = ''] = tokens.access_token.split(':')
  const guess = `${id}:${grant}:${'a'.repeat(32)}`
  expect(await works(guess)).toBe(false)
  for (const form of [{ token: guess }, { grant_type: 'refresh_token', refresh_token: guess }]) {
    await askToken(origin, { ...form, client_id: agent.clientId })
  }
  await redeem(agent, guess)
  expect(await works(tokens.access_token)).toBe(true)
  expect((await refresh(agent, tokens.refresh_token)).status).toBe(200)
})
