import { expect, it } from 'vitest'
import type { Authorization } from '../../../src/core/consent/authorization.ts'
import type { InvocationSnapshot } from '../../../src/core/consent/invocation-snapshot.ts'
import type { Json, JsonObject } from '../../../src/core/tool/json.ts'
import { fail, UnreachableError } from '../../../src/core/failure/failure.ts'
import { AWAY, awayOf, REFERENCE } from '../../http/on-page-error.ts'
import { callableOf, recordWith } from '../../core/call/fakes.ts'
import { APPROVAL, GRANT, NOW, ORIGIN, setUp } from './set-up.ts'

const BROWSER = 'b'.repeat(43)
const COOKIE = `__Host-switchboard-browser=${BROWSER}`
const START = '/authorizations/auth_1/start'
const APPROVE = '/authorizations/auth_2/start'

it("a grant's page shows the tool, scopes, user, hosts and expiry", async () => {
  const { get, acts } = setUp()
  const response = await get(START)
  expect(response.status).toBe(200)
  const text = await response.text()
  for (const said of [
    'Gmail.GetEmails@1.0.0',
    'Read your email',
    'https://www.googleapis.com/auth/gmail.readonly',
    'urn:unheard-of',
    'ann',
    'Continue to Google',
    'expires in 12 minutes.',
    'revoked at any time',
  ]) {
    expect(text).toContain(said)
  }
  expect(acts()).toBe(0)
})

it("a grant's page shows the toolkit, the hosts and the account", async () => {
  const text = await (await setUp().get(START)).text()
  expect(text).toMatch(/all tools of the toolkit <code>Gmail<\/code> to use your account, at these addresses only/)
  expect(text).toContain('<code>api.mail.example</code>')
  expect(text).toContain('<input name="account"')
  const named = { ...GRANT, hosts: [], account: 'work', hasProviderGrant: true }
  const other = await (await setUp({ known: [named] }).get(START)).text()
  expect(other).toContain('this Switchboard only')
  expect(other).toContain('<dd>work</dd>')
  expect(other).not.toContain('<input')
  expect(other).toContain('You have connected Google before')
  expect(other).toContain('>Continue</button>')
  const first = await setUp({ known: [{ ...GRANT, accounts: ['', 'home'] }] }).get(START)
  expect(await first.text()).toContain('Connected: <code>home</code>')
})

it("a grant's page has one form without JavaScript, a language and a title", async () => {
  const text = await (await setUp().get(START)).text()
  expect(text.match(/<form method="post">/g)).toHaveLength(1)
  expect(text).not.toMatch(/<script|\son\w+=|javascript:/i)
  expect(text).toContain('<html lang="en">')
  expect(text).toMatch(/<title>[^<]+<\/title>/)
  expect(text.match(/<h1>/g)).toHaveLength(1)
})

it("a grant's page cannot be framed, cached or sniffed, and its form may lead to the provider", async () => {
  const { headers } = await setUp().get(START)
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('form-action')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(headers.get('set-cookie')).toBeNull()
})

it("a grant's page changes nothing for a HEAD request", async () => {
  const { app, acts } = setUp()
  const response = await app.request(ORIGIN + START, { method: 'HEAD' })
  expect(response.status).toBe(200)
  expect(await response.text()).toBe('')
  expect(acts()).toBe(0)
})

it("a grant's page escapes texts of others, including markup and invisible characters", async () => {
  const hostile: Authorization = {
    ...GRANT,
    userId: '<script>alert(1)</script>\u202egro.live',
    scopes: ['"><img src=x>', 'a\u200bb'],
    tool: "Evil.Tool@1.0.0' autofocus",
  }
  const text = await (await setUp({ known: [hostile] }).get(START)).text()
  expect(text).not.toMatch(/<script|<img|\u202e|\u200b|1\.0\.0'/)
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\\u202egro.live')
  expect(text).toContain('a\\u200bb')
})

it("a grant's page truncates long texts", async () => {
  const text = await (await setUp({ known: [{ ...GRANT, scopes: ['s'.repeat(50_000)] }] }).get(START)).text()
  expect(text.length).toBeLessThan(12_000)
  expect(text).toContain('sss…')
})

it("a grant's page says if no scopes are requested", async () => {
  const text = await (await setUp({ known: [{ ...GRANT, scopes: [] }] }).get(START)).text()
  expect(text).toContain('No specific permissions')
})

it.each([
  ['completed', undefined, 200, 'can now act'],
  ['failed', 'The person refused', 410, 'The person refused.'],
  ['failed', undefined, 410, 'ask your agent to try again'],
] as const)("a grant's page that has %s says so (%s)", async (status, reason, code, said) => {
  const over = { ...GRANT, status, ...(reason === undefined ? {} : { reason }) }
  const response = await setUp({ known: [over] }).get(START)
  expect(response.status).toBe(code)
  const text = await response.text()
  expect(text).toContain(said)
  expect(text).not.toContain('<form')
})

async function shown(input: JsonObject, more: Partial<InvocationSnapshot> = {}): Promise<string> {
  const { invocation } = APPROVAL
  if (!invocation) throw new Error('It has none')
  const known = [{ ...APPROVAL, invocation: { ...invocation, ...more, input } }]
  return (await setUp({ known }).get(APPROVE)).text()
}

it("an approval's page shows the complete arguments, and two buttons", async () => {
  const { get, acts } = setUp()
  const text = await (await get(APPROVE)).text()
  expect(text).toContain('Bank.Pay@1.0.0')
  expect(text).toContain('<dt>to</dt><dd><pre>DE02 1203 0000 0000 2020 51</pre></dd>')
  expect(text).toContain('<dt>cents</dt><dd><pre>125000</pre></dd>')
  expect(text).toContain('<button class="go" name="decision" value="approve">Approve</button>')
  expect(text).toContain('<button name="decision" value="refuse" formnovalidate="">Deny</button>')
  expect(acts()).toBe(0)
})

it("an approval's page shows the caller, the tool's description and hosts, and each argument's description", async () => {
  const record = {
    ...recordWith({}),
    id: 'Bank.Pay@1.0.0',
    title: 'Pay” <now>',
    icons: [{ src: 'https://icons.example/pay.png' }],
    description: 'Pays a bill',
    input: { type: 'object', properties: { to: { type: 'string', description: 'An IBAN' }, cents: true } },
  }
  const pageOf = async (hosts: readonly string[] | undefined, more: Partial<Authorization> = {}) => {
    const { runnable } = callableOf(record, () => ({ ok: true, value: null }))
    const tools = [{ record, runnable: { ...runnable, ...(hosts && { hosts }) } }]
    const text = await (await setUp({ known: [{ ...APPROVAL, ...more }], tools }).get(APPROVE)).text()
    return text.replaceAll(/\s+/g, ' ')
  }
  const page = await pageOf(['api.bank.example'], { requestedBy: 'The “bookkeeper”' })
  expect(page).toContain('<dt>Requested by</dt><dd>API key “The &#39;bookkeeper&#39;” <code>key:7</code>')
  expect(page).toContain(
    'src="/tools/Bank.Pay%401.0.0/icon" alt="" loading="lazy" decoding="async"/><code>Bank.Pay@1.0.0</code>',
  )
  expect(page).toContain('<dt>Title</dt><dd>“Pay&#39; &lt;now&gt;”</dd>')
  expect(page).not.toContain('icons.example')
  expect(page).toContain('<dt>Description</dt><dd>Pays a bill</dd>')
  expect(page).toContain('<dt>Sends data to</dt><dd><code>api.bank.example</code>')
  expect(page).toContain('2020 51</pre><span class="note">An IBAN</span>')
  expect(await pageOf([])).toContain('<dt>Sends data to</dt><dd>this Switchboard only')
  expect(await pageOf(undefined)).toContain('<dd>any host, as this Switchboard’s own code decides')
})

it("an approval's page shows nested objects as lists, and too many or too deep ones as JSON", async () => {
  const text = await shown({ order: { lines: [{ n: 1 }], to: { city: 'Bonn' } }, none: {} })
  expect(text).toContain('<dt>city</dt><dd><pre>Bonn</pre>')
  expect(text).toContain('<dt>none</dt><dd><pre>{}</pre>')
  const wide = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, { ...Array(20).fill(n) }]))
  for (const input of [wide, { a: { b: { c: { d: { e: 1 } } } } }]) {
    expect(await shown(input)).toMatch(/<h2>Arguments<\/h2>\s*<pre>/)
  }
})

it("an approval's page shows misleading arguments exactly as they are", async () => {
  const text = await shown({ note: '</pre><h1>Safe</h1>\u202e', line: 'a\nb' })
  expect(text).toContain('&lt;/pre&gt;&lt;h1&gt;Safe&lt;/h1&gt;\\u202e')
  expect(text).toContain('<pre>a\nb</pre>')
})

it("an approval's page quotes strings that look like other values, or have invisible edges", async () => {
  const text = await shown({ a: '10', b: 10, c: 'true', d: '', e: ' x ', f: '{"x":1}', g: null })
  for (const said of ['"10"', '10', '"true"', '""', '" x "', '"{\\"x\\":1}"', 'null']) {
    expect(text).toContain(`<pre>${said.replaceAll('"', '&quot;')}</pre>`)
  }
})

it("an approval's page shows very long arguments completely, without growing beyond their length", async () => {
  expect((await shown({ text: 'x'.repeat(490_000) })).includes('x'.repeat(490_000))).toBe(true)
  const list: Json = JSON.parse(`${'['.repeat(130)}${'0,'.repeat(150_000)}0${']'.repeat(130)}`)
  expect((await shown({ list })).length).toBeLessThan(310_000)
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`n${n}`, n]))
  expect((await shown(many)).length).toBeLessThan(1_500_000)
})

it("an approval's page shows everything else that the tool receives: the source of credentials, user_info, answers and files", async () => {
  const text = await shown(
    {},
    {
      method: 'tools/other',
      user_info: { role: 'owner' },
      answers: { responses: { amount: { action: 'accept', content: { eur: 1_000_000 } } } },
      credentials: [
        { id: 'mail', kind: 'token', from: 'grant', account: 'work' },
        { id: 'chat', kind: 'token', from: 'grant', account: '' },
        { id: 'bank', kind: 'token', from: 'caller', hash: 'abcdefghijklmnop' },
        { id: 'KEY', kind: 'secret', from: 'deployment' },
      ],
      files: [
        { handle: 'artifact:x', filename: 'bill.pdf', content_type: 'application/pdf', size: 12_345, sha256: 'ab12' },
      ],
    },
  )
  for (const said of [
    '<dt>Requested by</dt><dd>API key <code>key:7</code>',
    '<dt>Method</dt><dd><code>tools/other</code>',
    '<dt>Access to mail</dt><dd>the user’s account <strong>work</strong>',
    '<dt>Access to chat</dt><dd>the user’s default account',
    '<dt>Access to bank</dt><dd>sent by the caller, fingerprint <code>abcdefghijkl</code>',
    '<dt>Secret KEY</dt><dd>this Switchboard’s own',
    '<dt>role</dt><dd><pre>owner</pre>',
    '<dt>eur</dt><dd><pre>1000000</pre>',
    '<a href="/authorizations/auth_2/files/0">bill.pdf</a>, application/pdf, 12,345 bytes',
    'SHA-256 ab12',
  ]) {
    expect(text).toContain(said)
  }
})

it("an approval's page says if no one is identified", async () => {
  expect(await (await setUp().get(APPROVE)).text()).not.toContain('anyone with this link can approve')
  const text = await (await setUp({ signInMethod: 'none', hasVerifier: false }).get(APPROVE)).text()
  expect(text).toContain('anyone with this link can approve')
})

it("an approval's page of a call without a user says so", async () => {
  const { userId: _, ...nobody } = APPROVAL
  expect(await (await setUp({ known: [nobody] }).get(APPROVE)).text()).toContain('<dt>User</dt><dd>none</dd>')
})

it('a link for a provider that is not set up says so, also after its button is pressed', async () => {
  const { get, post, acts } = setUp({ known: [{ ...GRANT, provider: 'acme' }] })
  for (const response of [await get(START), await post(START, { decision: 'continue' })]) {
    expect(response.status).toBe(409)
    expect(await response.text()).toContain('is not set up')
  }
  expect(acts()).toBe(0)
})

it('a link without an authorization, for a call without a user, says what the agent must do', async () => {
  const response = await setUp().get('/authorizations/google/start')
  expect(response.status).toBe(404)
  const text = await response.text()
  expect(text).toContain('did not name a user')
  expect(text).toContain('Google')
})

it('a link without any authorization shows a page with its id escaped', async () => {
  const response = await setUp().get('/authorizations/%3Cb%3Enope/start')
  expect(response.status).toBe(404)
  expect(await response.text()).toContain('&lt;b&gt;nope')
})

it('a link with malformed percent-encoding is refused', async () => {
  const { get, port } = setUp()
  expect((await get('/authorizations/%ff/start')).status).toBe(400)
  expect((await get('/authorizations/%ff')).status).toBe(400)
  expect(port.find).not.toHaveBeenCalled()
})

it('a link is not looked up for a client above its rate limit', async () => {
  const { get, post, port } = setUp({ limited: fail({ type: 'rate-limited', retry_after_ms: 5_000 }) })
  for (const response of [await get(START), await post(START, {}), await get('/oauth/callback?state=s')]) {
    expect(response.status).toBe(429)
  }
  expect(port.find).not.toHaveBeenCalled()
  expect(port.finish).not.toHaveBeenCalled()
})

it("pressing a page's button leads to the provider, with a cookie for this browser only", async () => {
  const { post, port } = setUp()
  const response = await post(START, { decision: 'continue' })
  expect(response.status).toBe(302)
  expect(response.headers.get('location')).toBe('https://accounts.google.com/auth?x=1')
  expect(response.headers.get('cache-control')).toBe('no-store')
  const cookie = response.headers.get('set-cookie') ?? ''
  const [, browser] = /^__Host-switchboard-browser=([\w-]{43}); /.exec(cookie) ?? []
  expect(cookie.split('; ').slice(1)).toEqual(['Path=/', 'Max-Age=2592000', 'HttpOnly', 'SameSite=Lax', 'Secure'])
  expect(port.start.mock.calls).toEqual([['auth_1', { browserCookie: browser, callback: `${ORIGIN}/oauth/callback` }]])
})

it("pressing a page's button sends the account that the person names", async () => {
  const { post, port } = setUp()
  expect((await post(START, { decision: 'continue', account: ' work ' })).status).toBe(302)
  expect(port.start.mock.calls[0]?.[1]).toMatchObject({ account: 'work' })
  expect((await post(START, { decision: 'continue', account: 'x'.repeat(65) })).status).toBe(400)
  expect((await post(START, { decision: 'continue', account: 'a\u0000' })).status).toBe(400)
  expect(port.start).toHaveBeenCalledTimes(1)
})

it("pressing a page's button sets another cookie in another browser", async () => {
  const { post } = setUp()
  const cookies = [await post(START, {}), await post(START, {})].map(({ headers }) => headers.get('set-cookie'))
  expect(cookies[0]).not.toBe(cookies[1])
})

it.each([
  ['keeps the cookie a browser has', `other=1; ${COOKIE}`, true],
  ['takes none that is malformed', '__Host-switchboard-browser=short', false],
  ['takes none that another host may have set', `switchboard-browser=${BROWSER}`, false],
])("pressing a page's button %s", async (_, cookie, kept) => {
  const { post, port } = setUp()
  const response = await post(START, { decision: 'continue' }, { cookie })
  expect(response.headers.get('set-cookie')?.includes(BROWSER)).toBe(kept)
  expect(port.start.mock.calls[0]?.[1].browserCookie === BROWSER).toBe(kept)
})

it("pressing a page's button over plain HTTP, as on localhost, sets a cookie that also works there", async () => {
  const { app } = setUp()
  const url = `http://localhost:8787${START}`
  const form = { method: 'POST', body: new URLSearchParams(), headers: { origin: 'http://localhost:8787' } }
  const cookie = (await app.request(url, form)).headers.get('set-cookie')
  expect(cookie).toMatch(/^switchboard-browser=[\w-]{43}; /)
  expect(cookie).not.toContain('Secure')
})

it.each([
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['a sibling host', { 'sec-fetch-site': 'same-site' }],
  ['another site, in a browser that says no more', { origin: 'https://evil.example' }],
  ['a sandboxed frame', { origin: 'null' }],
])("pressing a page's button from %s does nothing", async (_, headers) => {
  const { app, acts } = setUp()
  for (const path of [START, APPROVE]) {
    const body = new URLSearchParams({ decision: 'approve' })
    const response = await app.request(ORIGIN + path, { method: 'POST', body, headers })
    expect(response.status).toBe(403)
    expect(response.headers.get('set-cookie')).toBeNull()
  }
  expect(acts()).toBe(0)
})

it("pressing a page's button with a body that is not a form, or too large, does nothing", async () => {
  const { app, post, acts } = setUp()
  const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
  expect((await app.request(ORIGIN + START, json)).status).toBe(415)
  expect((await post(START, { decision: 'x'.repeat(20_000) })).status).toBe(413)
  expect(acts()).toBe(0)
})

it("pressing a page's button refuses a grant", async () => {
  const { post, port } = setUp()
  port.decide.mockResolvedValue({ ok: true, authorization: { ...GRANT, status: 'failed' } })
  const response = await post(START, { decision: 'refuse' }, { cookie: COOKIE })
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('Refused')
  const callback = `${ORIGIN}/oauth/callback`
  expect(port.decide.mock.calls).toEqual([['auth_1', { browserCookie: BROWSER, callback, approve: false }]])
  expect(port.start).not.toHaveBeenCalled()
})

it.each([
  ['approve', true, 'You approved the call'],
  ['refuse', false, 'will not be called'],
])("pressing a page's button decides on a call: %s", async (decision, approve, said) => {
  const { post, port } = setUp()
  const status = approve ? 'completed' : 'failed'
  port.decide.mockResolvedValue({ ok: true, authorization: { ...APPROVAL, status } })
  const response = await post(APPROVE, { decision })
  expect(response.status).toBe(200)
  expect(await response.text()).toContain(said)
  expect(port.decide.mock.calls[0]?.[1].approve).toBe(approve)
})

it.each([
  ['a grant', START, 'did not get access'],
  ['a call', APPROVE, 'will not be called'],
])("pressing a page's button says that %s stays open if the refusal is not accepted", async (_, path, wrong) => {
  const { post, port, audit } = setUp()
  port.decide.mockResolvedValue({ ok: false, why: 'refused', message: 'You are somebody else' })
  const response = await post(path, { decision: 'refuse' })
  expect(response.status).toBe(400)
  const text = await response.text()
  expect(text).toContain('You are somebody else')
  expect(text).not.toContain(wrong)
  expect(audit).toMatchObject([{ outcome: 'refused', status: 403 }])
})

it("pressing a page's button sends an approver to the verifier first, if there is one", async () => {
  const { post, port } = setUp()
  port.decide.mockResolvedValue({ ok: true, location: 'https://app.example/verify?flow=f' })
  const response = await post(APPROVE, { decision: 'approve' })
  expect(response.status).toBe(302)
  expect(response.headers.get('location')).toBe('https://app.example/verify?flow=f')
  expect(response.headers.get('set-cookie')).toContain('switchboard-browser=')
})

it.each([{}, { decision: 'continue' }, { decision: 'maybe' }])(
  "pressing a page's button never treats %j as an approval",
  async (fields) => {
    const { post, acts } = setUp()
    expect((await post(APPROVE, fields)).status).toBe(400)
    expect(acts()).toBe(0)
  },
)

it("pressing a page's button never starts a grant for an unknown decision", async () => {
  const { post, acts } = setUp()
  expect((await post(START, { decision: 'approve' })).status).toBe(400)
  expect(acts()).toBe(0)
})

it.each([
  ['expired', 410],
  ['other-browser', 403],
  ['refused', 400],
  ['unavailable', 502],
] as const)("pressing a page's button tells the person why it failed: %s", async (why, status) => {
  const { post, port } = setUp()
  port.start.mockResolvedValue({ ok: false, why, message: 'Cannot reach <Google>' })
  const response = await post(START, { decision: 'continue' })
  expect(response.status).toBe(status)
  const text = await response.text()
  expect(text).toContain('Cannot reach &lt;Google&gt;.')
  expect(text.includes(`href="${START}"`)).toBe(why !== 'expired')
})

it("pressing a page's button on an unknown link shows the page that says so", async () => {
  const { post, acts } = setUp()
  expect((await post('/authorizations/none/start', { decision: 'continue' })).status).toBe(404)
  expect(acts()).toBe(0)
})

it('coming back from the verifier continues in the same browser', async () => {
  const { get, port } = setUp()
  const response = await get('/authorizations/auth_1/resume?proof=p', { cookie: COOKIE })
  expect(response.status).toBe(302)
  expect(response.headers.get('location')).toBe('https://accounts.google.com/auth?x=1')
  expect(port.resume.mock.calls).toEqual([
    ['auth_1', { browserCookie: BROWSER, callback: `${ORIGIN}/oauth/callback`, proof: 'p' }],
  ])
})

it('coming back from the verifier in a browser without the cookie is refused', async () => {
  const { get, acts } = setUp()
  expect((await get('/authorizations/auth_1/resume')).status).toBe(403)
  expect(acts()).toBe(0)
})

const back = '/oauth/callback?code=secret-code&state=s1'

it('coming back from the provider shows that access was given', async () => {
  const { get, port } = setUp()
  const response = await get(back, { cookie: COOKIE })
  expect(response.status).toBe(200)
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  const text = await response.text()
  expect(text).toContain('can now act')
  expect(text).toContain('You can close this window')
  expect(text).not.toContain('secret-code')
  expect(port.finish.mock.calls).toEqual([
    [{ url: ORIGIN + back, browserCookie: BROWSER, callback: `${ORIGIN}/oauth/callback` }],
  ])
})

it('coming back from the provider without the cookie lets the port decide', async () => {
  const { get, port } = setUp()
  port.finish.mockResolvedValue({ ok: false, why: 'other-browser', message: 'Another browser began this' })
  expect((await get(back)).status).toBe(403)
  expect(port.finish.mock.calls[0]?.[0].browserCookie).toBeUndefined()
})

it.each([
  ['expired', 410],
  ['other-browser', 403],
  ['refused', 400],
  ['unavailable', 502],
] as const)('coming back from the provider says what went wrong: %s', async (why, status) => {
  const { get, port } = setUp()
  const message = `<i>${'e'.repeat(5_000)}`
  port.finish.mockResolvedValue({ ok: false, why, message })
  const response = await get(`${back}&error_description=<script>`)
  expect(response.status).toBe(status)
  const text = await response.text()
  expect(text).toContain('&lt;i&gt;eee')
  expect(text).not.toContain('e'.repeat(400))
  expect(text).not.toMatch(/<script|secret-code/)
})

it('coming back from the provider with an authorization that failed shows the reason', async () => {
  const { get, port } = setUp()
  port.finish.mockResolvedValue({ ok: true, authorization: { ...GRANT, status: 'failed', reason: 'You said no' } })
  const response = await get(back)
  expect(response.status).toBe(410)
  expect(await response.text()).toContain('You said no.')
})

it.each([
  '/oauth/callback',
  '/oauth/callback?code=c',
  '/oauth/callback?state=',
  `/oauth/callback?state=${'s'.repeat(20_000)}`,
])('coming back from the provider without a valid state asks no one (%#)', async (path) => {
  const { get, acts } = setUp()
  expect((await get(path)).status).toBe(400)
  expect(acts()).toBe(0)
})

it('the remaining time is at least one minute while a page works', async () => {
  const text = await (await setUp({ known: [{ ...GRANT, expiresAt: NOW + 1 }] }).get(START)).text()
  expect(text).toContain('expires in 1 minute.')
})

it('a page whose storage is unreachable says so, and that the person may try again, at each step', async () => {
  const { get, post, port } = setUp()
  const away = () => Promise.reject(new UnreachableError('Switchboard cannot reach its vault right now'))
  for (const act of [port.start, port.decide, port.resume, port.finish]) act.mockImplementation(away)
  for (const answer of [
    await post(START, { decision: 'continue' }),
    await post(APPROVE, { decision: 'approve' }),
    await get('/authorizations/auth_1/resume?proof=p', { cookie: COOKIE }),
    await get('/oauth/callback?code=c&state=s1'),
  ]) {
    expect(await awayOf(answer)).toEqual(AWAY)
  }
  port.find.mockImplementation(away)
  expect(await awayOf(await get(START))).toEqual(AWAY)
})

it('a page whose storage is unreachable shows only a reference for an unexpected error', async () => {
  const { get, port } = setUp()
  port.find.mockRejectedValue(new Error('secret-detail'))
  const answer = await get(START)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8'])
  const text = await answer.text()
  expect(text).toContain(REFERENCE)
  expect(text).not.toContain('secret-detail')
})
