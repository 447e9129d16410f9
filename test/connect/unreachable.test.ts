import { expect, it } from 'vitest'
import { fail, UnreachableError } from '../../src/core/failure/failure.ts'
import { AWAY, awayOf } from '../http/on-page-error.ts'
import { faceWith } from './face.ts'

const away = () => Promise.reject(new UnreachableError('Switchboard cannot reach its connected agents right now'))

it('the consent page of an agent is shown while everything is reachable', async () => {
  const { ask, decide } = faceWith()
  expect((await ask()).status).toBe(200)
  expect((await decide()).headers.get('location')).toContain('code=c')
})

it.each<[string, ReturnType<typeof faceWith>]>([
  ['agents', faceWith({}, { readAuthorizationRequest: away })],
  ['tools', faceWith({ installBundle: away })],
  [
    'the session',
    faceWith({ sessions: { findSession: async () => fail({ type: 'unavailable', message: 'Not now' }) } }),
  ],
])('the consent page of an agent explains to a person that %s cannot be reached', async (_, { ask, decide }) => {
  expect(await awayOf(await ask())).toEqual(AWAY)
  expect(await awayOf(await decide())).toEqual(AWAY)
})

it('the consent page of an agent explains it if agents become unreachable before the form is sent', async () => {
  const { ask, decide } = faceWith({}, { authorizeAgent: away })
  expect((await ask()).status).toBe(200)
  expect(await awayOf(await decide())).toEqual(AWAY)
})

it('the consent page of an agent tells a visitor who exceeds the limit when to retry', async () => {
  const { ask } = faceWith({ limitAnonymous: () => fail({ type: 'rate-limited', retry_after_ms: 9_000 }) })
  const answer = await ask()
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '9'])
  expect(await answer.text()).toContain('Too many requests')
})

it('the token endpoint responds with JSON while agents are unreachable', async () => {
  const answer = await faceWith({}, { token: away }).redeem()
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ error: 'temporarily_unavailable' })
})
