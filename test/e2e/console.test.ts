import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpPerson } from './oauth/http-person.ts'
import { type RunningServer, startApp } from './server.ts'
import { definition } from './definition.ts'

const ADMIN_KEY = 'an-administrators-key-1'
const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }
const BROWSER = { accept: 'text/html' }

let server: RunningServer
beforeAll(async () => {
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
})
afterAll(() => server?.stop())

/** Somebody who is signed in with a key of their own. */
async function signIn(more: object): Promise<HttpPerson> {
  const body = { name: 'ann', scopes: ['tools:read', 'tools:call'], ...more }
  const made = await server.json('POST', '/keys', body, asAdmin)
  const who = new HttpPerson()
  await who.press(await who.open(`${server.url}/sign-in`), /Sign in/, { key: made.body.key })
  return who
}
const open = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(server.url + path, { headers: { ...BROWSER, ...headers }, redirect: 'manual' })
  return { status: response.status, location: response.headers.get('location'), text: await response.text() }
}

it('the console shows people who are signed in only what they may see', async () => {
  const ann = await signIn({ tools: ['Calculator.*'] })
  const list = await ann.open(`${server.url}/?limit=1000`)
  expect(list.text).toContain('Calculator.Add')
  expect(list.text).not.toMatch(/Gmail|SMS/)
  const hidden = await ann.open(`${server.url}/console/tools/SMS.Send`)
  const unknown = await ann.open(`${server.url}/console/tools/SMS.Sent`)
  expect([hidden.status, unknown.status]).toEqual([404, 404])
  const plain = (text: string) => text.replaceAll(/nonce(?:="|-)[\w-]+/g, '').replaceAll(/Sen[dt]/g, 'Sen')
  expect(plain(hidden.text)).toBe(plain(unknown.text))
  const bob = await signIn({ tools: ['*'] })
  expect((await bob.open(`${server.url}/`)).text).toContain('href="/?toolkit=Gmail"')
  expect((await bob.open(`${server.url}/?view=tools`)).text).toContain('Gmail.GetEmails')
})

it('the console shows no link for a provider that is not set up, and says what to set up', async () => {
  const text = async (scopes: readonly string[]) => {
    const who = await signIn({ tools: ['Gmail.*'], users: ['ann'], scopes })
    const page = await who.open(`${server.url}/console/tools/Gmail.GetEmails`)
    const form = page.text.slice(page.text.indexOf('<form class="call"'))
    return (await who.press({ ...page, text: form }, /Call tool/)).text
  }
  const forUser = await text(['tools:read', 'tools:call'])
  expect(forUser.match(/not set up on this Switchboard, so nobody can connect an account/g)).toHaveLength(2)
  const forAdministrator = await text(['tools:read', 'tools:call', 'admin'])
  expect(forAdministrator).toContain('GOOGLE_CLIENT_ID')
  for (const each of [forUser, forAdministrator]) expect(each).not.toMatch(/\/authorizations\/[^"]*start/)
})

it('the console requires sign-in, also after a session has expired', async () => {
  expect(await open('/')).toMatchObject({ status: 200, text: expect.stringContaining('Sign in') })
  expect((await open('/')).text).not.toContain('Calculator')
  const away = { status: 302, location: '/sign-in?return=/console/tools/SMS.Send' }
  expect(await open('/console/tools/SMS.Send')).toMatchObject(away)
  const forged = { cookie: `switchboard-session=${'x'.repeat(43)}` }
  expect(await open('/console/tools/SMS.Send', forged)).toMatchObject(away)
})

it('the console also accepts a key in a header, and redirects other clients to the guides', async () => {
  expect((await open('/', asAdmin)).text).toContain('href="/?toolkit=Gmail"')
  const other = await fetch(server.url, { redirect: 'manual' })
  expect([other.status, other.headers.get('location')]).toEqual([302, '/docs'])
})

it('a console session does not work on other routes', async () => {
  const ann = await signIn({ tools: ['*'] })
  // A session is for pages: what agents call takes keys
  expect((await ann.open(`${server.url}/tools`)).status).toBe(401)
})

it('GET /toolkits lists the toolkits of the tools that a caller may see', async () => {
  const { body } = await server.json('GET', '/toolkits', undefined, asAdmin)
  expect(body.items).toContainEqual({ toolkit: 'Calculator', tools: 2, security_level: 1 })
  expect(body.items).toContainEqual({ toolkit: 'SMS', tools: 1, security_level: 4 })
  const { key } = (await server.json('POST', '/keys', { name: 'k', scopes: ['tools:read'], tools: ['SMS.*'] }, asAdmin))
    .body
  const own = await server.json('GET', '/toolkits', undefined, { authorization: `Bearer ${key}` })
  expect(own.body.items).toEqual([{ toolkit: 'SMS', tools: 1, security_level: 4 }])
  expect((await server.json('GET', '/toolkits')).status).toBe(401)
  const caller = (await server.json('POST', '/keys', { name: 'k', scopes: ['tools:call'] }, asAdmin)).body.key
  expect((await server.json('GET', '/toolkits', undefined, { authorization: `Bearer ${caller}` })).status).toBe(403)
})

describe('GET /tools?format=summary', () => {
  const definition = {
    name: 'only',
    title: 'Only a beta',
    description: 'There is no release of it yet',
    inputSchema: { type: 'object' },
  }
  const list = async (query: string) =>
    (await server.json('GET', `/tools?format=summary&${query}`, undefined, asAdmin)).body

  it('GET /tools?format=summary lists the fields that help to choose a tool, and prereleases, which OXP cannot list', async () => {
    for (const version of ['1.0.0-beta.1', '1.0.0-beta.2']) {
      const { status } = await server.json('POST', '/tools', { definition, toolkit: 'Beta', version }, asAdmin)
      expect(status).toBe(201)
    }
    const item = (version: string) => {
      const { name, title, description } = definition
      return { id: `Beta.only@${version}`, name, title, description, version, security_level: 0 }
    }
    expect(await list('toolkit=Beta')).toEqual({ items: [item('1.0.0-beta.2')] })
    expect((await list('toolkit=Beta&versions=all')).items).toEqual([item('1.0.0-beta.1'), item('1.0.0-beta.2')])
    expect(await list('q=beta+release&limit=1')).toMatchObject({ items: [item('1.0.0-beta.2')] })
    expect(await list('toolkit=Beta&losses=1')).toMatchObject({ items: [{ id: 'Beta.only@1.0.0-beta.2' }], losses: [] })
    expect((await list('toolkit=Gmail')).items[0].requirements.authorization).toEqual([{ id: expect.any(String) }])
    expect((await server.json('GET', '/tools?toolkit=Beta', undefined, asAdmin)).body.items).toEqual([])
    expect((await server.json('GET', '/tools/Beta.only?format=summary', undefined, asAdmin)).status).toBe(400)
  })

  it("GET /tools?format=summary is the console's list: a tool with only prereleases has a card and a page", async () => {
    const text = (await open('/?toolkit=Beta', asAdmin)).text
    expect(text).toContain('href="/console/tools/Beta.only"')
    expect((await open('/console/tools/Beta.only', asAdmin)).text).toContain('Version 1.0.0-beta.2')
    await server.json('PATCH', '/tools/Beta.only@1.0.0-beta.2', { status: 'deprecated' }, asAdmin)
    await server.json('PATCH', '/tools/Beta.only@1.0.0-beta.1', { status: 'disabled' }, asAdmin)
    const none = await open('/?toolkit=Beta', asAdmin)
    expect(none.text).toContain('href="/?toolkit=Beta&amp;versions=all"')
    const all = await open('/?toolkit=Beta&versions=all', asAdmin)
    expect(all.text).toContain('href="/console/tools/Beta.only%401.0.0-beta.2"')
    expect(all.text).not.toContain('beta.1')
    const disabled = await open('/console/versions?status=disabled&toolkit=Beta', asAdmin)
    expect(disabled.text).toContain('Beta.only@1.0.0-beta.1')
  })
})

const get = (query: string, as: Record<string, string> = asAdmin) =>
  server.json('GET', `/tools?${query}`, undefined, as)
const idsOf = ({ body }: Awaited<ReturnType<typeof get>>): readonly string[] =>
  body.items.map(({ id }: { id: string }) => id)

it('GET /tools?status= lists versions of that status to callers who may change them', async () => {
  const ids = ['Stood.One@1.0.0', 'Stood.One@1.1.0', 'Stood.Two@1.0.0']
  const documents = ids.map((id) => definition(id))
  expect((await server.json('POST', '/tools', documents, asAdmin)).status).toBe(200)
  for (const id of ['Stood.One@1.0.0', 'Stood.Two@1.0.0'])
    await server.json('PATCH', `/tools/${id}`, { status: 'disabled' }, asAdmin)
  expect(idsOf(await get('status=disabled&toolkit=Stood'))).toEqual(['Stood.One@1.0.0', 'Stood.Two@1.0.0'])
  expect(idsOf(await get('status=active&toolkit=Stood'))).toEqual(['Stood.One@1.1.0'])
  const first = await get('status=disabled&toolkit=Stood&limit=1')
  const cursor = encodeURIComponent(first.body.next_cursor)
  expect(idsOf(await get(`status=disabled&toolkit=Stood&limit=1&cursor=${cursor}`))).toEqual(['Stood.Two@1.0.0'])
  // A place in one list is none in another
  expect((await get(`status=yanked&toolkit=Stood&limit=1&cursor=${cursor}`)).status).toBe(400)

  const keyFor = async (scopes: readonly string[], tools: readonly string[]) => {
    const { body } = await server.json('POST', '/keys', { name: 'k', scopes, tools }, asAdmin)
    return { authorization: `Bearer ${body.key}` }
  }
  const named = await keyFor(['tools:read', 'tools:publish'], ['Stood.*'])
  expect(idsOf(await get('status=disabled', named))).toEqual(['Stood.One@1.0.0', 'Stood.Two@1.0.0'])
  const anybody = await keyFor(['tools:read', 'tools:publish'], ['*'])
  expect(idsOf(await get('status=disabled&toolkit=Stood', anybody))).toEqual([])
  expect((await get('status=disabled', await keyFor(['tools:read'], ['Stood.*']))).status).toBe(403)
})

it.each([
  ['status=gone', "'status'"],
  ['status=disabled&q=mail', 'leave out'],
  ['status=disabled&status=active', 'once'],
])('GET /tools?status= refuses %s', async (query, why) => {
  const { status, body } = await get(query)
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(why)])
  expect((await server.json('GET', `/oxp/tools?status=disabled`, undefined, asAdmin)).status).toBe(400)
})

/** The texts of a page that are there to copy, as a browser reads them. */
function copyable(text: string): readonly string[] {
  const read = (html: string) =>
    html.replaceAll(
      /&(lt|gt|quot|amp|#39);/g,
      (_, name) => ({ lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" })[String(name)] ?? '',
    )
  return [...text.matchAll(/<div class="copyable">(?:<p[^>]*>[^<]*<\/p>)?<pre>([^<]*)<\/pre>/g)].map(([, html = '']) =>
    read(html),
  )
}
const run = promisify(execFile)

it("code copied from a tool's page makes the same call, in every dialect and in TypeScript", async () => {
  const made = await server.json(
    'POST',
    '/keys',
    { name: 'k', scopes: ['tools:read', 'tools:call'], tools: ['Calculator.*'] },
    asAdmin,
  )
  const { key } = made.body
  const response = await fetch(`${server.url}/console/tools/Calculator.Add`, {
    method: 'POST',
    headers: { ...BROWSER, authorization: `Bearer ${key}` },
    body: new URLSearchParams({ 'input/a': '40', 'input/b': '2', 'call_id': 'x' }),
  })
  const texts = copyable(await response.text())
  const curls = texts.filter((text) => /^curl .*\/(?:tools\/call|invoke|execute|plugin\/call|mcp)'/.test(text))
  // Those of the five dialects, and the one that the page made itself
  expect(curls).toHaveLength(6)
  const env = { ...process.env, SWITCHBOARD_KEY: String(key) }
  for (const command of curls) {
    const { stdout } = await run('sh', ['-c', command.replace(/^curl /, 'curl -sS ')], { env })
    expect([command, stdout]).toEqual([command, expect.stringMatching(/\b42\b/)])
    expect(stdout).not.toMatch(/"(?:isError":true|success":false)/)
  }
  const script = texts.find((text) => text.startsWith('const response = await fetch')) ?? ''
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { env })
  expect(stdout).toMatch(/value: 42/)
})

const document = (version: string, required: readonly string[]) =>
  definition(`Notes.Add@${version}`, {
    input_schema: { parameters: { type: 'object', properties: { text: { type: 'string' } }, required } },
    output_schema: null,
  })

it('GET /tools/{id}/versions lists versions and their changes to callers who may see the tool', async () => {
  expect(
    (await server.json('POST', '/tools', [document('1.0.0', []), document('2.0.0', ['text'])], asAdmin)).status,
  ).toBe(200)
  const { status, body } = await server.json('GET', '/tools/Notes.Add/versions', undefined, asAdmin)
  expect(status).toBe(200)
  expect(body.items).toMatchObject([
    { id: 'Notes.Add@2.0.0', status: 'active', changes: [{ level: 'major' }] },
    { id: 'Notes.Add@1.0.0', status: 'active' },
  ])
  const made = await server.json(
    'POST',
    '/keys',
    { name: 'k', scopes: ['tools:read'], tools: ['Calculator.*'] },
    asAdmin,
  )
  const other = { authorization: `Bearer ${made.body.key}` }
  const hidden = await server.json('GET', '/tools/Notes.Add/versions', undefined, other)
  const unknown = await server.json('GET', '/tools/Notes.Adx/versions', undefined, other)
  expect([hidden.status, unknown.status]).toEqual([404, 404])
  expect(JSON.stringify(hidden.body)).toBe(JSON.stringify(unknown.body).replaceAll('Adx', 'Add'))
  const page = await open('/console/tools/Notes.Add', asAdmin)
  expect(page.text).toContain('Breaking: ')
  expect(page.text).toContain('href="/console/tools/Notes.Add%401.0.0"')
})
