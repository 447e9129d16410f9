import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import * as base64url from 'jose/base64url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Agent } from '../../../src/core/access/agent.ts'
import type { Holder } from '../../../src/core/access/holder.ts'
import { Connect } from '../../../src/storage/connect/connect-object.ts'
import { createAuthorizationServer } from '../../../src/storage/connect/connect-store.ts'

const ORIGIN = 'https://sb.example'
const BACK = 'http://127.0.0.1:7777/callback'
const VERIFIER = 'v'.repeat(43)
const START = Date.parse('2030-01-01T00:00:00Z')
const MINUTE = 60_000
const DAY = 86_400_000
const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(VERIFIER))
const code_challenge = base64url.encode(new Uint8Array(hash))
const DOCUMENT = 'https://agent.example/client.json'
const DESCRIBED = {
  clientId: DOCUMENT,
  clientName: 'Described',
  redirectUris: [BACK],
  grantTypes: ['authorization_code', 'refresh_token'],
  responseTypes: ['code'],
  tokenEndpointAuthMethod: 'none',
}
const AGENT: Agent = {
  id: 'a1',
  authenticatedBy: { kind: 'key', hash: 'h' },
  owner: 'key:k1',
  holder: { kind: 'user', id: 'ann' },
  client: { id: 'c1', name: 'An agent', host: '127.0.0.1:7777' },
  toolkits: ['Mail'],
  scopes: ['tools:read', 'tools:call'],
  origin: ORIGIN,
  created_at: '',
  expires_at: new Date(START + 7 * DAY).toISOString(),
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: START }))
afterEach(() => void vi.useRealTimers())
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)

type World = Awaited<ReturnType<typeof worldOf>>

async function worldOf(state: DurableObjectState) {
  const connect = new Connect(state, {})
  const stub = new Proxy(env.Connect.getByName('of none'), {
    get:
      (_, method) =>
      async (...given: unknown[]) =>
        structuredClone(await Reflect.apply(Reflect.get(connect, method), connect, structuredClone(given))),
  })
  const server = createAuthorizationServer(stub)
  const register = async (metadata: object | string = {}, address: string | null = null) => {
    const all = { client_name: 'An agent', redirect_uris: [BACK], token_endpoint_auth_method: 'none' }
    const sent = typeof metadata === 'string' ? metadata : JSON.stringify({ ...all, ...metadata })
    const { status, body } = await server.register(ORIGIN, sent, address)
    return { status, ...JSON.parse(body) }
  }
  const { client_id: clientId }: { client_id: string } = await register()
  const urlOf = (more: Record<string, string | undefined> = {}) => {
    const all = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: BACK,
      code_challenge,
      code_challenge_method: 'S256',
      state: 's',
      scope: 'tools:read tools:call',
      ...more,
    }
    return `${ORIGIN}/connect/authorize?${new URLSearchParams(Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))}`
  }
  const token = async (
    form: Record<string, string>,
    authorization: string | null = null,
    asserted?: Parameters<typeof server.token>[3],
  ) => {
    const { status, body } = await server.token(ORIGIN, authorization, new URLSearchParams(form).toString(), asserted)
    return { status, ...(body === '' ? {} : JSON.parse(body)) }
  }
  /** The code that an agent gets which a person lets in. */
  const letIn = async (
    agent: Partial<Agent> = {},
    client: Record<string, string> = {},
    document?: typeof DESCRIBED,
  ) => {
    const answer = await server.authorizeAgent({ url: urlOf(client), document }, { ...AGENT, ...agent })
    if (!answer.ok) throw new Error(answer.message)
    return new URL(answer.to).searchParams.get('code') ?? ''
  }
  const redeem = (code: string, more: Record<string, string> = {}, authorization: string | null = null) =>
    token(
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: BACK,
        client_id: clientId,
        code_verifier: VERIFIER,
        ...more,
      },
      authorization,
    )
  return {
    sql: state.storage.sql,
    server,
    agents: { find: stub.find, list: stub.list, remove: stub.remove },
    clients: { create: stub.createOAuthClient, list: stub.listClients, remove: stub.removeClient },
    clientId,
    register,
    urlOf,
    token,
    letIn,
    redeem,
    refresh: (refresh_token: string, more: Record<string, string> = {}) =>
      token({ grant_type: 'refresh_token', refresh_token, client_id: clientId, ...more }),
    async connected(agent: Partial<Agent> = {}) {
      const tokens: { access_token: string; refresh_token: string; expires_in: number } = await redeem(
        await letIn(agent),
      )
      return tokens
    },
  }
}

const inConnect = (use: (world: World, state: DurableObjectState) => Promise<void>) =>
  runInDurableObject(env.Connect.getByName(crypto.randomUUID()), async (_, state) => use(await worldOf(state), state))

const entriesOf = ({ sql }: World, kind: string) =>
  sql
    .exec<{ key: string }>('SELECT key FROM entry')
    .toArray()
    .filter(({ key }) => key.startsWith(`${kind}:`)).length

describe('an authorization request of an agent', () => {
  it('is read with its client, its scope and the address for a refusal', () =>
    inConnect(async ({ server, urlOf, clientId }) => {
      const asked = await server.readAuthorizationRequest(
        {
          url: urlOf({ resource: `${ORIGIN}/connect/mcp?toolkits=Mail` }),
          document: undefined,
        },
        'key:k1',
      )
      expect(asked).toEqual({
        ok: true,
        client: { id: clientId, name: 'An agent' },
        redirectUri: BACK,
        resource: `${ORIGIN}/connect/mcp?toolkits=Mail`,
        refusal: expect.stringContaining(`${BACK}?error=access_denied`),
      })
      expect(await server.readAuthorizationRequest({ url: urlOf(), document: undefined }, 'key:k1')).toMatchObject({
        resource: `${ORIGIN}/connect/mcp`,
      })
    }))

  it.each([
    ['another origin', 'https://evil.test/connect/mcp/t/sales'],
    ['the address for keys', `${ORIGIN}/mcp/t/sales`],
    ['a path below', `${ORIGIN}/connect/mcp/t/sales/more`],
    ['a name that is none', `${ORIGIN}/connect/mcp/t/%00 "`],
  ])('for a toolset at %s is refused', (_, resource) =>
    inConnect(async ({ server, urlOf }) => {
      const asked = await server.readAuthorizationRequest({ url: urlOf({ resource }), document: undefined }, 'key:k1')
      expect(asked).toMatchObject({ ok: false, message: expect.stringContaining('resource') })
    }),
  )

  it('for two resources is refused', () =>
    inConnect(async ({ server, urlOf }) => {
      const url = new URL(urlOf({ resource: `${ORIGIN}/connect/mcp/t/sales` }))
      url.searchParams.append('resource', `${ORIGIN}/connect/mcp`)
      const asked = await server.readAuthorizationRequest({ url: url.href, document: undefined }, 'key:k1')
      expect(asked).toMatchObject({ ok: false, message: expect.stringContaining('resource') })
    }))

  it.each<[string, Record<string, string | undefined>, string, string | undefined]>([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'PKCE', 'error=invalid_request'],
    ['of an unknown client', { client_id: 'nobody' }, '', undefined],
    ['to another place', { redirect_uri: 'https://evil.test/' }, '', undefined],
  ])('%s is refused', (_, more, message, back) =>
    inConnect(async ({ server, urlOf }) => {
      const request = { url: urlOf(more), document: undefined }
      for (const answer of [
        await server.readAuthorizationRequest(request, 'key:k1'),
        await server.authorizeAgent(request, AGENT),
      ]) {
        expect(answer).toMatchObject({ ok: false, message: expect.stringContaining(message) })
        expect(answer.ok ? '' : answer.back).toEqual(back && expect.stringContaining(back))
      }
    }),
  )

  it('of a client that a document describes stores the client once a person approved it', () =>
    inConnect(async (world) => {
      const { server, urlOf, letIn, redeem } = world
      const client = { client_id: DOCUMENT }
      expect(
        await server.readAuthorizationRequest({ url: urlOf(client), document: DESCRIBED }, 'key:k1'),
      ).toMatchObject({
        client: { id: DOCUMENT, name: 'Described' },
      })
      expect(await server.admit(DOCUMENT)).toBeUndefined()
      const code = await letIn({}, client, DESCRIBED)
      expect(await server.admit(DOCUMENT)).toBeDefined()
      expect(await redeem(code, client)).toMatchObject({ status: 200 })
      pass(100 * DAY - 1)
      expect(await server.admit(DOCUMENT)).toBeDefined()
      pass(1)
      expect(await server.admit(DOCUMENT)).toBeUndefined()
    }))
})

describe('an agent of a toolset', () => {
  const SALES = `${ORIGIN}/connect/mcp/t/sales`
  it.each([
    ['itself', SALES, 200],
    ['itself with a query', `${SALES}?lock=sha256:a`, 200],
    ['all tools', `${ORIGIN}/connect/mcp`, 400],
    ['another toolset', `${ORIGIN}/connect/mcp/t/other`, 400],
  ])('redeems its code and refreshes its token for %s', (_, resource, status) =>
    inConnect(async ({ letIn, redeem, refresh, agents }) => {
      const code = await letIn({ toolset: 'sales' }, { resource: SALES })
      const redeemed = await redeem(code, { resource })
      expect(redeemed).toMatchObject(status === 200 ? { status, resource: SALES } : { status, error: 'invalid_target' })
      const tokens = status === 200 ? redeemed : await redeem(code)
      expect(await refresh(tokens.refresh_token, { resource })).toMatchObject({ status })
      expect(await agents.find(ORIGIN, tokens.access_token)).toMatchObject({ agent: { id: 'a1', toolset: 'sales' } })
    }),
  )

  it('is not found if its request was for all tools or for another toolset', () =>
    inConnect(async ({ letIn, redeem, agents }) => {
      for (const [id, resource] of [
        ['a2', `${ORIGIN}/connect/mcp`],
        ['a3', `${ORIGIN}/connect/mcp/t/other`],
      ] as const) {
        const code = await letIn({ id, toolset: 'sales' }, { resource })
        const { access_token = '' } = await redeem(code)
        expect(await agents.find(ORIGIN, access_token)).toBeUndefined()
      }
    }))
})

describe('an agent that was approved', () => {
  it('is found by its token at its own address only, and listed once it has a token', () =>
    inConnect(async ({ letIn, redeem, agents }) => {
      const code = await letIn()
      expect(await agents.list({ kind: 'user', id: 'ann' })).toEqual([])
      pass(MINUTE)
      const { status, access_token, expires_in, scope } = await redeem(code)
      expect([status, expires_in, scope]).toEqual([200, 3_600, 'tools:read tools:call'])
      expect(await agents.list({ kind: 'user', id: 'ann' })).toEqual([AGENT])
      expect(await agents.find(ORIGIN, access_token)).toEqual({ agent: AGENT, expiresAt: START + 61 * MINUTE })
      expect(await agents.find('https://other.example', access_token)).toBeUndefined()
      expect(await agents.find(ORIGIN, `${access_token}x`)).toBeUndefined()
      expect(await agents.list({ kind: 'user', id: 'bob' })).toEqual([])
    }))

  it('shows when it was last used, to within an hour', () =>
    inConnect(async ({ connected, refresh, agents }) => {
      const usedAt = async () =>
        (await agents.list({ kind: 'user', id: 'ann' })).map(({ used_at }) => Date.parse(used_at ?? '') - START)
      const { access_token, refresh_token } = await connected()
      for (const at of [0, 50]) {
        vi.setSystemTime(START + at * MINUTE)
        await agents.find(ORIGIN, access_token)
        expect(await usedAt()).toEqual([0])
      }
      const next = await refresh(refresh_token)
      pass(11 * MINUTE)
      await agents.find(ORIGIN, next.access_token)
      expect(await usedAt()).toEqual([61 * MINUTE])
    }))

  it('has a code for ten minutes', () =>
    inConnect(async ({ letIn, redeem, agents }) => {
      const code = await letIn()
      pass(10 * MINUTE)
      expect((await redeem(code)).status).toBe(400)
      expect(await agents.list({ kind: 'user', id: 'ann' })).toEqual([])
    }))

  it.each([
    [10 * MINUTE, 600],
    [MINUTE / 2, 60],
  ])('that may act for %d ms gets tokens for %d s', (ms, seconds) =>
    inConnect(async ({ connected, agents, refresh }) => {
      const { access_token, refresh_token, expires_in } = await connected({
        expires_at: new Date(START + ms).toISOString(),
      })
      expect(expires_in).toBe(seconds)
      pass(ms)
      expect(await agents.find(ORIGIN, access_token)).toBeUndefined()
      expect(await agents.list({ kind: 'user', id: 'ann' })).toEqual([])
      expect(await refresh(refresh_token)).toMatchObject({ status: 400, error: 'invalid_grant' })
    }),
  )

  it('gets no token that outlives its end, however often it refreshes', () =>
    inConnect(async ({ connected, refresh }) => {
      const { refresh_token } = await connected({ expires_at: new Date(START + 10 * MINUTE).toISOString() })
      pass(5 * MINUTE)
      expect((await refresh(refresh_token)).expires_in).toBe(300)
    }))

  it('may ask for fewer scopes, and then has only those', () =>
    inConnect(async ({ connected, refresh, agents }) => {
      const { refresh_token } = await connected()
      const { access_token } = await refresh(refresh_token, { scope: 'tools:read' })
      expect((await agents.find(ORIGIN, access_token))?.agent.scopes).toEqual(['tools:read'])
    }))

  it('can be ended by its user only, with all its tokens', () =>
    inConnect(async (world) => {
      const { connected, agents, refresh } = world
      const { access_token, refresh_token } = await connected()
      const other = await connected({ id: 'a2' })
      expect(await agents.remove({ kind: 'user', id: 'bob' }, 'a1')).toBe(false)
      expect(await agents.find(ORIGIN, access_token)).toBeDefined()
      expect(await agents.remove({ kind: 'user', id: 'ann' }, 'a1')).toBe(true)
      expect([entriesOf(world, 'grant'), entriesOf(world, 'token')]).toEqual([1, 1])
      expect([await agents.find(ORIGIN, access_token), (await refresh(refresh_token)).status]).toEqual([undefined, 400])
      expect(await agents.find(ORIGIN, other.access_token)).toBeDefined()
      expect((await agents.list({ kind: 'user', id: 'ann' })).map(({ id }) => id)).toEqual(['a2'])
    }))

  it('is replaced after its user has approved a hundred others', () =>
    inConnect(async (world) => {
      const { connected, letIn, agents, sql } = world
      const { access_token } = await connected()
      await letIn({ id: 'of another', holder: { kind: 'user', id: 'bob' } })
      for (let n = 2; n <= 100; n += 1)
        sql.exec("INSERT INTO agent VALUES (?, ?, ?, 1, NULL, '{}')", `a${n}`, '["user","ann"]', START + DAY)
      expect(await agents.find(ORIGIN, access_token)).toBeDefined()
      await letIn({ id: 'newest' })
      expect(await agents.find(ORIGIN, access_token)).toBeUndefined()
      expect(sql.exec('SELECT count(*) AS n FROM agent').one()).toEqual({ n: 101 })
      expect(entriesOf(world, 'token')).toBe(0)
    }))
})

describe('the agents of a holder', () => {
  const list = async ({ agents }: World, kind: Holder['kind'], id: string) =>
    (await agents.list({ kind, id })).map((agent) => agent.id)

  it('are not those of a user whose id equals a principal', () =>
    inConnect(async (world) => {
      await world.connected({ id: 'a1', owner: 'admin', holder: { kind: 'principal', id: 'admin' } })
      await world.connected({ id: 'a2', owner: 'jwt:admin', holder: { kind: 'user', id: 'admin' } })
      expect(await list(world, 'principal', 'admin')).toEqual(['a1'])
      expect(await list(world, 'user', 'admin')).toEqual(['a2'])
      expect(await world.agents.remove({ kind: 'user', id: 'admin' }, 'a1')).toBe(false)
    }))
})

describe('a code', () => {
  it('that is used twice revokes the tokens it gave', () =>
    inConnect(async (world) => {
      const { letIn, redeem, agents } = world
      const code = await letIn()
      const { access_token } = await redeem(code)
      expect(await redeem(code)).toMatchObject({ status: 400, error: 'invalid_grant' })
      expect([
        await agents.find(ORIGIN, access_token),
        await agents.list({ kind: 'user', id: 'ann' }),
        entriesOf(world, 'token'),
      ]).toEqual([undefined, [], 0])
    }))

  it('is redeemed once, however many requests arrive at once', () =>
    inConnect(async ({ letIn, redeem }) => {
      const code = await letIn()
      const answers = await Promise.all([1, 2, 3].map(() => redeem(code)))
      expect(answers.map(({ status }) => status)).toEqual([200, 400, 400])
    }))

  it('that is redeemed with a wrong verifier ends no agent', () =>
    inConnect(async ({ letIn, redeem, token, sql }) => {
      const code = await letIn()
      expect((await redeem(code, { code_verifier: 'w'.repeat(43) })).status).toBe(400)
      expect(sql.exec('SELECT hash FROM spent').toArray()).toEqual([])
      expect((await token({ grant_type: 'authorization_code', code: 'none' })).status).toBeGreaterThanOrEqual(400)
      expect((await token({})).status).toBeGreaterThanOrEqual(400)
    }))
})

describe('a refresh token', () => {
  it('of an agent that no longer exists is refused with an explanation', () =>
    inConnect(async ({ connected, refresh, sql }) => {
      const { refresh_token } = await connected()
      sql.exec('DELETE FROM agent')
      expect(await refresh(refresh_token)).toEqual({
        status: 400,
        error: 'invalid_grant',
        error_description: 'The agent is not connected any more',
      })
    }))

  it('can be used again if the response was lost, and the lost token is then invalid', () =>
    inConnect(async ({ connected, refresh, agents }) => {
      const first = await connected()
      const lost = await refresh(first.refresh_token)
      const next = await refresh(first.refresh_token)
      expect([lost.status, next.status]).toEqual([200, 200])
      expect(await agents.find(ORIGIN, lost.access_token)).toBeUndefined()
      expect(await agents.find(ORIGIN, next.access_token)).toBeDefined()
      expect((await refresh(next.refresh_token)).status).toBe(200)
    }))

  it('that is used again after its successor was used ends the agent', () =>
    inConnect(async (world) => {
      const { connected, refresh, agents } = world
      const first = await connected()
      const second = await refresh(first.refresh_token)
      const third = await refresh(second.refresh_token)
      expect(await agents.find(ORIGIN, third.access_token)).toBeDefined()
      expect(await refresh(first.refresh_token)).toMatchObject({ status: 400, error: 'invalid_grant' })
      expect([await agents.find(ORIGIN, third.access_token), await agents.list({ kind: 'user', id: 'ann' })]).toEqual([
        undefined,
        [],
      ])
    }))

  it('is remembered as used until its agent ends, and is then deleted', () =>
    inConnect(async ({ connected, refresh, sql, letIn }) => {
      const { refresh_token } = await connected()
      await refresh(refresh_token)
      expect(sql.exec('SELECT agent, expires FROM spent').toArray()).toEqual([
        { agent: 'a1', expires: Date.parse(AGENT.expires_at) },
      ])
      pass(7 * DAY)
      await letIn({ id: 'a2' })
      expect(sql.exec('SELECT id FROM agent').toArray()).toEqual([{ id: 'a2' }])
      expect(sql.exec('SELECT agent FROM spent').toArray()).toEqual([])
    }))

  it('that is made up, or of another client, ends no agent', () =>
    inConnect(async ({ connected, refresh, agents, register }) => {
      const { access_token, refresh_token } = await connected()
      const [agent, grant] = refresh_token.split(':')
      expect((await refresh(`${agent}:${grant}:${'x'.repeat(32)}`)).status).toBe(400)
      const { client_id } = await register()
      expect((await refresh(refresh_token, { client_id })).status).toBeGreaterThanOrEqual(400)
      expect(await agents.find(ORIGIN, access_token)).toBeDefined()
      expect((await refresh(refresh_token)).status).toBe(200)
    }))

  it('that is revoked ends the agent', () =>
    inConnect(async ({ connected, token, agents, clientId }) => {
      const { refresh_token } = await connected()
      expect((await token({ token: refresh_token, client_id: clientId })).status).toBe(200)
      expect(await agents.list({ kind: 'user', id: 'ann' })).toEqual([])
    }))
})

it('a client assertion is accepted once', () =>
  inConnect(async ({ letIn, token, sql }) => {
    const code = await letIn({}, { client_id: DOCUMENT }, DESCRIBED)
    const asserted = { client: DESCRIBED, id: `${DOCUMENT} j1`, until: START + MINUTE }
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: BACK,
      client_id: DOCUMENT,
      code_verifier: VERIFIER,
    }
    expect((await token(form, null, asserted)).status).toBe(200)
    expect(await token(form, null, asserted)).toEqual({
      status: 401,
      error: 'invalid_client',
      error_description: 'The assertion was sent before',
    })
    expect(sql.exec("SELECT expires FROM spent WHERE agent = ''").toArray()).toEqual([{ expires: START + MINUTE }])
  }))

describe('a client registration', () => {
  it('is refused for unsupported grant types, and for invalid metadata', () =>
    inConnect(async ({ register }) => {
      const grant_types = ['authorization_code', 'refresh_token']
      expect(await register({ grant_types })).toMatchObject({ status: 201, grant_types })
      expect((await register({ grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] })).status).toBe(400)
      expect((await register('no JSON')).status).toBe(400)
      expect((await register('[]')).status).toBe(400)
    }))

  it('is deleted after a day, unless a person approved the client', () =>
    inConnect(async ({ letIn, register, server, clientId, sql }) => {
      const { client_id } = await register()
      await letIn()
      pass(DAY - 1)
      expect([await server.admit(client_id), await server.admit(clientId)]).not.toContain(undefined)
      pass(1)
      expect([await server.admit(client_id), (await server.admit(clientId)) !== undefined]).toEqual([undefined, true])
      await register()
      expect(sql.exec('SELECT key FROM entry WHERE key = ?', `client:${client_id}`).toArray()).toEqual([])
      pass(99 * DAY)
      expect(await server.admit(clientId)).toBeUndefined()
    }))

  const fill = ({ sql }: World, count: number) =>
    sql.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT OR REPLACE INTO entry SELECT 'client:many' || i, '{}', '"unused"', ? FROM n`,
      count,
      Date.now() + DAY + 1,
    )

  it('that a person looks at is not evicted for ten minutes, within the share of that person', () =>
    inConnect(async (world) => {
      const { server, register, urlOf } = world
      const ids: string[] = []
      for (let n = 0; n < 12; n += 1) {
        const { client_id } = await register()
        ids.push(client_id)
        await server.readAuthorizationRequest({ url: urlOf({ client_id }), document: undefined }, 'key:k1')
        pass(1)
      }
      const isThere = async (client_id: string) =>
        (await server.readAuthorizationRequest({ url: urlOf({ client_id }), document: undefined }, 'key:k2')).ok
      fill(world, 1_000)
      await register()
      const [first = '', second = '', ...others] = ids
      expect([await isThere(first), await isThere(second)]).toEqual([false, false])
      for (const each of others) expect(await isThere(each)).toBe(true)
      pass(10 * 60_000 + 1)
      fill(world, 1_000)
      await register()
      for (const each of others) expect(await isThere(each)).toBe(false)
    }))

  it('that a person approved is evicted by newer ones of that person once it has no agent', () =>
    inConnect(async (world) => {
      const { sql, register, letIn, agents } = world
      const ids: string[] = []
      for (let n = 0; n < 30; n += 1) {
        const { client_id } = await register()
        ids.push(client_id)
        const client = { ...AGENT.client, id: client_id }
        await letIn({ id: `a${n}`, client }, { client_id })
        pass(1)
      }
      const kept = () =>
        ids.filter((id) => sql.exec('SELECT 1 FROM entry WHERE key = ?', `client:${id}`).toArray().length > 0)
      expect(kept()).toHaveLength(30)
      for (let n = 1; n < 30; n += 1) await agents.remove(AGENT.holder, `a${n}`)
      const { client_id } = await register()
      await letIn({ id: 'new', client: { ...AGENT.client, id: client_id } }, { client_id })
      expect(kept()).toEqual([ids[0], ...ids.slice(10)])
      await letIn({ id: 'of another', owner: 'key:k2', client: { ...AGENT.client, id: client_id } }, { client_id })
      expect(kept()).toHaveLength(21)
    }))

  it('is evicted by a thousand newer ones only if no person approved it', () =>
    inConnect(async ({ connected, register, server, sql, clientId }) => {
      const { access_token } = await connected()
      expect(access_token).toBeDefined()
      const oldest = await register()
      const many = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
        INSERT INTO entry SELECT 'client:many' || i, '{}', '"unused"', ? FROM n`
      sql.exec(many, START + DAY + 1)
      expect(await server.admit(oldest.client_id)).toBeDefined()
      pass(1)
      await register()
      expect(await server.admit(oldest.client_id)).toBeUndefined()
      expect(await server.admit(clientId)).toBeDefined()
      const unused = `SELECT count(*) AS n FROM entry WHERE metadata = '"unused"' OR metadata ->> 'until' = 0`
      expect(sql.exec(unused).one()).toEqual({ n: 1_000 })
    }))

  const isKnown = async ({ server, urlOf }: World, client_id: string) =>
    (await server.readAuthorizationRequest({ url: urlOf({ client_id }), document: undefined }, 'key:k2')).ok

  it('whose link a person opened before signing in stays for ten minutes, however many others register', () =>
    inConnect(async (world) => {
      const { server, register } = world
      const { client_id: opened } = await register()
      const { client_id: unopened } = await register()
      await server.noteRequested(opened, null)
      pass(1)
      fill(world, 1_050)
      await register()
      expect([await isKnown(world, opened), await isKnown(world, unopened)]).toEqual([true, false])
    }))

  it('whose link was opened is evicted like any other after ten minutes', () =>
    inConnect(async (world) => {
      const { server, register } = world
      const { client_id: opened } = await register()
      await server.noteRequested(opened, null)
      pass(10 * MINUTE)
      fill(world, 1_050)
      await register()
      expect(await isKnown(world, opened)).toBe(false)
    }))

  it('is evicted first if its address has the most', () =>
    inConnect(async (world) => {
      const { sql, register } = world
      const { client_id: other } = await register({}, '192.0.2.1')
      const { client_id: unknown } = await register()
      pass(1)
      fill(world, 1_050)
      sql.exec(`UPDATE entry SET metadata = '{"until":0,"address":"192.0.2.2"}' WHERE key GLOB 'client:many*'`)
      await register({}, '192.0.2.2')
      expect([await isKnown(world, other), await isKnown(world, unknown)]).toEqual([true, true])
    }))

  it.each([
    ['one address', 20, () => '192.0.2.2'],
    ['many addresses', 500, (n: number) => `192.0.2.${n}`],
    ['an unknown address', 500, () => null],
  ])(
    'takes a limited number of places by opened links, and is not evicted by a later link: %s',
    (_, places, addressAt) =>
      inConnect(async (world) => {
        const { sql, server, register } = world
        const { client_id: first } = await register()
        await server.noteRequested(first, addressAt(0))
        fill(world, 600)
        for (let n = 1; n <= 600; n += 1) await server.noteRequested(`many${n}`, addressAt(n))
        const pending = `SELECT count(*) AS n FROM entry WHERE metadata ->> 'until' > ?`
        expect(sql.exec(pending, Date.now()).one()).toEqual({ n: places })
        pass(1)
        fill(world, 1_050)
        await register()
        expect(await isKnown(world, first)).toBe(true)
      }),
  )

  it('that is approved or an administrator’s does not change when its link is opened', () =>
    inConnect(async ({ sql, server, letIn, clientId, clients }) => {
      await letIn()
      const { client_id } = await clients.create(ORIGIN, {
        name: 'Given',
        redirect_uris: [BACK],
        token_endpoint_auth_method: 'none',
      })
      const rows = () => sql.exec("SELECT * FROM entry WHERE key GLOB 'client:*'").toArray()
      const before = rows()
      for (const id of [clientId, client_id, 'nobody']) await server.noteRequested(id, null)
      expect(rows()).toEqual(before)
    }))
})

describe('a client that an administrator registers', () => {
  const GIVEN = { name: 'Given', redirect_uris: [BACK], token_endpoint_auth_method: 'client_secret_basic' } as const

  it('has a secret that is shown once, stays valid, and ends with its agents', () =>
    inConnect(async ({ clients, letIn, token, agents, connected, server, urlOf }) => {
      await connected({ id: 'a2' })
      const { client_secret, ...given } = await clients.create(ORIGIN, GIVEN)
      expect(given).toEqual({ client_id: expect.any(String), ...GIVEN, created_at: new Date(START).toISOString() })
      pass(2 * DAY)
      const { client_id } = given
      const code = await letIn({ client: { ...AGENT.client, id: client_id } }, { client_id })
      const form = { grant_type: 'authorization_code', code, redirect_uri: BACK, code_verifier: VERIFIER }
      const withoutPkce = urlOf({ client_id, code_challenge: undefined, code_challenge_method: undefined })
      expect(await server.readAuthorizationRequest({ url: withoutPkce, document: undefined }, 'key:k1')).toEqual({
        ok: false,
        message: "PKCE is wanted: 'code_challenge' with the method S256",
        back: expect.stringContaining(`${BACK}?error=invalid_request`),
      })
      const basic = (secret: string | undefined) => `Basic ${btoa(`${client_id}:${secret}`)}`
      expect((await token(form, basic('another'))).status).toBe(401)
      const { access_token } = await token(form, basic(client_secret))
      pass(200 * DAY)
      expect(await clients.list()).toEqual([given])
      vi.setSystemTime(START + 2 * DAY)
      expect(await agents.find(ORIGIN, access_token)).toBeDefined()
      expect(await clients.remove(client_id)).toBe(true)
      expect([await clients.list(), await agents.find(ORIGIN, access_token)]).toEqual([[], undefined])
      expect(await clients.remove(client_id)).toBe(false)
      expect((await agents.list({ kind: 'user', id: 'ann' })).map(({ id }) => id)).toEqual(['a2'])
    }))

  it('may have no secret, and only a client of an administrator is listed as one', () =>
    inConnect(async ({ clients, clientId, connected, agents }) => {
      const given = await clients.create(ORIGIN, { ...GIVEN, token_endpoint_auth_method: 'none' })
      expect(given).not.toHaveProperty('client_secret')
      expect(await clients.list()).toEqual([given])
      const { access_token } = await connected({ client: { ...AGENT.client, id: clientId } })
      expect(await clients.remove(clientId)).toBe(false)
      expect(await agents.find(ORIGIN, access_token)).toBeDefined()
    }))
})
