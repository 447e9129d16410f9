import { NO_USER } from '../../../src/core/failure/failure-text.ts'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import { toRequirementsFailure, type MissingRequirement } from '../../../src/core/call/missing-requirements.ts'
import { meetRequirements } from '../../../src/core/call/requirements.ts'
import {
  callWith,
  challengeOf,
  PUBLISHER,
  type Given,
  type Needs,
  REACHED_AT,
  recordWith,
  type World,
  worldOf,
} from './fakes.ts'

async function meet(needs: Needs, given: Given = {}, world: World = {}) {
  const { deps, asked } = worldOf(world)
  const met = await meetRequirements(
    recordWith(needs),
    PUBLISHER,
    callWith(given).context,
    given.userId,
    { requestUrl: () => REACHED_AT, hosts: HOSTS, chargedTo: 'key:k1' },
    deps,
  )
  return { met, asked }
}

const HOSTS = ['api.example']
const MAIL = { providers: ['mail'] }

it("requirements are met by the caller's own secrets first, and otherwise by the deployment's", async () => {
  const secrets = { OWN: 'own', EMPTY: '', OTHER: 'not declared' }
  const world: World = { secretOf: (id) => `deployed ${id}` }
  const { met } = await meet({ secrets: ['OWN', 'EMPTY', 'KEY'] }, { secrets }, world)
  expect(met).toEqual({
    ok: true,
    secrets: new Map([
      ['OWN', { value: 'own', from: 'caller' }],
      ['EMPTY', { value: 'deployed EMPTY', from: 'deployment' }],
      ['KEY', { value: 'deployed KEY', from: 'deployment' }],
    ]),
    tokens: new Map(),
  })
})

it('requirements are not met for a tool whose publisher was not trusted, and no grant is looked up', async () => {
  const { deps, asked } = worldOf({ secretOf: (id) => (id === 'KEY' ? 'deployed' : undefined) })
  const ask = (needs: Needs, given: Given = {}) =>
    meetRequirements(
      recordWith(needs),
      { principal: 'key:any', trusted: false },
      callWith(given).context,
      'ann',
      { requestUrl: () => REACHED_AT, hosts: HOSTS, chargedTo: 'key:k1' },
      deps,
    )
  const withheld = (...credentials: string[]) => ({
    ok: false,
    failure: { type: 'tool-untrusted', id: 'Example.Tool@1.0.0', credentials },
  })
  expect(await ask({ secrets: ['KEY'], ...MAIL })).toEqual(withheld("the secret 'KEY'", "users' tokens of 'mail'"))
  expect(await ask({ ...MAIL, secrets: ['OWN'] }, { secrets: { OWN: 'own' } })).toEqual(
    withheld("users' tokens of 'mail'"),
  )
  expect(await ask({ secrets: ['KEY'] }, { secrets: { KEY: 'own' } })).toMatchObject({ ok: true })
  expect(await ask(MAIL, { tokens: { mail: 'own' } })).toMatchObject({ ok: true })
  expect(await ask({ user_id: true })).toMatchObject({ ok: true })
  expect(asked.filter((each) => each.startsWith('token'))).toEqual([])
})

it('requirements that are missing report secrets and the user', async () => {
  const missing = { type: 'requirements-missing', tool: 'Example.Tool', authorization: [] }
  expect((await meet({ secrets: ['A', 'B'] })).met).toEqual({
    ok: false,
    failure: {
      ...missing,
      secrets: [{ id: 'A' }, { id: 'B' }],
      user_id: false,
      detail:
        "An administrator must set the secret 'A' and allow it for the tool; An administrator must set the secret 'B' and allow it for the tool",
      forOperator: "No 'A'; No 'B'",
    },
  })
  for (const given of [{}, { userId: '' }]) {
    expect((await meet({ user_id: true }, given)).met).toEqual({
      ok: false,
      failure: { ...missing, secrets: [], user_id: true, detail: NO_USER },
    })
  }
  const met = { ok: true, secrets: new Map(), tokens: new Map() }
  expect((await meet({ user_id: true }, { userId: 'ann' })).met).toEqual(met)
})

it("requirements of a caller's own token ask only the caller for it", async () => {
  const { deps, asked } = worldOf({})
  const record = recordWith({})
  const requirements = { ...record.requirements, authorization: [{ id: 'token' }] }
  const meetWith = (given: Given) =>
    meetRequirements(
      { ...record, requirements },
      PUBLISHER,
      callWith(given).context,
      given.userId,
      { requestUrl: () => REACHED_AT, hosts: HOSTS, chargedTo: 'key:k1' },
      deps,
    )
  for (const given of [{}, { userId: 'ann' }]) {
    expect(await meetWith(given)).toEqual({
      ok: false,
      failure: {
        type: 'requirements-missing',
        tool: 'Example.Tool',
        authorization: [],
        tokens: [{ id: 'token' }],
        secrets: [],
        user_id: false,
        detail: "Send the token that the tool calls 'token'",
      },
    })
  }
  expect(await meetWith({ tokens: { '*': 'T' } })).toMatchObject({
    tokens: new Map([['token', { value: 'T', from: 'caller' }]]),
  })
  expect(asked).toEqual([])
})

it('requirements of two providers are not met if either is unreachable', async () => {
  const providers = ['mail', 'chat']
  for (const down of providers) {
    const { met, asked } = await meet(
      { providers },
      { userId: 'ann' },
      {
        tokenFor: ({ requirement: { id } }) =>
          id === down ? { unavailable: `'${id}' is down` } : { token: 't', account: '' },
      },
    )
    const failure = { type: 'tool-failed', message: `'${down}' is down`, can_retry: true }
    expect(met).toStrictEqual({ ok: false, failure })
    expect(asked).toEqual(['token ann mail', 'token ann chat'])
  }
})

it('requirements are met for each provider, and a token without a provider counts only for the first', async () => {
  const first = await meet({ providers: ['mail', 'chat'] }, { userId: 'ann', tokens: { '*': 'any', 'chat': 'own' } })
  expect(first.met).toMatchObject({
    tokens: new Map([
      ['mail', { value: 'any', from: 'caller' }],
      ['chat', { value: 'own', from: 'caller' }],
    ]),
  })
  const named = await meet({ providers: ['mail', 'chat'] }, { userId: 'ann', tokens: { 'mail': 'own', '*': 'any' } })
  expect(named.met).toMatchObject({
    tokens: new Map([
      ['mail', { value: 'own', from: 'caller' }],
      ['chat', { value: expect.not.stringMatching('any'), from: 'deployment' }],
    ]),
  })
  expect({ first: first.asked, named: named.asked }).toEqual({ first: [], named: ['token ann chat'] })
  const half = await meet({ providers: ['mail', 'chat'] }, { userId: 'ann', tokens: { mail: 'own' } })
  expect(half.asked).toEqual(['token ann chat'])
})

it("requirements are requested by provider, scopes and user, for the tool, with the request's URL", async () => {
  const seen: unknown[] = []
  const { deps } = worldOf({ tokenFor: (required) => (seen.push(required), { token: 't', account: '' }) })
  const requestUrl = () => REACHED_AT
  const record = recordWith(MAIL)
  await meetRequirements(
    record,
    PUBLISHER,
    callWith().context,
    'ann',
    { requestUrl, hosts: HOSTS, chargedTo: 'key:k1' },
    deps,
  )
  expect(seen).toEqual([
    { userId: 'ann', requirement: { id: 'mail' }, tool: record, hosts: HOSTS, chargedTo: 'key:k1', requestUrl },
  ])
})

it('requirements use the account in the context, and list the accounts if several exist and none is named', async () => {
  const seen: unknown[] = []
  const { deps } = worldOf({
    tokenFor: ({ account }) => (
      seen.push(account),
      account === undefined ? { accounts: ['', 'work'] } : { token: 't', account: '' }
    ),
  })
  const meetWith = (values: JsonObject) => {
    const context = { ...callWith().context, values }
    return meetRequirements(
      recordWith(MAIL),
      PUBLISHER,
      context,
      'ann',
      { requestUrl: () => REACHED_AT, chargedTo: 'key:k1' },
      deps,
    )
  }
  expect(await meetWith({ account: 'work' })).toMatchObject({ ok: true })
  expect(await meetWith({ account: '' })).toMatchObject({ ok: true })
  expect(await meetWith({ account: 7 })).toEqual({
    ok: false,
    failure: {
      type: 'request-malformed',
      message: "The user has several accounts at 'mail': name one in the call's context, as 'account'",
      detail: 'Wanted one of "", "work"',
    },
  })
  expect(seen).toEqual(['work', '', undefined])
})

it("requirements are met by the user's grant", async () => {
  const { met, asked } = await meet(MAIL, { userId: 'ann' })
  const tokens = new Map([['mail', { value: 'mail-1', from: 'deployment', account: '' }]])
  expect(met).toEqual({ ok: true, secrets: new Map(), tokens })
  expect(asked).toEqual(['token ann mail'])
})

it("requirements are met by the caller's own token, without looking up a grant or user", async () => {
  for (const id of ['mail', '*']) {
    const { met, asked } = await meet(MAIL, { tokens: { [id]: 'own' } })
    expect(met).toMatchObject({ ok: true, tokens: new Map([['mail', { value: 'own', from: 'caller' }]]) })
    expect(asked).toEqual([])
  }
})

it('requirements are a challenge if the user has not granted access', async () => {
  const { met } = await meet(
    MAIL,
    { userId: 'ann' },
    { tokenFor: () => ({ challenge: challengeOf('mail'), reason: 'Not granted' }) },
  )
  expect(met).toMatchObject({
    ok: false,
    failure: {
      type: 'requirements-missing',
      authorization: [challengeOf('mail')],
      user_id: false,
      detail: 'Not granted',
    },
  })
})

it('requirements of a grant also need a user, without whom no one is asked', async () => {
  for (const user_id of [false, true]) {
    const { met, asked } = await meet({ ...MAIL, user_id })
    expect(met).toEqual({
      ok: false,
      failure: {
        type: 'requirements-missing',
        tool: 'Example.Tool',
        authorization: [
          { id: 'mail', url: 'https://edge.example/authorizations/mail/start', scopes: [], status: 'not_started' },
        ],
        secrets: [],
        user_id: true,
        detail: NO_USER,
      },
    })
    expect(asked).toEqual([])
  }
})

it("requirements keep a provider's name in one segment of the link, whatever its characters", async () => {
  const { met } = await meet({ providers: ['../a b?\ud800'] })
  const url = 'https://edge.example/authorizations/..%2Fa%20b%3F%EF%BF%BD/start'
  expect(met).toMatchObject({ failure: { authorization: [{ url }] } })
})

it('requirements cannot be met for now if the provider is unreachable, which may be retried', async () => {
  const away = { unavailable: "'mail' did not answer", retry_after_ms: 5 }
  const { met } = await meet(MAIL, { userId: 'ann' }, { tokenFor: () => away })
  const failure = { type: 'tool-failed', message: "'mail' did not answer", can_retry: true, retry_after_ms: 5 }
  expect(met).toEqual({ ok: false, failure })
})

it('requirements are all reported at once', async () => {
  const { met, asked } = await meet(
    { secrets: ['KEY'], providers: ['mail', 'chat', 'away'] },
    { userId: 'ann' },
    {
      tokenFor: ({ requirement: { id } }) =>
        id === 'away' ? { unavailable: "'away' is away" } : { challenge: challengeOf(id), reason: `Not at ${id}` },
    },
  )
  expect(asked).toEqual(['token ann mail', 'token ann chat', 'token ann away'])
  expect(met).toMatchObject({
    failure: {
      type: 'requirements-missing',
      authorization: [challengeOf('mail'), challengeOf('chat')],
      secrets: [{ id: 'KEY' }],
      detail:
        "An administrator must set the secret 'KEY' and allow it for the tool; Not at mail; Not at chat; 'away' is away",
      forOperator: "No 'KEY'; Not at mail; Not at chat; 'away' is away",
    },
  })
})

it('requirements without a user list their scopes, and a link without an origin if there is none', async () => {
  const record = recordWith(MAIL)
  const requirements = { ...record.requirements, authorization: [{ id: 'mail', oauth2: { scopes: ['mail.read'] } }] }
  const { deps } = worldOf()
  const meetAt = (url: string) =>
    meetRequirements(
      { ...record, requirements },
      PUBLISHER,
      callWith().context,
      undefined,
      { requestUrl: () => url, chargedTo: 'key:k1' },
      deps,
    )
  const challenge = { id: 'mail', scopes: ['mail.read'], status: 'not_started' }
  for (const [reached, origin] of [
    ['HTTPS://edge.example:8443/tools/call?a=https://other.example/', 'HTTPS://edge.example:8443'],
    ['https://edge.example?x', 'https://edge.example'],
    ['https://edge.example#x', 'https://edge.example'],
    ['/tools/call', ''],
    ['x https://edge.example/', ''],
  ] as const) {
    const authorization = [{ ...challenge, url: `${origin}/authorizations/mail/start` }]
    expect(await meetAt(reached)).toMatchObject({ failure: { authorization } })
  }
})

it('an unreachable provider may be retried, with a time if it is known', () => {
  const failure = { type: 'tool-failed', message: 'Away', can_retry: true }
  const failureOf = (lack: MissingRequirement) => toRequirementsFailure(recordWith({}), [lack])
  expect(failureOf({ kind: 'unavailable', reason: 'Away' })).toStrictEqual(failure)
  expect(failureOf({ kind: 'unavailable', reason: 'Away', retry_after_ms: 0 })).toStrictEqual({
    ...failure,
    retry_after_ms: 0,
  })
})
