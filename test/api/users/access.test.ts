import { Hono } from 'hono'
import { expect, it, vi } from 'vitest'
import { createUserAccessRoutes } from '../../../src/api/users/access/routes.ts'
import type { ApiKey } from '../../../src/core/access/api-key.ts'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { UnreachableError } from '../../../src/core/failure/failure.ts'
import type { AuditEvent } from '../../../src/core/access/audit-entry.ts'
import { authorizerFor } from '../../http/authorizer-for.ts'

function key(id: string, users: ApiKey['users']): ApiKey {
  return { id, name: id, scopes: ['tools:call'], tools: ['*'], users, created_at: '2030-01-01T00:00:00.000Z' }
}

const KEYS = [key('own', ['ann']), key('shared', ['ann', 'bob']), key('bobs', ['bob']), key('any', 'any')]
const CONTEXT = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} }

function setUp(endAll = async () => ({ revocations: [], authorizations: 2 })) {
  const removeSessions = vi.fn(async (_owner: string) => 1)
  const removeAgents = vi.fn(async () => 3)
  const removeTasks = vi.fn(async (_principal: string) => undefined)
  const events: AuditEvent[] = []
  const forgetGrantHolder = vi.fn(async () => undefined)
  const { router } = createUserAccessRoutes({
    authorize: authorizerFor(ADMIN),
    respond: (failure) => Response.json(failure, { status: failure.type === 'unavailable' ? 503 : 400 }),
    writeAuditEntry: (event) => void events.push(event),
    users: {
      list: async () => [
        { user: 'ann', sessions: 0, agents: 0, keys: 0, mayHaveGrants: true },
        { user: 'bob', sessions: 1, agents: 0, keys: 0, mayHaveGrants: true },
      ],
      forgetGrantHolder,
    },
    listKeys: async () => KEYS,
    sessions: { removeAll: removeSessions },
    agents: { list: async () => [], removeAll: removeAgents },
    grants: { endAll, list: async () => [], listConnections: async () => [] },
    removeTasks,
  })
  const app = new Hono().route('/', router)
  const send = (method: string, path: string) => app.request(path, { method }, {}, CONTEXT)
  return { send, events, removeSessions, removeAgents, removeTasks, forgetGrantHolder }
}

it("ends sessions of the person and of keys for only that user, and the user's agents, but not a principal's", async () => {
  const { send, removeSessions, removeAgents, removeTasks } = setUp()
  const answer = await send('DELETE', '/users/ann/access')
  expect(await answer.json()).toMatchObject({
    sessions: 2,
    agents: 3,
    authorizations: 2,
    keys: [
      { id: 'own', name: 'own' },
      { id: 'shared', name: 'shared' },
    ],
  })
  expect(removeSessions.mock.calls).toEqual([['person:ann'], ['key:own']])
  expect(removeAgents.mock.calls).toEqual([[{ kind: 'user', id: 'ann' }]])
  expect(removeTasks.mock.calls).toEqual([['person:ann'], ['jwt:ann']])
})

it.each(['admin', 'key:own', 'person:ann', '["user","ann"]'])(
  'ends nothing of another holder with a name like the user %j',
  async (user) => {
    const { send, removeSessions, removeAgents } = setUp()
    expect((await send('DELETE', `/users/${encodeURIComponent(user)}/access`)).status).toBe(200)
    expect(removeSessions.mock.calls).toEqual([[`person:${user}`]])
    expect(removeAgents.mock.calls).toEqual([[{ kind: 'user', id: user }]])
  },
)

it('reports what was ended if the vault is unreachable, also in the audit log', async () => {
  const { send, events } = setUp(() => Promise.reject(new UnreachableError('Switchboard cannot reach its vaults')))
  const answer = await send('DELETE', '/users/ann/access')
  expect(answer.status).toBe(503)
  expect(await answer.text()).toContain('2 sessions and 3 agents were ended, but accounts may remain')
  expect(events).toMatchObject([
    { act: 'access.end', outcome: 'unavailable', about: { user_id: 'ann', sessions: 2, agents: 3 } },
  ])
})

it('does not list a user whose last grant was deleted, and removes the record of it', async () => {
  const { send, forgetGrantHolder } = setUp()
  const items = [{ user_id: 'bob', accounts: 0, sessions: 1, agents: 0, keys: 0 }]
  expect(await (await send('GET', '/users')).json()).toEqual({ items })
  expect(forgetGrantHolder.mock.calls).toEqual([['ann'], ['bob']])
})
