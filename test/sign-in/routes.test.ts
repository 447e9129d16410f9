import { describe, expect, it } from 'vitest'
import { ADMIN } from '../../src/core/access/principal.ts'
import { fail, ok } from '../../src/core/failure/failure.ts'
import { MAX_RETURN } from '../../src/sign-in/flow-cookie.ts'
import { faceWith, NOBODY, openId, provider, request } from './face.ts'

const away = fail({ type: 'unavailable', message: 'x' })
const byKey = { provider: undefined }
const ELSEWHERE = '//evil.test/'
const SIGN_IN_AGAIN = 'href="/sign-in?again=1&amp;return=/sessions"'
const limited = { limitAnonymous: () => fail({ type: 'rate-limited', retry_after_ms: 9_000 }) }
const person = { user: 'ann@acme.test', address: 'ann@acme.test', groups: [] }
const findSession = (authenticatedBy: object) => ({
  findSession: () => ok({ session: { authenticatedBy }, principal: { ...ADMIN, id: 'key:k1' } }),
})
const finishing = (how: object) => ({
  provider: { ...provider, loadOpenId: async () => ({ ...openId, finish: async () => how as never }) },
})

async function seen(answer: Response | Promise<Response>) {
  const { status, headers } = await answer
  const text = await (await answer).text()
  const title = /<title>(.*) · Switchboard<\/title>/.exec(text)?.[1]
  return { status, title, to: headers.get('location'), cookies: headers.getSetCookie().join(), text }
}

describe('a visitor of the sign-in page', () => {
  it.each([
    ['somebody, by their name', { kind: 'person', person }, '/sign-in', { status: 200, title: 'You are signed in' }],
    [
      'somebody, back where they were',
      { kind: 'person', person },
      '/sign-in?return=/sessions',
      { status: 302, to: '/sessions' },
    ],
    [
      'somebody else, at the provider',
      { kind: 'person', person },
      '/sign-in?again=1',
      { status: 302, to: 'https://id.example/auth' },
    ],
    ['somebody, whatever `again` says', { kind: 'person', person }, '/sign-in?again=0', { title: 'You are signed in' }],
    [
      'whoever holds a key',
      { kind: 'key', hash: 'h' },
      '/sign-in',
      { text: expect.stringContaining('<strong>key:k1</strong>') },
    ],
    [
      'a person',
      { kind: 'person', person },
      '/sign-in',
      { text: expect.stringContaining('<strong>ann@acme.test</strong>') },
    ],
    [
      'somebody, with a way on',
      { kind: 'person', person },
      '/sign-in',
      { text: expect.stringMatching(/href="\/">\s*Go to the console/) },
    ],
  ])('%s', async (_, by, path, answer) => {
    expect(await seen(faceWith({}, findSession(by)).get(path))).toMatchObject(answer)
  })

  it.each<[string, Parameters<typeof faceWith>, string, [number, string]]>([
    ['of another site', [], `/sign-in?return=${ELSEWHERE}`, [400, 'Not understood']],
    ['with a parameter twice', [], '/sign-in?return=/a&return=/b', [400, 'Not understood']],
    ['too often', [limited], '/sign-in', [429, 'Too many requests']],
    ['over plain http', [], 'http://sb.example/sign-in', [400, 'HTTPS required']],
    ['while nobody can be asked', [{}, { findSession: () => away }], '/sign-in', [503, 'Not right now']],
  ])('is refused %s', async (_, how, path, answer) => {
    const { status, title } = await seen(faceWith(...how).get(path))
    expect([status, title]).toEqual(answer)
  })

  it('is counted against their limit if their session is looked up', async () => {
    const asked: unknown[] = []
    const findSession = (_: Request, mayLookUp: () => unknown) => (asked.push(mayLookUp()), NOBODY)
    let left = 1
    const limitAnonymous = () => (left-- > 0 ? undefined : limited.limitAnonymous())
    await faceWith({ limitAnonymous }, { findSession }).begin()
    expect(asked).toEqual([limited.limitAnonymous()])
  })

  it('is told why the provider is unavailable, and so is its operator', async () => {
    const failing = (more: object) => ({
      provider: {
        ...provider,
        loadOpenId: async () => ({
          ...openId,
          begin: async () => ({ ok: false, message: 'For people', ...more }) as never,
        }),
      },
    })
    const told = await seen(faceWith(failing({})).get('/sign-in?return=/sessions'))
    expect(told).toMatchObject({
      status: 502,
      title: 'You are not signed in',
      text: expect.stringContaining('For people.'),
    })
    expect(told.text).toContain(SIGN_IN_AGAIN)
    expect((await seen(faceWith(failing({ forOperator: 'For operators' })).begin())).text).toContain('For operators.')
  })

  it('without a return path returns to the page itself', async () => {
    const { headers } = await faceWith().begin()
    const cookie = headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ')
    const back = await faceWith().get(`${request.callback}?code=c&state=s1`, { cookie })
    expect(back.headers.get('location')).toBe('/sign-in')
  })
})

describe('a person who returns from the provider', () => {
  const ended = expect.stringMatching(/^__Host-switchboard-sign-in=; .*Max-Age=0/)

  it('is signed in, and redirected to the return path', async () => {
    const { comeBack, begun, audit } = faceWith()
    const { status, to, cookies } = await seen(comeBack({ back: '/sessions' }))
    expect([status, to, cookies]).toEqual([302, '/sessions', ended])
    expect(cookies).toContain(',switchboard-session=x')
    expect(begun).toEqual([[{ kind: 'person', issuer: provider.issuer, person }, 'person:ann@acme.test']])
    const came = { outcome: 'success', status: 302, principal: 'person:ann@acme.test', user_id: 'ann@acme.test' }
    expect(audit).toEqual([expect.objectContaining({ at: 7, act: 'session.begin', ...came })])
  })

  it.each<[string, object]>([
    ['of another window', { query: 'code=c&state=s2' }],
    ['without a state', { query: 'code=c' }],
    ['of another address', { kept: { ...request, callback: 'https://other.example/sign-in/callback' } }],
  ])('is not signed in with a response %s', async (_, how) => {
    const { comeBack, begun, audit } = faceWith()
    const { status, text } = await seen(comeBack({ back: '/sessions', ...how }))
    expect([status, begun, audit]).toEqual([400, [], []])
    expect(text).toContain('started in another browser or window')
    expect(text).toContain(SIGN_IN_AGAIN)
  })

  it('is not signed in without the cookies of the flow', async () => {
    const { get } = faceWith()
    const answer = await seen(get(`${request.callback}?code=c&state=s1`))
    expect([answer.status, answer.text.includes('href="/sign-in?again=1"')]).toEqual([400, true])
    expect((await get(request.callback)).status).toBe(400)
  })

  it.each([
    ['there is no provider', byKey, {}, 404, 'Sign-in works in another way here'],
    ['the address is too long', {}, { query: `code=${'c'.repeat(16_384)}&state=s1` }, 404, 'Not found'],
    ['too many ask', limited, {}, 429, 'Too many requests'],
    [
      'the provider is down',
      finishing({ ok: false, why: 'unavailable', message: 'It is away' }),
      {},
      502,
      'It is away.',
    ],
    ['the person said no', finishing({ ok: false, why: 'denied', message: 'They said no' }), {}, 403, 'They said no.'],
    [
      'it is set up wrongly',
      finishing({ ok: false, why: 'client', message: 'x', forOperator: 'Secret is wrong' }),
      {},
      403,
      'Secret is wrong.',
    ],
    [
      'it names nobody',
      finishing({ ok: true, claims: { email: 'ann@acme.test' } }),
      {},
      403,
      'has no verified e-mail address',
    ],
    [
      'no rule is for them',
      finishing({ ok: true, claims: { email: 'bob@other.test', email_verified: true } }),
      {},
      403,
      'grants &#39;bob@other.test&#39; no access',
    ],
    [
      'the directory has deactivated them',
      { findMembership: async () => ({ isActive: false, groups: ['staff'] }) },
      {},
      403,
      'has deactivated &#39;ann@acme.test&#39;: ask those who manage it',
    ],
  ])('is not signed in if %s', async (_, change, how, status, words) => {
    const { comeBack, begun } = faceWith(change)
    const answer = await seen(comeBack({ back: '/sessions', ...how }))
    expect([answer.status, begun]).toEqual([status, []])
    expect(answer.text).toContain(words)
    if (status === 403 || status === 502)
      expect([answer.text, answer.cookies]).toEqual([expect.stringContaining(SIGN_IN_AGAIN), ended])
  })

  it('keeps no access if the directory deactivates them meanwhile', async () => {
    const memberships = [undefined, { isActive: false, groups: [] }]
    const ended: string[] = []
    const { comeBack, begun } = faceWith({
      findMembership: async () => memberships.shift(),
      endAccess: async (user) => ended.push(user),
    })
    const answer = await seen(comeBack({}))
    expect([answer.status, begun.length, ended]).toEqual([403, 1, ['ann@acme.test']])
    expect(answer.text).toContain('has deactivated')
  })

  it('is accepted with the longest address', async () => {
    const rest = `${request.callback}?code=&state=s1`.length
    expect((await faceWith().comeBack({ query: `code=${'c'.repeat(16_384 - rest)}&state=s1` })).status).toBe(302)
  })

  it('is recorded in the audit log if no rule applies', async () => {
    const { comeBack, audit } = faceWith({ provider: { ...provider, prefix: 'acme:', rules: [] } })
    await comeBack()
    const came = { act: 'session.begin', outcome: 'refused', status: 403, user_id: 'acme:ann@acme.test' }
    expect(audit).toEqual([expect.objectContaining(came)])
    expect(audit[0]).not.toHaveProperty('principal')
  })
})

describe('a key', () => {
  it.each([
    ['the page', {}, '/sign-in'],
    ['the path that was wanted', { return: '/sessions' }, '/sessions'],
  ])('signs in, and redirects to %s', async (_, more, to) => {
    const { sendKey, begun, audit } = faceWith(byKey)
    const answer = await seen(sendKey(' an-admin-key--16 ', more))
    expect(answer).toMatchObject({ status: 302, to, cookies: 'switchboard-session=x' })
    expect(begun).toEqual([[{ kind: 'key', hash: 'sha256 an-admin-key--16' }, ADMIN.id]])
    expect(audit).toEqual([
      expect.objectContaining({ act: 'session.begin', outcome: 'success', status: 302, principal: ADMIN.id }),
    ])
  })

  it.each<
    [
      string,
      Parameters<typeof faceWith>[0],
      [string, Record<string, string>?, Record<string, string>?],
      [number, string],
    ]
  >([
    [
      'that nobody has',
      { authenticator: { hasAdministrator: true, loadPrincipal: async () => ({ result: NOBODY }) } },
      [`sb_${'x'.repeat(43)}`],
      [403, 'This key is wrong or has expired.'],
    ],
    ['that can be none', {}, ['x'.repeat(15)], [403, 'This key is wrong']],
    ['that is not there', {}, ['', { key: '' }], [403, 'This key is wrong']],
    ['where people sign in with a provider', { provider }, ['sb_'], [404, 'Sign in with your identity provider here']],
    ['from another site', {}, ['sb_', {}, { origin: 'https://evil.test' }], [403, 'sent by another site']],
    ['with a way to another site', {}, ['sb_', { return: ELSEWHERE }], [400, 'must be on this Switchboard']],
    ['too often', limited, ['sb_'], [429, 'Wait a moment']],
    ['in too long a form', {}, ['x'.repeat(9 * MAX_RETURN + 1_024)], [413, 'The form is too large']],
  ])('is refused %s', async (_, change, [key, more, headers], [status, words]) => {
    const { post, begun } = faceWith({ ...byKey, ...change })
    const answer = await seen(post('/sign-in/key', { key, ...more }, headers))
    expect([answer.status, begun]).toEqual([status, []])
    expect(answer.text).toContain(words)
  })

  it('is requested with setup instructions if there is no administrator', async () => {
    const nobody = { hasAdministrator: false, loadPrincipal: async () => ({ result: NOBODY }) }
    const { get, post } = faceWith({ ...byKey, authenticator: nobody })
    const words = 'No administrator is set up: set the secret ADMIN_KEY'
    expect(await seen(get('/sign-in'))).toMatchObject({ status: 200, text: expect.stringContaining(words) })
    const sent = seen(post('/sign-in/key', { key: `sb_${'x'.repeat(43)}` }))
    expect(await sent).toMatchObject({ status: 403, text: expect.stringContaining(words) })
  })

  it('that is invalid is not looked up, and is recorded in the audit log', async () => {
    const asked: string[] = []
    const authenticator = {
      hasAdministrator: true,
      loadPrincipal: async (hash: string) => (asked.push(hash), { result: NOBODY }),
    }
    const { sendKey, post, audit } = faceWith({ ...byKey, authenticator })
    await sendKey('x'.repeat(15))
    await post('/sign-in/key', {})
    expect(asked).toEqual([])
    await sendKey('x'.repeat(16))
    expect(asked).toHaveLength(1)
    expect(audit.map(({ outcome, status, principal }) => [outcome, status, principal])).toEqual(
      Array.from({ length: 3 }, () => ['refused', 403, undefined]),
    )
  })

  it('is requested again with the return path', async () => {
    const page = await seen(faceWith(byKey).get('/sign-in?return=/sessions'))
    expect(page).toMatchObject({ status: 200, title: 'Sign in' })
    expect(page.text).toContain('<input type="hidden" name="return" value="/sessions"/>')
    expect(page.text).not.toContain('role="alert"')
    expect(page.text).toContain('spellcheck="false"')
    const again = await seen(faceWith(byKey).sendKey('none', { return: '/sessions' }))
    expect(again.text).toContain('role="alert"')
    expect(again.text).toContain('<input type="hidden" name="return" value="/sessions"/>')
  })
})

describe('a person who signs out', () => {
  it.each([
    [
      'sees that they are',
      {},
      { status: 200, title: 'You are signed out', text: expect.stringContaining('href="/sign-in?again=1"') },
    ],
    ['may sign in again on the way', { return: '/sessions' }, { status: 302, to: '/sign-in?again=1&return=/sessions' }],
    ['is led to no other site', { return: ELSEWHERE }, { status: 200, title: 'You are signed out' }],
  ])('%s', async (_, fields, answer) => {
    const { signOut, audit } = faceWith()
    expect(await seen(signOut(fields))).toMatchObject({ ...answer, cookies: 'switchboard-session=' })
    expect(audit).toEqual([expect.objectContaining({ act: 'session.end', outcome: 'success', status: 302 })])
  })

  it.each<[string, object, Record<string, string>, number]>([
    ['from another site', {}, { origin: 'https://evil.test' }, 403],
    ['too often', limited, {}, 429],
  ])('is not signed out %s', async (_, change, headers, status) => {
    const out: unknown[] = []
    const signOut = async () => (out.push(1), '')
    const answer = await faceWith(change, { signOut }).post('/sign-out', {}, headers)
    expect([answer.status, out]).toEqual([status, []])
  })
})
