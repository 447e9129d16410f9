import { describe, expect, it } from 'vitest'
import { approvable, browser, CALLBACK, challenged, createWorld, requestUrl, tool, type World } from './world.ts'

const PAY = tool('Pay', { securityLevel: 8 })
const PERSON = { principal: 'person:ann', approves: false }

async function claim(world: World, userId: string | undefined = 'ann', principal = 'agent') {
  const user = userId === 'nobody' ? undefined : world.user(userId)
  const call = await approvable(PAY, world.principal(principal), user, { to: 'bob' })
  return world.vault.claim({ ...call, requestUrl })
}
const asked = async (world: World, userId?: string) => challenged(await claim(world, userId)).authorization
const decide = (world: World, id: string, person?: object, approve = true) => {
  const who = person === undefined ? {} : { person: { ...PERSON, user: world.user('ann'), ...person } }
  return world.vault.decide(id, { browserCookie: browser(), callback: CALLBACK, approve, ...who })
}

describe('an approval with sign-in', () => {
  it('belongs to the signed-in user', async () => {
    const world = createWorld({ signInMethod: 'openid' })
    const id = await asked(world)
    expect(await decide(world, id)).toMatchObject({ ok: false, message: expect.stringContaining('Sign in first') })
    expect(await decide(world, id, { user: world.user('bob') })).toMatchObject({ ok: false, why: 'refused' })
    expect(await decide(world, id, { user: world.user('bob') }, false)).toMatchObject({ ok: false })
    challenged(await claim(world))
    expect(await decide(world, id, {})).toMatchObject({ ok: true, authorization: { status: 'completed' } })
    expect(await claim(world)).toEqual({ approved: true })
    // No view of it says who made the call
    expect(JSON.stringify(await world.vault.find(id))).not.toContain(world.principal('agent'))
  })

  it('needs no trial address if people sign in, or a verifier says who they are', async () => {
    const world = createWorld({ signInMethod: 'openid' })
    world.isTrialUrl = false
    expect(await decide(world, await asked(world), {})).toMatchObject({
      ok: true,
      authorization: { status: 'completed' },
    })
    const verified = createWorld({ verifierUrl: 'https://app.example/who' })
    verified.isTrialUrl = false
    expect(await decide(verified, await asked(verified))).toMatchObject({
      location: expect.stringContaining('https://app.example/who'),
    })
  })

  it('cannot be given by the caller, even one who approves for others', async () => {
    const world = createWorld({ signInMethod: 'openid' })
    const id = await asked(world)
    const own = { principal: world.principal('agent'), approves: true }
    expect(await decide(world, id, own)).toMatchObject({
      ok: false,
      message: 'The caller of a tool cannot approve the call',
    })
    challenged(await claim(world))
  })

  it('by key only is given by another key that may approve, and consent is given as without sign-in', async () => {
    const world = createWorld({ signInMethod: 'key' })
    world.isTrialUrl = false
    const id = await asked(world)
    const byKey = (principal: string, approves: boolean) => ({ user: undefined, principal, approves })
    expect(await decide(world, id)).toMatchObject({ ok: false, message: expect.stringContaining('Sign in first') })
    expect(await decide(world, id, byKey(world.principal('other'), false))).toMatchObject({ why: 'refused' })
    expect(await decide(world, id, byKey(world.principal('agent'), true))).toMatchObject({
      ok: false,
      message: 'The caller of a tool cannot approve the call',
    })
    challenged(await claim(world))
    expect(await decide(world, id, byKey('admin', true))).toMatchObject({ ok: true })
    expect(await claim(world)).toEqual({ approved: true })
  })

  it('can be given by one who approves for others, and for a call without a user only by them', async () => {
    const world = createWorld({ signInMethod: 'openid' })
    const bob = { user: world.user('bob'), principal: 'person:bob', approves: true }
    expect(await decide(world, await asked(world), bob)).toMatchObject({ ok: true })
    expect(await claim(world)).toEqual({ approved: true })

    const nobodys = await asked(world, 'nobody')
    expect(await decide(world, nobodys, {})).toMatchObject({ ok: false, why: 'refused' })
    expect(await decide(world, nobodys, bob)).toMatchObject({ ok: true })
  })

  it('also needs the verifier, if there is one', async () => {
    const world = createWorld({ signInMethod: 'openid', verifierUrl: 'https://app.example/who' })
    const id = await asked(world)
    expect(await decide(world, id)).toMatchObject({ location: expect.stringContaining('https://app.example/who') })
    expect(await decide(world, id, { user: world.user('bob') })).toMatchObject({
      location: expect.stringContaining('https://app.example/who'),
    })
    expect(await decide(world, id, {})).toMatchObject({ ok: true, authorization: { status: 'completed' } })
  })

  it('cannot be given through the verifier by the person who made the call', async () => {
    const world = createWorld({ signInMethod: 'openid', verifierUrl: 'https://app.example/who' })
    const ann = world.user('ann')
    const call = await approvable(PAY, `person:${ann}`, ann, { to: 'bob' })
    const id = challenged(await world.vault.claim({ ...call, requestUrl })).authorization
    const OWN_CALL = { ok: false, why: 'refused', message: 'The caller of a tool cannot approve the call' }
    expect(await decide(world, id, { principal: `person:${ann}` })).toEqual(OWN_CALL)
    const { location } = Object(await decide(world, id))
    const flow = new URL(location).searchParams.get('flow') ?? ''
    expect(await world.vault.confirm(id, flow, ann)).toEqual(OWN_CALL)
    expect(await world.vault.confirm(id, flow, ann)).toMatchObject({ why: 'expired' })
    expect(await world.vault.find(id)).toMatchObject({ status: 'pending' })
  })

  it('can be refused by anyone with the link if a verifier says who approves', async () => {
    const world = createWorld({ signInMethod: 'openid', verifierUrl: 'https://app.example/who' })
    const id = await asked(world)
    expect(await decide(world, id, { user: world.user('bob') }, false)).toMatchObject({
      ok: true,
      authorization: { status: 'failed', reason: 'The person refused' },
    })
  })
})

describe('a consent with sign-in', () => {
  it('leads to the provider for its user only, whatever else others may do', async () => {
    const world = createWorld({ signInMethod: 'openid' })
    const user = world.user('ann')
    const answer = await world.vault.tokenFor({
      userId: user,
      requirement: { id: 'mail', oauth2: { scopes: ['mail.read'] } },
      tool: tool('Read'),
      hosts: ['api.mail.example'],
      chargedTo: 'key:k1',
      requestUrl,
    })
    const id = 'challenge' in answer ? (answer.challenge.authorization ?? '') : ''
    const start = (person?: object) =>
      world.vault.start(id, {
        browserCookie: browser(),
        callback: CALLBACK,
        ...(person === undefined ? {} : { person: { ...PERSON, user, ...person } }),
      })
    expect(await start()).toMatchObject({ ok: false, why: 'refused' })
    expect(await start({ user: world.user('bob'), approves: true })).toMatchObject({ ok: false, why: 'refused' })
    expect(await start({})).toMatchObject({ ok: true, location: expect.stringContaining('code_challenge=') })
  })
})
