import { Hono } from 'hono'
import { expect, it, vi } from 'vitest'
import { createAgentsRoutes } from '../../../src/api/users/agents/routes.ts'
import { ADMIN, ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import { formatHolder, type Holder } from '../../../src/core/access/holder.ts'
import { authorizerFor } from '../../http/authorizer-for.ts'

const KEY: Principal = { id: 'key:k1', kind: 'key', scopes: ['tools:call'], tools: ['*'], users: [] }
const STATUS: Readonly<Record<string, number>> = { 'unauthenticated': 401, 'forbidden': 403, 'not-found': 404 }

/** Returns the statuses of listing, ending one and ending all, and the users whose agents were requested. */
async function tried(caller: Principal, user: string) {
  const agents = {
    list: vi.fn<(holder: Holder) => Promise<[]>>(async () => []),
    remove: vi.fn(async () => true),
    removeAll: vi.fn<(holder: Holder) => Promise<number>>(async () => 0),
  }
  const respond = ({ type }: { type: string }) => new Response(null, { status: STATUS[type] ?? 400 })
  const app = new Hono().route('/', createAgentsRoutes({ authorize: authorizerFor(caller), agents, respond }))
  const path = `/users/${encodeURIComponent(user)}/agents`
  const answers = [
    await app.request(path),
    await app.request(`${path}/a1`, { method: 'DELETE' }),
    await app.request(path, { method: 'DELETE' }),
  ]
  const [listed, removed] = [agents.list, agents.removeAll].map(({ mock }) =>
    mock.calls.map(([holder]) => formatHolder(holder)),
  )
  expect(removed).toEqual(listed)
  return { statuses: answers.map(({ status }) => status), whose: listed }
}

const OWN = '["principal","key:k1"]'

it.each<[string, Principal, string, readonly string[]]>([
  ['of a user for whom somebody may act', { ...KEY, users: ['ann', 'bob'] }, 'bob', ['["user","bob"]']],
  ['of somebody who may act for nobody, under their own name', KEY, 'key:k1', [OWN]],
  ['of somebody who may act for several, under their own name', { ...KEY, users: ['ann', 'bob'] }, 'key:k1', [OWN]],
  ['of anybody, for administrators', ADMIN, 'key:k1', [OWN, '["user","key:k1"]']],
])('lists and removes agents %s', async (_, caller, user, whose) => {
  expect(await tried(caller, user)).toEqual({ statuses: [200, 204, 204], whose })
})

it.each<[string, Principal, string]>([
  ['a user who is called as the administrator', { ...KEY, id: 'jwt:admin', kind: 'jwt', users: ['admin'] }, 'admin'],
  ['a user who is called as a key', { ...KEY, id: 'jwt:key:k1', kind: 'jwt', users: ['key:k1'] }, 'key:k1'],
  ['a key that may act for any user', { ...KEY, id: 'key:k2', users: 'any' }, 'key:k1'],
  ['a key that may act for any user, of the administrator', { ...KEY, id: 'key:k2', users: 'any' }, 'admin'],
])('does not show agents of a principal to %s', async (_, caller, id) => {
  expect((await tried(caller, id)).whose).toEqual([formatHolder({ kind: 'user', id })])
})

it.each<[string, Principal, string, number]>([
  ['another user', { ...KEY, users: ['ann'] }, 'bob', 403],
  ['another principal', KEY, 'key:k2', 403],
  ['their principal, where they are one user', { ...KEY, users: ['ann'] }, 'key:k1', 403],
  ['anybody, to the anonymous', ANONYMOUS, ANONYMOUS.id, 401],
])('rejects reading agents of %s', async (_, caller, user, status) => {
  const anyone = { ...caller, scopes: KEY.scopes }
  expect(await tried(anyone, user)).toEqual({ statuses: [status, status, status], whose: [] })
})
