import { expect, it } from 'vitest'
import { ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import { formatBrowser } from '../../../src/console/person/browser.ts'
import { type Routes, setUp } from '../set-up.ts'

const ANN: Principal = {
  id: 'person:ann@acme.test',
  kind: 'person',
  scopes: ['tools:read', 'tools:call'],
  tools: ['*'],
  users: ['ann@acme.test'],
}
const AT = '2026-11-01T12:34:56.000Z'
const UNTIL = '2026-12-01T12:34:56.000Z'
const AGENT = {
  id: 'a1',
  principal: ANN.id,
  client: { id: 'c', name: '<b>Claude</b>', host: 'claude.ai' },
  toolkits: ['Mail', 'Calculator'],
  scopes: ['tools:read', 'tools:call'],
  origin: 'https://switchboard.test',
  created_at: AT,
  expires_at: UNTIL,
}
const SESSION = {
  id: 's1',
  principal: ANN.id,
  user_id: 'ann@acme.test',
  origin: 'https://switchboard.test',
  browser: 'Mozilla/5.0 (X11; Linux x86_64; <x>) Chrome/140.0.0.0 Safari/537.36',
  created_at: AT,
  expires_at: UNTIL,
}
const GRANT = {
  provider: 'google',
  account: 'work "x"',
  scopes: ['mail.read'],
  granted_at: AT,
  refreshable: true,
  provider_name: 'Google',
  kind: 'oauth2',
  state: 'refused',
  reason: 'The API of <google> refuses it',
  last_refused_at: AT,
  toolkits: [
    { toolkit: 'Mail', hosts: ['mail.example'], scopes: ['mail.read'], given_at: AT },
    { toolkit: 'Calendar', hosts: [], scopes: [], given_at: AT },
  ],
}
const AGENTS = '/users/ann%40acme.test/agents'
const GRANTS = '/users/ann%40acme.test/grants'
const CONNECTIONS = '/users/ann%40acme.test/connections'
const gone = () => new Response(null, { status: 204 })
const missing = () => Response.json({ message: "Cannot find the agent 'a1'" }, { status: 404 })
const ROUTES: Routes = {
  [`GET ${AGENTS}`]: () => ({ items: [AGENT, { ...AGENT, id: 'a2', used_at: AT }] }),
  [`DELETE ${AGENTS}`]: gone,
  [`DELETE ${AGENTS}/a1`]: gone,
  'GET /sessions': () => ({ items: [{ ...SESSION, current: true }] }),
  'DELETE /sessions': gone,
  'DELETE /sessions/s1': gone,
  [`GET ${CONNECTIONS}`]: () => ({ items: [GRANT] }),
  [`DELETE ${GRANTS}/google`]: gone,
}

const flat = async (response: Response) => (await response.text()).replaceAll(/\s+/g, ' ')

it('the page of agents shows their name, host, toolkits and dates', async () => {
  const text = await flat(await setUp(ROUTES, ANN).get('/console/agents'))
  for (const said of ['&lt;b&gt;Claude&lt;/b&gt;', 'claude.ai', 'Mail, Calculator', '2026-11-01 12:34 UTC', 'never'])
    expect(text).toContain(said)
  expect(text).toContain('Disconnect all 2 agents')
  // Only who may act for several is asked for whom
  expect(text).not.toContain('name="user"')
})

it('the page of sign-ins shows the browser and the date', async () => {
  const text = await flat(await setUp(ROUTES, ANN).get('/console/sign-ins'))
  for (const said of ['Chrome on Linux, this browser', '&lt;x&gt;', '2026-11-01 12:34 UTC', 'End this session'])
    expect(text).toContain(said)
  expect(text).not.toContain('End all others')
  const asAdmin = await flat(await setUp(ROUTES, { ...ANN, scopes: ['admin'] }).get('/console/sign-ins'))
  expect(asAdmin).toContain('data-label="Person">ann@acme.test<')
})

it('the page of accounts shows when an account without refresh expires, and can disconnect all of them', async () => {
  const expires_at = '2026-12-01T12:34:56.000Z'
  const items = [
    { ...GRANT, expires_at },
    { ...GRANT, account: 'home', expires_at, refreshable: false },
  ]
  const { get, post, asked } = setUp(
    { ...ROUTES, [`GET ${CONNECTIONS}`]: () => ({ items }), [`DELETE ${GRANTS}`]: gone },
    ANN,
  )
  const text = await flat(await get('/console/accounts'))
  expect(text.match(/2026-12-01 12:34 UTC/g)).toHaveLength(1)
  expect(text).toContain('Disconnect all 2 accounts')
  expect(await flat(await setUp(ROUTES, ANN).get('/console/accounts'))).not.toContain('name="all"')
  const done = await post('/console/accounts', { all: '1' })
  expect([done.status, done.headers.get('location')]).toEqual([302, '/console/accounts?done=1'])
  expect(asked.at(-1)?.request.method).toBe('DELETE')
  expect(asked.at(-1)?.request.url).toBe(`https://switchboard.test${GRANTS}`)
})

it('the page of accounts shows whether they work, when they were used and refused, and why', async () => {
  const text = await flat(await setUp(ROUTES, ANN).get('/console/accounts'))
  expect(text).toContain('data-label="State">Refused<div class="note">The API of &lt;google&gt; refuses it</div>')
  expect(text).toMatch(/<div>Last refused <time [^>]*>2026-11-01 12:34 UTC/)
  expect(text).not.toContain('Last used')
})

it.each([
  [{ state: 'working' }, 302, undefined],
  [{ state: 'refused', reason: 'The API refuses it' }, 302, undefined],
  [{ state: 'unknown', reason: '<google> cannot be asked now' }, 502, '&lt;google&gt; cannot be asked now.'],
])('a check of an account that returns %j is %i', async (answer, status, said) => {
  const path = `${CONNECTIONS}/google/check`
  const { post, asked } = setUp({ ...ROUTES, [`POST ${path}`]: () => ({ ...GRANT, ...answer }) }, ANN)
  const done = await post('/console/accounts', { provider: 'google', account: 'work "x"', check: '1' })
  expect(done.status).toBe(status)
  if (said === undefined) expect(done.headers.get('location')).toBe('/console/accounts?done=1')
  else expect(await done.text()).toContain(said)
  expect(asked[0]?.request.url).toBe(`https://switchboard.test${path}?account=work+%22x%22`)
})

it('an account is connected through the form or its button, which lead to the link', async () => {
  const made = { id: 'google', url: 'https://switchboard.test/authorizations/x/start', scopes: [], status: 'pending' }
  const { post, asked } = setUp({ ...ROUTES, [`POST ${CONNECTIONS}`]: () => made }, ANN)
  const done = await post('/console/accounts', { provider: 'google', toolkit: 'Mail', account: '', connect: '1' })
  expect([done.status, done.headers.get('location')]).toEqual([302, '/authorizations/x/start'])
  expect(await asked[0]?.request.json()).toEqual({ provider: 'google', toolkit: 'Mail' })
  const again = await post('/console/accounts', { provider: 'google', toolkit: '', account: 'work', connect: '1' })
  const form = '/console/accounts?provider=google&account=work&user=ann%40acme.test#connect'
  expect(again.headers.get('location')).toBe(form)
})

it('the page of accounts shows the provider, and which toolkits use them', async () => {
  const text = await flat(await setUp(ROUTES, ANN).get('/console/accounts'))
  for (const said of [
    'google, work',
    'mail.read',
    '>Mail</a><span class="note">, which sends the token to mail.example',
    '>Calendar</a></div>',
    'Disconnect from Calendar only',
  ])
    expect(text).toContain(said)
})

it.each(['/console/agents', '/console/sign-ins', '/console/accounts'])(
  'the page at %s says if there is nothing',
  async (path) => {
    const none = () => ({ items: [] })
    const routes = { [`GET ${AGENTS}`]: none, 'GET /sessions': none, [`GET ${CONNECTIONS}`]: none }
    const page = await setUp(routes, ANN).get(path)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('class="notice"')
  },
)

it('the page of another user shows what the route returns to the visitor', async () => {
  const forbidden = () => Response.json({ message: 'The credential may not act for the user' }, { status: 403 })
  const { get, asked } = setUp({ 'GET /users/bob/agents': forbidden }, ANN)
  const page = await get('/console/agents?user=bob')
  expect(page.status).toBe(403)
  expect(await page.text()).toContain('may not act for the user')
  expect(asked.map(({ principal }) => principal)).toEqual([ANN])
})

it.each([
  ['/console/agents', { id: 'a1' }, `DELETE ${AGENTS}/a1`],
  ['/console/agents', { all: '1' }, `DELETE ${AGENTS}`],
  ['/console/sign-ins', { id: 's1' }, 'DELETE /sessions/s1'],
  ['/console/sign-ins', { all: '1' }, 'DELETE /sessions'],
  ['/console/accounts', { provider: 'google', account: 'work "x"' }, `DELETE ${GRANTS}/google?account=work+%22x%22`],
  [
    '/console/accounts',
    { provider: 'google', account: '', toolkit: 'Mail' },
    `DELETE ${GRANTS}/google?account=&toolkit=Mail`,
  ],
])('the form at %s with %j sends %s, once, and reports it', async (path, fields, request) => {
  const { post, get, asked } = setUp(ROUTES, ANN)
  const done = await post(path, fields)
  expect([done.status, done.headers.get('location')]).toEqual([302, `${path}?done=1`])
  expect(
    asked.map(({ request: { method, url } }) => `${method} ${url.slice('https://switchboard.test'.length)}`),
  ).toEqual([request])
  expect(await (await get(`${path}?done=1`)).text()).toContain('role="status"')
})

it('a change for another user leads back to that user', async () => {
  const { post } = setUp({ 'DELETE /users/bob/agents/a1': gone })
  const done = await post('/console/agents?user=bob&done=1', { id: 'a1' })
  expect(done.headers.get('location')).toBe('/console/agents?user=bob&done=1')
})

it.each([
  ['/console/agents', {}, 400],
  ['/console/agents', { id: '' }, 404],
  ['/console/agents', { id: '..' }, 404],
  ['/console/agents', { id: '../grants' }, 404],
  ['/console/sign-ins', {}, 400],
  ['/console/accounts', {}, 400],
  ['/console/accounts', { provider: '..' }, 404],
])('the form at %s with %j sends nothing', async (path, fields, status) => {
  const { post, asked } = setUp(ROUTES, ANN)
  expect((await post(path, fields)).status).toBe(status)
  const done = asked
    .filter(({ request }) => request.method !== 'GET')
    .map(({ request }) => new URL(request.url).pathname)
  for (const path of done) expect(Object.keys(ROUTES)).not.toContain(`DELETE ${path}`)
})

it('a refused change is shown with its reason, with the current list', async () => {
  const { post } = setUp({ ...ROUTES, [`DELETE ${AGENTS}/a1`]: missing }, ANN)
  const page = await post('/console/agents', { id: 'a1' })
  expect(page.status).toBe(404)
  const text = await page.text()
  expect(text).toContain('Cannot find the agent &#39;a1&#39;')
  expect(text).toContain('claude.ai')
})

it.each(['/console/agents', '/console/sign-ins', '/console/accounts'])('%s requires sign-in', async (path) => {
  const { get, post, asked } = setUp(ROUTES, { ...ANONYMOUS, scopes: ['tools:read', 'tools:call'] })
  for (const answer of [await get(path), await post(path, { id: 'a1' })]) {
    expect([answer.status, answer.headers.get('location')]).toEqual([302, `/sign-in?return=${path}`])
  }
  expect(asked).toEqual([])
})

it("a person's other sessions can be ended together", async () => {
  const items = [SESSION, { ...SESSION, id: 's2', current: true, browser: 'curl/8 '.repeat(9) }]
  const text = await flat(await setUp({ ...ROUTES, 'GET /sessions': () => ({ items }) }, ANN).get('/console/sign-ins'))
  for (const said of ['End all others', 'Chrome on Linux<', 'curl/8 curl/8 curl/8 curl/8 curl/8 curl/, this browser'])
    expect(text).toContain(said)
})

it.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1',
    'Safari on iPhone',
  ],
  ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36', 'Chrome on Android'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on macOS'],
  ['', 'Unknown browser'],
])('a browser with the user agent %j is %s', (userAgent, said) => {
  expect(formatBrowser(userAgent)).toBe(said)
})

const ADMIN: Principal = { ...ANN, id: 'admin', kind: 'admin', scopes: ['admin'], users: 'any' }
const ACCESS = 'GET /users/ann%40acme.test/access'
const PERSON = '/console/people?user=ann%40acme.test'

it('people are listed for administrators with what they have, in pages, and can be searched', async () => {
  const item = { user_id: 'ann@acme.test', accounts: 1, agents: 2, sessions: 3, keys: 0 }
  const { get, asked } = setUp({ 'GET /users': () => ({ items: [item], next_cursor: 'ann@acme.test' }) }, ADMIN)
  const text = await flat(await get('/console/people?q=ann'))
  expect(asked[0]?.request.url).toBe('https://switchboard.test/users?q=ann&limit=50')
  for (const said of [`href="${PERSON}"`, 'data-label="Agents">2<', 'q=ann&amp;cursor=ann%40acme.test'])
    expect(text).toContain(said)
  expect(await (await setUp({ 'GET /users': () => ({ items: [] }) }, ADMIN).get('/console/people')).text()).toContain(
    'No people found',
  )
  expect((await setUp(ROUTES, ANN).get('/console/people')).status).toBe(403)
})

it("a person's page has accounts, agents and sessions, each of which can be revoked, and a link back", async () => {
  const routes = { ...ROUTES, [ACCESS]: () => ({ accounts: [GRANT], agents: [AGENT], keys: [{ name: 'bot' }] }) }
  const { get, post, asked } = setUp(routes, ADMIN)
  const text = await flat(await get(PERSON))
  expect(asked.map(({ request }) => request.url.slice('https://switchboard.test'.length))).toContain(
    '/sessions?user_id=ann%40acme.test',
  )
  for (const said of ['google, work', 'Claude', 'Chrome on Linux', 'End all access', 'people=1', '“bot”'])
    expect(text).toContain(said)
  const boss: Principal = { ...ANN, id: 'person:boss', scopes: ['admin'], users: ['boss'] }
  const asBoss = await flat(await setUp(routes, boss).get(PERSON))
  for (const said of ['google, work', 'End all access', 'Chrome on Linux']) expect(asBoss).toContain(said)
  expect(asBoss).not.toContain('Disconnect')
  const done = await post('/console/agents?user=ann%40acme.test&people=1', { id: 'a1' })
  expect(done.headers.get('location')).toBe(`${PERSON}&done=1`)
})

it("ending a person's access reports what ended and what remains to be done, or why it failed", async () => {
  const ended = {
    user_id: 'ann@acme.test',
    sessions: 1,
    agents: 2,
    accounts: 1,
    authorizations: 0,
    not_revoked: [{ provider: 'google', account: 'work' }],
    keys: [{ id: 'k1', name: '<bot>' }],
  }
  const path = 'DELETE /users/ann%40acme.test/access'
  const { post, asked } = setUp({ ...ROUTES, [path]: () => ended }, ADMIN)
  const text = await flat(await post(PERSON, {}))
  for (const said of [
    '1 session, 2 agents, 1 account and 0 open requests',
    'google, work: deleted here',
    '“&lt;bot&gt;”',
  ])
    expect(text).toContain(said)
  expect(asked.filter(({ request }) => request.method === 'DELETE')).toHaveLength(1)
  const failure = () => Response.json({ message: 'Switchboard cannot reach its vaults' }, { status: 503 })
  const failed = await setUp({ ...ROUTES, [path]: failure }, ADMIN).post(PERSON, {})
  expect([failed.status, (await failed.text()).includes('cannot reach its vaults')]).toEqual([503, true])
  expect((await setUp(ROUTES, ANN).post(PERSON, {})).status).toBe(403)
})
