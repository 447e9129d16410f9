import { expect, it, vi } from 'vitest'
import type { Challenge } from '../../src/client/index.ts'
import { clientOf, gave, json } from './answers.ts'

const LINK = { id: 'mail', url: 'https://switchboard.test/authorizations/a1/start' }
const CHECK = 'https://elsewhere.test/authorizations/a1'
const challenged = (check_url?: string) =>
  json({ message: 'Needs more', missing_requirements: { authorization: [{ ...LINK, check_url }] } }, 400)
const state = (status: string, more = {}) =>
  json({
    id: 'a1',
    provider: 'mail',
    user_id: 'ann',
    scopes: ['mail.read'],
    status,
    expires_at: '2026-01-01T00:15:00Z',
    ...more,
  })

it('a challenge is thrown with its link, its scopes and its person', async () => {
  const { client, asked } = clientOf([challenged(CHECK), state('not_started')], { key: 'sb_k' })
  await expect(client.call('Mail.Get')).rejects.toMatchObject({
    code: 'authorization_required',
    message: 'Needs more',
    details: {
      challenges: [{ ...LINK, checkUrl: CHECK, scopes: ['mail.read'], user: 'ann', expiresAt: '2026-01-01T00:15:00Z' }],
    },
  })
  // The key is only sent to the deployment
  expect(asked.map(({ url }) => url.href)).toEqual([
    'https://switchboard.test/tools/call',
    'https://switchboard.test/authorizations/a1',
  ])
})

it('a challenge is thrown without details if these cannot be read', async () => {
  const { client } = clientOf([challenged(CHECK), json({ message: 'No' }, 403)])
  await expect(client.call('Mail.Get')).rejects.toMatchObject({
    code: 'authorization_required',
    details: { challenges: [{ ...LINK, checkUrl: CHECK }] },
  })
})

it('a challenge is waited for on request, as often as the deployment says, and the call continues under its id', async () => {
  vi.useFakeTimers()
  try {
    const answers = [challenged(CHECK), state('not_started'), state('pending'), state('completed'), gave(['mail'])]
    const { client, asked } = clientOf(answers)
    const shown: Challenge[] = []
    const called = client.call('Mail.Get', {}, { waitForAuthorization: (all) => void shown.push(...all) })
    await vi.advanceTimersByTimeAsync(999)
    expect(asked).toHaveLength(3)
    await vi.advanceTimersByTimeAsync(1)
    expect((await called).value).toEqual(['mail'])
    expect(shown).toMatchObject([{ ...LINK, scopes: ['mail.read'] }])
    expect(asked.map(({ url }) => url.pathname + url.search)).toEqual([
      '/tools/call',
      '/authorizations/a1',
      '/authorizations/a1',
      '/authorizations/a1?wait=59',
      '/tools/call',
    ])
    expect(asked[0]?.body.request.call_id).toBe(asked[4]?.body.request.call_id)
  } finally {
    vi.useRealTimers()
  }
})

it.each([
  ['they refuse', state('failed', { reason: 'The person refused' }), 'The person refused'],
  ['the link has ended', json({ message: 'Unknown' }, 404), 'The link has ended'],
])('a challenge ends the call if %s', async (_, answer, message) => {
  const { client } = clientOf([challenged(CHECK), state('not_started'), answer])
  const called = client.call('Mail.Get', {}, { waitForAuthorization: () => undefined })
  await expect(called).rejects.toMatchObject({ code: 'authorization_failed', message })
})

it('a challenge without a link is not waited for', async () => {
  const { client } = clientOf([challenged()])
  const called = client.call('Mail.Get', {}, { waitForAuthorization: () => undefined })
  await expect(called).rejects.toMatchObject({
    code: 'authorization_failed',
    message: "Nobody can tell when 'mail' is done: name the user of the call",
  })
})

it('a challenge is not shown if the call names no user', async () => {
  const missing_requirements = { authorization: [LINK], user_id: true }
  const { client } = clientOf([json({ message: 'Needs more', missing_requirements }, 400)])
  const called = client.call('Mail.Get', {}, { waitForAuthorization: () => expect.unreachable() })
  await expect(called).rejects.toMatchObject({ code: 'requirements_missing', details: { missing: { user: true } } })
})

it('a challenge that keeps returning ends the call eventually', async () => {
  const round = [challenged(CHECK), state('not_started'), state('completed')]
  const { client, asked } = clientOf([...round, ...round, ...round, ...round, ...round, gave('never')])
  const called = client.call('Mail.Get', {}, { waitForAuthorization: () => undefined })
  await expect(called).rejects.toMatchObject({ code: 'authorization_required' })
  expect(asked).toHaveLength(14)
})

it('a challenge is waited for until the caller aborts', async () => {
  const stop = new AbortController()
  const { client } = clientOf([challenged(CHECK), state('not_started'), state('pending')])
  const called = client.call('Mail.Get', {}, { signal: stop.signal, waitForAuthorization: () => stop.abort() })
  await expect(called).rejects.toMatchObject({ code: 'cancelled' })
})
