import { expect, it } from 'vitest'
import { createTokenRenewer } from '../../../src/core/call/renewal.ts'
import type { TokenResult } from '../../../src/core/call/user-tokens.ts'
import type { Credential } from '../../../src/core/call/invocation.ts'
import { challengeOf, REACHED_AT, recordWith, type World, worldOf } from './fakes.ts'

const record = recordWith({ providers: ['mail', 'chat'] })
const MAIL: Credential = { value: 'mail-1', from: 'deployment', account: '' }
const refused: TokenResult = { challenge: challengeOf('mail'), reason: 'Mail refused the token' }
const refusedBy = (id: string): TokenResult => ({ challenge: challengeOf(id), reason: `Refused by ${id}` })

function renewing(renew?: World['renew'], tokens: Readonly<Record<string, Credential>> = { mail: MAIL }) {
  const { deps, asked } = worldOf(renew ? { renew } : {})
  const defects: unknown[] = []
  const renewals = createTokenRenewer(record, new Map(Object.entries(tokens)), {
    userId: 'ann',
    hosts: [],
    chargedTo: 'key:k1',
    requestUrl: () => REACHED_AT,
    userTokens: deps.userTokens,
    defect: (error) => void defects.push(error),
  })
  if (!renewals) throw new Error('There is nothing to renew')
  return { ...renewals, asked, defects }
}

it('a refused token that only the operator can fix says so only to the operator', async () => {
  const { renew, failure } = renewing(() => ({ unavailable: 'Its operator must help', forOperator: 'Set KEY' }))
  await renew('mail', 'mail-1')
  expect(failure()).toEqual({
    type: 'tool-failed',
    message: 'Its operator must help',
    forOperator: 'Set KEY',
    can_retry: true,
  })
  const both = renewing(
    ({ requirement: { id } }) => ({ ...refusedBy(id), ...(id === 'mail' ? { forOperator: 'Set KEY' } : {}) }),
    { mail: MAIL, chat: { value: 'chat-1', from: 'deployment', account: '' } },
  )
  await both.renew('mail', 'mail-1')
  await both.renew('chat', 'chat-1')
  expect(both.failure()).toMatchObject({
    detail: 'Refused by mail; Refused by chat',
    forOperator: 'Set KEY; Refused by chat',
  })
})

it('a refused token is renewed once, and if the new one is refused as well, only the user can help', async () => {
  const { renew, renewedTokens, failure, asked } = renewing((_, _token, final) =>
    final ? refused : { token: 'mail-2', account: '' },
  )
  expect(await renew('mail', 'mail-1')).toBe('mail-2')
  expect(failure()).toBeUndefined()
  expect(await renew('mail', 'mail-2')).toBeUndefined()
  expect(await renew('mail', 'mail-2')).toBeUndefined()
  expect(asked).toEqual(['renew ann mail mail-1', 'renew ann mail mail-2 final'])
  expect(renewedTokens).toEqual(['mail-2'])
  expect(failure()).toMatchObject({
    type: 'requirements-missing',
    authorization: [challengeOf('mail')],
    detail: 'Mail refused the token',
  })
})

it('a refused token is renewed once for all requests that were refused with it', async () => {
  const { renew, asked } = renewing()
  const tokens = await Promise.all([1, 2, 3].map(() => renew('mail', 'mail-1')))
  expect(tokens).toEqual(['mail-2', 'mail-2', 'mail-2'])
  // One that comes late gets what the others got
  expect(await renew('mail', 'mail-1')).toBe('mail-2')
  expect(asked).toEqual(['renew ann mail mail-1'])
})

it('a refused token is not renewed a third time, even if there is a newer grant', async () => {
  let count = 1
  const { renew, failure, renewedTokens } = renewing(() => ({ token: `mail-${++count}`, account: '' }))
  expect(await renew('mail', 'mail-1')).toBe('mail-2')
  expect(await renew('mail', 'mail-2')).toBeUndefined()
  expect(failure()).toBeUndefined()
  expect(renewedTokens).toEqual(['mail-2', 'mail-3'])
})

it('a refused token may be renewed later if the provider or our storage is unreachable', async () => {
  const away = renewing(() => ({ unavailable: "'mail' did not answer", retry_after_ms: 9 }))
  expect(await away.renew('mail', 'mail-1')).toBeUndefined()
  expect(away.failure()).toEqual({
    type: 'tool-failed',
    message: "'mail' did not answer",
    can_retry: true,
    retry_after_ms: 9,
  })
  const broken = renewing(() => Promise.reject(new Error('Storage')))
  expect(await broken.renew('mail', 'mail-1')).toBeUndefined()
  expect(broken.failure()).toStrictEqual({
    type: 'tool-failed',
    message: "The token of 'mail' could not be renewed",
    can_retry: true,
  })
  expect(broken.defects).toEqual([new Error('Storage')])
})

it('a refused token is not renewed if it is the caller’s own, or of a provider that the tool does not declare', async () => {
  const { renew, asked, defects, failure } = renewing(undefined, {
    mail: { value: 'own', from: 'caller' },
    other: MAIL,
  })
  expect(await renew('mail', 'own')).toBeUndefined()
  expect(await renew('other', 'mail-1')).toBeUndefined()
  expect(await renew('nope', 'x')).toBeUndefined()
  expect({ asked, defects }).toEqual({ asked: [], defects: [] })
  expect(failure()).toBeUndefined()
})

it('refused tokens of several providers lead to all of their challenges', async () => {
  const both = { mail: MAIL, chat: { value: 'chat-1', from: 'deployment', account: '' } as const }
  const { renew, failure } = renewing(({ requirement: { id } }) => refusedBy(id), both)
  await renew('mail', 'mail-1')
  await renew('chat', 'chat-1')
  expect(failure()).toMatchObject({
    authorization: [challengeOf('mail'), challengeOf('chat')],
    detail: 'Refused by mail; Refused by chat',
  })
})

it('a refused token is renewed for the provider that the tool requires, for its user and account', async () => {
  const seen: unknown[] = []
  const ofWork: Credential = { ...MAIL, account: 'work' }
  const given = { token: 'mail-2', account: 'work' }
  const { renew } = renewing((required) => (seen.push(required), given), { mail: ofWork })
  await renew('mail', 'mail-1')
  const required = { userId: 'ann', requirement: { id: 'mail' }, tool: record, hosts: [], account: 'work' }
  expect(seen).toEqual([{ ...required, chargedTo: 'key:k1', requestUrl: expect.any(Function) }])
})

it('a refused token is not renewed again once the provider issued none, even with the first token', async () => {
  const { renew, asked, renewedTokens } = renewing(() => refused)
  expect(await renew('mail', 'mail-1')).toBeUndefined()
  expect(await renew('mail', 'something else')).toBeUndefined()
  expect(asked).toEqual(['renew ann mail mail-1'])
  expect(renewedTokens).toEqual([])
})

it('refused tokens of one provider while another is unreachable: the user is asked, and told of both', async () => {
  const both = { mail: MAIL, chat: { value: 'chat-1', from: 'deployment', account: '' } as const }
  const { renew, failure } = renewing(
    ({ requirement: { id } }) => (id === 'mail' ? { unavailable: "'mail' is away" } : refusedBy(id)),
    both,
  )
  expect(failure()).toBeUndefined()
  await renew('mail', 'mail-1')
  expect(failure()).toMatchObject({ type: 'tool-failed', message: "'mail' is away" })
  await renew('chat', 'chat-1')
  expect(failure()).toStrictEqual({
    type: 'requirements-missing',
    tool: 'Example.Tool',
    authorization: [challengeOf('chat')],
    secrets: [],
    user_id: false,
    detail: "'mail' is away; Refused by chat",
  })
})

it('refused tokens of several providers are each renewed', async () => {
  const both = { mail: MAIL, chat: { value: 'chat-1', from: 'deployment', account: '' } as const }
  const { renew, renewedTokens } = renewing(undefined, both)
  expect(await Promise.all([renew('mail', 'mail-1'), renew('chat', 'chat-1')])).toEqual(['mail-2', 'chat-2'])
  expect(renewedTokens).toEqual(['mail-2', 'chat-2'])
})

it('there is nothing to renew if no token is the deployment’s', () => {
  const { deps } = worldOf()
  const options = {
    userId: 'ann',
    hosts: [],
    chargedTo: 'key:k1',
    requestUrl: () => REACHED_AT,
    userTokens: deps.userTokens,
    defect: () => undefined,
  }
  expect(createTokenRenewer(record, new Map(), options)).toBeUndefined()
  expect(createTokenRenewer(record, new Map([['mail', { value: 'own', from: 'caller' }]]), options)).toBeUndefined()
})
