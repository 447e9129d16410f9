import { expect, it } from 'vitest'
import { setUp } from '../set-up.ts'

const GIVEN = { id: 'acme', name: 'Acme', issuer: 'https://login.acme.test', client_id: 'c' }
const PUT = 'PUT /providers/acme'
const world = (more: Parameters<typeof setUp>[0] = {}) =>
  setUp({ 'GET /providers': () => ({ items: [GIVEN] }), [PUT]: () => GIVEN, ...more })
const PAGE = '/console/providers'

it('the page of providers adds only what its form contains', async () => {
  const { post, asked } = world()
  const fields = {
    'do': 'give',
    'input/id': ' acme ',
    'input/name': 'Acme',
    'input/issuer': ' https://login.acme.test ',
    'input/authorization_endpoint': '',
    'input/revocation_endpoint': 'https://login.acme.test/revoke',
    'input/client_id': 'c',
    'input/client_secret_name': 'ACME_CLIENT_SECRET',
    'input/token_endpoint_auth_method': '1',
    'input/extra_scopes': 'offline_access\r\nemail',
    'input/authorization_parameters': 'access_type=offline\r\n\r\nhint = a=b\r\nbare',
    'input/scope_separator': ' ,',
    'input/tools': 'Acme.*',
  }
  expect((await post(PAGE, fields)).headers.get('location')).toBe('/console/providers?done=1')
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
    name: 'Acme',
    issuer: 'https://login.acme.test',
    revocation_endpoint: 'https://login.acme.test/revoke',
    client_id: 'c',
    client_secret_name: 'ACME_CLIENT_SECRET',
    token_endpoint_auth_method: 'client_secret_post',
    extra_scopes: ['offline_access', 'email'],
    authorization_parameters: { access_type: 'offline', hint: 'a=b', bare: '' },
    scope_separator: ' ,',
    tools: ['Acme.*'],
  })
  await post(PAGE, { 'do': 'give', 'input/id': 'acme', 'input/client_id': 'c' })
  expect(JSON.parse(asked[1]?.body ?? '')).toEqual({ client_id: 'c' })
})

it('the page of providers says why a provider was not added, and keeps the entered values and open sections', async () => {
  const problem = { path: '/tools/0', message: 'Must be a tool pattern' }
  const { post } = world({
    [PUT]: () => Response.json({ message: 'Not valid', errors: [problem] }, { status: 422 }),
  })
  const page = await post(PAGE, {
    'do': 'give',
    'input/id': 'acme',
    'input/tools': '"<x>"',
    'input/token_endpoint_auth_method': '2',
  })
  const text = await page.text()
  expect(page.status).toBe(422)
  expect(text).toContain('Must be a tool pattern')
  expect(text).toContain('&#34;&#60;x&#62;&#34;</textarea>')
  expect(text).toMatch(/<option value="2" selected[^>]*>none/)
  expect(text).toMatch(/<details open[^>]*><summary>Advanced/)
})

it('the page of providers removes a provider, and a refused removal fills no form', async () => {
  const { post } = world({ 'DELETE /providers/acme': () => new Response(null, { status: 204 }) })
  expect((await post(PAGE, { 'do': 'remove', 'input/id': 'acme' })).headers.get('location')).toBe(
    '/console/providers?done=1',
  )
  const text = await (await post(PAGE, { 'do': 'remove', 'input/id': 'other' })).text()
  expect(text).toContain('There is nothing here')
  expect(text).not.toContain('value="other"')
})

it('the page of providers fills its form with the provider to edit, and sends the same if nothing changed', async () => {
  const whole = {
    ...GIVEN,
    client_secret_name: 'ACME_CLIENT_SECRET',
    token_endpoint_auth_method: 'client_secret_post',
    extra_scopes: ['offline_access', 'email'],
    authorization_parameters: { access_type: 'offline', hint: 'a=b' },
    scope_separator: ',',
    tools: ['Acme.*', 'Other.*'],
  }
  const { get, post, asked } = world({
    'GET /providers': () => ({ items: [whole] }),
    'GET /providers/acme': () => whole,
  })
  const text = await (await get(`${PAGE}?id=acme`)).text()
  expect(text).toContain('Edit provider acme')
  const inputs = text.matchAll(/<input[^>]* name="(input\/\w+)"[^>]* value="([^"]*)"/g)
  const areas = text.matchAll(/<textarea[^>]* name="(input\/\w+)"[^>]*>([^<]*)</g)
  const fields = [...inputs, ...areas].map(([, name, value]) => [name, value?.replaceAll('&#10;', '\n')])
  expect(text).toContain('access_type=offline&#10;hint=a=b</textarea>')
  await post(PAGE, {
    ...Object.fromEntries(fields),
    'do': 'give',
    'input/token_endpoint_auth_method': '1',
  })
  const { id: _, ...said } = whole
  expect(JSON.parse(asked.at(-1)?.body ?? '')).toEqual(said)
  expect(await (await get(`${PAGE}?id=other`)).text()).toContain('Add provider')
})

it('the page of providers offers well-known providers, whose form has two fields and the redirect URI to copy', async () => {
  const { get, post, asked } = world({ 'PUT /providers/google': () => ({ ...GIVEN, id: 'google' }) })
  const text = await (await get(PAGE)).text()
  expect(text).toContain('href="/console/providers?known=google#give">Google</a>')
  expect(text).toMatch(/class="copyable"><pre>https:\/\/switchboard\.test\/oauth\/callback</)
  const known = await (await get(`${PAGE}?known=google`)).text()
  expect(known).toContain('Register an OAuth client with Google')
  const [fields = ''] = known.slice(known.indexOf('<h2 id="give"')).split('<details')
  const inputs = [...fields.matchAll(/name="input\/(\w+)"[^>]* value="([^"]*)"/g)].map(([, ...input]) => input)
  expect(inputs).toEqual([
    ['id', 'google'],
    ['client_id', ''],
    ['client_secret_name', 'GOOGLE_CLIENT_SECRET'],
  ])
  const sent = {
    'do': 'give',
    'input/id': 'google',
    'input/client_id': 'c',
    'input/client_secret_name': 'GOOGLE_CLIENT_SECRET',
  }
  expect((await post(`${PAGE}?known=google`, sent)).headers.get('location')).toBe('/console/providers?done=1')
  expect(JSON.parse(asked.at(-1)?.body ?? '')).toEqual({ client_id: 'c', client_secret_name: 'GOOGLE_CLIENT_SECRET' })
  const added = world({ 'GET /providers': () => ({ items: [{ ...GIVEN, id: 'google', name: 'Google' }] }) })
  const list = await (await added.get(PAGE)).text()
  expect(list).not.toContain('known=google')
  expect(list).not.toContain('<code>google</code>')
  expect(await (await get(`${PAGE}?known=%3Cx%3E`)).text()).toContain('Register an OAuth client with the provider')
})

it('the page of providers tests a provider, and shows each step', async () => {
  const steps = [
    { name: 'endpoints', state: 'ok', message: 'The endpoints are known' },
    { name: 'token', state: 'failed', message: 'The client ID or secret is wrong' },
  ]
  const { get, post } = world({
    'GET /providers': () => ({ items: [GIVEN] }),
    'POST /providers/acme/test': () => ({ ok: false, steps }),
  })
  expect(await (await get(PAGE)).text()).toContain('aria-label="Test provider acme"')
  const text = await (await post(PAGE, { 'do': 'test', 'input/id': 'acme' })).text()
  expect(text).toMatch(
    /Test of acme[^]*class="ok">The endpoints are known<[^]*class="off">The client ID or secret is wrong</,
  )
  expect(await (await post(PAGE, { 'do': 'test', 'input/id': 'gone' })).text()).toContain('There is nothing here')
})

it('the page of providers adds and edits a provider whose users enter a credential', async () => {
  const notes = { id: 'notes', name: 'Notes', kind: 'api_key', check: { url: 'https://notes.test/me', method: 'GET' } }
  const { get, post, asked } = world({
    'GET /providers': () => ({ items: [GIVEN, notes] }),
    'GET /providers/notes': () => notes,
    'PUT /providers/notes': () => notes,
  })
  const read = async (path: string) => (await get(path)).text()
  const list = await read(PAGE)
  expect(list).toContain('href="/console/providers?entered=1#give"')
  expect(list).toContain('people enter an API key')
  const form = await read(`${PAGE}?entered=1`)
  expect(form).toContain('Add a provider whose people enter a key or password')
  expect(form).toContain('name="input/check/url"')
  expect(form).not.toContain('name="input/client_id"')
  const fields = {
    'do': 'give',
    'input/id': 'notes',
    'input/kind': '3',
    'input/fields': '[{"name": "site", "label": "Site"}]',
    'input/check/url': 'https://notes.test/me',
    'input/check/headers': 'x-site={site}',
  }
  expect((await post(`${PAGE}?entered=1`, fields)).headers.get('location')).toBe('/console/providers?done=1')
  expect(JSON.parse(asked.at(-1)?.body ?? '')).toEqual({
    kind: 'fields',
    fields: [{ name: 'site', label: 'Site' }],
    check: { url: 'https://notes.test/me', headers: { 'x-site': '{site}' } },
  })
  await post(`${PAGE}?entered=1`, { 'do': 'give', 'input/id': 'notes', 'input/kind': '' })
  expect(JSON.parse(asked.at(-1)?.body ?? '')).toEqual({ kind: '' })
  const edited = await read(`${PAGE}?id=notes`)
  expect(edited).toContain('Edit provider notes')
  expect(edited).toContain('>https://notes.test/me</textarea>')
})
