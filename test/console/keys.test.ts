import { expect, it } from 'vitest'
import { setUp } from './set-up.ts'

const KEY = {
  id: 'k1',
  name: '<b>ann</b>',
  scopes: ['tools:read'],
  tools: ['*'],
  users: [],
  created_at: '2030-01-01T00:00:00Z',
}
const world = (more: Parameters<typeof setUp>[0] = {}) => setUp({ 'GET /keys': () => ({ items: [KEY] }), ...more })

it('the page of keys creates a key from its form, and shows its value once', async () => {
  const { post, get, asked } = world({
    'POST /keys': () => Response.json({ ...KEY, key: 'sb_secret' }, { status: 201 }),
  })
  const fields = {
    'do': 'make',
    'input/name': ' ann ',
    'input/scopes': '0',
    'input/tools': 'Gmail.*\r\nSMS.Send',
    'input/users': 'ann\r\nbob',
    'input/expires_at': '2031-05-01T23:59:59',
    'input/limits/rate/calls': '100',
    'input/limits/rate/seconds': '60',
    'input/limits/concurrency': '5',
    'input/record_arguments': '1',
    'input/toolset': 'mailbox',
  }
  const text = await (await post('/console/keys', fields)).text()
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
    name: 'ann',
    scopes: ['tools:read'],
    tools: ['Gmail.*', 'SMS.Send'],
    users: ['ann', 'bob'],
    expires_at: '2031-05-01T23:59:59Z',
    limits: { rate: { calls: 100, seconds: 60 }, concurrency: 5 },
    record_arguments: true,
    toolset: 'mailbox',
  })
  for (const pasted of [
    '<pre>sb_secret</pre>',
    'claude mcp add --transport http switchboard https://switchboard.test/mcp --header &quot;Authorization: Bearer sb_secret&quot;',
    '{ &quot;Authorization&quot;: &quot;Bearer sb_secret&quot; }',
  ]) {
    expect(text).toContain(pasted)
  }
  expect(text.match(/sb_secret/g)).toHaveLength(4)
  expect(text.split('<main')[1]?.split('<footer')[0]).not.toMatch(/\$\{|\$SWITCHBOARD_KEY|&quot;inputs/)
  expect(text).toContain('&lt;b&gt;ann&lt;/b&gt;')
  expect(await (await get('/console/keys')).text()).not.toContain('sb_secret')
})

it('the page of keys says why a key was not created, and keeps the entered values', async () => {
  const errors = [
    { path: '/scopes', message: 'Must have at least 1 item' },
    { path: '/tools/1', message: 'Must be a pattern' },
    { path: '/limits/rate/calls', message: 'Is required' },
    { path: '/other/0', message: 'Is unknown' },
  ]
  const { post } = world({ 'POST /keys': () => Response.json({ message: 'Not valid', errors }, { status: 422 }) })
  const page = await post('/console/keys', { 'do': 'make', 'input/name': 'a "name"', 'instead:input/users': '1' })
  const text = await page.text()
  expect(page.status).toBe(422)
  for (const said of [
    '<a href="#f-input/scopes">Scopes</a> Must have at least 1 item',
    '<a href="#f-input/tools">Tools, line 2</a> Must be a pattern',
    '<a href="#f-input/limits/rate/calls">Limits › Rate › Calls</a> Is required',
    '<code>other/0</code> Is unknown',
  ]) {
    expect(text).toContain(said)
  }
  expect(text).toContain('value="a &#34;name&#34;"')
  expect(text).toMatch(/name="instead:input\/users" value="1" checked/)
  expect(text).toMatch(/id="problem-input\/scopes">Must have at least 1 item/)
})

const there = {
  ...KEY,
  name: 'ann',
  tools: [],
  users: 'any',
  expires_at: '2031-05-01T08:00:00Z',
  limits: { concurrency: 5 },
}
const routes = {
  'GET /keys': () => ({ items: [there] }),
  'GET /keys/k1': () => Response.json(there, { headers: { etag: '"r1"' } }),
  'PATCH /keys/k1': () => there,
}
/** What the form says as it was filled. */
const filled = {
  'do': 'change',
  'etag': 'r1',
  'input/name': 'ann',
  'input/scopes': '0',
  'instead:input/users': '1',
  'input/expires_at': '2031-05-01T08:00:00',
  'input/limits/concurrency': '5',
}
const change = async (fields: Record<string, string>) => {
  const { post, asked } = setUp(routes)
  const { status, headers } = await post('/console/keys?id=k1', fields)
  expect([status, headers.get('location')]).toEqual([302, '/console/keys?done=changed'])
  return JSON.parse(asked.find(({ request }) => request.method === 'PATCH')?.body ?? '')
}

it('the page of an existing key fills the form', async () => {
  const text = await (await setUp(routes).get('/console/keys?id=k1')).text()
  for (const name of Object.keys(filled)) expect(text).toContain(`name="${name}" `)
  expect(text).toContain('Edit key “ann”')
  expect(text).toContain('value="2031-05-01T08:00:00"')
  expect(text).toMatch(/name="instead:input\/users" value="1" checked/)
  expect(text).toContain('Rotate “ann”')
  expect(text).not.toContain('aria-label="Keys"')
})

it('the page of an existing key sends only changed fields: a rename does not extend rights or expiry', async () => {
  expect(await change({ ...filled, 'input/name': 'eve' })).toEqual({ name: 'eve' })
  expect(await change({ ...filled, 'input/scopes': '1' })).toEqual({ scopes: ['tools:call'] })
  const { 'instead:input/users': _, ...others } = filled
  expect(await change({ ...others, 'input/users': 'ann' })).toEqual({ users: ['ann'] })
  expect(await change(others)).toEqual({ users: [] })
  expect(await change({ ...filled, 'input/expires_at': '', 'input/limits/concurrency': '' })).toEqual({
    expires_at: null,
    limits: null,
  })
  expect(await change({ ...filled, 'input/tools': 'Mail.*', 'input/record_arguments': '1' })).toEqual({
    tools: ['Mail.*'],
    record_arguments: true,
  })
})

it('the page of an existing key keeps the entered values if the change is refused', async () => {
  const refused = () => Response.json({ message: 'The last administrator' }, { status: 409 })
  const { post } = setUp({ ...routes, 'PATCH /keys/k1': refused })
  const page = await post('/console/keys?id=k1', { ...filled, 'input/name': 'eve' })
  const text = await page.text()
  expect([page.status, text.includes('The last administrator')]).toEqual([409, true])
  expect(text).toContain('value="eve"')
  expect(text).toContain('name="do" value="change"')
  const gone = await setUp({ ...routes, 'GET /keys/k1': () => new Response('{}', { status: 404 }) }).post(
    '/console/keys?id=k1',
    filled,
  )
  expect(gone.status).toBe(404)
})

it('the page of keys rotates and revokes', async () => {
  const { post, asked } = world({
    'POST /keys/k1/rotate': () => ({ ...KEY, key: 'sb_other', previous_expires_at: '2030-01-02T00:00:00Z' }),
    'DELETE /keys/k1': () => new Response(null, { status: 204 }),
  })
  expect(await (await post('/console/keys', { do: 'rotate', id: 'k1', overlap: '3600' })).text()).toContain('sb_other')
  expect(asked[0]?.body).toBe('{"overlap_seconds":3600}')
  const gone = await post('/console/keys', { do: 'revoke', id: 'k1' })
  expect([gone.status, gone.headers.get('location')]).toEqual([302, '/console/keys?done=revoked'])
})

it.each(['..', '.', '../users/ann/grants', ''])(
  'the page of keys never acts on another resource for the key id %j',
  async (id) => {
    const { post, asked } = world()
    const page = await post('/console/keys', { do: 'revoke', id })
    expect(page.status).toBe(404)
    const others = asked.filter(
      ({ request }) => !/^\/keys(?:\/|\/..%2Fusers%2Fann%2Fgrants)?$/.test(new URL(request.url).pathname),
    )
    expect(others).toEqual([])
  },
)

it('the page of keys lists keys with their first characters, and has the form behind a button', async () => {
  const keys = [
    { ...there, prefix: 'sb_Xk3v9Q', limits: { rate: { calls: 3, seconds: 60 }, concurrency: 5 } },
    { ...there, id: 'k2', name: 'pub', previous_expires_at: '2030-01-02T00:00:00Z' },
    { ...there, id: 'k3', name: 'old', previous_expires_at: '2020-01-02T00:00:00Z' },
  ]
  const { get } = setUp({ 'GET /keys': () => ({ items: keys }) })
  const text = await (await get('/console/keys')).text()
  for (const shown of [
    '<a href="/console/keys?id=k1">ann</a> <code>sb_Xk3v9Q…</code>',
    '<a href="/console/keys?id=k2">pub</a> </th>',
    '>3 / 60 s, 5 at a time<',
    'aria-label="Revoke “pub”"',
    'href="/console/keys?new=1"',
  ]) {
    expect(text).toContain(shown)
  }
  expect(text.match(/previous text works until <time datetime="[^"]+"/g)).toEqual([
    'previous text works until <time datetime="2030-01-02T00:00:00Z"',
  ])
  expect(text).not.toContain('name="input/name"')
  expect(text).not.toContain('value="rotate"')
  const form = await (await get('/console/keys?new=1')).text()
  expect(form).toMatch(/records:read <span class="note">reads call records and the audit log<\/span>/)
  expect(form).toContain('name="input/name"')
  expect(form).not.toContain('aria-label="Keys"')
  for (const [q, names] of Object.entries({ PU: ['pub'], sb_xk: ['ann'], none: [] })) {
    const found = await (await get(`/console/keys?q=${q}`)).text()
    expect([...found.matchAll(/\?id=k\d">(\w+)</g)].map(([, name]) => name)).toEqual(names)
  }
})
