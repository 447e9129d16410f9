import { expect, it } from 'vitest'
import { ANONYMOUS } from '../../src/core/access/principal.ts'
import { setUp } from './set-up.ts'

const TOOL = { id: 'Mail.Send@1.0.0', name: 'Mail_Send', description: 'Sends a mail', version: '1.0.0' }
const ROUTES = { 'GET /tools': () => ({ items: [TOOL] }), 'GET /toolkits': () => ({ items: [] }) }
const READER = {
  id: 'key:1',
  kind: 'key',
  name: 'a <reader>',
  scopes: ['tools:read'],
  tools: ['*'],
  users: [],
} as const

it('the root URL of a deployment shows the console to browsers, and redirects other clients as before', async () => {
  const { get } = setUp(ROUTES)
  const page = await get('/')
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('Mail.Send')
  for (const accept of ['*/*', 'application/json', 'text/event-stream', '']) {
    const other = await get('/', { accept })
    expect([other.status, other.headers.get('location')]).toEqual([302, '/docs'])
  }
})

it('the root URL of a deployment says what it is to visitors who are not signed in, and nothing else', async () => {
  const { get, asked } = setUp(ROUTES, { type: 'unauthenticated', reason: 'Nobody is signed in' })
  const page = await get('/')
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('href="/sign-in?return=/"')
  expect(asked).toEqual([])
})

it('the console sends visitors of any other page to sign in, and back to the page', async () => {
  const { get, asked } = setUp(ROUTES, { type: 'unauthenticated', reason: 'Nobody is signed in' })
  const { status, headers } = await get('/console/tools/Mail.Send?format=mcp')
  expect([status, headers.get('location')]).toEqual([302, '/sign-in?return=/console/tools/Mail.Send?format=mcp'])
  expect(asked).toEqual([])
})

it("the console calls routes as the visitor, without any of the browser's headers", async () => {
  const { get, asked } = setUp(ROUTES, READER)
  await get('/?q=send%20a%20mail&toolkit=Mail', {
    'accept': 'text/html',
    'cookie': 'switchboard-session=x',
    'x-user-id': 'ann',
    'cf-connecting-ip': '192.0.2.1',
  })
  expect(asked.map(({ request }) => request.url)).toEqual([
    'https://switchboard.test/tools?q=send+a+mail&toolkit=Mail&results=relevant&format=summary&limit=50',
    'https://switchboard.test/toolkits',
  ])
  for (const { request, principal } of asked) {
    expect(principal).toEqual(READER)
    expect([...request.headers.keys()].sort()).toEqual(['accept', 'cf-connecting-ip'])
  }
})

it('the console shows anonymous visitors, if they are allowed, how to sign in', async () => {
  const text = await (await setUp(ROUTES, ANONYMOUS).get('/?q=x')).text()
  expect(text).toContain('href="/sign-in?return=/?q=x"')
  expect(text).not.toContain('Sign out')
})

it('the console refuses visitors for whom a page is not meant', async () => {
  const { get, asked } = setUp(ROUTES, { ...READER, scopes: ['tools:call'] })
  const page = await get('/')
  expect(page.status).toBe(403)
  expect(await page.text()).toContain('tools:read')
  expect(asked).toEqual([])
})

it('the console shows links on from pages that a visitor may not open, and from unknown pages', async () => {
  const reader = setUp(ROUTES, READER)
  for (const [path, status] of [
    ['/console/keys', 403],
    ['/console/nothing', 404],
    ['/login', 404],
    ['/console/tools/a/b', 404],
    ['/console/tools/..%2f', 404],
  ] as const) {
    const page = await reader.get(path)
    expect([path, page.status]).toEqual([path, status])
    expect(await page.text()).toContain('<a href="/">Catalog</a>')
  }
  const icon = await reader.get('/favicon.ico', { accept: 'image/*' })
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  // Programs are told so in their own words
  const program = await reader.get('/console/nothing', { accept: 'application/json' })
  expect([program.status, program.headers.get('content-type')]).toEqual([404, expect.not.stringContaining('html')])
  const nobody = setUp(ROUTES, { type: 'unauthenticated', reason: 'Nobody is signed in' })
  expect((await nobody.get('/console/nothing')).headers.get('location')).toBe('/sign-in?return=/console/nothing')
})

it.each([
  [{ type: 'rate-limited', retry_after_ms: 1 }, 429],
  [{ type: 'unavailable', message: 'Cannot check the session' }, 503],
  [{ type: 'forbidden', reason: 'It is of another site' }, 403],
] as const)('the console says why access failed with %j', async (failure, status) => {
  expect((await setUp(ROUTES, failure).get('/')).status).toBe(status)
})

it("the console shows a route's refusal with its message, and never as an unexpected error", async () => {
  const { get } = setUp({
    'GET /toolkits': () => Response.json({ message: 'No' }, { status: 503 }),
    'GET /tools': () =>
      Response.json({ message: "'cursor' is <none>", developer_message: 'Begin anew' }, { status: 400 }),
  })
  const page = await get('/?cursor=x')
  const text = await page.text()
  expect(text).toContain('&#39;cursor&#39; is &lt;none&gt;.')
  expect(text).toContain('Begin anew')
})

it('a page runs and shows only its own content, cannot be framed, and sends its forms only to this deployment', async () => {
  const page = await setUp(ROUTES).get('/')
  const policy = page.headers.get('content-security-policy') ?? ''
  const [, nonce = ''] = /script-src 'nonce-([\w-]+)'/.exec(policy) ?? []
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    "img-src 'self'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ])
  const text = await page.text()
  expect(text.match(/<script[^>]*>/g)).toEqual([`<script type="module" nonce="${nonce}">`])
  expect(text.match(/<style[^>]*>/g)).toEqual([`<style nonce="${nonce}">`])
  expect(text).not.toMatch(/\s(?:style|on\w+)="/)
  expect(text).not.toMatch(/(?:src|href|action)="(?:https?:)?\/\//)
  const again = await setUp(ROUTES).get('/')
  expect(again.headers.get('content-security-policy')).not.toContain(nonce)
  expect(page.headers.get('x-frame-options')).toBe('DENY')
  expect(page.headers.get('cache-control')).toBe('no-store')
})

it('a page shows texts of others as plain text, with invisible characters escaped', async () => {
  const hostile = {
    id: 'Evil.Tool@1.0.0',
    name: 'Evil_Tool',
    description: '</p><script>alert(1)</script><img src=x onerror=alert(1)>\u202eliam a sdneS\u200b',
    requirements: { secrets: [{ id: '"><script>' }] },
  }
  const text = await (await setUp({ ...ROUTES, 'GET /tools': () => ({ items: [hostile] }) }, READER).get('/')).text()
  expect(text.match(/<script/g)).toHaveLength(1)
  expect(text).not.toContain('<img')
  expect(text).toContain('\\u202eliam a sdneS\\u200b')
  expect(text).toContain('a &lt;reader&gt;')
  expect(text).not.toMatch(/[\u202e\u200b]/)
})

it('a page keeps the search text in its field, and its filters in links', async () => {
  const toolkits = [
    { toolkit: 'Mail', tools: 2 },
    { toolkit: 'Maps', tools: 1 },
  ]
  const { get } = setUp({
    'GET /tools': () => ({ items: [TOOL], next_cursor: 'a/b=' }),
    'GET /toolkits': () => ({ items: toolkits }),
  })
  const text = await (await get('/?q=%22%3E%3Cb%3E&toolkit=mail&tag=t')).text()
  expect(text).toContain('name="q" value="&quot;&gt;&lt;b&gt;"')
  expect(text).toMatch(/<option value="Mail" selected/)
  expect(text).toContain('href="/?q=%22%3E%3Cb%3E&amp;toolkit=mail&amp;tag=t&amp;cursor=a%2Fb%3D&amp;from=2"')
  expect(text).toContain('<option value="Maps">Maps (1)</option>')
})

it.each([
  ['/?view=tools', {}, '1–2 of 8,118 tools'],
  ['/?cursor=x&from=31', {}, '31–32 of 8,118 tools'],
  ['/?view=tools&from=31', {}, '1–2 of 8,118 tools'],
  ['/?cursor=x&from=%3Cb%3E', {}, '1–2 of 8,118 tools'],
  ['/?toolkit=MAIL', {}, '1–2 of 18 tools'],
  ['/?q=mail', { total: 2 }, '1–2 of 2 tools'],
  ['/?tag=t', {}, 'Tools 1–2<'],
  ['/?cursor=x&from=9000', {}, 'Tools 9,000–9,001<'],
])('a page at %s says which tools it shows, and of how many', async (path, more, range) => {
  const items = [
    { toolkit: 'Mail', tools: 18 },
    { toolkit: 'Maps', tools: 8_100 },
  ]
  const { get } = setUp({
    'GET /tools': () => ({ items: [TOOL, TOOL], ...more }),
    'GET /toolkits': () => ({ items }),
  })
  expect(await (await get(path)).text()).toContain(`<p class="note">${range}`)
})

it('a page shows its requests as commands, with all texts quoted safely', async () => {
  const text = await (await setUp(ROUTES, READER).get("/?q=it's%20%24(id)")).text()
  expect(text).toContain(
    'curl &#39;https://switchboard.test/tools?q=it%27s+%24%28id%29&amp;results=relevant&amp;format=summary&amp;limit=50&#39; \\\n  -H &quot;Authorization: Bearer $SWITCHBOARD_KEY&quot;',
  )
})
