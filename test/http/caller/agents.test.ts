import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Agent } from '../../../src/core/access/agent.ts'
import { formatHolder } from '../../../src/core/access/holder.ts'
import type { Principal } from '../../../src/core/access/principal.ts'
import { fail, ok, type Result } from '../../../src/core/failure/failure.ts'
import { createAgentAuthenticator } from '../../../src/http/caller/agents.ts'

const ORIGIN = 'https://tools.test'
const TOKEN = `${'a'.repeat(22)}:${'b'.repeat(16)}:${'c'.repeat(32)}`
const ANN: Principal = { id: 'person:ann', kind: 'person', scopes: ['tools:call'], tools: ['Gmail.*'], users: ['ann'] }
const AGENT: Agent = {
  id: 'a1',
  authenticatedBy: { kind: 'person', issuer: 'https://id.test', person: { user: 'ann', groups: [] } },
  owner: 'person:ann',
  holder: { kind: 'user', id: 'ann' },
  client: { id: 'c1', name: 'A client', host: 'client.test' },
  toolkits: ['Gmail'],
  scopes: ['tools:read', 'tools:call'],
  origin: ORIGIN,
  created_at: '2030-01-01T00:00:00Z',
  expires_at: '2030-02-01T00:00:00Z',
}

let now: number
/** The requests to the store. */
let operations: string[]
let stored: Map<string, Agent>
let owner: Result<Principal>
let broken: boolean
let tokenEnds: number
let ownerEnds: number | undefined

beforeEach(() => {
  now = Date.parse('2030-01-01T00:00:00Z')
  operations = []
  stored = new Map([[`${ORIGIN} ${TOKEN}`, AGENT]])
  owner = ok(ANN)
  broken = false
  tokenEnds = now + 3_600_000
  ownerEnds = undefined
})

const agents = () =>
  createAgentAuthenticator({
    store: {
      async find(origin, token) {
        operations.push('find')
        if (broken) throw new Error('Out of reach')
        const agent = stored.get(`${origin} ${token}`)
        return agent && { agent, expiresAt: tokenEnds }
      },
      list: async () => [...stored.values()],
      async remove(holder, id) {
        operations.push('remove')
        const found = [...stored].find(([, agent]) => agent.holder.id === holder.id && agent.id === id)
        return found !== undefined && stored.delete(found[0])
      },
      async removeAll(holder) {
        const found = [...stored].filter(([, agent]) => formatHolder(agent.holder) === formatHolder(holder))
        return found.filter(([key]) => stored.delete(key)).length
      },
    },
    loadPrincipal: async () => ({ result: owner, ...(ownerEnds && { expiresAt: ownerEnds }) }),
    now: () => now,
  })
const request = (
  headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` },
  origin = ORIGIN,
  path = '/connect/mcp',
) => new Request(`${origin}${path}`, { headers })

describe('an access token', () => {
  it('authenticates an agent with the rights of its owner', async () => {
    expect(await agents().authenticate(request())).toMatchObject({
      ok: true,
      value: { id: 'agent:a1', scopes: ['tools:call'], restrictedTo: ['Gmail.*'], users: ['ann'] },
    })
  })

  it('is authenticated without storage once it is cached', async () => {
    const known = agents()
    await known.authenticate(request())
    operations = []
    for (let call = 0; call < 100; call++) {
      expect(await known.authenticate(request())).toMatchObject({ ok: true })
    }
    expect(operations).toEqual([])
  })

  it.each([
    ['no header', {}],
    ['a key', { authorization: `Bearer sb_${'k'.repeat(43)}` }],
    ['a token in the header of keys', { 'oxp-api-key': TOKEN }],
    ['a token by another scheme', { authorization: `Basic ${TOKEN}` }],
    ['two tokens', { authorization: `Bearer ${TOKEN}, Bearer ${TOKEN}` }],
    ['a token with more behind it', { authorization: `Bearer ${TOKEN}x` }],
  ])('is required: %s is refused without a lookup', async (_, headers: Record<string, string>) => {
    expect(await agents().authenticate(request(headers))).toMatchObject({ failure: { type: 'unauthenticated' } })
    expect(operations).toEqual([])
  })

  it('does not stay if its person lost access while it was being stored', async () => {
    expect([await agents().confirm(AGENT), operations, stored.size]).toEqual([true, [], 1])
    owner = fail({ type: 'unauthenticated', reason: 'Nobody' })
    expect([await agents().confirm(AGENT), operations, stored.size]).toEqual([false, ['remove'], 0])
  })

  it('is valid only at the origin that it was issued for', async () => {
    const known = agents()
    expect(await known.authenticate(request())).toMatchObject({ ok: true })
    for (const origin of ['https://other.test', 'http://tools.test', 'https://tools.test:8443']) {
      expect(await known.authenticate(request(undefined, origin))).toMatchObject({
        failure: { type: 'unauthenticated' },
      })
    }
  })

  it('for all tools is not valid at the address of a toolset', async () => {
    const known = agents()
    expect(await known.authenticate(request())).toMatchObject({ ok: true })
    for (const path of ['/connect/mcp/t/sales', '/connect/mcp/t/sales?toolkits=Gmail', '/connect/mcp/t/SALES'])
      expect(await known.authenticate(request(undefined, ORIGIN, path))).toMatchObject({
        failure: { type: 'unauthenticated', reason: expect.stringContaining('for another address') },
      })
    expect(await known.authenticate(request(undefined, ORIGIN, '/connect/mcp?a=/mcp/t/sales'))).toMatchObject({
      ok: true,
    })
  })

  it('for a toolset is bound to it at every address', async () => {
    stored.set(`${ORIGIN} ${TOKEN}`, { ...AGENT, toolset: 'sales' })
    const known = agents()
    for (const path of ['/connect/mcp', '/connect/mcp/t/sales', '/connect/mcp/t/other', '/connect/mcp?toolset=other'])
      expect(await known.authenticate(request(undefined, ORIGIN, path))).toMatchObject({ value: { toolset: 'sales' } })
  })

  it('is rejected over plain http, without a lookup', async () => {
    expect(await agents().authenticate(request(undefined, 'http://evil.example.com'))).toMatchObject({
      failure: { type: 'unauthenticated' },
    })
    expect(operations).toEqual([])
  })

  it('follows the rights of its owner within half a minute', async () => {
    const known = agents()
    await known.authenticate(request())
    owner = fail({ type: 'unauthenticated', reason: 'No rule is for them' })
    expect(await known.authenticate(request())).toMatchObject({ ok: true })
    now += 25_000
    expect(await known.authenticate(request())).toMatchObject({ ok: false })
  })

  it.each([
    ['it is over', () => void (tokenEnds = now + 2_000)],
    ['the key of its owner is', () => void (ownerEnds = now + 2_000)],
  ])('is valid until %s', async (_, end) => {
    end()
    const known = agents()
    await known.authenticate(request())
    now += 1_999
    expect(await known.authenticate(request())).toMatchObject({ ok: true })
    now += 1
    await known.authenticate(request())
    expect(operations).toEqual(['find', 'find'])
  })

  it('is rejected if it has expired when it is looked up', async () => {
    tokenEnds = now
    expect(await agents().authenticate(request())).toMatchObject({ failure: { type: 'unauthenticated' } })
  })

  it('is rejected at once when its agent is removed or the cache is cleared', async () => {
    const known = agents()
    await known.authenticate(request())
    expect([await known.remove({ kind: 'user', id: 'bob' }, 'a1'), await known.remove(AGENT.holder, 'a2')]).toEqual([
      false,
      false,
    ])
    known.forgetAgent('a2')
    expect(await known.authenticate(request())).toMatchObject({ ok: true })
    known.forgetAgent('a1')
    expect(await known.authenticate(request())).toMatchObject({ ok: true })
    expect(operations.filter((each) => each === 'find')).toHaveLength(2)
    expect(await known.remove(AGENT.holder, 'a1')).toBe(true)
    expect(await known.authenticate(request())).toMatchObject({ ok: false })
    stored.set(`${ORIGIN} ${TOKEN}`, { ...AGENT, owner: 'key:k1' })
    now += 6_000
    expect(await known.authenticate(request())).toMatchObject({ ok: true })
    stored.clear()
    known.forgetKey('k2')
    expect(await known.authenticate(request())).toMatchObject({ ok: true })
    known.forgetKey('k1')
    expect(await known.authenticate(request())).toMatchObject({ ok: false })
  })

  it('is unavailable while the store fails, and not looked up beyond the rate', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    broken = true
    const known = agents()
    expect(await known.authenticate(request())).toMatchObject({
      failure: { type: 'unavailable', message: 'Cannot check the access token right now' },
    })
    broken = false
    const limited = fail({ type: 'rate-limited', retry_after_ms: 1 })
    expect(await known.authenticate(request(), () => limited)).toBe(limited)
    expect(operations).toEqual(['find'])
    expect(await known.authenticate(request())).toMatchObject({ ok: true })
  })
})
