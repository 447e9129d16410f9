import { expect, it, vi } from 'vitest'
import { createScimRoutes } from '../../../src/api/scim/routes.ts'
import type { AuditEvent } from '../../../src/core/access/audit-entry.ts'
import type { Directory } from '../../../src/core/access/directory.ts'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { fail, ok } from '../../../src/core/failure/failure.ts'
import { authorizerFor } from '../../http/authorizer-for.ts'

const CONTEXT = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} }
const ANN = { id: 'u1', userName: 'ann', active: false, emails: [] }
const ended = (user_id: string) => ({ user_id, sessions: 1, agents: 0, accounts: 0, authorizations: 0 })
const AWAY = fail({ type: 'unavailable', message: 'Accounts may remain. Send the request again' })

function setUp(endAccess: (user: string) => Promise<object>) {
  const events: AuditEvent[] = []
  const onChange = vi.fn()
  const directory = {
    changeDirectory: vi.fn<Directory['changeDirectory']>(async () => ({ entry: ANN, leavers: ['ann', '00u1', 'ann'] })),
    removeDirectoryEntry: vi.fn<Directory['removeDirectoryEntry']>(async () => undefined),
    listDirectory: async () => ({ total: 0, entries: [] }),
  }
  const router = createScimRoutes({
    authorize: authorizerFor(ADMIN),
    respond: ({ type }) =>
      new Response('', { status: type === 'unavailable' ? 503 : 400, headers: { 'retry-after': '1' } }),
    writeAuditEntry: (event) => void events.push(event),
    directory,
    endAccess: endAccess as Parameters<typeof createScimRoutes>[0]['endAccess'],
    newId: () => 'u1',
    onChange,
  })
  const send = (method: string, body?: object) =>
    router.request(
      '/scim/v2/Users/u1',
      {
        method,
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/scim+json' } }),
      },
      {},
      CONTEXT,
    )
  return { events, onChange, directory, send }
}

const OFF = { Operations: [{ op: 'replace', value: { active: false } }] }

it('ends everything that a user has under each id, once, before it responds', async () => {
  const endAccess = vi.fn(async (user: string) => ok({ ...ended(user), not_revoked: [], keys: [] }))
  const { send, events, onChange } = setUp(endAccess)
  expect((await send('PATCH', OFF)).status).toBe(200)
  expect(endAccess.mock.calls.map(([user]) => user)).toEqual(['ann', '00u1'])
  expect(onChange).toHaveBeenCalledOnce()
  const about = { id: 'u1', name: 'ann', ended: [ended('ann'), ended('00u1')] }
  expect(events).toMatchObject([{ act: 'scim.put', outcome: 'success', about }])
})

it('fails if something cannot be ended, so that the directory sends the request again, and deletes nothing', async () => {
  const { send, directory, onChange, events } = setUp(async (user) => (user === 'ann' ? ok(ended(user)) : AWAY))
  for (const answer of [await send('PATCH', OFF), await send('DELETE')]) {
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(answer.headers.get('content-type')).toBe('application/scim+json')
    expect(await answer.json()).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '503',
      detail: 'Accounts may remain. Send the request again',
    })
  }
  expect(directory.removeDirectoryEntry).not.toHaveBeenCalled()
  // A user who is cached as active is still looked up again
  expect(onChange).toHaveBeenCalledTimes(2)
  expect(events).toMatchObject([
    { act: 'scim.put', outcome: 'unavailable', about: { name: 'ann' } },
    { act: 'scim.remove', outcome: 'unavailable', about: { name: 'ann' } },
  ])
})

it('deletes a user after deactivating them', async () => {
  const { send, directory } = setUp(async (user) => ok(ended(user)))
  expect((await send('DELETE')).status).toBe(204)
  expect(directory.changeDirectory).toHaveBeenCalledWith(
    'User',
    'u1',
    { Operations: [{ op: 'replace', path: 'active', value: false }] },
    false,
  )
  expect(directory.removeDirectoryEntry).toHaveBeenCalledWith('u1')
})
