import { describe, expect, it } from 'vitest'
import type { AuthorizationStatus, FlowStep } from '../../../src/core/consent/authorization.ts'
import {
  asking,
  browser,
  CALLBACK,
  challenged,
  consent,
  createWorld,
  locationOf,
  MAIL,
  MINUTE,
  tool,
  type World,
} from './world.ts'

const ann = browser('ann')

/** A person who was sent to the provider. */
async function begun(world: World, name = 'ann') {
  const user = world.user(name)
  const { authorization: id } = challenged(await world.vault.tokenFor(asking(user)))
  const location = locationOf(await world.vault.start(id, { browserCookie: browser(name), callback: CALLBACK }))
  return { user, id, location }
}
const finish = (world: World, url: string, who: string | undefined = ann) =>
  world.vault.finish({ url, browserCookie: who, callback: CALLBACK })
const changed = (url: string, change: (parameters: URLSearchParams) => void) => {
  const other = new URL(url)
  change(other.searchParams)
  return other.href
}

describe('an authorization', () => {
  it('is the same for the same request while it is open, and its id reveals nothing', async () => {
    const world = createWorld()
    const user = world.user('ann')
    const first = challenged(await world.vault.tokenFor(asking(user)))
    expect(first).toMatchObject({ id: 'mail', scopes: ['mail.read'], status: 'not_started' })
    expect(first.authorization).toMatch(/^[\w-]{64}$/)
    expect(atob(first.authorization.replaceAll('-', '+').replaceAll('_', '/'))).not.toContain('ann')
    world.time += 9 * MINUTE
    expect(challenged(await world.vault.tokenFor(asking(user))).authorization).toBe(first.authorization)
    world.time += 2 * MINUTE
    expect(challenged(await world.vault.tokenFor(asking(user))).authorization).not.toBe(first.authorization)
    const others = [
      asking(user, ['mail.send']),
      asking(user, undefined, { tool: tool('Other') }),
      asking(world.user('bob')),
    ]
    for (const other of others) {
      expect(challenged(await world.vault.tokenFor(other)).authorization).not.toBe(first.authorization)
    }
  })

  it('with a made-up id does not exist', async () => {
    const world = createWorld()
    const { authorization } = challenged(await world.vault.tokenFor(asking(world.user('ann'))))
    const guessed = `${authorization.slice(0, 43)}${'A'.repeat(21)}`
    for (const id of ['', 'x', 'A'.repeat(64), guessed, `${authorization}.`, 'é'.repeat(64)]) {
      expect(await world.vault.find(id)).toBeUndefined()
      expect(await world.vault.start(id, { browserCookie: ann, callback: CALLBACK })).toMatchObject({ why: 'expired' })
      expect(await world.vault.decide(id, { browserCookie: ann, callback: CALLBACK, approve: true })).toMatchObject({
        why: 'expired',
      })
      expect(await world.vault.confirm(id, 'x', 'ann')).toMatchObject({ why: 'expired' })
    }
    expect(await world.vault.find(authorization)).toMatchObject({ userId: world.user('ann'), tool: 'Mail.Get@1.0.0' })
  })

  it('fails after 15 minutes, can be looked up for another hour, and is then deleted', async () => {
    const world = createWorld()
    const { user, id } = await begun(world)
    world.time += 15 * MINUTE
    expect(await world.vault.find(id)).toMatchObject({ status: 'failed', reason: 'Nobody answered within 15 minutes' })
    expect(await world.vault.start(id, { browserCookie: ann, callback: CALLBACK })).toMatchObject({ why: 'expired' })
    world.time += 59 * MINUTE
    expect(await world.vault.find(id)).toMatchObject({ status: 'failed' })
    world.time += 2 * MINUTE
    expect(await world.vault.find(id)).toBeUndefined()
    const left = await world.inVault(world.owner(user), (_, { storage }) =>
      storage.sql.exec('SELECT * FROM flow').toArray(),
    )
    expect(left).toEqual([])
  })

  it('is deleted by an alarm, even if nobody looks it up', async () => {
    const world = createWorld()
    const { user } = await begun(world)
    const rows = () =>
      world.inVault(world.owner(user), async (vault, { storage }) => {
        const at = await storage.getAlarm()
        if (at !== null) {
          world.time = at
          await storage.deleteAlarm()
          await vault.alarm()
        }
        const isThere = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'owner'").toArray().length > 0
        return isThere ? storage.sql.exec('SELECT status FROM authorization').toArray() : 'nothing at all'
      })
    expect(await rows()).toEqual([{ status: 'failed' }])
    expect(await rows()).toBe('nothing at all')
    await world.inVault(world.owner(user), async (_, { storage }) => expect(await storage.getAlarm()).toBeNull())
  })

  it('is replaced by newer ones if a user gets very many', async () => {
    const world = createWorld()
    const user = world.user('ann')
    const { id } = await begun(world)
    const ids: string[] = []
    for (let n = 0; n < 120; n++) {
      world.time += 1
      ids.push(challenged(await world.vault.tokenFor(asking(user, [`scope-${n}`]))).authorization)
    }
    const found = await Promise.all(ids.map((each) => world.vault.find(each)))
    expect(found.filter((each) => each !== undefined)).toHaveLength(99)
    expect(found.at(-1)).toBeDefined()
    expect(found[0]).toBeUndefined()
    // Where a person has begun, they can go on
    expect(await world.vault.find(id)).toMatchObject({ status: 'pending' })
  })
})

describe('the redirect to the provider', () => {
  it('requests the scopes with PKCE, and offline access if offered, with new values each time', async () => {
    const world = createWorld()
    const { location, id } = await begun(world)
    const asked = new URL(location)
    expect(asked.origin + asked.pathname).toBe('https://mail.example/auth')
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'c1',
      redirect_uri: CALLBACK,
      scope: 'mail.read offline_access',
      prompt: 'consent',
      state: expect.stringMatching(/^[\w-]{86}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    // The return link does not reveal the link to the page
    expect(await world.vault.find(asked.searchParams.get('state') ?? '')).toBeUndefined()
    const again = new URL(locationOf(await world.vault.start(id, { browserCookie: ann, callback: CALLBACK })))
    for (const name of ['state', 'code_challenge']) {
      expect(again.searchParams.get(name)).not.toBe(asked.searchParams.get(name))
    }
    expect(await world.vault.find(id)).toMatchObject({ status: 'pending' })
  })

  it("adds the parameters of the provider's configuration, which cannot replace those of the flow", async () => {
    const world = createWorld()
    world.providers.set('mail', {
      ...MAIL,
      authorization_endpoint: 'https://other.example/consent?tenant=1',
      extra_scopes: ['profile'],
      scope_separator: ',',
      authorization_parameters: { access_type: 'offline', state: 'mine' },
    })
    const { location } = await begun(world)
    const { searchParams } = new URL(location)
    expect(location).toContain('https://other.example/consent?tenant=1')
    expect(searchParams.get('scope')).toBe('mail.read,profile')
    expect(searchParams.get('access_type')).toBe('offline')
    expect(searchParams.get('state')).not.toBe('mine')
    expect(searchParams.has('prompt')).toBe(false)
  })

  it('fails if the provider does not answer, or would be reached over http', async () => {
    const world = createWorld()
    const { authorization: id } = challenged(await world.vault.tokenFor(asking(world.user('ann'))))
    const start = () => world.vault.start(id, { browserCookie: ann, callback: CALLBACK })
    world.provider.bend = async () => new Response('', { status: 500 })
    expect(await start()).toMatchObject({ ok: false, why: 'unavailable' })
    world.provider.bend = async () => undefined
    world.provider.metadata = { authorization_endpoint: 'http://mail.example/auth' }
    expect(await start()).toMatchObject({ ok: false, why: 'unavailable', message: expect.stringContaining('https:') })
    world.canStoreGrants = false
    expect(await start()).toMatchObject({
      ok: false,
      why: 'unavailable',
      message: expect.stringContaining('VAULT_KEYS'),
    })
    expect(await world.vault.find(id)).toMatchObject({ status: 'not_started' })
  })
})

describe('the redirect back', () => {
  const exchanges = (world: World) => world.provider.count('authorization_code')

  it('completes the authorization, and stores what was granted', async () => {
    const world = createWorld()
    const { id, user, location } = await begun(world)
    const ended = await finish(world, world.provider.allow(location, 'ann'))
    expect(ended).toMatchObject({ ok: true, authorization: { id, status: 'completed', userId: user } })
    expect(await world.vault.list(user)).toMatchObject([
      {
        provider: 'mail',
        account: '',
        toolkits: [
          {
            toolkit: 'Mail',
            hosts: ['api.mail.example'],
            scopes: ['mail.read'],
            given_at: new Date(world.time).toISOString(),
          },
        ],
        scopes: ['mail.read', 'offline_access'],
        granted_at: new Date(world.time).toISOString(),
        expires_at: new Date(world.time + 60 * MINUTE).toISOString(),
        refreshable: true,
      },
    ])
    const [request] = world.provider.requests.filter(({ path }) => path === '/token')
    expect(request?.form.get('redirect_uri')).toBe(CALLBACK)
  })

  it('is accepted once', async () => {
    const world = createWorld()
    const { user, location } = await begun(world)
    const url = world.provider.allow(location, 'ann')
    const ends = await Promise.all([finish(world, url), finish(world, url), finish(world, url)])
    expect(ends.map(({ ok }) => ok).toSorted()).toEqual([false, false, true])
    await world.vault.revoke(user, 'mail')
    expect(await finish(world, url)).toMatchObject({ ok: false, why: 'expired' })
    expect(exchanges(world)).toBe(1)
    expect(await world.vault.list(user)).toEqual([])
  })

  it.each<[string, string | undefined]>([
    ['in another browser', browser('bob')],
    ['in a browser without a cookie', undefined],
  ])('is refused %s, and stays open for the browser that began', async (_, other) => {
    const world = createWorld()
    const { user, location } = await begun(world)
    await begun(world, 'bob')
    const url = world.provider.allow(location, 'ann')
    const refused = await world.vault.finish({ url, browserCookie: other, callback: CALLBACK })
    expect(refused).toMatchObject({ ok: false, why: 'other-browser' })
    expect(exchanges(world)).toBe(0)
    expect(await world.vault.list(user)).toEqual([])
    expect(await finish(world, url)).toMatchObject({ ok: true })
  })

  it.each<[string, (parameters: URLSearchParams) => void, string]>([
    ['with another state', (all) => all.set('state', `${all.get('state')?.slice(0, -43)}${'A'.repeat(43)}`), 'expired'],
    ['with a state that was made up', (all) => all.set('state', 'A'.repeat(86)), 'expired'],
    ['without a state', (all) => all.delete('state'), 'expired'],
    ['with two states', (all) => all.append('state', all.get('state') ?? ''), 'expired'],
    ['with two codes', (all) => all.append('code', 'x'), 'refused'],
    ['without a code', (all) => all.delete('code'), 'refused'],
    ['from another issuer', (all) => all.set('iss', 'https://evil.example'), 'refused'],
    ['from no issuer, though the provider names itself', (all) => all.delete('iss'), 'refused'],
  ])('is refused %s, and nothing is stored', async (_, change, why) => {
    const world = createWorld()
    const { user, id, location } = await begun(world)
    const url = changed(world.provider.allow(location, 'ann'), change)
    expect(await finish(world, url)).toMatchObject({ ok: false, why })
    expect(exchanges(world)).toBe(0)
    expect(await world.vault.list(user)).toEqual([])
    expect(await world.vault.find(id)).toMatchObject({ status: 'pending' })
  })

  it('does not accept the code of another person, because of PKCE', async () => {
    const world = createWorld()
    const [victim, thief] = [await begun(world, 'ann'), await begun(world, 'bob')]
    const code = new URL(world.provider.allow(thief.location, 'bob')).searchParams.get('code') ?? ''
    const mixed = changed(world.provider.allow(victim.location, 'ann'), (all) => all.set('code', code))
    expect(await finish(world, mixed)).toMatchObject({ ok: false, why: 'refused' })
    expect(await world.vault.list(victim.user)).toEqual([])
  })

  it('is refused after 15 minutes, and after the settings of the provider have changed', async () => {
    const world = createWorld()
    const late = await begun(world)
    const url = world.provider.allow(late.location, 'ann')
    world.time += 15 * MINUTE
    expect(await finish(world, url)).toMatchObject({ ok: false, why: 'expired' })
    const moved = await begun(world)
    world.providers.set('mail', { ...MAIL, token_endpoint: 'https://evil.example/token' })
    expect(await finish(world, world.provider.allow(moved.location, 'ann'))).toMatchObject({
      ok: false,
      why: 'unavailable',
    })
    expect(exchanges(world)).toBe(0)
  })

  it('stores nothing if the person refused in another window, and revokes the tokens', async () => {
    const world = createWorld()
    const { user, id, location } = await begun(world)
    world.provider.beforeAnswer = async () => {
      await world.vault.decide(id, { browserCookie: ann, callback: CALLBACK, approve: false })
    }
    expect(await finish(world, world.provider.allow(location, 'ann'))).toMatchObject({ ok: false, why: 'expired' })
    expect(await world.vault.list(user)).toEqual([])
    expect([...world.provider.issued.values()].filter(({ live }) => live)).toEqual([])
    expect(await world.vault.find(id)).toMatchObject({ status: 'failed', reason: 'The person refused' })
  })

  it.each<[string, string]>([
    ['error', 'unavailable'],
    ['invalid_client', 'refused'],
  ])('of a provider that answers %s ends, and can begin again unless that would not help', async (kind, why) => {
    const world = createWorld()
    const { user, id, location } = await begun(world)
    world.provider.bend = async (path) => {
      if (path !== '/token') return undefined
      return kind === 'error' ? new Response('', { status: 500 }) : Response.json({ error: kind }, { status: 401 })
    }
    expect(await finish(world, world.provider.allow(location, 'ann'))).toMatchObject({ ok: false, why })
    expect(await world.vault.list(user)).toEqual([])
    expect((await world.vault.find(id))?.status).toBe(kind === 'error' ? 'pending' : 'failed')
    if (kind === 'invalid_client') {
      const { reason, forOperator } = challenged(await world.vault.tokenFor(asking(user)))
      expect(reason).toMatch(/When it was last asked for: 'mail' gives nothing .* its operator must put that right$/)
      expect(reason).not.toContain('the client')
      expect(forOperator).toMatch(/When it was last asked for: 'mail' refused with 'invalid_client': .* the client/)
    }
    world.provider.bend = async () => undefined
    await consent(world, user, 'ann')
    expect(await world.vault.tokenFor(asking(user))).toHaveProperty('token')
  })
})

describe('a refusal', () => {
  it.each<[string, (world: World, of: { id: string; location: string }) => Promise<unknown>, RegExp]>([
    ['at the provider', (world, { location }) => finish(world, world.provider.deny(location)), /refused at 'mail'/],
    [
      'here',
      (world, { id }) => world.vault.decide(id, { browserCookie: ann, callback: CALLBACK, approve: false }),
      /person refused/,
    ],
  ])('%s ends the authorization, and the next call has a new one that says so', async (_, refuse, said) => {
    const world = createWorld()
    const { user, id, location } = await begun(world)
    await refuse(world, { id, location })
    expect(await world.vault.find(id)).toMatchObject({ status: 'failed', reason: expect.stringMatching(said) })
    const next = challenged(await world.vault.tokenFor(asking(user)))
    expect(next.authorization).not.toBe(id)
    expect(next).toMatchObject({ status: 'not_started', reason: expect.stringMatching(said) })
    await consent(world, user, 'ann')
    expect(await world.vault.tokenFor(asking(user))).toHaveProperty('token')
  })

  it('of some scopes grants the others, and says which are missing', async () => {
    const world = createWorld()
    const user = world.user('ann')
    const { authorization: id } = challenged(await world.vault.tokenFor(asking(user, ['mail.read', 'mail.send'])))
    const location = locationOf(await world.vault.start(id, { browserCookie: ann, callback: CALLBACK }))
    world.provider.scope = 'mail.read'
    const ended = await finish(world, world.provider.allow(location, 'ann'))
    expect(ended).toMatchObject({ ok: false, why: 'refused', message: expect.stringContaining('mail.send is missing') })
    expect(await world.vault.find(id)).toMatchObject({ status: 'failed' })
    const next = challenged(await world.vault.tokenFor(asking(user, ['mail.read', 'mail.send'])))
    expect(next.authorization).not.toBe(id)
    expect(next.reason).toContain('mail.send')
    expect(await world.vault.tokenFor(asking(user, ['mail.read']))).toHaveProperty('token')
  })

  it.each<[string, string, AuthorizationStatus]>([
    ['temporarily_unavailable', 'unavailable', 'pending'],
    ['invalid_scope', 'refused', 'failed'],
    ['<script>', 'refused', 'failed'],
  ])('can be an error of the provider: %s', async (error, why, status) => {
    const world = createWorld()
    const { id, location } = await begun(world)
    const ended = await finish(world, world.provider.deny(location, error))
    expect(ended).toMatchObject({ ok: false, why })
    expect(JSON.stringify(ended)).not.toContain('<')
    expect((await world.vault.find(id))?.status).toBe(status)
  })
})

describe('the user verifier of a deployment', () => {
  const VERIFIER = 'https://app.example/who?tenant=1'

  async function sentToVerifier(world: World, name = 'ann') {
    const user = world.user(name)
    const { authorization: id } = challenged(await world.vault.tokenFor(asking(user)))
    const location = new URL(
      locationOf(await world.vault.start(id, { browserCookie: browser(name), callback: CALLBACK })),
    )
    return { user, id, location, flow: location.searchParams.get('flow') ?? '' }
  }
  const proofIn = (confirmed: FlowStep) => new URL(locationOf(confirmed)).searchParams.get('proof') ?? ''
  const resume = (world: World, id: string, proof = 'made-up', who = ann) =>
    world.vault.resume(id, { browserCookie: who, callback: CALLBACK, proof })

  it('is asked before the redirect to the provider, and must name exactly that user', async () => {
    const world = createWorld({ verifierUrl: VERIFIER })
    const { user, id, location, flow } = await sentToVerifier(world)
    expect(await resume(world, id, flow)).toMatchObject({ ok: false, why: 'refused' })
    expect(location.href).toMatch(/^https:\/\/app\.example\/who\?tenant=1&authorization=/)
    expect(location.searchParams.get('authorization')).toBe(id)
    expect(await resume(world, id)).toMatchObject({
      ok: false,
      why: 'refused',
      message: 'Nobody has confirmed yet that you are the user',
    })
    const confirmed = await world.vault.confirm(id, flow, user)
    expect(locationOf(confirmed)).toMatch(`https://sb.example/authorizations/${id}/resume?proof=`)
    const proof = proofIn(confirmed)
    expect(await resume(world, id, proof, browser('bob'))).toMatchObject({ ok: false, why: 'other-browser' })
    const onward = locationOf(await resume(world, id, proof))
    expect(onward).toContain('https://mail.example/auth')
    expect(await finish(world, world.provider.allow(onward, 'ann'))).toMatchObject({ ok: true })
    expect(await world.vault.tokenFor(asking(user))).toHaveProperty('token')
  })

  it('that names another user stops this browser, which must begin again', async () => {
    const world = createWorld({ verifierUrl: VERIFIER })
    const { user, id, flow } = await sentToVerifier(world)
    expect(await world.vault.confirm(id, flow, world.user('bob'))).toMatchObject({
      ok: false,
      why: 'refused',
      message: 'The person is not the user this is for',
    })
    expect(await world.vault.confirm(id, flow, user)).toMatchObject({ ok: false, why: 'expired' })
    expect(await resume(world, id)).toMatchObject({ ok: false, why: 'refused' })
  })

  it('that another person opened for the user does not continue for that person: only the user has the proof', async () => {
    const world = createWorld({ verifierUrl: VERIFIER })
    const { user, id, flow } = await sentToVerifier(world)
    await world.vault.confirm(id, flow, user)
    for (const proof of ['', 'made-up', flow]) {
      expect(await resume(world, id, proof)).toMatchObject({ ok: false, why: 'refused' })
    }
    expect(locationOf(await world.vault.start(id, { browserCookie: ann, callback: CALLBACK }))).toContain(VERIFIER)
  })

  it('confirms one browser only: not for a made-up flow, a second time, or too late', async () => {
    const world = createWorld({ verifierUrl: VERIFIER })
    const { user, id, flow } = await sentToVerifier(world)
    const other = new URL(
      locationOf(await world.vault.start(id, { browserCookie: browser('bob'), callback: CALLBACK })),
    )
    expect(await world.vault.confirm(id, 'made-up', user)).toMatchObject({ why: 'expired' })
    const proof = proofIn(await world.vault.confirm(id, flow, user))
    expect(await world.vault.confirm(id, flow, user)).toMatchObject({ why: 'expired' })
    expect(await resume(world, id, 'made-up', browser('bob'))).toMatchObject({ ok: false, why: 'refused' })
    world.time += 15 * MINUTE
    expect(await world.vault.confirm(id, other.searchParams.get('flow') ?? '', user)).toMatchObject({ why: 'expired' })
    expect(await resume(world, id, proof)).toMatchObject({ why: 'expired' })
  })

  it('recognizes a user, whose grant another toolkit may then use in any browser, without the provider', async () => {
    const world = createWorld({ verifierUrl: VERIFIER })
    world.isTrialUrl = false
    const { user, id, flow } = await sentToVerifier(world)
    const onward = locationOf(await resume(world, id, proofIn(await world.vault.confirm(id, flow, user))))
    await finish(world, world.provider.allow(onward, 'ann'))
    const other = asking(user, [], { tool: tool('Now', { id: 'Weather.Now@1.0.0', toolkit: 'Weather' }) })
    const { authorization } = challenged(await world.vault.tokenFor(other))
    const visit = { browserCookie: browser('other'), callback: CALLBACK }
    const sent = new URL(locationOf(await world.vault.start(authorization, visit)))
    const confirmed = await world.vault.confirm(authorization, sent.searchParams.get('flow') ?? '', user)
    expect(locationOf(await resume(world, authorization, proofIn(confirmed), visit.browserCookie))).toBe(
      `https://sb.example/authorizations/${authorization}/start`,
    )
    expect(await world.vault.tokenFor(other)).toHaveProperty('token')
  })

  it('is not asked if the provider is unavailable, and a proof is valid for one authorization', async () => {
    const world = createWorld({ verifierUrl: VERIFIER })
    const { user, id, flow } = await sentToVerifier(world)
    const proof = proofIn(await world.vault.confirm(id, flow, user))
    const { authorization } = challenged(await world.vault.tokenFor(asking(user, ['mail.send'])))
    expect(await resume(world, authorization, proof)).toMatchObject({ ok: false, why: 'refused' })
    world.providers.clear()
    expect(await world.vault.start(authorization, { browserCookie: ann, callback: CALLBACK })).toMatchObject({
      ok: false,
      why: 'unavailable',
    })
  })
})

it('the state that a provider returns confirms nobody', async () => {
  const world = createWorld()
  const { user, id, location } = await begun(world)
  const state = new URL(location).searchParams.get('state') ?? ''
  expect(await world.vault.confirm(id, state, user)).toMatchObject({ ok: false, why: 'expired' })
})

describe('a browser that returns from the provider', () => {
  it.each<[string, (world: World) => void, string]>([
    [
      'whose provider has other settings now',
      (world) => void world.providers.set('mail', { ...MAIL, name: 'Other' }),
      'The settings of the provider were changed meanwhile. Open the link again',
    ],
    [
      'under other keys',
      (world) => world.deploy(['quite another key of the vault']),
      'The keys of this Switchboard were changed meanwhile. Open the link again',
    ],
    ['without the provider', (world) => void world.providers.clear(), 'mail'],
  ])('%s is stopped', async (_, change, message) => {
    const world = createWorld()
    const { location } = await begun(world)
    change(world)
    const stopped = await finish(world, world.provider.allow(location, 'ann'))
    expect(stopped).toMatchObject({ ok: false, why: 'unavailable', message: expect.stringContaining(message) })
  })

  it('with the verifier of another flow is stopped', async () => {
    const world = createWorld()
    const { user, id, location } = await begun(world)
    const { authorization } = challenged(await world.vault.tokenFor(asking(user, ['mail.send'])))
    await world.vault.start(authorization, { browserCookie: ann, callback: CALLBACK })
    await world.inVault(world.owner(user), (_, { storage: { sql } }) => {
      const other = 'SELECT sealed FROM flow WHERE authorization = ?'
      sql.exec(`UPDATE flow SET sealed = (${other}) WHERE authorization = ?`, authorization, id)
    })
    expect(await finish(world, world.provider.allow(location, 'ann'))).toMatchObject({
      message: expect.stringContaining('The keys of this Switchboard were changed'),
    })
  })

  it('is not redirected without keys, nor in another stage', async () => {
    const world = createWorld()
    const { user, id, location } = await begun(world)
    await world.inVault(
      world.owner(user),
      (_, { storage }) => void storage.sql.exec("UPDATE flow SET stage = 'proven'"),
    )
    expect(await finish(world, world.provider.allow(location, 'ann'))).toMatchObject({ ok: false, why: 'expired' })
    world.deploy([])
    const step = await world.vault.start(id, { browserCookie: ann, callback: CALLBACK })
    expect(step).toMatchObject({ ok: false, why: 'unavailable', message: expect.stringContaining('VAULT_KEYS') })
  })

  it('with fewer scopes than requested grants those to the toolkit, and is told which are missing', async () => {
    const world = createWorld()
    const user = world.user('ann')
    const scopes = ['mail.read', 'mail.send', 'mail.all']
    const { authorization: id } = challenged(await world.vault.tokenFor(asking(user, scopes)))
    const location = locationOf(await world.vault.start(id, { browserCookie: ann, callback: CALLBACK }))
    world.provider.scope = 'mail.read'
    expect(await finish(world, world.provider.allow(location, 'ann'))).toMatchObject({
      message: "The person gave less access at 'mail' than 'Mail.Get@1.0.0' needs: mail.send, mail.all is missing",
    })
    const consents = await world.inVault(world.owner(user), (_, { storage }) =>
      storage.sql.exec('SELECT scopes FROM consent').toArray(),
    )
    expect(consents).toEqual([{ scopes: '["mail.read"]' }])
  })
})
